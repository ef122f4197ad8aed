"""Exercise `glove_weight`: how much a count is trusted."""

from typing import Any

import numpy as np
import torch

from autograde.checking.exercise import Case, Exercise, Inputs, Random
from autograde.checking.slips import slips
from autograde.exercises.static_limits import LESSON
from elmo_mini.word_vectors import glove


@Case.drawn
def _some_counts(rng: Random, x_max: float, alpha: float) -> Inputs:
    counts = x_max * np.concatenate([rng.uniform(0.05, 0.9, 4), rng.uniform(1.5, 9, 3)])
    return {"counts": counts, "x_max": x_max, "alpha": alpha}


def _a_table(rng: Random) -> Inputs:
    return {"counts": rng.uniform(0, 200, (2, 3)), "x_max": 100.0, "alpha": 0.75}


def _by_minimum(counts: np.ndarray, x_max: float, alpha: float) -> Any:
    ratio = counts / x_max
    return np.minimum(ratio, 1.0) ** alpha


def _by_where(counts: np.ndarray, x_max: float, alpha: float) -> Any:
    return np.where(counts < x_max, (counts / x_max) ** alpha, 1.0)


SLIPS = """
--- hint 1
the power before the division: counts / x_max -> counts**alpha / x_max && ** alpha ->
    You raise x alone. The whole fraction x / x_max is raised to alpha.
the power is missing: ** alpha ->
    Your weight rises in a straight line. Raise the fraction to the power alpha.
one minus the weight: return -> return 1 -
    Your weight falls as the count rises. Leave out the `1 -`.
turned round: counts / x_max -> x_max / np.maximum(counts, 1e-300)
    Your fraction is upside down: x / x_max, so that rare pairs weigh little.
the root of order alpha: ** alpha -> ** (1 / alpha)
    You raise to 1 / alpha. Raise to alpha itself.
shares of the sum: return np.minimum(ratio, 1.0) ** alpha -> \
        weight = np.minimum(ratio, 1.0) ** alpha⏎return weight / weight.sum()
    You divide by the sum. Weights need not add up to 1.
base and exponent are swapped: np.minimum(ratio, 1.0) ** alpha -> alpha ** np.minimum(ratio, 1.0)
    You raise `alpha` to the ratio. It is the other way round: the ratio to the power `alpha`.
x_max alone is raised, and `np.minimum`: counts / x_max -> counts / x_max**alpha && ** alpha ->
x_max alone is raised, and nothing is cut off: \
        counts / x_max -> counts / x_max**alpha && np.minimum(ratio, 1.0) ** alpha -> ratio
    `counts / x_max ** alpha` raises `x_max` alone, for the power comes first. Put brackets round
    the fraction: `(counts / x_max) ** alpha`.
--- hint 2
no upper end: np.minimum(ratio, 1.0) -> ratio
    Beyond x_max your weights go on rising, and *of the* would rule the loss. From x_max on the
    weight is 1.
the division is missing: counts / x_max -> counts && 1.0 -> x_max
    You cut off at x_max but never divide by it, so the weights go far above 1. Divide first.
one `if` or `min` for a whole array: \
        np.minimum(ratio, 1.0) ** alpha -> ratio**alpha if counts < x_max else 1.0
    `counts` is an array, and `if` and `min` ask about one number only. NumPy's advice, `any` or
    `all`, does not help here: each count needs its own answer. `np.where(condition, a, b)` and
    `np.minimum` choose element by element.
the larger instead of the smaller: np.minimum -> np.maximum
    `np.maximum` keeps the larger of the two, so no weight is below 1. To cut off above, keep the
    smaller: `np.minimum`.
cut off at x_max: np.minimum(ratio, 1.0) ** alpha -> np.minimum(ratio**alpha, x_max)
    You cut the weight off at x_max. The largest weight is 1.
one number: np.minimum(ratio, 1.0) ** alpha -> (np.minimum(ratio, 1.0) ** alpha).sum()
    You add up the weights. Return one for each count, in an array of the same shape.
counts below 1 are lifted to 1: counts / x_max -> np.maximum(counts, 1.0) / x_max
    You lift counts below 1 up to 1. A pair that met once, far apart, counts less than 1, and a pair
    that never met counts 0: leave both as they are.
--- hint 3
x_max written into the code: / x_max -> / 100.0
    The 100 is written into your code. Use the argument `x_max`.
alpha written into the code: ** alpha -> ** 0.75
    The 3/4 is written into your code. Use the argument `alpha`.
both numbers written into the code: / x_max -> / 100.0 && ** alpha -> ** 0.75
    The 100 and the 3/4 are written into your code. Use the arguments `x_max` and `alpha`.
times alpha: ** alpha -> * alpha
    You multiply by alpha. Raise to the power alpha: two stars, `**`.
divided by the largest count: / x_max -> / counts.max()
    You divide by the largest count of the table. Divide by `x_max`, and cut off at 1.
a loop over a row of numbers: np.minimum(ratio, 1.0) ** alpha -> \
        np.array([r**alpha if r < 1 else 1 for r in ratio])
    Your loop is right for a row of numbers. `counts` may be a table, and then each step of the loop
    gets a whole row. `np.where` and `np.minimum` take any shape.
"""

SLIPS_OF_WHERE = """
--- hint 1
base and exponent are swapped below x_max: (counts / x_max) ** alpha -> alpha ** (counts / x_max)
    You raise `alpha` to the ratio. It is the other way round: the ratio to the power `alpha`.
alpha in place of the power: (counts / x_max) ** alpha -> alpha
    Every pair below `x_max` gets the same weight, `alpha`. It is an exponent: (x / x_max) to the
    power `alpha`.
x_max alone is raised, and `np.where`: (counts / x_max) ** alpha -> counts / x_max**alpha
    `counts / x_max ** alpha` raises `x_max` alone, for the power comes first. Put brackets round
    the fraction: `(counts / x_max) ** alpha`.
--- hint 2
frequent pairs are dropped: 1.0 -> 0.0
    Counts of x_max and more get weight 0: the best-known pairs would be ignored. They get 1.
frequent pairs get their count: 1.0 -> counts
    Counts of x_max and more keep their count as weight. They get 1.
whether a pair is rare: np.where(counts < x_max, (counts / x_max) ** alpha, 1.0) -> counts < x_max
    You return True or False: whether the count is below `x_max`. Return a weight for both.
"""

EXERCISE = Exercise(
    id="glove_weight",
    title="How much a count is trusted",
    lesson=LESSON,
    points=2,
    difficulty=2,
    importance=3,
    minutes=5,
    reference=glove.glove_weight,
    cases=(
        Case("x_max 100, alpha 3/4", _some_counts(100.0, 0.75), weight=2),
        Case("x_max 10, alpha 3/4", _some_counts(10.0, 0.75)),
        Case("alpha 1/2", _some_counts(100.0, 0.5)),
        Case(
            "zero, x_max itself, and far beyond",
            lambda rng: {"counts": np.array([0.0, 50.0, 5e6]), "x_max": 50.0, "alpha": 0.75},
            edge=True,
        ),
        Case("a table of counts", _a_table, edge=True),
    ),
    mistakes=(*slips(_by_minimum, SLIPS), *slips(_by_where, SLIPS_OF_WHERE)),
    right_answers={
        "np.minimum": _by_minimum,
        "np.where": _by_where,
        "tensors": lambda x, x_max, alpha: (torch.as_tensor(x) / x_max).clamp(max=1.0) ** alpha,
    },
)
