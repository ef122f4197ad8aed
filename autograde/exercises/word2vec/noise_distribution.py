"""Exercise `noise_distribution`: the noise distribution."""

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


def _counts(power: float) -> Any:
    def make(rng: np.random.Generator) -> Inputs:
        ranks = np.arange(1, 13)
        counts = (4000 / ranks * rng.uniform(0.8, 1.2, size=12)).astype(np.int64)
        return {"counts": counts, "power": power}

    return make


def _some_very_rare(rng: np.random.Generator) -> Inputs:
    """No threshold that anybody writes lies between these counts."""
    frequent, rare = rng.integers(400_000, 900_000, size=3), rng.integers(1, 9, size=3)
    return {"counts": np.concatenate([frequent, rare]), "power": 0.75}


def _shares(weights: np.ndarray) -> np.ndarray:
    return weights / weights.sum()


def _in_half_precision(counts: np.ndarray, power: float) -> np.ndarray:
    with np.errstate(over="ignore", invalid="ignore"):
        return _shares((counts**power).astype(np.float16))


EXERCISE = Exercise(
    id="noise_distribution",
    title="The noise distribution",
    lesson=LESSON,
    points=2,
    difficulty=1,
    importance=4,
    minutes=3,
    reference=word2vec.noise_distribution,
    cases=(
        Case("power 3/4", _counts(0.75), weight=2),
        Case("power 1/2, as in fastText", _counts(0.5)),
        Case(
            "some words are very rare",
            _some_very_rare,
            edge=True,
            asks="Every word that was counted can be drawn, however rare it is.",
        ),
        Case("power 1: plain frequencies", _counts(1.0), edge=True),
        Case("power 0: all words alike", _counts(0.0), edge=True),
        Case("power 2: the frequent ones still more frequent", _counts(2.0), edge=True),
    ),
    mistakes=(
        Mistake(
            "the sum is not 1",
            lambda counts, power: np.asarray(counts, float) ** power,
            "These are weights. Divide by their sum, so that they become probabilities.",
            hint=2,
        ),
        Mistake(
            "normalised before the power",
            lambda counts, power: (counts / counts.sum()) ** power,
            "You normalise first and raise to the power afterwards; then the sum is no longer 1. "
            "Normalise last.",
            hint=2,
        ),
        Mistake(
            "divided by the sum of the counts",
            lambda counts, power: counts**power / counts.sum(),
            "You raise the counts and divide by the sum of the counts as they were. Divide by the "
            "sum of the raised ones.",
            hint=2,
        ),
        Mistake(
            "multiplied by the power",
            lambda counts, power: (
                (counts * power) / (counts * power).sum() if power else np.full(len(counts), np.nan)
            ),
            "A factor cancels when you normalise. The counts are raised to the power: `**`.",
            hint=1,
        ),
        Mistake(
            "the power is ignored",
            lambda counts, power: counts / counts.sum(),
            "This is the plain unigram distribution. Raise the counts to `power` first.",
            hint=1,
        ),
        Mistake(
            "always 3/4",
            lambda counts, power: _shares(counts**0.75),
            "The exponent is written into your code. Use the argument `power`.",
            hint=3,
        ),
        Mistake(
            "divided by the largest",
            lambda counts, power: counts**power / (counts**power).max(),
            "You divide by the largest weight, so the most frequent word gets 1. Divide by "
            "the sum of all weights.",
            hint=2,
        ),
        Mistake(
            "divided by the mean",
            lambda counts, power: counts**power / (counts**power).mean(),
            "You divide by the mean weight, so they add up to the number of words. Divide "
            "by their sum.",
            hint=2,
        ),
        Mistake(
            "divided by the number of words",
            lambda counts, power: counts**power / len(counts),
            "You divide by how many words there are. Divide by the sum of the weights, so "
            "that the result adds up to 1.",
            hint=2,
        ),
        Mistake(
            "divided by the length of the vector",
            lambda counts, power: counts**power / np.linalg.norm(counts**power),
            "You divide by the Euclidean length. Probabilities add up to 1 as they are, not "
            "squared: divide by the sum.",
            hint=2,
        ),
        Mistake(
            "softmax of the counts",
            lambda counts, power: (
                np.exp(power * (counts - counts.max()))
                / np.exp(power * (counts - counts.max())).sum()
            ),
            "A softmax raises *e* to the counts, and the largest takes everything. Here the "
            "counts are the base: `counts ** power`.",
            hint=1,
        ),
        Mistake(
            "the root of order `power`",
            lambda counts, power: _shares(counts ** (1 / power)),
            "You raise to 1 / power. Raise to `power` itself.",
            hint=1,
        ),
        Mistake(
            "base and exponent are swapped",
            lambda counts, power: _shares(np.power(power, counts.astype(float))),
            "You raise `power` to the counts. It is the other way round: `counts ** power`.",
            hint=1,
        ),
        Mistake(
            "rare words first",
            lambda counts, power: _shares(counts ** -float(power)),
            "Your rare words are drawn most. The power is positive: no minus, no `1 /`.",
            hint=1,
        ),
        Mistake(
            "the logarithm of the counts",
            lambda counts, power: _shares(np.log(counts) * power),
            "log(count) times power is the *logarithm* of the weight. The weight itself is "
            "`counts ** power`.",
            hint=1,
        ),
        Mistake(
            "running sums",
            lambda counts, power: np.cumsum(_shares(counts**power)),
            "These are running sums, which one needs for drawing. Return the probability of "
            "each word.",
            hint=2,
        ),
        Mistake(
            "all words alike",
            lambda counts, power: np.full(len(counts), 1 / len(counts)),
            "All your words are equally likely. The counts should have a say: raise them to "
            "`power`.",
            hint=1,
        ),
        Mistake(
            "one minus the probability",
            lambda counts, power: 1 - _shares(counts**power),
            "This is the chance that the word is *not* drawn. Leave out the `1 -`.",
            hint=2,
        ),
        Mistake(
            "whole division",
            lambda counts, power: counts**power // (counts**power).sum(),
            "`//` rounds down to a whole number, and every probability becomes 0. Use `/`.",
            hint=3,
        ),
        Mistake(
            "weights cut to whole numbers",
            lambda counts, power: _shares((counts**power).astype(int)),
            "You cut the weights to whole numbers before you normalise. Leave out the `int`.",
            hint=3,
        ),
        Mistake(
            "`^` is no power",
            lambda counts, power: (counts ^ power) / (counts ^ power).sum(),
            "`^` is no power in Python. Write `counts ** power`.",
            hint=3,
        ),
        Mistake(
            "1 is added to every count",
            lambda counts, power: _shares((counts + 1.0) ** power),
            "You add 1 to every count. Every word here was counted at least once: raise the counts "
            "as they are.",
            hint=3,
        ),
        Mistake(
            "small probabilities are set to 0",
            lambda counts, power: _shares(
                np.where(_shares(counts**power) < 1e-3, 0.0, counts**power)
            ),
            "Your rare words get 0 and are never drawn. Small as it is, each keeps its share: cut "
            "nothing off, and do not round.",
            hint=3,
        ),
        Mistake(
            "half precision",
            _in_half_precision,
            "Your numbers have half precision: `float16` keeps three digits and ends at 65504. "
            "Stay with NumPy's own `float64`.",
            hint=3,
        ),
    ),
    right_answers={
        "in logs": lambda counts, power: torch.softmax(
            power * torch.log(torch.as_tensor(counts, dtype=torch.float64)), 0
        ),
        "shares first, normalised again": lambda counts, power: (
            (counts / counts.sum()) ** power / ((counts / counts.sum()) ** power).sum()
        ),
    },
)
