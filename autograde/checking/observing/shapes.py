"""What became of an axis, where the shape that came is not the expected one."""

from collections.abc import Callable
from typing import Any

import numpy as np

from autograde.checking.observing.moves import transposed
from autograde.checking.observing.pairs import Both, Numbers, Pair, all_close

REDUCED: dict[str, Callable[..., Any]] = {
    "added up": np.sum,
    "averaged": np.mean,
    "cut down to its largest": np.max,
    "cut down to its smallest": np.min,
    "multiplied together": np.prod,
}


def relation_of_shapes(pairs: list[Pair], both: Both) -> str:
    """An axis that is gone, that is too many, or that has another length."""
    axes = {right.ndim for right, _ in both}
    if len(axes) != 1:
        return ""
    (most,) = axes
    if found := _squeezed(pairs, both):
        return found
    for axis in range(most):
        found = _along(pairs, both, axis)
        if found:
            return found
    if most and (words := _to_one_number(pairs, both)):
        return f"Your result is the expected one {words} to a single number."
    for move, words in transposed(most):
        if all_close(pairs, both, move):
            return f"Your result is the expected one {words}."
    if all(pair.close(np.ravel(r), np.ravel(m)) for pair, (r, m) in zip(pairs, both, strict=True)):
        return "Your numbers are the expected ones in another shape."
    return _axes(both)


def _squeezed(pairs: list[Pair], both: Both) -> str:
    """Axes of length 1 that are gone, while all numbers are there."""
    gone = [right.ndim - mine.ndim for right, mine in both]
    if min(gone) <= 0 or not all(
        right.size == mine.size > 0
        and [n for n in right.shape if n > 1] == [n for n in mine.shape if n > 1]
        and pair.close(np.ravel(right), np.ravel(mine))
        for pair, (right, mine) in zip(pairs, both, strict=True)
    ):
        return ""
    axes = "an axis of length 1 is gone" if set(gone) == {1} else "axes of length 1 are gone"
    return (
        f"Your numbers are the expected ones, and {axes}. `squeeze()` takes out every such axis, "
        "also that of a batch of one, unless it is told which."
    )


def _to_one_number(pairs: list[Pair], both: Both) -> str:
    """How the whole was reduced; nothing has no mean and no largest, so it says nothing."""
    there = [place for place, (right, _) in enumerate(both) if right.size]
    if not there or any(mine.ndim for _, mine in both):
        return ""
    some, of_them = [pairs[place] for place in there], [both[place] for place in there]
    return next((words for words, made in REDUCED.items() if all_close(some, of_them, made)), "")


def _along(pairs: list[Pair], both: Both, axis: int) -> str:
    if any(not right.shape[axis] for right, _ in both):
        return ""
    for words, made in REDUCED.items():
        if all_close(pairs, both, lambda right: made(right, axis)):  # noqa: B023
            return f"Your result is the expected one {words} over axis {axis}."
    for place, words in ((0, "first"), (-1, "last")):
        if all_close(pairs, both, lambda right: np.take(right, place, axis)):  # noqa: B023
            return f"Your result is the {words} part of the expected one along axis {axis}."
    for end, words in ((0, "beginning"), (1, "end")):
        if all(
            mine.size and mine.ndim == right.ndim and pair.close(_cut(right, mine, axis, end), mine)
            for pair, (right, mine) in zip(pairs, both, strict=True)
        ):
            return f"Your result is only the {words} of the expected one along axis {axis}."
    return ""


def _cut(right: Numbers, mine: Numbers, axis: int, end: int) -> Numbers:
    """As much of the expected result as came, from its beginning or its end."""
    length = mine.shape[axis]
    turned = np.moveaxis(right, axis, 0)
    return np.moveaxis(turned[max(0, len(turned) - length) :] if end else turned[:length], 0, axis)


def _axes(both: Both) -> str:
    """How many axes there are, or which one has another length."""
    more = {mine.ndim - right.ndim for right, mine in both}
    if all(mine.ndim == 0 for _, mine in both):
        return "You return a single number where many are expected."
    if len(more) == 1 and 0 not in more:
        (many,) = more
        axes = "one axis" if abs(many) == 1 else f"{abs(many)} axes"
        return f"Your result has {axes} {'more' if many > 0 else 'less'} than expected."
    return _length(both) if more == {0} else ""


def _length(both: Both) -> str:
    odd = {
        axis
        for right, mine in both
        for axis in range(right.ndim)
        if right.shape[axis] != mine.shape[axis]
    }
    if len(odd) != 1:
        return ""
    (axis,) = odd
    lengths = {mine.shape[axis] - right.shape[axis] for right, mine in both}
    if len(lengths) == 1 and lengths <= {-1, 1}:
        more = "longer" if lengths == {1} else "shorter"
        return f"Axis {axis} is {more} by 1 than expected."
    if all(mine.shape[axis] == 0 for _, mine in both):
        return f"Axis {axis} has length 0: it holds nothing."
    if all(mine.shape[axis] == 1 < right.shape[axis] for right, mine in both):
        return f"Axis {axis} has length 1, and more is expected."
    if all(mine.shape[axis] == 2 * right.shape[axis] for right, mine in both):
        return f"Axis {axis} is twice as long as expected."
    if max(lengths) < 0:
        return f"Axis {axis} is shorter than expected."
    if min(lengths) > 0:
        return f"Axis {axis} is longer than expected."
    return ""
