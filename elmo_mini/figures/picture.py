"""A picture that says in words what it shows, and the marks that pictures share.

In a notebook a `Picture` shows as an image whose alternative text is the description; in a terminal
the description is printed. Colours are of the eight of Okabe & Ito, chosen to stay apart under
colour blindness; lines also differ in dash and marker.
"""

import base64
import html
import io

from matplotlib.figure import Figure
from PIL import Image

COLOURS = ("#0072B2", "#E69F00", "#009E73", "#000000", "#D55E00", "#CC79A7", "#56B4E9")
DASHES = ("-", "--", "-.", ":", (0, (5, 1)), (0, (1, 1)), "-")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
GREY = "#666666"


class Picture:
    """A drawn figure and what it shows, in words."""

    def __init__(self, figure: Figure, description: str) -> None:
        self.figure = figure
        self.description = description

    def __repr__(self) -> str:
        return self.description

    def png(self, dpi: int = 110, colours: int = 64) -> bytes:
        """The figure as a PNG of few colours, so that notebooks stay small."""
        raw = io.BytesIO()
        self.figure.savefig(raw, format="png", dpi=dpi, facecolor="white")
        small = io.BytesIO()
        Image.open(raw).convert("RGB").quantize(colours).save(small, format="PNG", optimize=True)
        return small.getvalue()

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        data = base64.b64encode(self.png()).decode("ascii")
        alt = html.escape(self.description, quote=True)
        image = f'<img src="data:image/png;base64,{data}" alt="{alt}" style="max-width:100%">'
        return {"text/html": image, "text/plain": self.description}
