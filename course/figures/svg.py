"""A figure as a small SVG that holds two themes and says the same bytes each time.

The picture paints its own ground, a card with round corners. Which theme it takes, the page says
by the CSS property ``color-scheme`` of the image; where a page says nothing, the reader's system
does. Either way ink and ground belong together. Text stays text, in the reader's own sans-serif:
it is laid out for DejaVu Sans, which is wider than most.
"""

import base64
import io
import re

import matplotlib
from matplotlib.figure import Figure
from PIL import Image

from course.figures.palette import GROUND, INK, on_dark

PIXELS_PER_INCH = 110  # as shown; a vector image is sharp at every density
RASTER_COLOURS = 32
RASTER_DPI = 220  # of the few parts that are drawn in points, such as clouds of them
# Matplotlib's prologue, its comments, and names of groups that nothing refers to.
SPARE = re.compile(
    r"<\?xml.*?\?>|<!DOCTYPE.*?>|<metadata>.*?</metadata>|<!--.*?-->| id=\"[a-z0-9A-Z]+_\d+\""
    r"|<style .*?</style>",
    re.DOTALL,
)
FONT = re.compile(r"'DejaVu Sans'(, sans-serif)?")
PIXELS = re.compile(r"(?<=data:image/png;base64,)[^\"]+")
TAG = re.compile(r"<[^>]*>")
PAINT = re.compile(r'(fill|stroke)="(#[0-9a-f]{6})"')
LONG_NUMBER = re.compile(r"(-?\d+\.\d{2})\d+")
COLOUR = re.compile(r"#[0-9a-f]{6}\b")


def as_svg(figure: Figure) -> str:
    """The figure as an SVG document for an ``<img>``."""
    raw = io.StringIO()
    with matplotlib.rc_context(
        {
            "svg.fonttype": "none",
            "svg.hashsalt": "elmo_mini",
            "font.sans-serif": ["DejaVu Sans"],
        }
    ):
        figure.savefig(raw, format="svg", facecolor="none", dpi=RASTER_DPI, metadata={"Date": None})
    text = TAG.sub(lambda tag: LONG_NUMBER.sub(r"\1", tag[0]), SPARE.sub("", raw.getvalue()))
    text = PAINT.sub(r'style="\1: \2"', text)
    text = re.sub(r"\s+", " ", FONT.sub("sans-serif", text)).replace("> <", "><")
    text, rules = _styles_as_classes(PIXELS.sub(_of_few_colours, text))
    rules = ["*{stroke-linejoin:round;stroke-linecap:butt}", f"svg{{fill:{INK}}}", *rules]
    style = _two_themes("".join(rules) + f".ground{{fill:{GROUND}}}")
    opening = text.index(">") + 1
    width, height = (round(inches * PIXELS_PER_INCH) for inches in figure.get_size_inches())
    head = re.sub(r' (width|height)="[^"]*"', "", text[:opening])
    head = head.replace("<svg", f'<svg width="{width}" height="{height}"')
    ground = '<rect class="ground" width="100%" height="100%" rx="6"/>'
    return f"{head}<style>{style}</style>{ground}{text[opening:]}".strip()


def _of_few_colours(pixels: re.Match[str]) -> str:
    """The base64 of a PNG with a palette in place of a colour for each pixel."""
    small = io.BytesIO()
    image = Image.open(io.BytesIO(base64.b64decode(pixels[0])))
    image.quantize(RASTER_COLOURS).save(small, format="PNG", optimize=True)
    return base64.b64encode(small.getvalue()).decode("ascii")


def _styles_as_classes(text: str) -> tuple[str, list[str]]:
    """Each distinct style once, under a short name, with its elements referring to it."""
    names: dict[str, str] = {}

    def named(match: re.Match[str]) -> str:
        rule = match[1].replace(": ", ":").replace("; ", ";").strip()
        return f'class="{names.setdefault(rule, f"s{len(names)}")}"'

    text = re.sub(r'style="([^"]*)"', named, text)
    return text, [f".{name}{{{rule}}}" for rule, name in names.items()]


def _two_themes(rules: str) -> str:
    """The rules with a variable for each colour, which has another value in the dark theme."""
    used = sorted(set(COLOUR.findall(rules)))
    light = ";".join(f"--{colour[1:]}:{colour}" for colour in used)
    dark = ";".join(f"--{colour[1:]}:{on_dark(colour)}" for colour in used)
    rules = COLOUR.sub(lambda match: f"var(--{match[0][1:]})", rules)
    return f":root{{{light}}}@media(prefers-color-scheme:dark){{:root{{{dark}}}}}{rules}"
