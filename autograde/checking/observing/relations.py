"""How the numbers that came are related to the expected ones, in all wrong cases alike."""

import math
from collections.abc import Callable

import numpy as np

from autograde.checking.judge import FEW_DIGITS, about, digits
from autograde.checking.observing.amounts import by_an_amount
from autograde.checking.observing.moves import moved
from autograde.checking.observing.pairs import Both, Numbers, Pair, all_close, subject
from autograde.checking.observing.shapes import relation_of_shapes
from autograde.checking.observing.trends import INFINITE, NAN

Relation = Callable[[list[Pair], Both], str]


def relation(pairs: list[Pair]) -> str:
    """The first relation that holds for all pairs, as a sentence."""
    known = [pair.arrays for pair in pairs]
    both = [arrays for arrays in known if arrays is not None]
    if not both or len(both) < len(known):
        return ""
    with np.errstate(all="ignore"):
        if all(right.shape == mine.shape for right, mine in both):
            return _of_one_shape(pairs, both)
        return relation_of_shapes(pairs, both)


def _of_one_shape(pairs: list[Pair], both: Both) -> str:
    near_zero = max(pair.atol for pair in pairs)
    every = np.concatenate([right.ravel() for right, _ in both])
    distinct = {digits(number) for number in every if abs(number) > near_zero}
    if len(distinct) < 2 or not all(np.isfinite(right).any() for right, _ in both):
        return ""
    nothing = all(pair.close(mine, 0 * mine) for pair, (_, mine) in zip(pairs, both, strict=True))
    others: tuple[Relation, ...] = (_function, _scaled, by_an_amount, moved, _by_case, _by_line)
    if pairs[0].codes:
        others = (_function, _scaled, moved)
    for holds in (_constant, *(() if nothing else others)):
        found = holds(pairs, both)
        if found:
            return found
    return ""


FUNCTIONS: dict[str, Callable[[Numbers], Numbers]] = {
    "the expected one with its sign reversed": np.negative,
    "1 minus the expected one": lambda x: 1 - x,
    "the logarithm of the expected one": np.log,
    "the exponential of the expected one": np.exp,
    "the square of the expected one": np.square,
    "the square root of the expected one": np.sqrt,
    "1 divided by the expected one": np.reciprocal,
    "the expected one with its sign reversed, and 1 divided by it": lambda x: -1 / x,
    "the expected one without its sign": np.abs,
    "the expected one rounded down": np.floor,
    "the expected one cut to a whole number": np.trunc,
    "the expected one rounded": np.round,
}


def _function(pairs: list[Pair], both: Both) -> str:
    for what, made in FUNCTIONS.items():
        if all_close(pairs, both, made):
            return f"{subject(both)} is {what}."
    return ""


def _constant(pairs: list[Pair], both: Both) -> str:
    """One number everywhere, where different ones are expected."""
    number = float(next(mine.flat[0] for _, mine in both if mine.size))
    if not all_close(pairs, both, lambda right: np.full_like(right, number)):
        return ""
    said = about(number, pairs[0].atol, FEW_DIGITS)
    if not np.isfinite(number):
        return f"{subject(both)} is {said}. {NAN if np.isnan(number) else INFINITE}"
    return f"{subject(both)} is {said}, though different ones are expected."


def _scaled(pairs: list[Pair], both: Both) -> str:
    """The same factor, or the same distance, in every case."""
    rights = np.concatenate([right.ravel() for right, _ in both])
    mines = np.concatenate([mine.ravel() for _, mine in both])
    known = np.isfinite(rights) & np.isfinite(mines)
    if not known.any():
        return ""
    largest = int(np.argmax(np.where(known, abs(rights), -1)))
    factor, distance = mines[largest] / rights[largest], mines[largest] - rights[largest]
    if factor and all_close(pairs, both, lambda right: right * factor):
        return f"{subject(both)} is the expected one {_times(factor)}."
    if all_close(pairs, both, lambda right: right + distance):
        more = "more" if distance > 0 else "less"
        return (
            f"{subject(both)} is {digits(abs(distance), FEW_DIGITS)} {more} than the expected one."
        )
    return ""


BASES = {2: 1 / math.log(2), 10: 1 / math.log(10)}


def _times(factor: float) -> str:
    for base, ratio in BASES.items():
        if math.isclose(factor, ratio, rel_tol=1e-4):
            return f"times {digits(ratio, 5)}, which is 1 / log({base})"
    sign = " and with its sign reversed" if factor < 0 else ""
    size = abs(factor)
    whole = 1 / size
    by = f"times {digits(size, FEW_DIGITS)}"
    if size < 1 and math.isclose(whole, round(whole), rel_tol=1e-4):
        by = f"divided by {round(whole)}"
    return f"{by}{sign}"


def _by_case(pairs: list[Pair], both: Both) -> str:
    """In each case one factor, or one distance, for all numbers."""
    if sum(len(np.unique(right[np.isfinite(right)])) > 2 for right, _ in both) < len(both):
        return ""
    for fitted, words in ((_factor, "times one factor"), (_distance, "plus one number")):
        numbers = [fitted(pair, *arrays) for pair, arrays in zip(pairs, both, strict=True)]
        if all(number is not None for number in numbers):
            shown = " and ".join(dict.fromkeys(digits(n, FEW_DIGITS) for n in numbers[:2]))
            return f"Your numbers are the expected ones {words} of each case ({shown})."
    return ""


def _factor(pair: Pair, right: Numbers, mine: Numbers) -> float | None:
    spot = np.unravel_index(np.argmax(np.where(np.isfinite(right), abs(right), -1)), right.shape)
    factor = float(mine[spot] / right[spot])
    fits = factor and np.isfinite(factor) and pair.close(right * factor, mine)
    return factor if fits else None


def _distance(pair: Pair, right: Numbers, mine: Numbers) -> float | None:
    spot = np.unravel_index(np.argmax(np.isfinite(right)), right.shape)
    distance = float(mine[spot] - right[spot])
    return distance if np.isfinite(distance) and pair.close(right + distance, mine) else None


def _by_line(pairs: list[Pair], both: Both) -> str:
    """In each row, or each column, one factor or one distance."""
    if any(right.ndim != 2 or min(right.shape) < 2 for right, _ in both):
        return ""
    if max(min(right.shape) for right, _ in both) < 3:
        return ""
    for axis, line in ((1, "row"), (0, "column")):
        for words, fitted in (("times a factor", _factor), ("plus a number", _distance)):
            if all(
                fitted(pair, left, other) is not None
                for pair, (right, mine) in zip(pairs, both, strict=True)
                for left, other in zip(
                    np.moveaxis(right, axis, 1), np.moveaxis(mine, axis, 1), strict=True
                )
            ):
                return f"Each {line} of yours is the expected one {words} of its own."
    return ""
