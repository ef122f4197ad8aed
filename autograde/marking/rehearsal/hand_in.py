"""A hand-in that is made from a released lesson, and the places in it that can go wrong."""

import ast
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import nbformat
from nbformat.notebooknode import NotebookNode


@dataclass
class HandIn:
    """A notebook with answers, in which something is changed.

    Attributes
    ----------
    stubs : the released answer cells, by their grade ids
    exercises : the exercises of the lesson in their order
    essays : the discussions in their order
    """

    notebook: NotebookNode
    stubs: Mapping[str, str]
    exercises: list[str] = field(default_factory=list)
    essays: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, released: NotebookNode, answers: Mapping[str, str]) -> "HandIn":
        """The released notebook with these answers, by grade id; others stay stubs."""
        made = cls(copy_of(released), {})
        stubs = {}
        for cell in made.notebook.cells:
            nbgrader = cell.metadata.get("nbgrader", {})
            if nbgrader.get("solution"):
                name = nbgrader["grade_id"]
                (made.exercises if cell.cell_type == "code" else made.essays).append(name)
                stubs[name] = cell.source
                cell.source = answers.get(name, cell.source)
        made.stubs = stubs
        return made

    @property
    def cells(self) -> list[NotebookNode]:
        """The notebook's cells."""
        cells: list[NotebookNode] = self.notebook.cells
        return cells

    def place(self, name: str) -> int:
        """Where the cell of this grade id stands."""
        ids = [cell.metadata.get("nbgrader", {}).get("grade_id") for cell in self.cells]
        return ids.index(name)

    def cell(self, name: str) -> NotebookNode:
        """The cell of this grade id."""
        return self.cells[self.place(name)]

    def check(self, exercise: str) -> int:
        """Where the check of an exercise stands."""
        return self.place(f"check_{exercise}")

    def given(self) -> int:
        """Where the first given code cell stands."""
        return next(
            place
            for place, cell in enumerate(self.cells)
            if cell.cell_type == "code" and "nbgrader" not in cell.metadata
        )

    def long_answer(self) -> str:
        """The last exercise whose answer is a function of several statements."""
        for name in reversed(self.exercises):
            body = ast.parse(self.cell(name).source).body
            last = body[-1] if body else None
            if isinstance(last, ast.FunctionDef) and len(last.body) > 1:
                return name
        return self.exercises[-1]

    def saved(self) -> bytes:
        """The notebook as a file, also where it is not valid."""
        return json.dumps(self.notebook, ensure_ascii=False).encode()


def copy_of(node: NotebookNode, **changes: Any) -> NotebookNode:
    """A deep copy of a notebook or cell, with other fields."""
    return nbformat.from_dict({**json.loads(json.dumps(node)), **changes})
