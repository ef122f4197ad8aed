"""Exercise `keep_probability`: subsampling, as printed and as programmed."""

import math

import numpy as np
import torch

from autograde.checking.exercise import Case, Exercise, Inputs, Random
from autograde.checking.slips import slips
from autograde.exercises.word2vec import LESSON
from elmo_mini.models import skip_gram


@Case.drawn
def _frequencies(rng: Random, formula: str) -> Inputs:
    frequency = np.sort(10.0 ** rng.uniform(-3.2, -1.2, size=8))[::-1].copy()
    return {"frequency": frequency, "threshold": 1e-4, "formula": formula}


@Case.drawn
def _rare(rng: Random, formula: str, low: float = -6.5, high: float = -5.2) -> Inputs:
    return {
        "frequency": 10.0 ** rng.uniform(low, high, size=4),
        "threshold": 1e-4,
        "formula": formula,
    }


def _keep(frequency: np.ndarray, threshold: float, formula: str) -> np.ndarray:
    ratio = threshold / frequency
    keep = np.sqrt(ratio)
    if formula == "code":
        keep = keep + ratio
    return np.minimum(keep, 1.0)


SLIPS = """
--- hint 1
the probability to discard: np.minimum(keep, 1.0) -> 1 - np.minimum(keep, 1.0)
    This is the chance that the word is thrown away. Return the chance that it stays.
the probability to discard, not cut off: np.minimum(keep, 1.0) -> 1 - keep
    This is the chance that the word is thrown away, and for rare words it is negative. Return the
    chance that it stays, at most 1.
the probability to discard, for "paper" only: return \
        -> keep = 1 - keep if formula == "paper" else keep⏎return
the probability to discard, for "paper" only, not below 0: return np.minimum(keep, 1.0) \
        -> keep = 1 - keep if formula == "paper" else keep⏎return np.clip(keep, 0, 1)
    For "paper" you return what the paper prints, the chance to discard. Return the chance to keep
    in both cases.
a probability above 1: np.minimum(keep, 1.0) -> keep
    For rare words your result is above 1, which no probability is. Cut it off at 1.
--- hint 2
the root is missing: np.sqrt(ratio) -> ratio
    The square root over t / f is missing. Without it frequent words almost vanish.
t and f are swapped: threshold / frequency -> frequency / threshold
    Your frequent words are kept and your rare words dropped. The ratio is t / f: the more frequent
    the word, the smaller.
t and f are swapped, and nothing is cut off: threshold / frequency -> frequency / threshold \
        && np.minimum(keep, 1.0) -> keep
    Your ratio is upside down: it is t / f, the more frequent the word, the smaller. And cut off at
    1 what is larger.
the two formulas are swapped: formula == "code" -> formula == "paper"
    You use the code's formula for "paper" and the paper's for "code".
always the paper's formula: keep + ratio -> keep
    Both formulas give the same in your answer. The code adds t / f to the root.
always the code's formula: formula == "code" -> True
    Both formulas give the same in your answer. The paper has the root alone.
both parts under the root: keep + ratio -> np.sqrt(ratio + ratio)
    The root stands over the first t / f alone. The code adds the second t / f outside it.
the code multiplies: keep + ratio -> keep * ratio
    The code *adds* t / f to the root. You multiply.
the code subtracts: keep + ratio -> keep - ratio
    The code *adds* t / f to the root: it keeps a little more than the paper, not less.
the code without a root: keep + ratio -> ratio + ratio
    The code has a root too: it adds t / f to the paper's sqrt(t / f).
t / f alone for "code": keep + ratio -> ratio
    The code adds t / f to the root. Yours has t / f without the root.
the root of t alone: np.sqrt(ratio) -> np.sqrt(threshold) / frequency
    The root goes over the whole fraction: `np.sqrt(threshold / frequency)`.
the square, not the root: np.sqrt(ratio) -> ratio**2
    You square the ratio. Take its root: `np.sqrt`, or `** 0.5`.
both parts under the root, cut off at {cap}: keep + ratio -> np.sqrt(ratio + ratio) \
        && np.minimum(keep, 1.0) -> np.minimum(keep, {cap}) | cap = 0.9, 0.99, 0.999
    The root stands over the first t / f alone: the code adds the second outside it. And cut off at
    1, no lower: a rare word is kept always.
the threshold is written in: threshold / frequency -> 1e-3 / frequency
    Your threshold is 0.001 whatever is asked. Use the argument `threshold`.
the threshold of the paper is written in: threshold / frequency -> 1e-5 / frequency
    Your threshold is 0.00001 whatever is asked. Use the argument `threshold`.
the threshold decides what is cut off: return np.minimum(keep, 1.0) \
        -> return np.where(frequency > threshold, keep, 1.0)
    You cut off where f is at most t. That fits the paper's formula: the code's is above 1 up to f =
    2.618 t. Cut off the result, whatever f is.
--- hint 3
cut off before the sum: np.sqrt(ratio) -> np.minimum(np.sqrt(ratio), 1.0) \
        && np.minimum(keep, 1.0) -> keep
    You cut off at 1 and add t / f afterwards, so the sum goes above 1 again. Cut off last.
`min` of an array: np.minimum(keep, 1.0) -> min(1, keep)
    `min`, `max` and `if` compare two single numbers, and `frequency` is an array of many.
    `np.minimum` takes the smaller one position by position.
the larger, not the smaller: np.minimum(keep, 1.0) -> np.maximum(keep, 1.0)
    `np.maximum` raises everything to at least 1. To cut off *at* 1 take the smaller of the two:
    `np.minimum`.
each part is cut off alone: keep + ratio -> keep + np.minimum(ratio, 1.0) && np.sqrt(ratio) \
        -> np.minimum(np.sqrt(ratio), 1.0) && np.minimum(keep, 1.0) -> keep
    Each part is at most 1, but their sum reaches 2. Cut off once, after the sum.
cut off at {cap}: np.minimum(keep, 1.0) -> np.minimum(keep, {cap}) | cap = 0.9, 0.99, 0.999
    Your rare words are kept almost always. A word whose formula gives 1 or more is kept always: cut
    off at 1.
--- no hint
they add up to 1: return np.minimum(keep, 1.0) -> keep = np.minimum(keep, 1.0) \
        ⏎return keep / keep.sum()
    You divide by the sum. These probabilities need not add up to 1: every word has its own, to stay
    or to go.
the frequencies are divided by their sum: threshold / frequency \
        -> threshold / (frequency / frequency.sum())
    You divide `frequency` by its sum. It holds shares of the whole text already, and not of all
    words: take it as it is.
`math.sqrt` of an array: np.sqrt(ratio) -> math.sqrt(ratio)
    `math.sqrt` takes one number, and `frequency` is an array of many. Use `np.sqrt`.
nothing is returned for "paper": return -> if formula == "code": return
    With "paper" your function returns nothing. Put the last line outside the `if`.
nothing is returned for "code": return -> if formula == "paper": return
    With "code" your function returns nothing. Put the last line outside the `if`.
the mean over the words: np.minimum(keep, 1.0) -> np.minimum(keep, 1.0).mean()
    You return one number for all words. Return one for each, in an array as long as `frequency`.
"""

EXERCISE = Exercise(
    id="keep_probability",
    title="Subsampling, as printed and as programmed",
    lesson=LESSON,
    points=3,
    difficulty=2,
    importance=4,
    minutes=6,
    reference=skip_gram.keep_probability,
    cases=(
        Case("the paper's formula, frequent words", _frequencies("paper")),
        Case("the code's formula, frequent words", _frequencies("code")),
        Case("the paper's formula, rare words", _rare("paper"), weight=0.5, edge=True),
        Case("the code's formula, rare words", _rare("code"), weight=0.5, edge=True),
        Case("the code's formula, just above t", _rare("code", -3.9, -3.7), weight=0.5, edge=True),
    ),
    mistakes=slips(_keep, SLIPS),
    right_answers={
        "the line of word2vec.c": lambda f, t, formula: np.clip(
            (np.sqrt(f / t) + (formula == "code")) * t / f, 0, 1
        ),
        "tensors": lambda f, t, formula: torch.from_numpy(
            (np.sqrt(f / t) + (formula == "code")) * t / f
        ).clamp(max=1),
        "one by one": lambda f, t, formula: np.array(
            [min(1, math.sqrt(t / x) + (t / x if formula == "code" else 0)) for x in f]
        ),
    },
)
