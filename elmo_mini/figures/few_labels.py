"""Ways to learn from few labels, drawn over the number of labels, a panel for each task."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import FixedLocator, NullLocator

from elmo_mini.figures.palette import COLOURS, GREY
from elmo_mini.figures.picture import DASHES, MARKERS, Picture, blank

ASIDE = 0.035
"""How far neighbours stand aside from each other, as a share of their number of labels."""


def label_curves(tasks: Mapping[str, Mapping[str, Any]], *, title: str) -> Picture:
    """Right answers with their intervals by the number of labels, one panel a task.

    Parameters
    ----------
    tasks : by name, ``labels`` (K,), ``guessing`` as a share of 1, and ``right``: for each way K
        results with ``mean``, ``low`` and ``high``
    """
    figure = blank(7.2, 4.6, title)
    grid = figure.subplots(1, len(tasks), squeeze=False)[0]
    said = [f"Line charts, {title}. Across: labels. Up: percent of the test."]
    for axes, (task, of) in zip(grid, tasks.items(), strict=True):
        said.append(_panel(axes, task, of))
    grid[0].set_ylabel("percent of the test")
    handles, names = grid[0].get_legend_handles_labels()
    figure.legend(handles, names, loc="outside lower center", ncols=4, frameon=False, fontsize=9)
    return Picture(figure, " ".join(said))


def _panel(axes: Axes, task: str, of: Mapping[str, Any]) -> str:
    labels: Sequence[int] = of["labels"]
    said = []
    middle = (len(of["right"]) - 1) / 2
    for index, (way, points) in enumerate(of["right"].items()):
        mean, low, high = (
            100 * np.array([point[end] for point in points]) for end in ("mean", "low", "high")
        )
        axes.errorbar(
            np.array(labels) * (1 + ASIDE * (index - middle)),
            mean,
            [mean - low, high - mean],
            label=way,
            color=COLOURS[index % len(COLOURS)],
            linestyle=DASHES[index % len(DASHES)],
            marker=MARKERS[index % len(MARKERS)],
            markersize=4,
            linewidth=1.3,
            elinewidth=0.9,
        )
        ends = zip(labels, mean, low, high, strict=True)
        each = ", ".join(f"{n:,} {m:.0f} ({a:.0f} to {b:.0f})" for n, m, a, b in ends)
        said.append(f"{way}: {each}.")
    axes.axhline(100 * of["guessing"], color=GREY, linewidth=1, linestyle=":")
    axes.set_xscale("log")
    axes.xaxis.set_major_locator(FixedLocator(list(labels)))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xticklabels([f"{number:,}" for number in labels])
    axes.set_xlabel("labels")
    axes.set_title(task, fontsize=10)
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(alpha=0.25)
    return f"{task}: {' '.join(said)} The most frequent class: {100 * of['guessing']:.0f}."
