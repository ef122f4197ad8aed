"""One part of a result as expected and as it came: what the observations look at."""

from collections.abc import Callable, Iterable, Sized
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from autograde.checking.exercise import Inputs
from autograde.checking.judge import first_difference

GRADIENT = "gradient"  # what an exercise calls the part of a view that is learnt from its result
Numbers = np.ndarray
Both = list[tuple[Numbers, Numbers]]


@dataclass(frozen=True)
class Pair:
    """One part of one result, as expected and as it came, with what went in.

    ``on_the_way`` has the amounts that the exercise computes on the way to this result. Numbers
    that are ``codes`` stand for something, and have no size.
    """

    inputs: Inputs
    right: Any
    mine: Any
    rtol: float
    atol: float
    on_the_way: dict[str, Any] = field(default_factory=dict)
    codes: bool = False

    @cached_property
    def alike(self) -> bool:
        """Whether what came is right, or has the right numbers, in a list for an array, say."""
        both: tuple[Any, Any] = self.right, self.mine
        if self.arrays is not None:
            both = np.asarray(self.right), np.asarray(self.mine)
        return first_difference(*both, rtol=self.rtol, atol=self.atol) is None

    @cached_property
    def arrays(self) -> tuple[Numbers, Numbers] | None:
        """Both as arrays of real numbers, if they are."""
        right, mine = numbers(self.right), numbers(self.mine)
        return None if right is None or mine is None else (right, mine)

    def close(self, left: Any, right: Any) -> bool:
        """Whether two arrays hold the same, within the exercise's tolerance."""
        left, right = np.asarray(left, float), np.asarray(right, float)
        return left.shape == right.shape and bool(
            np.allclose(left, right, self.rtol, self.atol, equal_nan=True)
        )


def all_close(pairs: list[Pair], both: Both, made: Callable[[Numbers], Any]) -> bool:
    """Whether everything that came is ``made`` from what was expected."""
    return all(
        pair.close(made(right), mine) for pair, (right, mine) in zip(pairs, both, strict=True)
    )


def numbers(value: Any) -> Numbers | None:
    """A number, an array or a list of numbers as an array; None for anything else."""
    if isinstance(value, bool | str) or value is None:
        return None
    try:
        array = np.asarray(value)
    except ValueError:  # lists of different lengths
        return None
    return array.astype(float) if array.dtype.kind in "iuf" else None


def listed(parts: Iterable[str]) -> str:
    """The names of parts in a row."""
    *most, last = parts
    return f"{', '.join(most)} and {last}" if most else last


def is_or_are(parts: Sized) -> str:
    """The verb that goes with so many parts."""
    return "is" if len(parts) == 1 else "are"


def subject(both: Both) -> str:
    """What a sentence about these numbers begins with."""
    return "Every number of yours" if any(right.ndim for right, _ in both) else "Your number"
