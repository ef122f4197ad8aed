"""Exercise `shifted_pmi`: what the scores converge to."""

import numpy as np
import torch

from autograde.checking.exercise import Case, Exercise, Inputs, Random
from autograde.checking.slips import slips
from autograde.exercises.word2vec import LESSON
from elmo_mini.models import skip_gram


@Case.drawn
def _pair_counts(
    rng: Random, rows: int, columns: int, negatives: int, zeros: bool = False
) -> Inputs:
    counts = rng.integers(1, 60, size=(rows, columns)).astype(np.float64)
    if zeros:
        counts[rng.integers(rows), rng.integers(columns)] = 0.0
    return {"pair_counts": counts, "negatives": negatives}


def _shifted_pmi(pair_counts: np.ndarray, negatives: int) -> np.ndarray:
    total = pair_counts.sum()
    rows, columns = pair_counts.sum(1, keepdims=True), pair_counts.sum(0, keepdims=True)
    return np.log(pair_counts * total / (rows * columns)) - np.log(negatives)


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


SLIPS = """
--- hint 1
the mean instead of chance: pair_counts * total / (rows * columns) \
        -> pair_counts / pair_counts.mean()
    You compare each pair with the average pair. PMI compares it with how frequent its own two words
    are.
only the row sums: pair_counts * total / (rows * columns) -> pair_counts / rows
    This is log p(context | word). PMI compares it with how frequent the context is everywhere.
only the column sums: pair_counts * total / (rows * columns) -> pair_counts / columns
    This is log p(word | context). PMI compares it with how frequent the word is everywhere.
only the share of the pair: pair_counts * total / (rows * columns) -> pair_counts / total
    This is the log of how often the pair occurs. PMI compares that with how often it would by
    chance.
--- hint 2
row and column sums multiplied place by place: every , keepdims=True ->
    `counts.sum(1) * counts.sum(0)` multiplies two flat arrays position by position. Every row sum
    must meet every column sum: use `keepdims=True`.
row and column sums multiplied place by place, in another order: every , keepdims=True -> \
        && rows * columns -> columns * rows
    `counts.sum(0) * counts.sum(1)` multiplies two flat arrays position by position. Every row sum
    must meet every column sum: use `keepdims=True`.
the number of cells instead of the number of pairs: total = pair_counts.sum() \
        -> total = pair_counts.size
    |D| is the number of pairs in the text, the sum of all counts, not the size of the table.
the number of words instead of the number of pairs: total = pair_counts.sum() \
        -> total = len(pair_counts)
    |D| is the number of pairs in the text, `pair_counts.sum()`, not the number of rows.
row sums twice: rows * columns -> rows * rows
    You take the row sums twice. The frequency of a context is its column sum: `.sum(0,
    keepdims=True)`.
column sums twice: rows * columns -> columns * columns
    You take the column sums twice. The frequency of a word is its row sum: `.sum(1,
    keepdims=True)`.
the result is transposed: return np.log -> return (np.log && np.log(negatives) \
        -> np.log(negatives)).T
    Your result is transposed. Words are the rows, contexts the columns, as in `pair_counts`.
rows and columns are exchanged: rows * columns -> rows.T * columns.T
    The sums of the columns stand in your rows, and those of the rows in your columns. For word w
    (row) and context c (column) divide by the sum of *row* w and of *column* c.
the total squared: pair_counts * total -> pair_counts * total**2
    One total too many: #(w, c) |D| / (#(w) #(c)) has it once.
a bracket is missing: (rows * columns) -> rows * columns
    `a / b * c` multiplies by c. Put the product of the sums in brackets.
the total is missing: pair_counts * total -> pair_counts
    All your scores are too low by the log of the number of pairs. Compare with what chance would
    give: #(w) #(c) / |D|.
--- hint 3
log k is missing: - np.log(negatives) ->
    This is the PMI. Each positive pair meets k noise words, and that shifts the score down by log
    k.
log k is added: - np.log(negatives) -> + np.log(negatives)
    The shift goes the other way: more noise words push the scores down.
k instead of log k: np.log(negatives) -> negatives
    You subtract k itself. The shift is its logarithm.
log k twice: (rows * columns) -> (rows * columns) / negatives
    You divide by k twice, once inside the log and once outside. Once is enough.
log of k + 1: np.log(negatives) -> np.log(negatives + 1)
    The shift is log k, the noise words alone: the true word does not count here.
divided by log k: - np.log(negatives) -> / np.log(negatives)
    You divide by log k. Subtract it.
logarithm to base 2: every np.log -> np.log2
logarithm to base 10: every np.log -> np.log10
    The sigmoid is built on e, so this is the natural logarithm: `np.log`.
negative values cut to 0: return np.log -> return np.maximum(0, np.log && np.log(negatives) \
        -> np.log(negatives))
    That is the shifted positive PMI, a later step in the same paper. Here negative values stay,
    also -inf.
a small number inside the log ({tiny}): (rows * columns) -> (rows * columns) + {tiny} \
        | tiny = 1e-12, 1e-10, 1e-9, 1e-8, 1e-6
    A small number inside the log turns the -inf of a pair that never occurs into some number of
    your choosing. Leave it out: `-inf` is what is asked for.
one added to every count: total = pair_counts.sum() -> pair_counts = pair_counts + 1 \
        ⏎total = pair_counts.sum()
    You add 1 to every count, which changes all of them. A pair that never occurs should get `-inf`.
never-seen pairs have a PMI of 0: return np.log -> return np.where(pair_counts == 0, 0, np.log \
        && (rows * columns)) -> (rows * columns)))
    A PMI of 0 means: as often as by chance. A pair that never occurs gets `-inf`.
never-seen pairs get 0: return np.log -> return np.where(pair_counts == 0, 0, np.log \
        && np.log(negatives) -> np.log(negatives))
    0 is a score like any other. A pair that never occurs gets `-inf`.
no logarithm, divided by k: np.log(pair_counts * total / (rows * columns)) - np.log(negatives) \
        -> pair_counts * total / (rows * columns) / negatives
    The logarithm is missing: PMI is the log of counts over chance.
no logarithm of the counts: np.log(pair_counts * total / (rows * columns)) \
        -> pair_counts * total / (rows * columns)
    You take the log of k and not of the ratio. PMI is the log of counts over chance.
upside down: pair_counts * total / (rows * columns) -> rows * columns / (pair_counts * total)
    Your fraction is upside down: counts over chance, not chance over counts.
weighted with its share: return np.log -> return pair_counts / total * (np.log \
        && np.log(negatives) -> np.log(negatives))
    You multiply by the share of the pair, as mutual information does. PMI is the logarithm alone.
the count of the pair is missing: pair_counts * total / -> total /
    How often the pair itself occurred is not in your result.
multiplied by the expected share: * total / (rows * columns) \
        -> / total * (rows / total) * (columns / total)
    You multiply the pair's share by the shares of word and context. PMI *divides*: how much more
    often than by chance.
the expected count without its logarithm: np.log(pair_counts * total / (rows * columns)) \
        -> np.log(pair_counts) - rows * columns / total
    You subtract the expected count itself. Subtract its logarithm: log(a / b) is log a - log b.
--- no hint
whole division: pair_counts * total / (rows * columns) -> pair_counts / (rows * columns // total)
    `//` rounds the expected count down to a whole number. Use `/`.
"""

EXERCISE = Exercise(
    id="shifted_pmi",
    title="What the scores converge to",
    lesson=LESSON,
    points=3,
    difficulty=2,
    importance=5,
    minutes=8,
    reference=skip_gram.shifted_pmi,
    on_the_way=_on_the_way,
    cases=(
        Case("4 words, 5 negatives", _pair_counts(4, 4, 5)),
        Case("more contexts than words", _pair_counts(3, 6, 2)),
        Case("k = 1: the PMI itself", _pair_counts(4, 4, 1), edge=True),
        Case("a pair that never occurs", _pair_counts(4, 4, 5, zeros=True), edge=True),
    ),
    mistakes=slips(_shifted_pmi, SLIPS),
    right_answers={
        "in one fraction": _shifted_pmi,
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
