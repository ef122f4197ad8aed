"""Exercise `shifted_pmi`: what the scores converge to."""

import math
from typing import Any

import numpy as np
import torch

from autograde.checking.exercise import (
    Case,
    Exercise,
    Inputs,
    Mistake,
)
from autograde.exercises.word2vec import LESSON
from elmo_mini.word_vectors import word2vec


def _pair_counts(rows: int, columns: int, negatives: int, zeros: bool = False) -> Any:
    def make(rng: np.random.Generator) -> Inputs:
        counts = rng.integers(1, 60, size=(rows, columns)).astype(np.float64)
        if zeros:
            counts[rng.integers(rows), rng.integers(columns)] = 0.0
        return {"pair_counts": counts, "negatives": negatives}

    return make


def _pmi(counts: np.ndarray) -> np.ndarray:
    with np.errstate(divide="ignore"):
        return word2vec.shifted_pmi(counts, 1)


def _rows(counts: np.ndarray) -> np.ndarray:
    return np.asarray(counts.sum(1, keepdims=True))


def _columns(counts: np.ndarray) -> np.ndarray:
    return np.asarray(counts.sum(0, keepdims=True))


def _pmi_over(counts: np.ndarray, products: np.ndarray, k: int) -> np.ndarray:
    return np.log(counts * counts.sum() / products) - math.log(k)


def _over_chance(counts: np.ndarray) -> np.ndarray:
    return counts * counts.sum() / (_rows(counts) * _columns(counts))


def _divided_by_log(counts: np.ndarray, k: int) -> np.ndarray:
    return _pmi(counts) / np.log(k)


def _on_the_way(inputs: Inputs) -> dict[str, np.ndarray]:
    counts = inputs["pair_counts"]
    rows, columns = np.log(counts.sum(1)), np.log(counts.sum(0))
    found = {
        "the logarithm of the row sums": rows[:, None],
        "the logarithm of the column sums": columns[None],
        "the logarithm of the whole sum": np.log(counts.sum()),
    }
    if len(rows) == len(columns):
        found |= {
            "the logarithm of the row sums (along the columns)": rows[None],
            "the logarithm of the column sums (along the rows)": columns[:, None],
        }
    return found


