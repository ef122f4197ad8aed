"""A figure as a solved notebook keeps it: an image that every viewer shows, and its SVG.

Hosts and tools that clean HTML drop the image in ``text/html``; what they draw themselves is
``image/png``. The SVG, which the book and the decks show, lies packed in the output's metadata.
"""

import base64
import gzip
import os
from collections.abc import Mapping
from typing import Any

STORING = "ELMO_STORE_FIGURES"  # set for the kernel of `python -m autograde build --execute`
PNG = "image/png"
PACKED_SVG = "svgz"


def storing() -> bool:
    """Whether this kernel's outputs are made to be stored."""
    return bool(os.environ.get(STORING))


def stored(png: bytes, svg: str, description: str) -> tuple[dict[str, str], dict[str, Any]]:
    """Data and metadata of the output."""
    data = {PNG: _text(png), "text/plain": description}
    packed = gzip.compress(svg.encode(), mtime=0)
    return data, {PNG: {"alt": description}, PACKED_SVG: _text(packed)}


def drawn(output: Mapping[str, Any]) -> tuple[str, str] | None:
    """SVG and description of the figure in a stored output, if it holds one."""
    about = output.get("metadata", {})
    if PACKED_SVG not in about:
        return None
    svg = gzip.decompress(base64.b64decode(about[PACKED_SVG])).decode()
    return svg, about[PNG]["alt"]


def _text(content: bytes) -> str:
    return base64.b64encode(content).decode("ascii")
