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
        Case("power 1: plain frequencies", _counts(1.0), edge=True),
        Case("power 0: all words alike", _counts(0.0), edge=True),
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
            lambda counts, power: counts**0.75 / (counts**0.75).sum(),
            "The exponent is written into your code. Use the argument `power`.",
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
