"""The road of the course, drawn at the head of every lesson."""

import numpy as np
from matplotlib.figure import Figure

from elmo_mini.figures.picture import COLOURS, GREY, Picture

ROAD = (
    ("00", "start here"),
    ("01", "word2vec"),
    ("02", "limits of\nstatic vectors"),
    ("03", "context\nenters"),
    ("04", "TagLM"),
    ("05", "characters"),
    ("06", "biLM"),
    ("07", "ScalarMix,\nELMo"),
    ("08", "layers\nat work"),
    ("09", "ULMFiT"),
    ("10", "why BERT"),
    ("11", "a hundred\nlabels"),
)


def road(here: str) -> Picture:
    """The course's road with the lesson ``here`` (its number, such as "01") marked.

    Raises:
        ValueError: if there is no such lesson.
    """
    numbers = [number for number, _ in ROAD]
    if here not in numbers:
        raise ValueError(f"no lesson {here!r} on the road; there are {', '.join(numbers)}")
    figure = Figure(figsize=(8.2, 1.5), layout="constrained")
    axes = figure.add_subplot()
    axes.set_axis_off()
    across = np.arange(len(ROAD))
    up = 0.25 * np.sin(across * 0.9)
    axes.plot(across, up, color=GREY, linewidth=2, zorder=1)
    at = numbers.index(here)
    for i, (number, name) in enumerate(ROAD):
        done = COLOURS[0] if i < at else COLOURS[4] if i == at else "#BBBBBB"
        axes.scatter(i, up[i], s=190 if i == at else 90, color=done, zorder=2)
        axes.text(i, up[i] + 0.33, number, ha="center", fontsize=8, color=GREY)
        weight = "bold" if i == at else "normal"
        axes.text(i, up[i] - 0.3, name, ha="center", va="top", fontsize=7.5, weight=weight)
    axes.set_ylim(-1.25, 0.9)
    names = ", ".join(f"{number} {name}" for number, name in ROAD).replace("\n", " ")
    title = dict(ROAD)[here].replace("\n", " ")
    return Picture(figure, f"The road of the course: {names}. You are at {here}, {title}.")