EXERCISE = Exercise(
    id="shifted_pmi",
    title="What the scores converge to",
    lesson=LESSON,
    points=3,
    difficulty=2,
    importance=4,
    minutes=8,
    reference=word2vec.shifted_pmi,
    on_the_way=_on_the_way,
    cases=(
        Case("4 words, 5 negatives", _pair_counts(4, 4, 5)),
        Case("more contexts than words", _pair_counts(3, 6, 2)),
        Case("k = 1: the PMI itself", _pair_counts(4, 4, 1), edge=True),
        Case("a pair that never occurs", _pair_counts(4, 4, 5, zeros=True), edge=True),
    ),
    mistakes=(
        Mistake(
            "log k is missing",
            lambda counts, k: _pmi(counts),
            "This is the PMI. Each positive pair meets k noise words, and that shifts the score "
            "down by log k.",
            hint=3,
        ),
        Mistake(
            "log k is added",
            lambda counts, k: _pmi(counts) + math.log(k),
            "The shift goes the other way: more noise words push the scores down.",
            hint=3,
        ),
        Mistake(
            "k instead of log k",
            lambda counts, k: _pmi(counts) - k,
            "You subtract k itself. The shift is its logarithm.",
            hint=3,
        ),
        Mistake(
            "row and column sums multiplied place by place",
            lambda counts, k: np.log(counts * counts.sum() / (counts.sum(1) * counts.sum(0)) / k),
            "`counts.sum(1) * counts.sum(0)` multiplies two flat arrays place by place. Every row "
            "sum must meet every column sum: use `keepdims=True`.",
            hint=2,
        ),
        Mistake(
            "the number of cells instead of the number of pairs",
            lambda counts, k: np.log(
                counts * counts.size / np.outer(counts.sum(1), counts.sum(0)) / k
            ),
            "|D| is the number of pairs in the text, the sum of all counts, not the size of the "
            "table.",
            hint=2,
        ),
        Mistake(
            "logarithm to base 2",
            lambda counts, k: word2vec.shifted_pmi(counts, k) / math.log(2),
            "The sigmoid is built on e, so this is the natural logarithm: `np.log`.",
            hint=3,
        ),
        Mistake(
            "the total is missing",
            lambda counts, k: word2vec.shifted_pmi(counts, k) - np.log(counts.sum()),
            "All your scores are too low by the log of the number of pairs. Compare with what "
            "chance would give: #(w) #(c) / |D|.",
            hint=1,
        ),
        Mistake(
            "negative values cut to 0",
            lambda counts, k: np.maximum(0.0, word2vec.shifted_pmi(counts, k)),
            "That is the shifted positive PMI, a later step in the same paper. Here negative "
            "values stay, also -inf.",
            hint=3,
        ),
        Mistake(
            "the mean instead of chance",
            lambda counts, k: np.log(counts / counts.mean() / k),
            "You compare each pair with the average pair. PMI compares it with how frequent its "
            "own two words are.",
            hint=1,
        ),
        Mistake(
            "a small number inside the log (1e-12)",
            lambda counts, k: np.log(_over_chance(counts) + 1e-12) - math.log(k),
            "A small number inside the log turns the -inf of a pair that never occurs into "
            "some number of your choosing. Leave it out: `-inf` is what is asked for.",
            hint=3,
        ),
        Mistake(
            "a small number inside the log (1e-10)",
            lambda counts, k: np.log(_over_chance(counts) + 1e-10) - math.log(k),
            "A small number inside the log turns the -inf of a pair that never occurs into "
            "some number of your choosing. Leave it out: `-inf` is what is asked for.",
            hint=3,
        ),
        Mistake(
            "a small number inside the log (1e-9)",
            lambda counts, k: np.log(_over_chance(counts) + 1e-9) - math.log(k),
            "A small number inside the log turns the -inf of a pair that never occurs into "
            "some number of your choosing. Leave it out: `-inf` is what is asked for.",
            hint=3,
        ),
        Mistake(
            "a small number inside the log (1e-8)",
            lambda counts, k: np.log(_over_chance(counts) + 1e-8) - math.log(k),
            "A small number inside the log turns the -inf of a pair that never occurs into "
            "some number of your choosing. Leave it out: `-inf` is what is asked for.",
            hint=3,
        ),
        Mistake(
            "a small number inside the log (1e-6)",
            lambda counts, k: np.log(_over_chance(counts) + 1e-6) - math.log(k),
            "A small number inside the log turns the -inf of a pair that never occurs into "
            "some number of your choosing. Leave it out: `-inf` is what is asked for.",
            hint=3,
        ),
        Mistake(
            "one added to every count",
            lambda counts, k: word2vec.shifted_pmi(counts + 1, k),
            "You add 1 to every count, which changes all of them. A pair that never occurs "
            "should get `-inf`.",
            hint=3,
        ),
        Mistake(
            "never-seen pairs have a PMI of 0",
            lambda counts, k: np.where(counts > 0, word2vec.shifted_pmi(counts, k), -math.log(k)),
            "A PMI of 0 means: as often as by chance. A pair that never occurs gets `-inf`.",
            hint=3,
        ),
        Mistake(
            "never-seen pairs get 0",
            lambda counts, k: np.where(counts > 0, word2vec.shifted_pmi(counts, k), 0.0),
            "0 is a score like any other. A pair that never occurs gets `-inf`.",
            hint=3,
        ),
        Mistake(
            "row sums twice",
            lambda counts, k: _pmi_over(counts, _rows(counts) * _rows(counts), k),
            "You take the row sums twice. The frequency of a context is its column sum: "
            "`.sum(0, keepdims=True)`.",
            hint=2,
        ),
        Mistake(
            "column sums twice",
            lambda counts, k: _pmi_over(counts, _columns(counts) * _columns(counts), k),
            "You take the column sums twice. The frequency of a word is its row sum: "
            "`.sum(1, keepdims=True)`.",
            hint=2,
        ),
        Mistake(
            "only the row sums",
            lambda counts, k: np.log(counts / _rows(counts)) - math.log(k),
            "This is log p(context | word). PMI compares it with how frequent the context "
            "is everywhere.",
            hint=1,
        ),
        Mistake(
            "only the column sums",
            lambda counts, k: np.log(counts / _columns(counts)) - math.log(k),
            "This is log p(word | context). PMI compares it with how frequent the word is "
            "everywhere.",
            hint=1,
        ),
        Mistake(
            "no logarithm, divided by k",
            lambda counts, k: _over_chance(counts) / k,
            "The logarithm is missing: PMI is the log of counts over chance.",
            hint=3,
        ),
        Mistake(
            "no logarithm of the counts",
            lambda counts, k: _over_chance(counts) - math.log(k),
            "You take the log of k and not of the ratio. PMI is the log of counts over chance.",
            hint=3,
        ),
        Mistake(
            "rows and columns are exchanged",
            lambda counts, k: word2vec.shifted_pmi(counts, k).T,
            "Your result is transposed. Words are the rows, contexts the columns, as in "
            "`pair_counts`.",
            hint=2,
        ),
        Mistake(
            "row and column sums multiplied place by place, in another order",
            lambda counts, k: (
                np.log(counts * counts.sum() / (counts.sum(0) * counts.sum(1))) - np.log(k)
            ),
            "`counts.sum(0) * counts.sum(1)` multiplies two flat arrays place by place. "
            "Every row sum must meet every column sum: use `keepdims=True`.",
            hint=2,
        ),
        Mistake(
            "only the share of the pair",
            lambda counts, k: np.log(counts / counts.sum()) - math.log(k),
            "This is the log of how often the pair occurs. PMI compares that with how often "
            "it would by chance.",
            hint=1,
        ),
        Mistake(
            "upside down",
            lambda counts, k: -_pmi(counts) - math.log(k),
            "Your fraction is upside down: counts over chance, not chance over counts.",
            hint=1,
        ),
        Mistake(
            "log k twice",
            lambda counts, k: _pmi(counts) - 2 * math.log(k),
            "You divide by k twice, once inside the log and once outside. Once is enough.",
            hint=3,
        ),
        Mistake(
            "log of k + 1",
            lambda counts, k: _pmi(counts) - math.log(k + 1),
            "The shift is log k, the noise words alone: the true word does not count here.",
            hint=3,
        ),
        Mistake(
            "weighted with its share",
            lambda counts, k: counts / counts.sum() * word2vec.shifted_pmi(counts, k),
            "You multiply by the share of the pair, as mutual information does. PMI is the "
            "logarithm alone.",
            hint=1,
        ),
        Mistake(
            "the total squared",
            lambda counts, k: word2vec.shifted_pmi(counts, k) + np.log(counts.sum()),
            "One total too many: #(w, c) |D| / (#(w) #(c)) has it once.",
            hint=2,
        ),
        Mistake(
            "the number of words instead of the number of pairs",
            lambda counts, k: (
                word2vec.shifted_pmi(counts, k) - np.log(counts.sum()) + math.log(len(counts))
            ),
            "|D| is the number of pairs in the text, `pair_counts.sum()`, not the number of rows.",
            hint=2,
        ),
        Mistake(
            "a bracket is missing",
            lambda counts, k: (
                np.log(counts * counts.sum() / _rows(counts) * _columns(counts)) - math.log(k)
            ),
            "`a / b * c` multiplies by c. Put the product of the sums in brackets.",
            hint=2,
        ),
        Mistake(
            "logarithm to base 10",
            lambda counts, k: word2vec.shifted_pmi(counts, k) / math.log(10),
            "The sigmoid is built on e, so this is the natural logarithm: `np.log`.",
            hint=3,
        ),
        Mistake(
            "divided by log k",
            lambda counts, k: _divided_by_log(counts, k),
            "You divide by log k. Subtract it.",
            hint=3,
        ),
        Mistake(
            "rows and columns are exchanged",
            lambda counts, k: np.log(
                counts * counts.sum() / np.outer(counts.sum(0), counts.sum(1)) / k
            ),
            "The sums of the columns stand in your rows, and those of the rows in your columns. "
            "For word w (row) and context c (column) divide by the sum of *row* w and of *column* "
            "c.",
            hint=2,
        ),
        Mistake(
            "the expected count without its logarithm",
            lambda counts, k: (
                np.log(counts) - np.outer(counts.sum(1), counts.sum(0)) / counts.sum() - np.log(k)
            ),
            "You subtract the expected count itself. Subtract its logarithm: log(a / b) is "
            "log a - log b.",
            hint=2,
        ),
        Mistake(
            "the count of the pair is missing",
            lambda counts, k: np.log(counts.sum() / np.outer(counts.sum(1), counts.sum(0)) / k),
            "How often the pair itself occurred is not in your result.",
            hint=1,
        ),
        Mistake(
            "whole division",
            lambda counts, k: (
                np.log(counts)
                - np.log(np.outer(counts.sum(1), counts.sum(0)) // counts.sum())
                - np.log(k)
            ),
            "`//` rounds the expected count down to a whole number. Use `/`.",
            hint=3,
        ),
        Mistake(
            "multiplied by the expected share",
            lambda counts, k: np.log(
                counts
                / counts.sum()
                * np.outer(counts.sum(1) / counts.sum(), counts.sum(0) / counts.sum())
                / k
            ),
            "You multiply the pair's share by the shares of word and context. PMI *divides*: how "
            "much more often than by chance.",
            hint=1,
        ),
    ),
    right_answers={
        "probabilities": lambda counts, k: np.log(
            (counts / counts.sum())
            / np.outer(counts.sum(1) / counts.sum(), counts.sum(0) / counts.sum())
            / k
        ),
        "tensors": lambda counts, k: torch.log(
            torch.as_tensor(counts)
            * counts.sum()
            / (torch.as_tensor(counts.sum(1)).unsqueeze(1) * torch.as_tensor(counts.sum(0)) * k)
        ),
    },
)
