"""In which cell a stored notebook is no longer what its source gives."""

from pathlib import Path

import nbformat
from nbformat.notebooknode import NotebookNode

from autograde.grading.instructor_notes import TIMES


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
        stored = nbformat.reads(file.read_text(encoding="utf-8"), as_version=4)
    except (nbformat.reader.NotJSONError, UnicodeDecodeError):
        return "it is no notebook"
    fresh = nbformat.reads(data.decode(), as_version=4)
    return notebook_difference(stored, fresh) or "it holds outputs or was saved by hand"
