"""Feedback pages that name exercises and discussions, not "Test cell" again and again."""

import re
from html import escape
from typing import Any

from nbconvert.exporters import HTMLExporter
from nbformat.notebooknode import NotebookNode

ENTRY = re.compile(r'(<li><a href="#([^"]+)">)(?:Test cell|Written response)(</a>)')
HEADING = re.compile(r"^#{1,6} +(.+?) *$", re.MULTILINE)


class FeedbackExporter(HTMLExporter):
    """nbgrader's feedback page, whose contents name what was marked."""

    def from_notebook_node(
        self, nb: NotebookNode, resources: dict[str, Any] | None = None, **options: Any
    ) -> tuple[Any, dict[str, Any]]:
        """Return the page and the resources."""
        page, resources = super().from_notebook_node(nb, resources, **options)
        names = names_of(nb)

        def named(entry: re.Match[str]) -> str:
            return f"{entry[1]}{escape(names.get(entry[2], entry[2]))}{entry[3]}"

        return ENTRY.sub(named, page), resources


def names_of(notebook: NotebookNode) -> dict[str, str]:
    """By grade id: the last heading above each cell that earns points."""
    heading, names = "", {}
    for cell in notebook.cells:
        nbgrader = cell.metadata.get("nbgrader", {})
        if nbgrader.get("grade"):
            names[nbgrader.grade_id] = heading or nbgrader.grade_id
        elif cell.cell_type == "markdown" and (found := HEADING.findall(cell.source)):
            heading = found[-1]
    return names
