"""What a deck brings along, so that it needs no network: reveal.js and letters.

All comes from packages of the registry that the extra [slides] pins: reveal.js and Source Sans from
``sphinx-revealjs``, the letters of formulas, STIX Two Math, from ``ziamath``, those of code from
Matplotlib. Formulas are MathML, which browsers draw themselves, so no script has to be waited for.
"""

import base64
import io
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from fontTools import subset

from elmo_mini.extras import ExtraMissing, missing

REVEAL = ("sphinx_revealjs", "_static/revealjs")
SANS = f"{REVEAL[1]}/dist/theme/fonts/source-sans-pro/source-sans-pro-"
# family, weight, style, package, file. "Rest" has what Source Sans lacks, such as Greek.
FONTS = (
    ("Source Sans", 400, "normal", REVEAL[0], f"{SANS}regular.ttf"),
    ("Source Sans", 400, "italic", REVEAL[0], f"{SANS}italic.ttf"),
    ("Source Sans", 600, "normal", REVEAL[0], f"{SANS}semibold.ttf"),
    ("Rest", "400 700", "normal", "matplotlib", "mpl-data/fonts/ttf/DejaVuSans.ttf"),
    ("Code", 400, "normal", "matplotlib", "mpl-data/fonts/ttf/DejaVuSansMono.ttf"),
    ("Formula", 400, "normal", "ziamath", "fonts/STIXTwoMath-Regular.ttf"),
)
SPARE_TABLES = [*subset.Options().drop_tables, "FFTM", "webf"]
ALWAYS = "".join(map(chr, range(0x20, 0x7F))) + "−·…–’“”"
# What a browser draws for a formula's tags: italic letters for single ones, and the sign of a root.
DRAWN = "".join(map(chr, (*range(0x1D434, 0x1D468), *range(0x1D6E2, 0x1D71C), 0x210E))) + "√"


def reveal(name: str) -> str:
    """A file of reveal.js, such as ``dist/reveal.js``."""
    return _file(REVEAL[0], f"{REVEAL[1]}/{name}").read_text(encoding="utf-8")


def fonts(text: str) -> str:
    """Style rules that hold the letters which a text needs, and no others."""
    letters = "".join(sorted(set(text + ALWAYS + DRAWN)))
    return "\n".join(
        f'@font-face{{font-family:"{family}";font-weight:{weight};font-style:{style};'
        f"src:url(data:font/woff;base64,{_letters(package, file, letters)}) format('woff')}}"
        for family, weight, style, package, file in FONTS
    )


@cache
def _letters(package: str, file: str, letters: str) -> str:
    options = subset.Options(
        flavor="woff", layout_features=["*"], notdef_outline=True, drop_tables=SPARE_TABLES
    )
    with subset.load_font(_file(package, file), options) as font:
        cutter = subset.Subsetter(options)
        cutter.populate(text=letters)
        cutter.subset(font)
        made = io.BytesIO()
        font.flavor = "woff"
        font.save(made)
    return base64.b64encode(made.getvalue()).decode("ascii")


def _file(package: str, name: str) -> Path:
    """A file of an installed package, which is not imported for it: Sphinx takes a second."""
    spec = find_spec(package)
    if spec is None or spec.origin is None:
        raise ExtraMissing(missing(package.replace("_", "-"), "slides"))
    return Path(spec.origin).parent / name
