"""The road of the course, drawn at the head of every lesson."""

from collections.abc import Mapping

import numpy as np

from course.figures.palette import COLOURS, GREY, GROUND, INK, PALE
from course.figures.picture import Picture, blank

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
    ("13", "attention"),
    ("14", "why BERT"),
    ("15", "a hundred\nlabels"),
)
UNWRITTEN: tuple[str, ...] = ()


def name_of(number: str) -> str:
    """What the lesson of this number is called, on one line."""
    return dict(ROAD)[number].replace("\n", " ")


def road(here: str | None, passed: Mapping[str, tuple[int, int]] | None = None) -> Picture:
    """The course's road with the lesson ``here`` (its number, such as "01") marked, if any.

    Parameters
    ----------
    passed : for each lesson that somebody has begun, how many of its exercises are passed, out of
        how many; the road then shows their progress. Without it, the stations before ``here`` are
        the ones behind. Lessons that are not written yet have a dotted ring and a name in italics.

    Raises
    ------
    ValueError
        If there is no such lesson.
    """
    numbers = [number for number, _ in ROAD]
    for lesson in (here, *(passed or ())):
        if lesson is not None and lesson not in numbers:
            raise ValueError(f"no lesson {lesson!r} on the road; there are {', '.join(numbers)}")
    figure = blank(8.2, 1.8, title="")
    axes = figure.add_subplot()
    axes.set_axis_off()
    across = np.linspace(0, len(ROAD) - 1, 300)
    axes.plot(across, 0.3 * np.cos(np.pi * across), color=GREY, linewidth=2, zorder=1)
    at = 0 if here is None else numbers.index(here)
    behind = numbers[:at] if passed is None else [n for n, (k, of) in passed.items() if k == of]
    for i, (number, name) in enumerate(ROAD):
        side = 1 if i % 2 == 0 else -1  # names stand above and below in turn, so that they fit
        station, weight = 0.3 * side, "bold" if number == here else "normal"
        colour = COLOURS[0] if number in behind else COLOURS[4] if number == here else PALE
        if number in UNWRITTEN:
            colour = GROUND
        axes.annotate(
            number,
            (i, station),
            ha="center",
            va="center",
            color=INK if colour in (PALE, GROUND) else GROUND,
            fontsize=8,
            bbox={
                "boxstyle": f"circle,pad={0.45 if number == here else 0.25}",
                "facecolor": colour,
                "edgecolor": INK if number in UNWRITTEN else "none",
                "linestyle": ":",
            },
            zorder=2,
        )
        va = "bottom" if side > 0 else "top"
        style = "italic" if number in UNWRITTEN else "normal"
        axes.annotate(
            name, (i, 0.78 * side), ha="center", va=va, weight=weight, style=style, fontsize=8.5
        )
        if passed is not None and number in passed:  # so that no colour says it alone
            said = "✓" if number in behind else "/".join(map(str, passed[number]))
            va = "top" if side > 0 else "bottom"
            axes.annotate(said, (i, -0.35 * side), ha="center", va=va, fontsize=8)
    axes.set_xlim(-0.8, len(ROAD) - 0.2)
    axes.set_ylim(-1.7, 1.7)
    names = ", ".join(
        f"{number} {name}{_words(number, passed)}".replace("\n", " ") for number, name in ROAD
    )
    place = "" if here is None else f" You are at {here}, {name_of(here)}."
    return Picture(figure, f"The road of the course: {names}.{place}")


def _words(number: str, passed: Mapping[str, tuple[int, int]] | None) -> str:
    if number in UNWRITTEN:
        return " (not written yet)"
    if not passed or number not in passed:
        return ""
    count, of = passed[number]
    return " (done)" if count == of else f" ({count} of {of} exercises passed)"
