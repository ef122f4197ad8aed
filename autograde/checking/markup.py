"""HTML of what is shown in a notebook, from the few tags that strict cleaners leave.

nbconvert's ``sanitize_html`` writes ``<p>``, ``<th>`` and ``<caption>`` out as text and drops every
style, and so do platforms that use it; so a paragraph is a ``<div>``, and a heading cell is bold.
"""

import html
import re
from collections.abc import Iterable, Sequence

CELL = "text-align:left;padding-right:1em"
EMPHASIS = re.compile(r"(?<![\w*])\*(\S|\S[^*]*?\S)\*(?![\w*])")


def escape(text: str) -> str:
    """Text as HTML, with `code` in backquotes set as code."""
    pieces = html.escape(text).split("`")
    return "".join(
        f"<code>{piece}</code>" if i % 2 and i < len(pieces) - 1 else piece
        for i, piece in enumerate(pieces)
    )


def prose(text: str) -> str:
    """A sentence of the course as HTML, with `code` set as code and *words* in italics."""
    halves = re.split(r"(<code>.*?</code>)", escape(text))
    return "".join(
        half if half.startswith("<code>") else EMPHASIS.sub(r"<em>\1</em>", half) for half in halves
    )


def paragraph(content: str) -> str:
    """A block of HTML with room around it."""
    return f"<div style='margin:0.5em 0'>{content}</div>"


def table(
    heads: Iterable[str], rows: Iterable[Sequence[str]], *, label: str, named: bool = False
) -> str:
    """A table of HTML; the first cell of each row is its heading if the rows are ``named``."""
    lines = ["".join(_heading(head, "columnheader") for head in heads)]
    for first, *rest in rows:
        begin = _heading(first, "rowheader") if named else _cell(first)
        lines.append(begin + "".join(map(_cell, rest)))
    body = "".join(f"<tr>{line}</tr>" for line in lines if line)
    return f"<table aria-label='{html.escape(label)}'>{body}</table>"


def _heading(content: str, role: str) -> str:
    return f"<td role='{role}' style='{CELL}'><strong>{content}</strong></td>"


def _cell(content: str) -> str:
    return f"<td style='{CELL}'>{content}</td>"
