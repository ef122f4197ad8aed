"""Exercise `errors_gone`: what the column "increase" of ELMo's table 1 says."""

from typing import Any

from autograde.checking.exercise import Case, Exercise, Inputs, Random
from autograde.checking.slips import slips
from autograde.exercises.scalar_mix_and_elmo import LESSON


def errors_gone(before: Any, after: Any) -> Any:
    """Relative error reduction, in percent; scores run to 100."""
    return 100 * (after - before) / (100 - before)


def _by_errors(before: Any, after: Any) -> Any:
    return (1 - (100 - after) / (100 - before)) * 100


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
points times 100: 100 * (after - before) / (100 - before) -> 100 * (after - before)
    You divide by nothing. Divide the gain by the errors of `before`.
the errors before: 100 * (after - before) / (100 - before) -> 100 - before
    You return the errors before. Which share of them is gone?
the errors that are left: (after - before) -> (100 - after)
    You return what is left of the errors. Return what is gone.
nothing is in brackets: (after - before) / (100 - before) -> (after - before) / 100 - before
    You divide by 100 and then subtract the score. The errors stand in brackets: `/ (100 - before)`.
--- hint 2
the score is added to 100: (100 - before) -> (100 + before)
    The errors are 100 minus the score. You have a plus.
the score as a share: / (100 - before) -> / (1 - before)
    The scores are percent. The errors are 100 minus the score, not 1 minus the score.
the new score alone: (after - before) -> after
    You compare the new score with the errors. It is the gain that is compared: `after - before`.
added up: (after - before) -> (after + before)
    You add the two scores. The gain is their difference.
--- hint 3
times the errors: / (100 - before) -> * (100 - before)
    You multiply by the errors before. Divide by them.
a share, not percent: 100 * (after - before) -> (after - before)
    You return a share of 1. Percent are asked for.
--- no hint
without its sign: (after - before) / -> abs(after - before) /
nothing is below 0: 100 * (after - before) / (100 - before) \
        -> (100 * (after - before) / (100 - before)).clip(0)
    A task may get worse. Then the share of the errors that are gone is below 0: leave it so.
with its sign reversed: (after - before) -> (before - after)
    Yours are negative where a task got better.
"""

SLIPS_OF_ERRORS = """
--- hint 1
the new score over the errors: (100 - after) -> after
    You divide the new score by the errors before. Compare errors with errors: 100 minus the score.
the errors that are left over the score: (100 - before) -> before
    You divide the errors that are left by the score before. Compare errors with errors.
--- hint 2
what is left comes on top: 1 - (100 -> 1 + (100
    You add the share of errors that is left. What is gone is 1 minus what is left.
--- hint 3
the errors are multiplied: / (100 - before) -> * (100 - before)
    You multiply the errors. Divide those that are left by those before.
--- no hint
the division has no remainder: / (100 - before) -> // (100 - before)
    You divide with `//`, which leaves out what comes behind the point. Use `/`.
"""

EXERCISE = Exercise(
    id="errors_gone",
    title="What the table's last column says",
    lesson=LESSON,
    points=1,
    difficulty=1,
    importance=3,
    minutes=3,
    reference=errors_gone,
    cases=(
        Case("one task", _scores(1)),
        Case("six tasks", _scores(6)),
        Case("tasks that got worse", _scores(3, worse=True), edge=True),
    ),
    mistakes=(*slips(errors_gone, SLIPS), *slips(_by_errors, SLIPS_OF_ERRORS)),
    right_answers={"by the errors": _by_errors},
)
