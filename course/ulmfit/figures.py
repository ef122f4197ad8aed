"""Ways to learn from few labels, side by side for each number of labels, a panel for each task."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from course.figures.palette import COLOURS, GREY, PALE
from course.figures.picture import MARKERS, Picture, blank

WIDE = 0.76
"""The share of the room of one number of labels that its dots take."""


def label_dots(tasks: Mapping[str, Mapping[str, Any]], *, title: str) -> Picture:
    """Right answers with their intervals by the number of labels, one panel a task.

    Parameters
    ----------
    tasks : by name, ``labels`` (K,), ``guessing`` as a share of 1, and ``right``: for each way K
        results with ``mean``, ``low`` and ``high``
    """
    figure = blank(6.6, 0.9 + 2.4 * len(tasks), title)
    panels = figure.subplots(len(tasks), 1, squeeze=False)[:, 0]
    said = [f"Dot charts, {title}. Across: labels. Up: percent of the test."]
    for axes, (task, of) in zip(panels, tasks.items(), strict=True):
        said.append(_panel(axes, task, of))
    panels[-1].set_xlabel("labels")
    handles, names = panels[0].get_legend_handles_labels()
    figure.legend(handles, names, loc="outside lower center", ncols=3, frameon=False, fontsize=9)
    return Picture(figure, " ".join(said))


def _panel(axes: Axes, task: str, of: Mapping[str, Any]) -> str:
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
            fmt=[*MARKERS, "*"][index % (len(MARKERS) + 1)],
            markersize=5,
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
    axes.set_ylabel("% of the test")
    axes.set_title(f"{task} (dotted: always the most frequent class)", fontsize=10, loc="left")
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", alpha=0.25)
    return f"{task}: {' '.join(said)} Always the most frequent class: {guessing:.0f}."
