"""Exercise `noise_distribution`: the noise distribution."""

import numpy as np
import torch

from autograde.checking.exercise import Case, Exercise, Inputs, Random
from autograde.checking.slips import slips
from autograde.exercises.word2vec import LESSON
from elmo_mini.models import skip_gram


@Case.drawn
def _counts(rng: Random, power: float) -> Inputs:
    ranks = np.arange(1, 13)
    counts = (4000 / ranks * rng.uniform(0.8, 1.2, size=12)).astype(np.int64)
    return {"counts": counts, "power": power}


def _weighted(rng: Random) -> Inputs:
    """Floats: what makes an array of floats of the counts makes no copy of these."""
    return {"counts": rng.uniform(0.5, 400.0, size=7), "power": 0.75}


def _some_very_rare(rng: Random) -> Inputs:
    """No threshold that anybody writes lies between these counts."""
    frequent, rare = rng.integers(400_000, 900_000, size=3), rng.integers(1, 9, size=3)
    return {"counts": np.concatenate([frequent, rare]), "power": 0.75}


def _distribution(counts: np.ndarray, power: float) -> np.ndarray:
    weights = counts**power
    return weights / weights.sum()


SLIPS = """
--- hint 1
the sum is not 1: weights / weights.sum() -> weights
    These are weights. Divide by their sum, so that they become probabilities.
running sums: weights / weights.sum() -> np.cumsum(weights / weights.sum())
    These are running sums, which one needs for drawing. Return the probability of each word.
one minus the probability: weights / weights.sum() -> 1 - weights / weights.sum()
    This is the chance that the word is *not* drawn. Leave out the `1 -`.
--- hint 2
normalised before the power: counts**power -> (counts / counts.sum()) ** power \
        && weights / weights.sum() -> weights
    You normalise first and raise to the power afterwards; then the sum is no longer 1. Normalise
    last.
divided by the sum of the counts: weights.sum() -> counts.sum()
    You raise the counts and divide by the sum of the counts as they were. Divide by the sum of the
    raised ones.
divided by the largest: weights.sum() -> weights.max()
    You divide by the largest weight, so the most frequent word gets 1. Divide by the sum of all
    weights.
divided by the mean: weights.sum() -> weights.mean()
    You divide by the mean weight, so they add up to the number of words. Divide by their sum.
divided by the number of words: weights.sum() -> len(counts)
    You divide by how many words there are. Divide by the sum of the weights, so that the result
    adds up to 1.
divided by the length of the vector: weights.sum() -> np.linalg.norm(weights)
    You divide by the Euclidean length. Probabilities add up to 1 as they are, not squared: divide
    by the sum.
multiplied by the power: counts**power -> counts * power
    A factor cancels when you normalise. The counts are raised to the power: `**`.
the power is ignored: counts**power -> counts
    This is the plain unigram distribution. Raise the counts to `power` first.
the logarithm of the counts: counts**power -> power * np.log(counts)
    log(count) times power is the *logarithm* of the weight. The weight itself is `counts ** power`.
all words alike: counts**power -> np.ones(len(counts))
    All your words are equally likely. The counts should have a say: raise them to `power`.
--- hint 3
softmax of the counts: counts**power -> np.exp(power * (counts - counts.max()))
    A softmax raises *e* to the counts, and the largest takes everything. Here the counts are the
    base: `counts ** power`.
the root of order `power`: counts**power -> counts ** (1 / power)
    You raise to 1 / power. Raise to `power` itself.
base and exponent are swapped: counts**power -> power ** counts.astype(float)
    You raise `power` to the counts. It is the other way round: `counts ** power`.
rare words first: counts**power -> counts**-power
    Your rare words are drawn most. The power is positive: no minus, no `1 /`.
--- no hint
always 3/4: counts**power -> counts**0.75
    The exponent is written into your code. Use the argument `power`.
whole division: weights / weights.sum() -> weights // weights.sum()
    `//` rounds down to a whole number, and every probability becomes 0. Use `/`.
weights cut to whole numbers: counts**power -> (counts**power).astype(int)
    You cut the weights to whole numbers before you normalise. Leave out the `int`.
`^` is no power: counts**power -> counts ^ power
    `^` is no power in Python. Write `counts ** power`.
1 is added to every count: counts**power -> (counts + 1) ** power
    You add 1 to every count. Every word here was counted at least once: raise the counts as they
    are.
small probabilities are set to 0: return -> weights[weights < 1e-3 * weights.sum()] = 0⏎return
    Your rare words get 0 and are never drawn. Small as it is, each keeps its share: cut nothing
    off, and do not round.
half precision: counts**power -> (counts**power).astype(np.float16)
    Your numbers have half precision: `float16` keeps three digits and ends at 65504. Stay with
    NumPy's own `float64`.
"""

EXERCISE = Exercise(
    id="noise_distribution",
    title="The noise distribution",
    lesson=LESSON,
    points=2,
    difficulty=1,
    importance=4,
    minutes=3,
    reference=skip_gram.noise_distribution,
    cases=(
        Case("power 3/4", _counts(0.75), weight=2),
        Case("power 1/2, as in fastText", _counts(0.5)),
        Case(
            "some words are very rare",
            _some_very_rare,
            edge=True,
            asks="Every word that was counted can be drawn, however rare it is.",
        ),
        Case("counts that are no whole numbers", _weighted, edge=True),
        Case("power 1: plain frequencies", _counts(1.0), edge=True),
        Case("power 0: all words alike", _counts(0.0), edge=True),
        Case("power 2: the frequent ones still more frequent", _counts(2.0), edge=True),
    ),
    mistakes=slips(_distribution, SLIPS),
    right_answers={
        "in logs": lambda counts, power: torch.softmax(
            power * torch.log(torch.as_tensor(counts, dtype=torch.float64)), 0
        ),
        "shares first, normalised again": lambda counts, power: (
            (counts / counts.sum()) ** power / ((counts / counts.sum()) ** power).sum()
        ),
    },
)
