"""The parts of a result, each under the name that a sentence gives it."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from autograde.checking.judge import part_name

Leaf = tuple[str, Any, Any]


def leaves(name: str, right: Any, mine: Any) -> Iterator[Leaf]:
    """The parts of a dict or tuple under their names; of a list of parts, all under one name."""
    if isinstance(right, dict) and isinstance(mine, dict) and set(right) == set(mine):
        for key in right:
            yield from leaves(part_name(key), right[key], mine[key])
    elif isinstance(right, tuple) and isinstance(mine, tuple | list) and len(right) == len(mine):
        for index, (left, other) in enumerate(zip(right, mine, strict=True)):
            yield from leaves(_part(name, str(index)), left, other)
    elif _of_alike_tuples(right) and _of_alike_tuples(mine) and _sizes(right) == _sizes(mine):
        for index in range(len(right[0])):
            columns = [[item[index] for item in items] for items in (right, mine)]
            yield from leaves(_part(name, f"…][{index}"), *columns)
    elif _of_composed_parts(right) and isinstance(mine, list) and len(right) == len(mine):
        for left, other in zip(right, mine, strict=True):
            yield from leaves(_part(name, "…"), left, other)
    else:
        yield name or "the result", right, mine


def _part(name: str, index: str) -> str:
    return f"`{name.strip('`') or 'result'}[{index}]`"


def _of_composed_parts(value: Any) -> bool:
    """Whether this is a list of arrays, or of tuples that hold an array."""
    return isinstance(value, list) and any(
        isinstance(item, np.ndarray)
        or (isinstance(item, tuple) and any(isinstance(part, np.ndarray) for part in item))
        for item in value
    )


def _of_alike_tuples(value: Any) -> bool:
    """Whether this is a list of tuples of one length that hold numbers or text."""
    return (
        isinstance(value, list)
        and len(value) > 0
        and all(isinstance(item, tuple) and len(item) == len(value[0]) for item in value)
        and all(isinstance(part, int | float | str) for item in value for part in item)
    )


def _sizes(value: Any) -> tuple[int, int]:
    return len(value), len(value[0])
