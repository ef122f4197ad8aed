"""A picture that says in words what it shows, and the frame that pictures share.

In a notebook a `Picture` shows as an image whose alternative text is the description; in a terminal
the description is printed. Lines differ in dash and marker, too, not only in colour. What a solved
notebook keeps of it, `course.figures.stored` says.
"""

import base64
import html
from typing import Any

from matplotlib import font_manager, textpath
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine

from course.figures.legibility import unreadable
from course.figures.png import as_png
from course.figures.stored import stored, storing
from course.figures.svg import as_svg

DASHES = ("-", "--", "-.", ":", (0, (5, 1)), (0, (1, 1)), "-")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
TITLE_POINTS = 11
MARGIN = 0.08  # inches
# The key of an output's metadata that says what of a figure cannot be read: an empty list if all
# can be. A build of a lesson refuses others.
UNREADABLE = "unreadable"
# An SVG takes the theme that its <img> has: light, unless JupyterLab or a page made by nbconvert
# says on its body that it is dark. Where both styles are dropped, as in an untrusted notebook, the
# image takes the color-scheme of the page.
THEME = '<style>[data-jp-theme-light="false"] .elmo-picture{color-scheme:dark!important}</style>'


class Picture:
    """A drawn figure and what it shows, in words."""

    def __init__(self, figure: Figure, description: str) -> None:
        self.figure = figure
        self.description = description

    def __repr__(self) -> str:
        return self.description

    def svg(self) -> str:
        """The figure as an SVG document with a light and a dark theme."""
        return as_svg(self.figure)

    def _repr_mimebundle_(self, **_: object) -> tuple[dict[str, str], dict[str, Any]]:
        if storing():
            data, about = stored(as_png(self.figure), self.svg(), self.description)
        else:
            image = image_tag(self.svg(), self.description)
            data, about = {"text/html": image, "text/plain": self.description}, {}
        return data, {**about, UNREADABLE: unreadable(self.figure)}


def image_tag(svg: str, description: str) -> str:
    """The HTML of an image that takes the theme of its page."""
    data = base64.b64encode(svg.encode()).decode("ascii")
    return (
        f'{THEME}<img class="elmo-picture" src="data:image/svg+xml;base64,{data}" '
        f'alt="{html.escape(description, quote=True)}" style="max-width:100%;color-scheme:light">'
    )


def blank(width: float, height: float, title: str) -> Figure:
    """An empty figure, in inches, with a title that is wrapped to its width."""
    layout = ConstrainedLayoutEngine(w_pad=MARGIN, h_pad=MARGIN)
    figure = Figure(figsize=(width, height), layout=layout)
    if title:
        figure.suptitle(
            wrapped(title, width - 2 * MARGIN, TITLE_POINTS),
            x=MARGIN / width,
            ha="left",
            fontsize=TITLE_POINTS,
        )
    return figure


def width_of(line: str, points: float) -> float:
    """The inches that a line takes in letters of so many points."""
    font = font_manager.FontProperties(size=points)
    return float(textpath.TextPath((0, 0), line, prop=font).get_extents().width) / 72


def wrapped(text: str, inches: float, points: float) -> str:
    """The text, in letters of so many points, with the line breaks that this width asks for."""
    lines = [""]
    for word in text.split(" "):
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and width_of(longer, points) > inches:
            lines.append(word)
        else:
            lines[-1] = longer
    return "\n".join(lines)
