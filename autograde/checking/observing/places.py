"""Where the wrong values of a result stand, in all wrong cases alike."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from autograde.checking.answers import equal
from autograde.checking.judge import FEW_DIGITS, about, first_difference
from autograde.checking.observing.pairs import Pair
from autograde.checking.observing.trends import NAN

Places = np.ndarray
FEW = 3
NUMBER = bool | int | float | np.number | np.bool_


def where_it_is_wrong(pairs: list[Pair]) -> str:
    """A sentence on the places that are wrong, where they are always of one kind."""
    found = [_places(pair) for pair in pairs]
    wrong = [places for places in found if places is not None]
    if not wrong or len(wrong) < len(found) or all(places.all() for places in wrong):
        return ""
    if max(places.size for places in wrong) < 3:
        return ""
    for kinds in (_chosen_by_a_mask(pairs), _lines(pairs)):
        for words, kind in kinds:
            chosen = [kind(pair, places) for pair, places in zip(pairs, wrong, strict=True)]
            if all(
                places is not None and not (there & ~places).any() and not places.all()
                for places, there in zip(chosen, wrong, strict=True)
            ):
                return words
        expected = _what_is_expected_there(pairs, wrong)
        if expected:
            return expected
    return _what_came_there(pairs, wrong)


def _places(pair: Pair) -> Places | None:
    """True where a value is wrong, for arrays of one shape."""
    if pair.arrays is None:
        return _places_of_parts(pair.right, pair.mine)
    right, mine = pair.arrays
    if right.shape != mine.shape or not right.ndim:
        return None
    near = np.isclose(right, mine, pair.rtol, pair.atol, equal_nan=True)
    wrong: Places = ~near
    return wrong


def _places_of_parts(right: Any, mine: Any) -> Places | None:
    """True where a part of a list, or a truth value of an array, is wrong."""
    if isinstance(right, np.ndarray) and isinstance(mine, np.ndarray) and right.ndim:
        return right != mine if right.shape == mine.shape else None
    if isinstance(right, list) and isinstance(mine, list) and 0 < len(right) == len(mine):
        return np.array([not equal(a, b) for a, b in zip(right, mine, strict=True)])
    return None


Kind = Callable[[Pair, Places], Places | None]


def _lines(pairs: list[Pair]) -> Iterator[tuple[str, Kind]]:
    axes = max(pair.right.ndim if isinstance(pair.right, np.ndarray) else 1 for pair in pairs)
    for axis in range(axes):
        name = "part" if axes == 1 else f"part along axis {axis}"
        for place, words in ((0, "first"), (-1, "last")):
            yield f"Only the {words} {name} is off.", partial(_line, axis=axis, place=place)


def _chosen_by_a_mask(pairs: list[Pair]) -> Iterator[tuple[str, Kind]]:
    yield "Only the diagonal is off.", _diagonal
    masks = [
        name
        for name, value in pairs[0].inputs.items()
        if isinstance(value, np.ndarray) and value.dtype == bool and value.ndim == 2
    ]
    for name in masks:
        for words, rows in ROWS.items():
            yield f"Only {words.format(name)}", partial(_spread, name=name, rows=rows)


ROWS: dict[str, Callable[[Places], Any]] = {
    "places where `{}` is False are off.": np.logical_not,
    "places where `{}` is True are off.": np.asarray,
    "rows with padding are off, those with a False in `{}`. Full rows are right.": (
        lambda mask: ~mask.all(1)
    ),
    "rows without padding are off, those without a False in `{}`.": lambda mask: mask.all(1),
}


def _line(pair: Pair, wrong: Places, axis: int, place: int) -> Places | None:
    if axis >= wrong.ndim or wrong.shape[axis] < 3:
        return None
    places = np.zeros_like(wrong)
    np.moveaxis(places, axis, 0)[place] = True
    return places


def _diagonal(pair: Pair, wrong: Places) -> Places | None:
    square = wrong.ndim == 2 and wrong.shape[0] == wrong.shape[1]
    return np.eye(len(wrong), dtype=bool) if square else None


def _spread(pair: Pair, wrong: Places, name: str, rows: Callable[[Places], Any]) -> Places | None:
    """The places that a mask chooses, in an array that begins with its axes."""
    chosen = rows(pair.inputs[name])
    return _broadcast(chosen, wrong)


def _broadcast(rows: Places, wrong: Places) -> Places | None:
    if rows.ndim > wrong.ndim or rows.shape != wrong.shape[: rows.ndim]:
        return None
    spread = rows.reshape(rows.shape + (1,) * (wrong.ndim - rows.ndim))
    return np.broadcast_to(spread, wrong.shape)


def _what_is_expected_there(pairs: list[Pair], wrong: list[Places]) -> str:
    """One value that is expected at all wrong places, and at no right one."""
    rights = [_parts_in_places(pair, ours=False) for pair in pairs]
    value = _one_value(pairs, _taken(rights, wrong))
    at_right = _taken(rights, [~places for places in wrong])
    if value is None or any(_alike(pairs[0], value, other) for other in at_right):
        return ""
    return f"Your result is off exactly where {_said(pairs[0], value)} is expected."


def _what_came_there(pairs: list[Pair], wrong: list[Places]) -> str:
    """One value that came at all wrong places."""
    value = _one_value(pairs, _taken([_parts_in_places(pair, ours=True) for pair in pairs], wrong))
    if value is None:
        return ""
    said = _said(pairs[0], value)
    return f"Wherever your result is off, it is {said}.{f' {NAN}' if said == 'nan' else ''}"


def _taken(values: list[np.ndarray], places: list[Places]) -> list[Any]:
    return [one for of_case, there in zip(values, places, strict=True) for one in of_case[there]]


def _one_value(pairs: list[Pair], values: list[Any]) -> Any:
    """The value that all of these are, within the tolerance, where there are enough."""
    one = len(values) >= FEW and all(_alike(pairs[0], values[0], value) for value in values)
    return values[0] if one else None


def _alike(pair: Pair, left: Any, right: Any) -> bool:
    return first_difference(left, right, rtol=pair.rtol, atol=pair.atol) is None


def _parts_in_places(pair: Pair, *, ours: bool) -> np.ndarray:
    if pair.arrays is not None:
        return pair.arrays[ours]
    value = pair.mine if ours else pair.right
    if isinstance(value, np.ndarray):
        return value
    parts = np.empty(len(value), dtype=object)
    parts[:] = value
    return parts


def _said(pair: Pair, value: Any) -> str:
    return about(value, pair.atol, FEW_DIGITS) if isinstance(value, NUMBER) else repr(value)
