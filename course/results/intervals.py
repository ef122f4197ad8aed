"""The interval that a stored experiment gives over its seeds."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import stats

UNCLEAR = "no clear difference"


def interval(values: Sequence[float] | NDArray[np.float64]) -> dict[str, Any]:
    """Mean and 95 % interval (Student's t) of independent runs, and the values themselves.

    Parameters
    ----------
    values : (N,), one number per seed. With one seed, the interval has no width.

    Returns
    -------
    ``mean``, ``low``, ``high`` and ``values``, ready for JSON

    Raises
    ------
    ValueError
        If there are no values, or they are not one row of numbers.
    """
    numbers = np.asarray(values, dtype=float)
    if numbers.ndim != 1 or not len(numbers):
        raise ValueError(f"an interval needs one number per seed; shape {numbers.shape} came")
    half = 0.0
    if len(numbers) > 1:
        half = float(stats.t.ppf(0.975, len(numbers) - 1) * stats.sem(numbers))
    mean = float(numbers.mean())
    return {"mean": mean, "low": mean - half, "high": mean + half, "values": numbers.tolist()}


@dataclass(frozen=True)
class Lead:
    """A difference with its 95 % interval: of two shares, in percentage points, or in nats."""

    mean: float
    low: float
    high: float
    digits: int = field(default=1, kw_only=True)

    @classmethod
    def of(cls, point: Mapping[str, Any], times: float = 100, **more: Any) -> Self:
        """From ``mean``, ``low`` and ``high`` of the differences: shares of 1, or nats times 1."""
        return cls(*(times * point[part] for part in ("mean", "low", "high")), **more)

    @property
    def verdict(self) -> str:
        """*ahead*, *behind*, or *no clear difference* where the interval holds 0."""
        return "ahead" if self.low > 0 else "behind" if self.high < 0 else UNCLEAR

    def __str__(self) -> str:
        mean, low, high = (f"{end:+.{self.digits}f}" for end in (self.mean, self.low, self.high))
        return f"{mean} ({low} to {high}): {self.verdict}"


def lead(point: Mapping[str, Any]) -> Lead:
    """A difference of two shares, in percentage points.

    Parameters
    ----------
    point : ``mean``, ``low`` and ``high``, as `interval` gives them, of the differences

    Returns
    -------
    What prints such as ``-3.0 (-7.2 to +1.5): no clear difference``, with ``.verdict``
    """
    return Lead.of(point)


def difference(one: Mapping[str, Any], other: Mapping[str, Any]) -> Lead:
    """How many percentage points one stored result is ahead of another.

    Parameters
    ----------
    one, other : as `interval` gives them, shares of 1, with the same seeds in the same order

    Returns
    -------
    What prints such as ``+2.1 (+0.4 to +3.8): ahead``; *no clear difference* where the 95 %
    interval of the differences, seed by seed, holds 0
    """
    return lead(interval(np.array(one["values"]) - np.array(other["values"])))


def lead_twice(point: Mapping[str, Any]) -> str:
    """A lead in percentage points with both kinds of interval, and whether they agree.

    With few draws the bootstrap's interval is too narrow. Student's t knows how few they are, and
    nothing of the texts.

    Parameters
    ----------
    point : ``mean``, and ``low`` and ``high`` over draws and texts; ``values``, one for each draw

    Returns
    -------
    such as ``"+2.8 (+0.4 to +5.2) [-0.1 to +5.6]: clear by one interval alone"``
    """
    _, (low, high) = _both_in_points(point)
    return lead_and_verdict(point).replace("):", f") [{low:+.1f} to {high:+.1f}]:")


def lead_and_verdict(point: Mapping[str, Any]) -> str:
    """A lead in percentage points with its first interval, and the verdict of both.

    Returns
    -------
    such as ``"+2.8 (+0.4 to +5.2): clear by one interval alone"``
    """
    mean, low, high = (100 * point[end] for end in ("mean", "low", "high"))
    return f"{mean:+.1f} ({low:+.1f} to {high:+.1f}): {verdict_twice(point)}"


def verdict_twice(point: Mapping[str, Any]) -> str:
    """The last words of `lead_twice`: what both kinds of interval say of a lead, if they agree."""
    sides = {(low > 0) - (high < 0) for low, high in _both_in_points(point)}
    if len(sides) > 1:
        return "clear by one interval alone"
    return {1: "ahead", -1: "behind", 0: UNCLEAR}[sides.pop()]


def _both_in_points(point: Mapping[str, Any]) -> list[list[float]]:
    kinds = (point, interval(point["values"]))
    return [[100 * kind[end] for end in ("low", "high")] for kind in kinds]
