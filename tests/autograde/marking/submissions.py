"""Made submissions of a released lesson: right, empty, wrong, and what a test writes into them."""

from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path

import nbformat
from nbformat.notebooknode import NotebookNode
from nbformat.v4 import new_code_cell

ROOT = Path(__file__).parents[3]


@cache
def release_of(lesson: str) -> str:
    """The released notebook as text."""
    (file,) = (ROOT / "lessons" / lesson).glob("*.ipynb")
    return file.read_text("utf-8")


@cache
def answers_of(lesson: str) -> Mapping[str, str]:
    """The right answers, essays too, by grade id."""
    (file,) = (ROOT / "solutions" / lesson).glob("*.ipynb")
    return {
        cell.metadata.nbgrader.grade_id: cell.source
        for cell in nbformat.read(file, 4).cells
        if cell.metadata.get("nbgrader", {}).get("solution")
    }


def submission(
    lesson: str,
    fill: Mapping[str, str] | Callable[[str], str | None],
    before: str = "",
) -> bytes:
    """A notebook with these answers; others stay as they were released.

    Parameters
    ----------
    before : a cell of the student's own on top
    """
    notebook: NotebookNode = nbformat.reads(release_of(lesson), 4)
    written = fill if callable(fill) else fill.get
    for cell in notebook.cells:
        nbgrader = cell.metadata.get("nbgrader", {})
        if nbgrader.get("solution"):
            cell.source = written(nbgrader.grade_id) or cell.source
    if before:
        notebook.cells.insert(0, new_code_cell(before))
    return nbformat.writes(notebook).encode()


def right(lesson: str, **changed: str) -> Mapping[str, str]:
    """All right answers, but for those that are given by their ids."""
    return {**answers_of(lesson), **changed}
