"""Exercise `error_reduction`: how much of the error is gone."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from autograde.checking.exercise import Case, Exercise, Inputs, Random
from autograde.checking.slips import slips
from autograde.exercises.why_bert import LESSON

Scores = NDArray[np.float64]


def error_reduction(before: Scores, after: Scores) -> Scores:
    """The share of the error that is gone, in percent, for each task."""
    error = 100 - before
    return 100 * (after - before) / error


def _by_errors(before: Any, after: Any) -> Any:
    return 100 * (1 - (100 - after) / (100 - before))


def _by_loop(before: Any, after: Any) -> Any:
    pairs = zip(before, after, strict=True)
    return np.array([(now - was) / (100 - was) * 100 for was, now in pairs])


@Case.drawn
def _scores(rng: Random, tasks: int, *, worse: bool = False, perfect: bool = False) -> Inputs:
    before = np.round(rng.uniform(40, 95, tasks), 1)
    after = before + (100 - before) * rng.uniform(0.05, 0.6, tasks)
    if worse:
        after[0] = before[0] - 3.0
    if perfect:
        after[-1] = 100.0
    return {"before": before, "after": np.round(after, 1)}


SLIPS = """
--- hint 1
the gain in points: return 100 * (after - before) / error -> return after - before
    You return the gain in points. Two points are much where four are missing, and little where
    forty are: divide by the error before.
the relative gain: error = 100 - before -> error = before
    You divide by the score before. That is the relative gain of the score. What is asked for is
    how much of the error is gone, and the error is what is missing to 100.
the gain over the new score: error = 100 - before -> error = after
    You divide by the score after. Divide by the error before.
--- hint 2
over the error after: error = 100 - before -> error = 100 - after
    You divide by the error after. The error before is the whole that a part of is gone.
what is left: 100 * (after - before) / error -> 100 * (100 - after) / error
    You return how much of the error is left. How much is gone?
the sign: (after - before) -> (before - after)
    Your sign is turned round. A better score makes the reduction positive.
no percent: return 100 * (after -> return (after
    You return a share of 1. Return percent.
a score of 1 at most: 100 - before -> 1 - before
    The scores run to 100, and you take the error as what is missing to 1.
--- hint 3
one number for all: return 100 * (after - before) / error \
        -> return (100 * (after - before) / error).mean()
    You return the mean over the tasks. Return a number for each.
of the sums: return 100 * (after - before) / error \
        -> return 100 * (after - before).sum() / error.sum()
    You return one number for all tasks together. Return a number for each.
never below 0: return 100 * (after - before) / error \
        -> return np.maximum(0, 100 * (after - before) / error)
    A score that became worse gives a negative reduction. Leave it.
without a sign: (after - before) -> np.abs(after - before)
    A score that became worse gives a negative reduction, and yours is positive.
"""

EXERCISE = Exercise(
    id="error_reduction",
    title="How much of the error is gone?",
    lesson=LESSON,
    points=1,
    difficulty=1,
    importance=4,
    minutes=5,
    reference=error_reduction,
    cases=(
        Case("three tasks", _scores(3), weight=2),
        Case("one of them is worse", _scores(4, worse=True)),
        Case("one of them is perfect", _scores(3, perfect=True), edge=True),
    ),
    mistakes=slips(error_reduction, SLIPS),
    right_answers={"by errors": _by_errors, "by a loop": _by_loop},
)
