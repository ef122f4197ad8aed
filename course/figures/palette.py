"""The colours of the figures, each with the one that stands for it on a dark ground.

The colours of data are of the eight of Okabe & Ito, chosen to stay apart under colour blindness;
their vermilion is darker here on white, so that words can stand on it.
"""

from matplotlib.colors import to_rgb

INK, GROUND, GREY = "#000000", "#ffffff", "#666666"
COLOURS = ("#0072b2", "#e69f00", "#009e73", INK, "#c25400", "#cc79a7", "#56b4e9")
TINTS = ("#d6e8f5", "#fbe9c6", "#d3efe5", "#f7ddeb")
PALE = "#dddddd"

DARK = {
    INK: "#ececec",
    GROUND: "#111111",
    GREY: "#a6a6a6",
    PALE: "#444444",
    "#b0b0b0": "#808080",  # matplotlib's grid
    "#0072b2": "#3d9bd6",
    "#c25400": "#d55e00",
    "#d6e8f5": "#173b54",
    "#fbe9c6": "#4d3a0e",
    "#d3efe5": "#0f4637",
    "#f7ddeb": "#502740",
}


def on_dark(colour: str) -> str:
    """What a colour (``#rrggbb``, lower case) becomes in a dark theme; often itself."""
    return DARK.get(colour, colour)


def contrast(one: str, other: str) -> float:
    """Contrast of two colours after WCAG 2.2: 1 for the same, 21 for black and white."""
    darker, lighter = sorted(map(_luminance, (one, other)))
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(colour: str) -> float:
    red, green, blue = (
        c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(colour)
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
