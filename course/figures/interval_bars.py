"""Bars with whiskers and curves with bands, from results that say their mean and their interval."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from course.figures.picture import Picture
from course.figures.plots import bars, curves

Point = Mapping[str, Any]
"""A result with ``mean``, ``low`` and ``high``, as stored experiments have it."""

NOT_THERE: Point = dict.fromkeys(("mean", "low", "high"), np.nan)


def interval_bars(
    labels: Sequence[str],
    groups: Mapping[str, Sequence[Point]],
    *,
    times: float = 100,
    **how: Any,
) -> Picture:
    """As `plots.bars`, with the ends of every interval in the description.

    Parameters
    ----------
    groups : named rows of results, one for each label; `NOT_THERE` where there is none
    times : what the numbers are multiplied by; 100 for shares as percentages
    how : passed on: title, ylabel, level, controls
    """
    heights, whiskers, said = {}, {}, []
    for name, points in groups.items():
        mean, low, high = (
            times * np.array([point[end] for point in points]) for end in ("mean", "low", "high")
        )
        heights[name], whiskers[name] = mean, np.array([mean - low, high - mean])
        ends = zip(labels, low, high, strict=True)
        said.append(
            f"Intervals of {name}: "
            + ", ".join(
                f"{' '.join(label.split())} {a:.3g} to {b:.3g}"
                for label, a, b in ends
                if not np.isnan(a)
            )
            + "."
        )
    picture = bars(labels, heights, errors=whiskers, **how)
    return Picture(picture.figure, " ".join([picture.description, *said]))


def interval_curves(
    x: Sequence[float] | Mapping[str, np.ndarray],
    rows: Mapping[str, Sequence[Point]],
    *,
    times: float = 100,
    **how: Any,
) -> Picture:
    """As `plots.curves`, with the interval of every point as a band.

    Parameters
    ----------
    x : one row for all, or each one's own by name
    rows : named results, one for each x
    times : what the numbers are multiplied by; 100 for shares as percentages
    how : passed on: title, xlabel, ylabel, log_x
    """
    ends = {
        name: [times * np.array([point[end] for point in row]) for end in ("mean", "low", "high")]
        for name, row in rows.items()
    }
    lines = {name: mean for name, (mean, _, _) in ends.items()}
    bands = {name: (low, high) for name, (_, low, high) in ends.items()}
    return curves(x, lines, bands=bands, **how)
