"""Which named mistake an answer makes: the one whose outputs are the learner's.

A false diagnosis is worse than none. A form that is refused hides the numbers: see `refused_form`.
"""

import re
from typing import Any, NamedTuple

import numpy as np

from autograde.checking.exercise import Exercise, Mistake, everything
from autograde.checking.judge import first_difference
from autograde.checking.outcomes import (
    Outcome,
    alike,
    expected_outcomes,
    known_outcome,
    known_outcomes,
)
from autograde.checking.refused_form import is_what_returns, other_numbers, returned_by
from autograde.checking.two_slips import two_slips

OF_NAN = re.compile(
    r"\bnan\b|\b0 ?/ ?0\b|\bby 0\b|infinit|no number|logarithm of 0|too large", re.I
)
"""What a mistake's sentence speaks of, where it explains that a result is no number."""


class Diagnosis(NamedTuple):
    """The mistake that was recognised, if any.

    It is ``certain`` if the outcomes are its own in all cases; ``wherever_wrong``, if they are in
    all cases that are wrong, while the mistake would fail in others, too.
    """

    mistake: Mistake | None
    certain: bool = False
    wherever_wrong: bool = False


def named_mistake(
    exercise: Exercise, came: tuple[Outcome, ...], wrong: int, seed: int
) -> Diagnosis:
    """The mistake, and whether it explains all cases or only some.

    Where several mistakes explain all cases alike, none is named, unless they say the same. Where
    none does, two of them together may. One that is right but for its form is named only where the
    numbers are right. A guess must explain the first wrong case and half of all wrong ones, better
    than any other mistake; an answer that gives different results is not the one that always gives
    the same. Where both give nan that explains nothing, unless the mistake's sentence speaks of it.
    """
    expected = expected_outcomes(exercise, seed)
    varied = not _always_the_same(exercise, came)
    missed = [not alike(exercise, a, b) for a, b in zip(expected, came, strict=True)]
    numbers = [
        miss and not _but_for_nan(exercise, a, b)
        for miss, a, b in zip(missed, expected, came, strict=True)
    ]
    whole: list[Mistake] = []
    partly: list[tuple[int, Mistake]] = []
    for mistake in exercise.mistakes:
        if not alike(exercise, known_outcome(exercise, mistake.answer, wrong, seed), came[wrong]):
            continue
        outcomes = known_outcomes(exercise, mistake.answer, seed)
        same = [alike(exercise, a, b) for a, b in zip(outcomes, came, strict=True)]
        if all(same):
            if right_but_for_its_form(exercise, came, seed) or not right_but_for_its_form(
                exercise, outcomes, seed
            ):
                whole.append(mistake)
        elif not came[wrong].failure:
            if varied and _always_the_same(exercise, outcomes):
                continue
            told = missed if OF_NAN.search(mistake.says) else numbers
            partly.append((sum(a and b for a, b in zip(same, told, strict=True)), mistake))
    if whole:
        one = len({mistake.says for mistake in whole}) == 1
        return Diagnosis(whole[0] if one else None, certain=one)
    both = two_slips(exercise, came, wrong, seed) if varied else None
    if both:
        return Diagnosis(both, certain=True)
    most = max((number for number, _ in partly), default=0)
    best = [mistake for number, mistake in partly if number == most]
    if len(best) != 1 or 2 * most < sum(missed):
        return Diagnosis(None)
    return Diagnosis(best[0], wherever_wrong=most == sum(missed))


def _but_for_nan(exercise: Exercise, right: Outcome, mine: Outcome) -> bool:
    """Whether a result is right but for numbers that are nan."""
    filled = _with_numbers_for_nan(right.view, mine.view)
    return not mine.failure and not first_difference(
        right.view, filled, rtol=exercise.rtol, atol=exercise.atol
    )


def _with_numbers_for_nan(right: Any, mine: Any) -> Any:
    """What came, with the right number wherever one is nan."""
    if isinstance(right, dict) and isinstance(mine, dict):
        return {key: _with_numbers_for_nan(right.get(key), part) for key, part in mine.items()}
    if isinstance(right, list | tuple) and isinstance(mine, list | tuple):
        if len(right) == len(mine):
            return [_with_numbers_for_nan(*both) for both in zip(right, mine, strict=True)]
    elif isinstance(mine, float | np.ndarray) and isinstance(right, int | float | np.ndarray):
        if np.shape(mine) != np.shape(right):
            return mine
        gone = np.asarray(mine) != np.asarray(mine)
        return np.where(gone, right, mine) if np.any(gone) else mine
    return mine


def right_but_for_its_form(exercise: Exercise, came: tuple[Outcome, ...], seed: int) -> bool:
    """Whether what was refused holds what the reference returns, in each case."""
    refused = {index: outcome.returned for index, outcome in enumerate(came) if outcome.failure}
    return bool(refused) and is_what_returns(exercise, refused, exercise.reference, seed)


def other_errors(exercise: Exercise, came: tuple[Outcome, ...], seed: int) -> str:
    """What else is wrong with an answer whose form is refused in each case."""
    refused = {index: outcome.returned for index, outcome in enumerate(came) if outcome.failure}
    if len(refused) < len(came) or is_what_returns(exercise, refused, exercise.reference, seed):
        return ""
    made = {
        mistake.says: mistake
        for mistake in exercise.mistakes
        if is_what_returns(exercise, refused, mistake.answer, seed)
        and not any(o.failure for o in known_outcomes(exercise, mistake.answer, seed))
    }
    if len(made) == 1:
        (mistake,) = made.values()
        hint = f" Hint {mistake.hint} is about this." if mistake.hint else ""
        return f"That is not all. {mistake.says}{hint}"
    told = exercise.view is everything and other_numbers(exercise, refused, seed)
    if told and _has_one_right_result(exercise, seed):
        return "That is not all: the numbers are wrong, too. Mend the form, and check again."
    return ""


def _has_one_right_result(exercise: Exercise, seed: int) -> bool:
    """Whether all right answers return the same: not where they draw numbers of their own."""
    cases = range(len(exercise.cases))
    right = {index: returned_by(exercise, exercise.reference, index, seed) for index in cases}
    return all(
        is_what_returns(exercise, right, answer, seed) for answer in exercise.right_answers.values()
    )


def _always_the_same(exercise: Exercise, outcomes: tuple[Outcome, ...]) -> bool:
    return all(alike(exercise, outcomes[0], outcome) for outcome in outcomes[1:])
