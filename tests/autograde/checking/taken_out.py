"""Named mistakes taken out one by one: what is then said of an answer that makes one.

A mistake that nobody named is met by the second opinion alone. So each named one is judged as if
it, and each other of its sentence, were not known. Each of the course's answers is run once.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from unittest.mock import patch

from autograde.checking import check, outcomes
from autograde.checking.check import judged, seed_of
from autograde.checking.exercise import Answer, Exercise, Mistake
from autograde.checking.outcomes import Outcome, known_outcomes
from autograde.checking.report import Report


def without(exercise: Exercise, mistake: Mistake) -> Exercise:
    """The exercise as if this mistake, and each other of its sentence, had no name."""
    rest = tuple(other for other in exercise.mistakes if other.says != mistake.says)
    return replace(exercise, mistakes=rest)


@cache
def second_opinions(exercise: Exercise) -> tuple[tuple[Mistake, Report], ...]:
    """What an answer that makes each mistake is told where that has no name."""
    seed = seed_of(exercise.id)
    # A check goes on without an observation that fails; here it should be seen.
    with _run_once(exercise), patch.object(check, "_observed", check.what_is_seen):
        came = [known_outcomes(exercise, each.answer, seed) for each in exercise.mistakes]
        return tuple(
            (each, judged(without(exercise, each), each.answer, outcomes, seed))
            for each, outcomes in zip(exercise.mistakes, came, strict=True)
        )


@contextmanager
def _run_once(exercise: Exercise) -> Iterator[None]:
    """Let an answer be run once, whatever copy of the exercise it is held to."""
    run = outcomes._known

    @cache
    def known(answer: Answer, index: int, seed: int) -> Outcome:
        return run(exercise, answer, index, seed)

    with patch.object(outcomes, "_known", lambda _, *asked: known(*asked)):
        yield
