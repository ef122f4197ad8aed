"""Compare an ill-formed result's numbers with the expected ones.

A refusal says nothing of the numbers. So they are kept beside it, and a mistake that is right but
for its form is named only where the learner's numbers are right, too.
"""

import copy
import functools
from collections.abc import Mapping
from contextlib import suppress
from functools import lru_cache
from typing import Any

import numpy as np
import torch

from autograde.checking.answers import MOST_PARTS, Answer, AnswerRefused, Plain, in_range, plain
from autograde.checking.case_inputs import case_inputs
from autograde.checking.exercise import Exercise
from autograde.checking.judge import first_difference
from autograde.checking.work_limit import WorkLimit

MOST_READ = 100_000
MOST_BYTES = 250_000_000
Calls = list[tuple[Any, tuple[Any, ...]]]


def remembering(answer: Answer, limit: WorkLimit | None = None) -> tuple[Answer, Calls]:
    """The answer within its limit, and its last call.

    A class is left alone, as what is made of it is called.
    """
    calls: Calls = []
    if isinstance(answer, type):
        return answer, calls
    if limit is not None:
        answer = limit(answer)

    @functools.wraps(answer)
    def remembered(*arguments: Any, **named: Any) -> Any:
        result = answer(*arguments, **named)
        refuse_what_is_huge(result)
        calls[:] = [(result, arguments)]
        return result

    return remembered, calls


def refuse_what_is_huge(result: Any) -> None:
    """Say of a result that could not be read in time what it is, before it is copied.

    Raises
    ------
    AnswerRefused
        If its arrays hold more than `MOST_BYTES`, or a list more than `MOST_PARTS` parts.
    """
    parts = result if isinstance(result, list | tuple) else [result]
    if len(parts) > MOST_PARTS:
        raise AnswerRefused(
            f"Your function returned a {type(result).__name__} of {len(parts):,} parts. A right "
            "result is far smaller: look at what should end its growing."
        )
    arrays = [part for part in parts if isinstance(part, np.ndarray | torch.Tensor)]
    size = sum(part.nbytes for part in arrays)
    if size > MOST_BYTES:
        shape = tuple(max(arrays, key=lambda part: part.nbytes).shape)
        raise AnswerRefused(
            f"Your function returned {size / 1e9:.1f} GB of numbers, in shape {shape}. A right "
            "result is far smaller: look at the shapes before they are put together."
        )


def without_form(calls: Calls) -> Plain:
    """What was returned, and the arguments afterwards, as arrays, texts and lists of these.

    None, where nothing was returned that can be read.
    """
    if not calls:
        return None
    result, arguments = calls[0]
    found = _read(result)
    return None if found is None else [found, *map(_read, arguments)]


def _read(value: Any) -> Plain:
    if _is_vast(value):
        return None
    try:
        ordered = sorted(value) if isinstance(value, set | frozenset) else value
        return _as_arrays(in_range(plain(ordered)))
    except Exception:  # it cannot be read, or stops when it is
        return None


def _is_vast(value: Any) -> bool:
    """Whether lists within lists hold so much that reading them would take seconds."""
    rest, count = [value], 0
    while rest and count <= MOST_READ:
        inner = rest.pop()
        if isinstance(inner, list | tuple):
            count += len(inner)
            rest += [part for part in inner if isinstance(part, list | tuple)]
    return count > MOST_READ


def _as_arrays(value: Plain) -> Plain:
    if isinstance(value, list | tuple):
        parts = [_as_arrays(part) for part in value]
        shapes = {part.shape if isinstance(part, np.ndarray) else None for part in parts}
        return np.array(parts) if len(shapes - {None}) == len(shapes) < 2 else parts
    if isinstance(value, np.ndarray) and not value.size:
        return np.zeros(0)
    return np.asarray(value) if isinstance(value, bool | int | float) else value


@lru_cache(maxsize=256)
def returned_by(exercise: Exercise, answer: Answer, index: int, seed: int) -> Plain:
    """What an answer of the course's own returns in one case, without its form."""
    remembered, calls = remembering(answer, exercise.work_limit)
    with np.errstate(all="ignore"), suppress(Exception):  # it may be refused, and has returned
        exercise.run(remembered, copy.deepcopy(case_inputs(exercise, index, seed)))
    return without_form(calls)


def is_what_returns(
    exercise: Exercise, refused: Mapping[int, Plain], answer: Answer, seed: int
) -> bool:
    """Whether what was refused in these cases is what an answer of the course's own returns."""
    return all(
        came is not None and _alike(exercise, returned_by(exercise, answer, index, seed), came)
        for index, came in refused.items()
    )


def other_numbers(exercise: Exercise, refused: Mapping[int, Plain], seed: int) -> bool:
    """Whether arrays were refused, of the right shapes, that hold other numbers in some case."""
    found = False
    for index, came in refused.items():
        right = returned_by(exercise, exercise.reference, index, seed)
        if not (isinstance(came, list) and isinstance(right, list)):
            return False
        if not (_arrays(came[0]) and _shapes(came[0]) == _shapes(right[0])):
            return False
        if not _alike(exercise, right[1:], came[1:]):  # what was given is not what it was
            return False
        found = found or not _alike(exercise, right[0], came[0])
    return found


def _arrays(value: Plain) -> bool:
    if isinstance(value, list):
        return all(map(_arrays, value))
    return isinstance(value, np.ndarray)


def _shapes(value: Plain) -> Any:
    if isinstance(value, list):
        return [_shapes(part) for part in value]
    return value.shape if isinstance(value, np.ndarray) else None


def _alike(exercise: Exercise, right: Plain, came: Plain) -> bool:
    return first_difference(right, came, rtol=exercise.rtol, atol=exercise.atol) is None
