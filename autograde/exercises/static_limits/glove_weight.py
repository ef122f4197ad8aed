"""Exercise `glove_weight`: how much a count is trusted."""

from typing import Any

import numpy as np
import torch

from autograde.checking.exercise import (
    Answer,
    Case,
    Exercise,
    Inputs,
    Mistake,
)
from autograde.exercises.static_limits import LESSON
from elmo_mini.word_vectors import glove


def _some_counts(x_max: float, alpha: float) -> Any:
    def make(rng: np.random.Generator) -> Inputs:
        counts = x_max * np.concatenate([rng.uniform(0.05, 0.9, 4), rng.uniform(1.5, 9, 3)])
        return {"counts": counts, "x_max": x_max, "alpha": alpha}

    return make


def _a_table(rng: np.random.Generator) -> Inputs:
    return {"counts": rng.uniform(0, 200, (2, 3)), "x_max": 100.0, "alpha": 0.75}


RAISED_ALONE: dict[str, Answer] = {
    "and `np.where`": lambda x, x_max, alpha: np.where(x < x_max, x / x_max**alpha, 1.0),
    "and `np.minimum`": lambda x, x_max, alpha: np.minimum(x / x_max**alpha, 1.0),
    "and nothing is cut off": lambda x, x_max, alpha: x / x_max**alpha,
}


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
    mistakes=(
        Mistake(
            "no upper end",
            lambda x, x_max, alpha: (x / x_max) ** alpha,
            "Beyond x_max your weights go on rising, and *of the* would rule the loss. From x_max "
            "on the weight is 1.",
            hint=2,
        ),
        Mistake(
            "the power before the division",
            lambda x, x_max, alpha: np.minimum(x**alpha / x_max, 1.0),
            "You raise x alone. The whole fraction x / x_max is raised to alpha.",
            hint=1,
        ),
        Mistake(
            "the power is missing",
            lambda x, x_max, alpha: np.minimum(x / x_max, 1.0),
            "Your weight rises in a straight line. Raise the fraction to the power alpha.",
            hint=1,
        ),
        Mistake(
            "x_max written into the code",
            lambda x, x_max, alpha: np.minimum(x / 100.0, 1.0) ** alpha,
            "The 100 is written into your code. Use the argument `x_max`.",
            hint=3,
        ),
        Mistake(
            "alpha written into the code",
            lambda x, x_max, alpha: np.minimum(x / x_max, 1.0) ** 0.75,
            "The 3/4 is written into your code. Use the argument `alpha`.",
            hint=3,
        ),
        Mistake(
            "the division is missing",
            lambda x, x_max, alpha: np.minimum(x, x_max) ** alpha,
            "You cut off at x_max but never divide by it, so the weights go far above 1. Divide "
            "first.",
            hint=2,
        ),
        Mistake(
            "frequent pairs are dropped",
            lambda x, x_max, alpha: np.where(x < x_max, (x / x_max) ** alpha, 0.0),
            "Counts of x_max and more get weight 0: the best-known pairs would be ignored. They "
            "get 1.",
            hint=2,
        ),
        Mistake(
            "both numbers written into the code",
            lambda x, x_max, alpha: np.minimum(x / 100.0, 1.0) ** 0.75,
            "The 100 and the 3/4 are written into your code. Use the arguments `x_max` and "
            "`alpha`.",
            hint=3,
        ),
        Mistake(
            "one `if` or `min` for a whole array",
            lambda x, x_max, alpha: (x / x_max) ** alpha if x < x_max else np.ones_like(x),
            "`counts` is an array, and `if` and `min` ask about one number only. NumPy's advice, "
            "`any` or `all`, does not help here: each count needs its own answer. "
            "`np.where(condition, a, b)` and `np.minimum` choose element by element.",
            hint=2,
        ),
        Mistake(
            "the larger instead of the smaller",
            lambda x, x_max, alpha: np.maximum(x / x_max, 1.0) ** alpha,
            "`np.maximum` keeps the larger of the two, so no weight is below 1. To cut off above, "
            "keep the smaller: `np.minimum`.",
            hint=2,
        ),
        Mistake(
            "times alpha",
            lambda x, x_max, alpha: np.minimum(x / x_max, 1.0) * alpha,
            "You multiply by alpha. Raise to the power alpha: two stars, `**`.",
            hint=3,
        ),
        Mistake(
            "one minus the weight",
            lambda x, x_max, alpha: 1 - np.minimum(x / x_max, 1.0) ** alpha,
            "Your weight falls as the count rises. Leave out the `1 -`.",
            hint=1,
        ),
        Mistake(
            "turned round",
            lambda x, x_max, alpha: np.minimum(x_max / np.maximum(x, 1e-300), 1.0) ** alpha,
            "Your fraction is upside down: x / x_max, so that rare pairs weigh little.",
            hint=1,
        ),
        Mistake(
            "the root of order alpha",
            lambda x, x_max, alpha: np.minimum(x / x_max, 1.0) ** (1 / alpha),
            "You raise to 1 / alpha. Raise to alpha itself.",
            hint=1,
        ),
        Mistake(
            "cut off at x_max",
            lambda x, x_max, alpha: np.minimum((x / x_max) ** alpha, x_max),
            "You cut the weight off at x_max. The largest weight is 1.",
            hint=2,
        ),
        Mistake(
            "frequent pairs get their count",
            lambda x, x_max, alpha: np.where(x < x_max, (x / x_max) ** alpha, x),
            "Counts of x_max and more keep their count as weight. They get 1.",
            hint=2,
        ),
        Mistake(
            "divided by the largest count",
            lambda x, x_max, alpha: (x / x.max()) ** alpha,
            "You divide by the largest count of the table. Divide by `x_max`, and cut off at 1.",
            hint=3,
        ),
        Mistake(
            "one number",
            lambda x, x_max, alpha: (np.minimum(x / x_max, 1.0) ** alpha).sum(),
            "You add up the weights. Return one for each count, in an array of the same shape.",
            hint=2,
        ),
        Mistake(
            "shares of the sum",
            lambda x, x_max, alpha: (lambda weight: weight / weight.sum())(
                np.minimum(x / x_max, 1.0) ** alpha
            ),
            "You divide by the sum. Weights need not add up to 1.",
            hint=1,
        ),
        Mistake(
            "base and exponent are swapped",
            lambda x, x_max, alpha: alpha ** np.minimum(x / x_max, 1.0),
            "You raise `alpha` to the ratio. It is the other way round: the ratio to the power "
            "`alpha`.",
            hint=1,
        ),
        Mistake(
            "base and exponent are swapped below x_max",
            lambda x, x_max, alpha: np.where(x < x_max, alpha ** (x / x_max), 1.0),
            "You raise `alpha` to the ratio. It is the other way round: the ratio to the power "
            "`alpha`.",
            hint=1,
        ),
        Mistake(
            "alpha in place of the power",
            lambda x, x_max, alpha: np.where(x < x_max, alpha, 1.0),
            "Every pair below `x_max` gets the same weight, `alpha`. It is an exponent: "
            "(x / x_max) to the power `alpha`.",
            hint=1,
        ),
        Mistake(
            "whether a pair is rare",
            lambda x, x_max, alpha: x < x_max,
            "You return True or False: whether the count is below `x_max`. Return a weight for "
            "both.",
            hint=2,
        ),
        Mistake(
            "counts below 1 are lifted to 1",
            lambda x, x_max, alpha: np.minimum(np.maximum(x, 1.0) / x_max, 1.0) ** alpha,
            "You lift counts below 1 up to 1. A pair that met once, far apart, counts less than 1, "
            "and a pair that never met counts 0: leave both as they are.",
            hint=2,
        ),
        Mistake(
            "a loop over a row of numbers",
            lambda x, x_max, alpha: np.array([(c / x_max) ** alpha if c < x_max else 1 for c in x]),
            "Your loop is right for a row of numbers. `counts` may be a table, and then each step "
            "of the loop gets a whole row. `np.where` and `np.minimum` take any shape.",
            hint=3,
        ),
        *(
            Mistake(
                f"x_max alone is raised, {name}",
                answer,
                "`counts / x_max ** alpha` raises `x_max` alone, for the power comes first. Put "
                "brackets round the fraction: `(counts / x_max) ** alpha`.",
                hint=1,
            )
            for name, answer in RAISED_ALONE.items()
        ),
    ),
    right_answers={
        "np.where": lambda x, x_max, alpha: np.where(x < x_max, (x / x_max) ** alpha, 1.0),
        "tensors": lambda x, x_max, alpha: (torch.as_tensor(x) / x_max).clamp(max=1.0) ** alpha,
    },
)
