"""A figure as a small PNG on a white ground, for viewers that show no other kind of image."""

import io

import matplotlib
from matplotlib.figure import Figure
from PIL import Image

from course.figures.palette import GROUND

PIXELS_PER_INCH = (110, 92, 76)  # the first that is small enough; the builder bounds a whole lesson
PALETTE = 24
KMEANS_ROUNDS = 3  # without them, pale lines take the colour of their ground
MAX_BYTES = 30_000


def as_png(figure: Figure) -> bytes:
    """The figure in the light theme, with a palette of its own colours."""
    drawn = b""
    for density in PIXELS_PER_INCH:
        drawn = _drawn(figure, density)
        if len(drawn) < MAX_BYTES:
            break
    return drawn


def _drawn(figure: Figure, density: int) -> bytes:
    drawn, small = io.BytesIO(), io.BytesIO()
    with matplotlib.rc_context({"font.sans-serif": ["DejaVu Sans"]}):
        figure.savefig(drawn, format="png", dpi=density, facecolor=GROUND)
    image = Image.open(drawn).convert("RGB")
    few = image.quantize(
        PALETTE, method=Image.Quantize.MAXCOVERAGE, kmeans=KMEANS_ROUNDS, dither=Image.Dither.NONE
    )
    few.save(small, format="PNG", optimize=True)
    return small.getvalue()
