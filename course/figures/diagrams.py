"""Boxes and arrows, described in words from the same data: which part feeds which.

The pictures of a network in this course are drawn by `boxes_and_arrows`; a lesson says what the
boxes are and where they stand, and gets a `Picture` with its text description.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

from matplotlib.patches import FancyArrowPatch, FancyBboxPatch
from matplotlib.path import Path

from course.figures.palette import COLOURS, GREY, TINTS
from course.figures.picture import Picture, blank

EDGES = ("-", "--", ":", "-.")
FROM_A_LANGUAGE_MODEL = "from a language model"  # kinds that begin so have one colour of their own
ITS_COLOUR = 1
LANDING = 0.12  # so that an arrow over the row and the next one do not meet on one box


@dataclass(frozen=True)
class Box:
    """One part of a network.

    Attributes
    ----------
    name : unique; arrows refer to it.
    x, y : its middle, in units of one box and its gap.
    kind : what the legend sorts it under ("from a language model", "at random"); empty for
        plain text without a frame, such as a word of the sentence.
    text : what is written in it, the name if empty.
    width : in the same units.
    """

    name: str
    x: float
    y: float
    kind: str = ""
    text: str = ""
    width: float = 0.8


@dataclass(frozen=True)
class Arrow:
    """From one box to another; a bent one passes beside the boxes between them.

    Attributes
    ----------
    start, end : names of boxes.
    bend : how far it curves, in shares of its length.
    kind : what the legend sorts it under.
    over : how high above the middle of two boxes of one row it passes, from top to top; 0 for an
        arrow that does not.
    """

    start: str
    end: str
    bend: float = 0.0
    kind: str = ""
    over: float = 0.0


def boxes_and_arrows(
    boxes: Sequence[Box],
    arrows: Sequence[Arrow],
    *,
    title: str,
    height: float = 3.4,
    width: float = 6.6,
) -> Picture:
    """Draw the parts of a network and what feeds what.

    Kinds differ in colour and in the line of the frame; the kinds of arrows differ in dash.

    Raises
    ------
    ValueError
        Two boxes of one name, or an arrow to a box that is not there.
    """
    places = {box.name: box for box in boxes}
    if len(places) < len(boxes):
        raise ValueError("two boxes have the same name")
    for arrow in arrows:
        for name in (arrow.start, arrow.end):
            if name not in places:
                raise ValueError(f"an arrow names the box {name!r}; there are {list(places)}")
    figure = blank(width, height, title)
    axes = figure.add_subplot()
    axes.set_axis_off()
    kinds = _numbered(box.kind for box in boxes if box.kind)
    for box in boxes:
        axes.text(box.x, box.y, box.text or box.name, ha="center", va="center", fontsize=9)
        if box.kind:
            axes.add_patch(_frame(box, kinds[box.kind]))
    styles = list(dict.fromkeys(arrow.kind for arrow in arrows))
    for arrow in arrows:
        axes.add_patch(
            _arrow(places[arrow.start], places[arrow.end], arrow, styles.index(arrow.kind))
        )
    for kind, index in kinds.items():
        axes.plot(
            [],
            [],
            "s",
            markersize=11,
            markerfacecolor=TINTS[index % len(TINTS)],
            markeredgecolor=COLOURS[index % len(COLOURS)],
            label=kind,
        )
    for index, kind in enumerate(styles):
        if kind:
            axes.plot([], [], color=GREY, linestyle=EDGES[index % len(EDGES)], label=kind)
    if kinds or any(styles):
        figure.legend(loc="outside lower center", ncols=3, frameon=False, fontsize=9)
    across = [edge for box in boxes for edge in (box.x - box.width / 2, box.x + box.width / 2)]
    axes.set_xlim(min(across) - 0.3, max(across) + 0.3)
    highest = max(box.y for box in boxes)
    over = max((places[arrow.start].y + arrow.over for arrow in arrows), default=highest)
    axes.set_ylim(min(box.y for box in boxes) - 0.4, max(highest + 0.4, over + 0.1))
    return Picture(figure, _in_words(boxes, arrows, [*kinds], title))


def _numbered(kinds: Iterable[str]) -> dict[str, int]:
    """The number of each kind's colour."""
    others = (number for number in count() if number != ITS_COLOUR)
    return {
        kind: ITS_COLOUR if kind.startswith(FROM_A_LANGUAGE_MODEL) else next(others)
        for kind in dict.fromkeys(kinds)
    }


def _frame(box: Box, number: int) -> FancyBboxPatch:
    return FancyBboxPatch(
        (box.x - box.width / 2 + 0.06, box.y - 0.2),
        box.width - 0.12,
        0.4,
        boxstyle="round,pad=0.04",
        facecolor=TINTS[number % len(TINTS)],
        edgecolor=COLOURS[number % len(COLOURS)],
        linestyle=EDGES[number % len(EDGES)],
        linewidth=1.4,
        zorder=0,
    )


def _arrow(start: Box, end: Box, arrow: Arrow, style: int) -> FancyArrowPatch:
    """From the edge of one box to the edge of the other, upwards, downwards or sideways."""
    look: dict[str, Any] = {
        "arrowstyle": "-|>",
        "mutation_scale": 9,
        "color": GREY,
        "linestyle": EDGES[style % len(EDGES)],
        "linewidth": 1.1,
        "zorder": 1,
    }
    if arrow.over:
        left, right = start.x + LANDING, end.x - LANDING
        top, high = start.y + 0.26, start.y + arrow.over
        return FancyArrowPatch(
            path=Path([(left, top), (left, high), (right, high), (right, end.y + 0.26)]), **look
        )
    if abs(end.y - start.y) < 0.3:
        way = 1 if end.x > start.x else -1
        tail = (start.x + way * start.width / 2, start.y)
        head = (end.x - way * end.width / 2, end.y)
    else:
        way = 1 if end.y > start.y else -1
        tail, head = (start.x, start.y + way * 0.26), (end.x, end.y - way * 0.26)
    return FancyArrowPatch(
        tail,
        head,
        connectionstyle=f"arc3,rad={arrow.bend}",
        **look,
    )


def _in_words(
    boxes: Sequence[Box], arrows: Sequence[Arrow], kinds: Sequence[str], title: str
) -> str:
    parts = [f"Diagram, {title}."]
    for kind in kinds:
        parts.append(f"{kind}: {', '.join(box.name for box in boxes if box.kind == kind)}.")
    fed: dict[tuple[str, str], list[str]] = {}
    for arrow in arrows:
        fed.setdefault((arrow.start, arrow.kind), []).append(arrow.end)
    said = [
        f"{start} to {' and '.join(ends)}" + (f" ({kind})" if kind else "")
        for (start, kind), ends in fed.items()
    ]
    if said:
        parts.append(f"Arrows: {'; '.join(said)}.")
    return " ".join(parts)
