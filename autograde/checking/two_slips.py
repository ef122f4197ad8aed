"""Two slips at once: where no single one fits, pairs of edits are put together and tried.

A pair is tried on the first wrong case, and what fits there on all cases. What two slips do is
often near what they do one by one, added up, so such pairs come first. The search ends after so
many pairs, and on a slow processor after a while: a report must come at once.
"""

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations, islice, product
from typing import Any

import numpy as np

from autograde.checking.case_inputs import case_inputs
from autograde.checking.exercise import Exercise, Mistake
from autograde.checking.outcomes import (
    Outcome,
    alike,
    expected_outcomes,
    known_outcome,
    outcome_of,
)
from autograde.checking.slips import Slip
from autograde.checking.time_limit import StillRunning, limited

PAIRS = 200
SECONDS = 1.0
UNLIKE = 1e9
ENDLESS = 5.0
FEWEST_NUMBERS = 8


@dataclass(frozen=True)
class Group:
    """Slips that say the same and do the same with a case, and what they do with it."""

    slips: list[Slip]
    outcome: Outcome
    vector: np.ndarray


def two_slips(
    exercise: Exercise, came: tuple[Outcome, ...], wrong: int, seed: int
) -> Mistake | None:
    """The two slips that explain all cases, as one mistake; None if there are none, or several."""
    if came[wrong].failure or not _is_telling(came):
        return None
    pairs = _likeliest_first(exercise, came, wrong, seed)
    if not pairs:
        return None
    try:
        found = limited(lambda: list(_fitting(exercise, pairs, came, wrong, seed)), ENDLESS)
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
    pairs: Iterable[tuple[Group, Group]],
    came: tuple[Outcome, ...],
    wrong: int,
    seed: int,
) -> Iterator[tuple[Slip, Slip]]:
    end = time.thread_time() + SECONDS
    inputs = [case_inputs(exercise, index, seed) for index in range(len(came))]

    def fits(one: Slip, other: Slip, *cases: int) -> bool:
        both = one.beside(other)
        return both is not None and all(
            alike(exercise, outcome_of(exercise, both, inputs[index], inputs[index]), came[index])
            for index in cases
        )

    for group, others in islice(pairs, PAIRS):
        if time.thread_time() > end:
            return
        if fits(group.slips[0], others.slips[0], wrong):
            both = product(group.slips, others.slips)
            yield from (pair for pair in both if fits(*pair, *range(len(came))))


def _likeliest_first(
    exercise: Exercise, came: tuple[Outcome, ...], wrong: int, seed: int
) -> list[tuple[Group, Group]]:
    """Pairs of slips that say different things, the likeliest first.

    What came differs from what is right by d, and two slips alone by u and v. A pair stands at the
    better of two places: by how far u + v is from d, and by how far d is from all a u + b v. Where
    sizes differ, a pair comes first if what came has the size of one of them.
    """
    right, mine = _vector(expected_outcomes(exercise, seed)[wrong]), _vector(came[wrong])
    groups = _groups(exercise, wrong, seed)
    pairs = [
        (one, other)
        for one, other in combinations(groups, 2)
        if one.slips[0].says != other.slips[0].says
    ]
    fitting = [pair for pair in pairs if {right.size, mine.size} == {g.vector.size for g in pair}]
    rest = [pair for pair in pairs if {right.size, mine.size} != {g.vector.size for g in pair}]
    rest.sort(key=lambda pair: -sum(group.vector.size == mine.size for group in pair))
    if right.size != mine.size or not fitting:
        return fitting + rest
    u, v = (np.stack([pair[side].vector for pair in fitting]) - right for side in (0, 1))
    d = mine - right
    summed = np.linalg.norm(u + v - d, axis=1)
    uu, uv, vv = (u * u).sum(1), (u * v).sum(1), (v * v).sum(1)
    ud, vd = u @ d, v @ d
    area = uu * vv - uv**2
    apart = area > 1e-6 * uu * vv  # else u and v lie on one line, and the first place decides
    off_span = d @ d - (vv * ud**2 - 2 * uv * ud * vd + uu * vd**2) / np.where(apart, area, 1)
    spanned = np.where(apart, off_span, d @ d)
    places = np.minimum(*(np.argsort(np.argsort(away)) for away in (summed, spanned)))
    return [fitting[index] for index in np.argsort(places, kind="stable")] + rest


def _groups(exercise: Exercise, index: int, seed: int) -> list[Group]:
    """The slips, together where they say the same and do the same with this case."""
    groups: list[Group] = []
    for slip in exercise.mistakes:
        if not isinstance(slip, Slip):
            continue
        outcome = known_outcome(exercise, slip.answer, index, seed)
        for group in groups:
            if slip.says == group.slips[0].says and alike(exercise, outcome, group.outcome):
                group.slips.append(slip)
                break
        else:
            groups.append(Group([slip], outcome, _vector(outcome)))
    return groups


def _vector(outcome: Outcome) -> np.ndarray:
    return np.clip(np.nan_to_num(np.array([*_numbers(outcome.view)])), -UNLIKE, UNLIKE)


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
