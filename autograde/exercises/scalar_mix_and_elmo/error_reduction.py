"""Exercise `error_reduction`: what the column "increase" of ELMo's table 1 says."""

from typing import Any

import numpy as np

from autograde.checking.exercise import Case, Exercise, Inputs, Random
from autograde.checking.slips import slips
from autograde.exercises.scalar_mix_and_elmo import LESSON
from elmo_mini.elmo.error_reduction import error_reduction


def _answer(before: Any, after: Any) -> Any:
    return 100 * (after - before) / (100 - before)


def _by_errors(before: Any, after: Any) -> Any:
    wrong, left = 100 - np.asarray(before), 100 - np.asarray(after)
    return (1 - left / wrong) * 100


@Case.drawn
def _scores(rng: Random, tasks: int, *, worse: bool = False) -> Inputs:
    before = rng.uniform(40, 80, tasks)
    return {"before": before, "after": before + rng.uniform(2, 8, tasks) * (-1 if worse else 1)}


SLIPS = """
--- hint 1
points: 100 * (after - before) / (100 - before) -> after - before
    You return the gain in points. The same gain removes more of the errors where fewer are left:
    divide by the errors of `before`.
of the score: / (100 - before) -> / before
    You divide by the score. The column speaks of errors: of 100 answers, how many were wrong
    before?
of the new score: / (100 - before) -> / after
    You divide by the new score. The column speaks of errors: of 100 answers, how many were wrong
    before?
of the errors that are left: / (100 - before) -> / (100 - after)
    You divide by the errors that are left. They are compared with the errors before.
--- hint 2
a share, not percent: 100 * (after - before) -> (after - before)
    You return a share of 1. Percent are asked for.
the errors that are left: (after - before) -> (100 - after)
    You return what is left of the errors. Return what is gone.
with its sign reversed: (after - before) -> (before - after)
    Yours are negative where a task got better.
the score as a share: / (100 - before) -> / (1 - before)
    The scores are percent. The errors are 100 minus the score, not 1 minus the score.
"""

EXERCISE = Exercise(
    id="error_reduction",
    title="What the table's last column says",
    lesson=LESSON,
    points=1,
    difficulty=1,
    importance=3,
    minutes=3,
    reference=error_reduction,
    cases=(
        Case("one task", _scores(1)),
        Case("six tasks", _scores(6)),
        Case("tasks that got worse", _scores(3, worse=True), edge=True),
    ),
    mistakes=slips(_answer, SLIPS),
    right_answers={"by the errors": _by_errors, "as the formula stands": _answer},
)
