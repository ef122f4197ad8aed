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


EXERCISE = Exercise(
    id="shifted_pmi",
    title="What the scores converge to",
    lesson=LESSON,
    points=3,
    difficulty=2,
    importance=4,
    minutes=8,
    reference=word2vec.shifted_pmi,
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
