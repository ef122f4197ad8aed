"""Two slips at once: where no single one fits, pairs of edits are put together and tried.

A pair is tried on the first wrong case, and what fits there on all cases. The search ends after a
while of processor time: a report must come at once, and most answers that make three slips, or one
that nobody named, fit no pair.
"""

import time
from collections.abc import Iterator
from itertools import combinations, product
from typing import Any

import numpy as np

from autograde.checking.drawn import drawn
from autograde.checking.exercise import Exercise, Mistake
from autograde.checking.outcomes import Outcome, alike, known_outcome, outcome_of
from autograde.checking.slips import Slip
from autograde.checking.time_limit import StillRunning, limited

SECONDS = 0.5
ENDLESS = 5.0
FEWEST_NUMBERS = 8


def two_slips(
    exercise: Exercise, came: tuple[Outcome, ...], wrong: int, seed: int
) -> Mistake | None:
    """The two slips that explain all cases, as one mistake; None if there are none, or several."""
    if came[wrong].failure or not _is_telling(came):
        return None
    groups = _alike_in(exercise, wrong, seed)
    try:
        found = limited(lambda: list(_fitting(exercise, groups, came, wrong, seed)), ENDLESS)
    except StillRunning:  # two slips may make a loop endless
        return None
    said = {frozenset((one.says, other.says)) for one, other in found}
    if len(said) != 1:
        return None
    one, other = found[0]
    return Mistake(
        f"{one.name}, and {other.name}",
        one.answer,
        f"Two things. {one.says} {other.says}",
        one.hint if one.hint == other.hint else None,
    )


def _fitting(
    exercise: Exercise,
    groups: list[list[Slip]],
    came: tuple[Outcome, ...],
    wrong: int,
    seed: int,
) -> Iterator[tuple[Slip, Slip]]:
    end = time.thread_time() + SECONDS
    inputs = [drawn(exercise, index, seed) for index in range(len(came))]

    def fits(one: Slip, other: Slip, *cases: int) -> bool:
        both = one.beside(other)
        return both is not None and all(
            alike(exercise, outcome_of(exercise, both, inputs[index], inputs[index]), came[index])
            for index in cases
        )

    for group, others in combinations(groups, 2):
        if time.thread_time() > end:
            return
        if group[0].says != others[0].says and fits(group[0], others[0], wrong):
            pairs = product(group, others)
            yield from (pair for pair in pairs if fits(*pair, *range(len(came))))


def _alike_in(exercise: Exercise, index: int, seed: int) -> list[list[Slip]]:
    """The slips, together where they say the same and do the same with this case."""
    groups: list[tuple[Outcome, list[Slip]]] = []
    for slip in exercise.mistakes:
        if not isinstance(slip, Slip):
            continue
        outcome = known_outcome(exercise, slip.answer, index, seed)
        for its, group in groups:
            if slip.says == group[0].says and alike(exercise, outcome, its):
                group.append(slip)
                break
        else:
            groups.append((outcome, [slip]))
    return [group for _, group in groups]


def _is_telling(came: tuple[Outcome, ...]) -> bool:
    """Whether what came is no accident: among so many pairs, some one gives the same few labels."""
    numbers = [number for outcome in came for number in _numbers(outcome.view)]
    fractions = sum(number != np.round(number) for number in numbers if np.isfinite(number))
    return fractions >= 2 or len(set(numbers)) >= FEWEST_NUMBERS


def _numbers(value: Any) -> Iterator[float]:
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list | tuple):
        for item in value:
            yield from _numbers(item)
    elif isinstance(value, np.ndarray) and value.dtype.kind in "iuf":
        yield from (float(number) for number in value.flat[:100])
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield float(value)
