"""Compare what came with what was expected, cheapest question first.

Kind, length or shape, number type, finite, values: the first difference found is the one that
is reported, because it explains the later ones. NumPy's functions are imported by name, so that a
notebook that replaces one in `numpy` does not replace it here.
"""

from typing import Any

import numpy as np
from numpy import argwhere, asarray, errstate, isfinite, nan_to_num, unravel_index

WHOLE = "the result"
ONE_OF_IT = "`np.array(...)` makes one of it, `torch.stack(...)` of a list of tensors."
TIE = 0.999
ROUNDING = 1e-9
FEW_DIGITS = 4  # in single precision rounding is seen in the sixth
NUMBER = bool | int | float | np.ndarray | np.generic


def first_difference(
    expected: Any, came: Any, *, rtol: float, atol: float, where: str = WHOLE
) -> str | None:
    """The first difference as a sentence, or None when ``came`` is right."""
    if came is None and expected is not None:
        ending = " Is there a `return` at the end?" if where == WHOLE else ""
        return f"{_capital(where)} is None.{ending}"
    if isinstance(expected, NUMBER):
        return _array_difference(expected, came, rtol, atol, where)
    if isinstance(expected, dict):
        if not isinstance(came, dict) or set(came) != set(expected):
            return f"{_capital(where)} should be a dict with the keys {sorted(expected)}."
        for key in expected:
            found = first_difference(
                expected[key], came[key], rtol=rtol, atol=atol, where=part_name(key)
            )
            if found:
                return found
        return None
    if isinstance(expected, list | tuple):
        if isinstance(came, np.ndarray) and came.ndim:
            came = list(came)
        if not isinstance(came, list | tuple):
            kind = "a list"
            if isinstance(expected, tuple):  # an exercise may hold a list as one
                kind = f"a list or tuple of {_parts(expected)}"
            return f"{_capital(where)} should be {kind}, not {_kind(came)}."
        if len(came) != len(expected):
            if isinstance(expected, tuple):
                return (
                    f"{_capital(where)} should consist of {_parts(expected)}, not of {len(came)}."
                )
            return f"{_capital(where)} should have {_parts(expected)}, not {len(came)}."
        for index, (left, right) in enumerate(zip(expected, came, strict=True)):
            found = first_difference(left, right, rtol=rtol, atol=atol, where=_item(where, index))
            if found:
                return found
        return None
    if not isinstance(came, type(expected)):  # an array would not compare to True or False
        said = repr(came) if isinstance(came, bool | int | float | str) else _kind(came)
        return f"{_capital(where)} should be {expected!r}, not {said}."
    if expected != came:
        return f"{_capital(where)} should be {expected!r}, not {came!r}."
    return None


def part_name(key: str) -> str:
    """How a sentence names a part of a dict: as code, unless code stands in the name."""
    return key if "`" in key else f"`{key}`"


def _item(where: str, index: int) -> str:
    """The name of one part as the learner would write it: `result[2][1]`."""
    name = "result" if where == WHOLE else where.strip("`")
    return f"`{name}[{index}]`"


def _parts(value: list[Any] | tuple[Any, ...]) -> str:
    return "1 part" if len(value) == 1 else f"{len(value)} parts"


def _array_difference(expected: Any, came: Any, rtol: float, atol: float, where: str) -> str | None:
    if not isinstance(came, NUMBER):
        found = f"{_capital(where)} should be {_kind(expected)}, not {_kind(came)}."
        listed = isinstance(came, list | tuple) and isinstance(expected, np.ndarray)
        return f"{found} {ONE_OF_IT}" if listed else found
    left, right = asarray(expected), asarray(came)
    if left.shape != right.shape:
        return f"{_capital(where)} should have shape {left.shape}, not {right.shape}."
    if right.dtype.kind not in "biuf":
        return f"{_capital(where)} should hold real numbers, not {right.dtype}."
    whole = left.dtype.kind in "biu"
    if whole and right.dtype.kind == "f":
        if not (abs(right - right.round()) <= ROUNDING * (1 + abs(right))).all():
            return f"{_capital(where)} should hold whole numbers."
        right = right.round()
    broken = ~isfinite(right) & ~_same(left, right)
    if broken.any():
        return (
            f"{_capital(where)} holds {right[broken].flat[0]} {_place(broken)}"
            f"where {about(left[broken].flat[0], atol, FEW_DIGITS)} is right."
        )
    wrong = ~_same(left, right)
    if not whole:  # a count that is nearly right is wrong
        wrong &= ~_close(left, right, rtol, atol)
    if wrong.any():
        with errstate(all="ignore"):
            distance = asarray(
                nan_to_num(abs(right.astype(float) - left.astype(float)), nan=float("inf"))
            )
        distance[~wrong] = -1.0
        far = distance >= TIE * distance.max()  # which of equal ones, rounding must not decide
        spot = unravel_index(int(far.argmax()), wrong.shape)
        at = f" at index {tuple(int(i) for i in spot)}" if left.ndim else ""
        share = f" ({_count(int(wrong.sum()))} of {wrong.size} values are off)"
        share = share if wrong.size > 1 else ""
        was, right_one = _told_apart(right[spot], left[spot], 0.0 if whole else atol)
        return f"{_capital(where)} is {was}{at}, not {right_one}{share}."
    return None


def _same(left: np.ndarray, right: np.ndarray) -> Any:
    return (left == right) | ((left != left) & (right != right))  # a NaN differs from itself


def _close(left: np.ndarray, right: np.ndarray, rtol: float, atol: float) -> Any:
    with errstate(all="ignore"):
        return isfinite(left) & (abs(right - left) <= atol + rtol * abs(left))


def digits(value: Any, significant: int = 6) -> str:
    """A number as a reader would write it: whole numbers in full."""
    value = value.item() if isinstance(value, np.generic) else value
    if isinstance(value, bool):
        return str(value)
    if abs(value) < 1e15 and value == round(value):
        return str(int(value))
    return f"{value:.{significant}g}"


def about(value: Any, near_zero: float, significant: int = 6) -> str:
    """A number as `digits` writes it, and one that is 0 but for rounding as that."""
    if value != 0 and abs(value) <= near_zero:
        return "about 0"
    return digits(value, significant)


def _count(number: int) -> str:
    """A count in full, and a large one, whose last digits hang on rounding, without them."""
    return str(number) if number < 1000 else f"about {round(number, 2 - len(str(number)))}"


def _told_apart(left: Any, right: Any, near_zero: float) -> tuple[str, str]:
    """Two numbers, with as many digits as it takes to see that they differ."""
    for significant in (FEW_DIGITS, 6, 9):
        pair = about(left, near_zero, significant), about(right, near_zero, significant)
        if pair[0] != pair[1]:
            return pair
    return digits(left, 17), digits(right, 17)


def _place(mask: np.ndarray) -> str:
    if not mask.ndim:
        return ""
    return f"at index {tuple(int(i) for i in argwhere(mask)[0])} "


def _kind(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return "an array" if value.ndim else "a number"
    names = {bool: "True or False", int: "a number", float: "a number", str: "text"}
    names |= {list: "a list", tuple: "a tuple", dict: "a dict"}
    return names.get(type(value)) or with_article(type(value).__name__)


def with_article(noun: str) -> str:
    """A noun after *a* or *an*, by its first letter, and NumPy's array as it is spoken."""
    return f"{'an' if noun[:1].lower() in 'aeiou' or noun == 'ndarray' else 'a'} {noun}"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
