"""The right numbers in other places: axes swapped, order reversed, one place too late."""

from collections.abc import Callable, Iterator
from functools import partial
from itertools import permutations

import numpy as np

from autograde.checking.observing.pairs import Both, Numbers, Pair, all_close

Move = Callable[[Numbers], Numbers]


def moved(pairs: list[Pair], both: Both) -> str:
    """How the right numbers have moved, if that is all."""
    axes = {right.ndim for right, _ in both}
    if len(axes) != 1 or 0 in axes or max(right.size for right, _ in both) < 3:
        return ""
    (ndim,) = axes
    for move, words in [*transposed(ndim), *_reversed(ndim)]:
        if all_close(pairs, both, move):
            return f"Your result is the expected one {words}."
    for step, words in ((1, "late"), (-1, "early")):
        for axis in range(ndim):
            if all(
                _shifted(pair, right, mine, axis, step)
                for pair, (right, mine) in zip(pairs, both, strict=True)
            ):
                return f"The expected numbers stand one place too {words} along axis {axis}."
    if all(
        pair.close(np.sort(mine, None), np.sort(right, None)) and len(np.unique(right)) > 2
        for pair, (right, mine) in zip(pairs, both, strict=True)
    ):
        return "All the expected numbers are there, in another order."
    return ""


def transposed(ndim: int) -> Iterator[tuple[Move, str]]:
    """Every other order of the axes."""
    for order in list(permutations(range(ndim)))[1:]:
        words = "with its two axes swapped"
        if ndim > 2:
            words = f"with its axes in the order {order}"
        yield partial(np.transpose, axes=order), words


def _reversed(ndim: int) -> Iterator[tuple[Move, str]]:
    for axis in range(ndim):
        yield partial(np.flip, axis=axis), f"in reverse order along axis {axis}"


def _shifted(pair: Pair, right: Numbers, mine: Numbers, axis: int, step: int) -> bool:
    if right.shape[axis] < 3 or len(np.unique(right)) < 3:
        return False
    ours, theirs = (slice(1, None), slice(None, -1))[::step]
    return pair.close(np.moveaxis(mine, axis, 0)[ours], np.moveaxis(right, axis, 0)[theirs])
