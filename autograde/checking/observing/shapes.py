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
    for axis in range(most):
        found = _along(pairs, both, axis)
        if found:
            return found
    if most and (words := _to_one_number(pairs, both)):
        return f"Your result is the expected one {words} to a single number."
    for move, words in transposed(most):
        if all_close(pairs, both, move):
            return f"The right numbers, {words}"
    if all(pair.close(np.ravel(r), np.ravel(m)) for pair, (r, m) in zip(pairs, both, strict=True)):
        return "The right numbers, in another shape."
    return _axes(both)


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
    for end, words, look in (
        (0, "beginning", "what ends a loop or a slice"),
        (1, "end", "where a loop or a slice begins"),
    ):
        if all(
            mine.size and mine.ndim == right.ndim and pair.close(_cut(right, mine, axis, end), mine)
            for pair, (right, mine) in zip(pairs, both, strict=True)
        ):
            return (
                f"Your result is only the {words} of the expected one along axis {axis}. What is "
                f"there is right. Look at {look}, or at what leaves parts out."
            )
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
        return (
            "You return a single number where many are expected. Look for what adds up, averages "
            "or picks one, or for an input that never enters."
        )
    if len(more) == 1 and 0 not in more:
        many = "One axis" if abs(min(more)) == 1 else f"{abs(min(more))} axes"
        verb = "is" if many == "One axis" else "are"
        if min(more) < 0:
            return f"{many} of the result {verb} gone. Look for what adds up or picks along it."
        return (
            f"{many} of the result {verb} too many. Look for what should add up or pick along it."
        )
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
        return (
            f"Axis {axis} is always {more} by 1 than it should be. Look at where a slice or a "
            f"range begins and ends."
        )
    if all(mine.shape[axis] == 0 for _, mine in both):
        return (
            f"Axis {axis} has length 0: nothing is in it. Look for a slice that ends too early: "
            "`[:-0]` is empty, too."
        )
    if all(mine.shape[axis] == 1 < right.shape[axis] for right, mine in both):
        return f"Axis {axis} has length 1: look for what makes one of many."
    if all(mine.shape[axis] == 2 * right.shape[axis] for right, mine in both):
        return f"Axis {axis} is twice as long as it should be. Look at what joins two along it."
    if max(lengths) < 0:
        return f"Axis {axis} is always too short. Look at what leaves parts out along it."
    if min(lengths) > 0:
        return f"Axis {axis} is always too long. Look at what joins, repeats or spreads along it."
    return ""
