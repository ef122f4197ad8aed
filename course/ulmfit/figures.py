"""Ways to learn from few labels, side by side for each number of labels."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from course.figures.controls import is_control
from course.figures.palette import COLOURS, GREY, GROUND, PALE
from course.figures.picture import MARKERS, Picture, blank
from course.figures.plots import HOLLOW_MARKER, hollow_in_words, legend_below

WIDE = 0.76
"""The share of the room of one number of labels that its dots take."""


def label_dots(of: Mapping[str, Any], *, title: str) -> Picture:
    """Right answers with their intervals by the number of labels.

    Parameters
    ----------
    of : ``labels`` (K,), ``guessing`` as a share of 1, and ``right``: for each way K results with
        ``mean``, ``low`` and ``high``
    """
    figure = blank(6.6, 3.4, title)
    axes = figure.subplots()
    labels: Sequence[int] = of["labels"]
    places = np.linspace(-WIDE / 2, WIDE / 2, len(of["right"]))
    said = []
    for index, (way, points) in enumerate(of["right"].items()):
        mean, low, high = (
            100 * np.array([point[end] for point in points]) for end in ("mean", "low", "high")
        )
        colour = [*COLOURS, GREY][index % (len(COLOURS) + 1)]
        axes.errorbar(
            np.arange(len(labels)) + places[index],
            mean,
            [mean - low, high - mean],
            label=way,
            color=colour,
            fmt=[*MARKERS, "*", "<"][index % (len(MARKERS) + 2)],
            markersize=5,
            markerfacecolor=GROUND if is_control(way) else colour,
            elinewidth=1.2,
        )
        ends = zip(labels, mean, low, high, strict=True)
        each = ", ".join(f"{n:,} {m:.0f} ({a:.0f} to {b:.0f})" for n, m, a, b in ends)
        said.append(f"{way}: {each}.")
    guessing = 100 * of["guessing"]
    axes.axhline(guessing, color=GREY, linewidth=1, linestyle=":")
    for border in range(1, len(labels)):
        axes.axvline(border - 0.5, color=PALE, linewidth=1)
    axes.set_xlim(-0.5, len(labels) - 0.5)
    axes.set_xticks(range(len(labels)), [f"{number:,}" for number in labels])
    axes.tick_params(axis="x", length=0)
    axes.set_xlabel("labels (dotted: always the most frequent class)")
    axes.set_ylabel("% of the test")
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", alpha=0.25)
    controls = [way for way in of["right"] if is_control(way)]
    legend_below(axes, of["right"], hollow=HOLLOW_MARKER if controls else None)
    begin = f"Dot chart, {title}. Across: labels. Up: percent of the test."
    end = f"Always the most frequent class: {guessing:.0f}."
    return Picture(figure, " ".join([begin, *said, end, *hollow_in_words(controls)]))
