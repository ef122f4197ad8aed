"""Plain values as the Python text that makes them again."""

import math
from collections.abc import Iterator
from typing import Any

MOST_CHARACTERS = 4_000
_MOST_BITS = 1_000


class CannotBeWritten(Exception):
    """Something has no text that makes it again.

    Its text says why, after the name of the thing: "is an object of type Tensor".
    """

    def __init__(self, why: str, name: str = "") -> None:
        super().__init__(why)
        self.name = name


def literal(value: Any) -> str:
    """The text of a number, a string, None, or a list, tuple, dict or set of these.

    Raises
    ------
    CannotBeWritten
        For any other value, and for one whose text would be longer than a few thousand characters.
    """
    pieces: list[str] = []
    length = 0
    for piece in _pieces(value, within=()):
        length += len(piece)
        if length > MOST_CHARACTERS:
            raise CannotBeWritten("is too long to write down")
        pieces.append(piece)
    return "".join(pieces)


def _pieces(value: Any, within: tuple[int, ...]) -> Iterator[str]:
    kind = type(value)
    if value is None or value is Ellipsis or kind in (bool, range):
        yield repr(value)
    elif kind is int:
        if value.bit_length() > _MOST_BITS:
            raise CannotBeWritten("is too long to write down")
        yield repr(value)
    elif kind is float:
        yield repr(value) if math.isfinite(value) else f'float("{value}")'
    elif kind in (str, bytes):
        if len(value) > MOST_CHARACTERS:
            raise CannotBeWritten("is too long to write down")
        yield repr(value)
    elif kind in (list, tuple, dict, set, frozenset):
        if id(value) in within:
            raise CannotBeWritten("contains itself")
        yield from _parts(value, (*within, id(value)))
    else:
        raise CannotBeWritten(f"is an object of type {kind.__name__}")


def _parts(value: Any, within: tuple[int, ...]) -> Iterator[str]:
    kind = type(value)
    if kind is dict:
        yield "{"
        for number, (key, item) in enumerate(value.items()):
            yield ", " if number else ""
            yield from _pieces(key, within)
            yield ": "
            yield from _pieces(item, within)
        yield "}"
    elif kind in (list, tuple):
        yield "[" if kind is list else "("
        for number, item in enumerate(value):
            yield ", " if number else ""
            yield from _pieces(item, within)
        yield "]" if kind is list else ",)" if len(value) == 1 else ")"
    else:
        if len(value) > MOST_CHARACTERS:
            raise CannotBeWritten("is too long to write down")
        # Sorted, because a set comes in another order in each session.
        inner = ", ".join(sorted("".join(_pieces(item, within)) for item in value))
        text = f"{{{inner}}}" if value else ""
        yield (text or "set()") if kind is set else f"frozenset({text})"
