"""Find pictures without a text description, in Markdown, in HTML and in cell outputs."""

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Any

MARKDOWN_IMAGE = re.compile(r"!\[(?P<alt>[^\]]*)\]\s*[(\[]")
CODE = re.compile(r"(```.*?```|~~~.*?~~~|`[^`\n]*`)", re.DOTALL)


class _Pictures(HTMLParser):
    """Collects ``<img>`` without ``alt`` and ``<svg>`` without label or title."""

    def __init__(self) -> None:
        super().__init__()
        self.undescribed: list[str] = []
        self._svg_open = False
        self._svg_described = True
        self._in_title = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = dict(attrs)
        if tag == "img" and not (attributes.get("alt") or "").strip():
            self.undescribed.append("an <img> without alt text")
        elif tag == "svg" and not self._svg_open:
            self._svg_open = True
            self._svg_described = bool((attributes.get("aria-label") or "").strip()) or (
                attributes.get("aria-hidden") == "true"
            )
        elif tag == "title" and self._svg_open:
            self._in_title = True

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag == "svg":
            self.handle_endtag(tag)

    def handle_data(self, data: str) -> None:
        if self._in_title and data.strip():
            self._svg_described = True

    def handle_endtag(self, tag: str) -> None:
        if tag == "title":
            self._in_title = False
        elif tag == "svg" and self._svg_open:
            self._svg_open = False
            if not self._svg_described:
                self.undescribed.append("an <svg> without aria-label or <title>")


def undescribed_in_html(html: str) -> list[str]:
    """One phrase for each picture in the HTML that has no text description."""
    parser = _Pictures()
    parser.feed(html)
    parser.close()
    return parser.undescribed


def undescribed_in_markdown(markdown: str) -> list[str]:
    """The same for Markdown, code spans and blocks left out."""
    prose = CODE.sub("", markdown)
    empty = sum(1 for match in MARKDOWN_IMAGE.finditer(prose) if not match["alt"].strip())
    return ["a ![](...) without alt text"] * empty + undescribed_in_html(prose)


def undescribed_in_outputs(outputs: list[Any]) -> Iterator[str]:
    """The same for the outputs of a code cell.

    A picture output (``image/png``, ``image/svg+xml`` and the like) counts as described when
    its metadata holds ``alt``, or when the same output has a described ``text/html`` form,
    which is the form that a notebook shows first.
    """
    for output in outputs:
        data = output.get("data", {})
        if "text/html" in data:
            yield from undescribed_in_html("".join(data["text/html"]))
            continue
        if "text/markdown" in data:
            yield from undescribed_in_markdown("".join(data["text/markdown"]))
        for mime in data:
            if mime.startswith("image/"):
                alt = output.get("metadata", {}).get(mime, {}).get("alt", "")
                if not str(alt).strip():
                    yield f"an output of type {mime} without alt text"
