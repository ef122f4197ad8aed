"""The road of the course, drawn at the head of every lesson."""

import numpy as np

from elmo_mini.figures.palette import COLOURS, GREY, GROUND, INK, PALE
from elmo_mini.figures.picture import Picture, blank

ROAD = (
    ("00", "start here"),
    ("01", "word2vec"),
    ("02", "limits of\nstatic vectors"),
    ("03", "context\nenters"),
    ("04", "starting from a\nlanguage model"),
    ("05", "TagLM"),
    ("06", "from\ncharacters"),
    ("07", "a biLM\nfrom scratch"),
    ("08", "ScalarMix\nand ELMo"),
    ("09", "what the\nlayers know"),
    ("10", "AWD-LSTM"),
    ("11", "ULMFiT"),
    ("12", "both sides\nat once"),
    ("13", "attention,\nwhy BERT"),
    ("14", "a hundred\nlabels"),
)


def road(here: str) -> Picture:
    """The course's road with the lesson ``here`` (its number, such as "01") marked.

    Raises
    ------
    ValueError
        If there is no such lesson.
    """
    numbers = [number for number, _ in ROAD]
    if here not in numbers:
        raise ValueError(f"no lesson {here!r} on the road; there are {', '.join(numbers)}")
    figure = blank(8.2, 1.8, title="")
    axes = figure.add_subplot()
    axes.set_axis_off()
    across = np.linspace(0, len(ROAD) - 1, 300)
    axes.plot(across, 0.3 * np.cos(np.pi * across), color=GREY, linewidth=2, zorder=1)
    at = numbers.index(here)
    for i, (number, name) in enumerate(ROAD):
        side = 1 if i % 2 == 0 else -1  # names stand above and below in turn, so that they fit
        station, weight = 0.3 * side, "bold" if i == at else "normal"
        colour = COLOURS[0] if i < at else COLOURS[4] if i == at else PALE
        axes.annotate(
            number,
            (i, station),
            ha="center",
            va="center",
            color=GROUND if i < at else INK,
            fontsize=8,
            bbox={
                "boxstyle": f"circle,pad={0.45 if i == at else 0.25}",
                "facecolor": colour,
                "edgecolor": "none",
            },
            zorder=2,
        )
        va = "bottom" if side > 0 else "top"
        axes.annotate(name, (i, 0.78 * side), ha="center", va=va, weight=weight, fontsize=8.5)
    axes.set_xlim(-0.8, len(ROAD) - 0.2)
    axes.set_ylim(-1.7, 1.7)
    names = ", ".join(f"{number} {name}" for number, name in ROAD).replace("\n", " ")
    title = dict(ROAD)[here].replace("\n", " ")
    return Picture(figure, f"The road of the course: {names}. You are at {here}, {title}.")
