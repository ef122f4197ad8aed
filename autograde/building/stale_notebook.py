"""A stored notebook: read, and in which cell it is no longer what its source gives."""

from pathlib import Path

import nbformat
from nbformat.notebooknode import NotebookNode

from autograde.grading.instructor_notes import TIMES


class DamagedNotebook(ValueError):
    """A notebook of the course's own that cannot be read; the message names the way out."""


def stored_notebook(path: Path) -> NotebookNode:
    """A notebook of the course's own, as it is stored.

    Raises
    ------
    DamagedNotebook
        It is not there, or no notebook.
    """
    try:
        # nbformat has another error for each kind of damage, some of them Python's own.
        notebook: NotebookNode = nbformat.reads(path.read_text("utf-8"), as_version=4)
        if not all(isinstance(cell.source, str) for cell in notebook.cells):
            raise TypeError("the source of a cell is no text")
    except OSError as wrong:
        why = (wrong.strerror or str(wrong)).lower()
        raise DamagedNotebook(f"The notebook {path} cannot be read: {why}.") from wrong
    except Exception as wrong:
        raise DamagedNotebook(
            f"{path} is no notebook, or a damaged one. Restore it with git, or build it again."
        ) from wrong
    return notebook


def notebook_difference(stored: NotebookNode, fresh: NotebookNode) -> str | None:
    """Where two notebooks differ in cells or metadata; what a run left does not count."""
    for position, (old, new) in enumerate(zip(stored.cells, fresh.cells, strict=False), start=1):
        for part in ("source", "cell_type", "id", "metadata"):
            if old.get(part) != new.get(part):
                return f"cell {position} ({new['id']}) has another {part}"
    if len(stored.cells) != len(fresh.cells):
        return f"it has {len(stored.cells)} cells, the source gives {len(fresh.cells)}"
    if {**stored.metadata, TIMES: None} != {**fresh.metadata, TIMES: None}:
        return "its notebook metadata is not what the builder writes"
    return None


def student_difference(file: Path, data: bytes) -> str:
    """Why a file of the student version is not what the builder writes (``data``)."""
    if file.suffix != ".ipynb":
        return "its content is not that of the source folder"
    try:
        stored = stored_notebook(file)
    except DamagedNotebook:
        return "it is no notebook"
    fresh = nbformat.reads(data.decode(), as_version=4)
    return notebook_difference(stored, fresh) or "it holds outputs or was saved by hand"
