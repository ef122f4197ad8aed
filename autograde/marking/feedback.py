"""The student's feedback page: points on top, then each exercise; no script, formulas offline."""

import base64
import re
from collections.abc import Iterator
from html import escape
from typing import Any

from nbformat.notebooknode import NotebookNode
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

from autograde.grading.clean_html import clean_html
from autograde.marking.formulas import LONGEST, html_of
from autograde.marking.graded_page import FOR_MARKER, KEY

_CODE = HtmlFormatter(nowrap=True, style="default")
_LEXER = PythonLexer()
STYLE = """
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 50rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; } td, th { padding: .25rem .75rem .25rem 0; text-align: left; }
section { border-top: 1px solid #8888; margin-top: 2rem; }
pre { background: #8881; padding: .75rem; overflow-x: auto; border-radius: 4px; }
img { max-width: 100%; background: white; } .points { font-weight: 600; white-space: nowrap; }
blockquote { border-left: 4px solid #88f; margin-left: 0; padding-left: 1rem; }
.waits { font-style: italic; }
"""


def feedback_page(notebook: NotebookNode) -> str:
    """The page for a graded notebook with nbgrader's ``score`` and ``comment`` in its metadata.

    Parameters
    ----------
    notebook : what `autograde.marking.graded_page.graded_notebook` made, after nbgrader's
        ``GetGrades``; a discussion that nobody has marked has ``needs_manual_grade`` there
    """
    marking = notebook.metadata[KEY]
    sections = list(_sections(notebook))
    title = escape(marking["title"])
    rows = "".join(
        f'<tr><td><a href="#{escape(s["name"])}">{escape(s["title"])}</a></td>'
        f'<td class="points">{_points(s)}</td></tr>'
        for s in sections
    )
    known = [s for s in sections if not s["waits"]]
    total = sum(s["points"] for s in known)
    most = sum(s["of"] for s in known)
    waiting = sum(s["of"] for s in sections if s["waits"])
    wait = f" {waiting:g} more points wait for a person." if waiting else ""
    told = [*marking["repaired"], *marking["notes"]]
    notes = "".join(f"<li>{_plain(sentence)}</li>" for sentence in told)
    body = "".join(_section(s) for s in sections)
    css = STYLE + _used_colours(body)
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width">'
        '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; img-src data:; '
        "style-src 'unsafe-inline'\">"
        f"<title>{title}</title><style>{css}</style></head><body>"
        f'<h1>{title}</h1><p class="points">{total:g} of {most:g} points.{wait}</p>'
        f"<table>{rows}</table>{f'<ul>{notes}</ul>' if notes else ''}{body}</body></html>\n"
    )


def _sections(notebook: NotebookNode) -> Iterator[dict[str, Any]]:
    """What belongs to each exercise and discussion, in the order of the page."""
    titles = {e["id"]: e["title"] for e in notebook.metadata[KEY]["exercises"]}
    before: list[NotebookNode] = []
    for cell in notebook.cells[1:]:
        kind = cell.metadata.get(KEY, {}).get("kind")
        if kind == FOR_MARKER:
            continue
        before.append(cell)
        nbgrader = cell.metadata.get("nbgrader", {})
        if not nbgrader.get("grade"):
            continue
        name = nbgrader.grade_id.removeprefix("check_")
        heading = re.findall(r"^#{1,6} +(.+?) *$", before[0].source, re.MULTILINE)
        yield {
            "name": name,
            "title": titles.get(name) or (heading[-1] if heading else name),
            "points": nbgrader.get("score") or 0.0,
            "of": nbgrader.get("points") or 0.0,
            "waits": bool(nbgrader.get("needs_manual_grade")),
            "cells": before,
        }
        before = []


def _points(section: dict[str, Any]) -> str:
    if section["waits"]:
        return f'<span class="waits">not marked yet, of {section["of"]:g}</span>'
    return f"{section['points']:g} of {section['of']:g}"


def _section(section: dict[str, Any]) -> str:
    cells = section["cells"]
    question = "" if not _made(cells[0]) else html_of(cells[0].source)
    rest = cells[1:] if question else cells
    body = "".join(_cell(cell) for cell in rest)
    name = escape(section["name"])
    return (
        f'<section id="{name}">{question}<p class="points">{_points(section)}</p>{body}</section>'
    )


def _made(cell: NotebookNode) -> bool:
    return str(cell.get("id", "")).startswith("asked-")


def _cell(cell: NotebookNode) -> str:
    comment = cell.metadata.get("nbgrader", {}).get("comment")
    said = f"<blockquote>{html_of(comment)}</blockquote>" if comment else ""
    if cell.cell_type != "code":
        return html_of(cell.source, cell.get("attachments")) + said
    kind = cell.metadata.get(KEY, {}).get("kind")
    short = len(cell.source) <= LONGEST
    shown = highlight(cell.source, _LEXER, _CODE) if short else escape(cell.source)
    code = "" if kind == "check" else f"<pre>{shown}</pre>"
    return code + "".join(map(_output, cell.get("outputs", []))) + said


def _output(output: NotebookNode) -> str:
    """A report or a picture; the plain text where there is nothing better."""
    data = output.get("data", {})
    if html := data.get("text/html"):
        return clean_html(html if isinstance(html, str) else "".join(html))
    for mime in ("image/png", "image/jpeg"):
        if picture := data.get(mime):
            packed = base64.b64encode(base64.b64decode(picture)).decode()
            return f'<p><img alt="a figure of this cell" src="data:{mime};base64,{packed}"></p>'
    words = data.get("text/plain") or output.get("text") or "\n".join(output.get("traceback", []))
    plain = re.sub(r"\x1b\[[0-9;]*m", "", words if isinstance(words, str) else "".join(words))
    return f"<pre>{escape(plain[:4000])}</pre>" if plain else ""


def _plain(sentence: str) -> str:
    """A sentence with `code` in backquotes; everything else is text."""
    return re.sub("`([^`]+)`", r"<code>\1</code>", escape(sentence))


def _used_colours(body: str) -> str:
    """The highlighter's rules for the classes that occur; all of them would be 5 kB."""
    used = set(re.findall(r'<span class="(\w+)">', body))
    rules = _CODE.get_style_defs("pre").splitlines()
    return "\n".join(r for r in rules if (m := re.match(r"pre \.(\w+) ", r)) and m[1] in used)
