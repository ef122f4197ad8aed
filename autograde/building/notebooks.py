"""Expand a lesson source into a notebook with nbgrader's and the slideshow's metadata."""

import hashlib
from collections import Counter
from typing import Any

from nbformat.notebooknode import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_raw_cell

from autograde.building.cell_code import imports_check
from autograde.building.exercise_rules import Find, FramedExercise
from autograde.building.hints import folded_hints
from autograde.building.lesson_source import Lesson, SourceCell
from autograde.building.links import linked_source
from autograde.grading.instructor_notes import TAG
from autograde.grading.model_answers import OF

NEW_CELL = {"code": new_code_cell, "markdown": new_markdown_cell, "raw": new_raw_cell}
IMPORT_CHECK = "from autograde import check"
NOTES = ("instructor", "model_answer")  # in RISE, a speaker's
METADATA = {
    "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"},
    "language_info": {
        "file_extension": ".py",
        "mimetype": "text/x-python",
        "name": "python",
        "pygments_lexer": "ipython3",
    },
}


def solution_notebook(lesson: Lesson, find: Find) -> NotebookNode:
    """The notebook with answers, not executed. The same lesson gives the same notebook.

    The lesson must have passed `autograde.building.lesson_rules.refusals`.
    """
    cells = []
    seen: Counter[str] = Counter()
    check_imported = False
    starts = _where_slides_begin(lesson)
    for position, cell in enumerate(lesson.cells):
        source = _source(cell, find, lesson)
        if cell.kind == "code" and imports_check(cell.source):
            check_imported = True
        elif cell.role == "check" and check_imported:
            source = f"{IMPORT_CHECK}\n\n{source}"  # so that it runs after a restart
        made = NEW_CELL[cell.kind](source, metadata=_metadata(cell, find, position in starts))
        name = _cell_id(cell)
        seen[name] += 1
        made["id"] = name if seen[name] == 1 else f"{name}-{seen[name]}"
        cells.append(made)
    return new_notebook(cells=cells, metadata=METADATA)


def frame_line(exercise: FramedExercise) -> str:
    """Difficulty, importance, minutes and points in one line of Markdown.

    The numbers are in words as well as dots, because JupyterLab strips ARIA labels.
    """
    minutes = "1 minute" if exercise.minutes == 1 else f"{exercise.minutes:g} minutes"
    points = "1 point" if exercise.points == 1 else f"{exercise.points:g} points"
    return (
        f"*Difficulty {_dots(exercise.difficulty)} · Importance {_dots(exercise.importance)} · "
        f"about {minutes} · {points}*"
    )


def _dots(level: int) -> str:
    return f"{level} of 5 {'●' * level}{'○' * (5 - level)}"


def _source(cell: SourceCell, find: Find, lesson: Lesson) -> str:
    if cell.has_role("exercise", "markdown"):
        return linked_source(cell, _framed(cell.source, frame_line(find(cell.name))), lesson)
    if cell.role == "hints":
        return linked_source(cell, folded_hints(cell.source), lesson)
    if cell.kind == "markdown" and cell.role in (None, "instructor"):
        return linked_source(cell, cell.source, lesson)
    return cell.source


def _framed(statement: str, frame: str) -> str:
    """The statement with the frame under its heading, or on top where there is none."""
    first, _, rest = statement.partition("\n")
    if first.startswith("#"):
        return f"{first}\n\n{frame}\n\n{rest.strip()}".rstrip()
    return f"{frame}\n\n{statement}"


def _where_slides_begin(lesson: Lesson) -> set[int]:
    """The cells that the deck's slides show: in RISE a slide begins there, too."""
    shown = [n for n, cell in enumerate(lesson.cells) if cell.role not in NOTES]
    later = (next((n for n in shown if n >= position), None) for position, _ in lesson.deck)
    return {position for position in later if position is not None}


def _metadata(cell: SourceCell, find: Find, begins_slide: bool) -> dict[str, Any]:
    metadata: dict[str, Any] = {}
    tags = list(cell.keys.get("tags", []))
    slide = cell.keys.get("slide") or ("subslide" if begins_slide else None)
    if cell.role in NOTES:
        tags.append(TAG)
        slide = slide or "notes"
    if cell.role == "model_answer":
        metadata[OF] = cell.name
    if tags:
        metadata["tags"] = tags
    if slide:
        metadata["slideshow"] = {"slide_type": slide}
    if cell.has_role("exercise", "code"):
        metadata["nbgrader"] = _nbgrader(cell.name, solution=True)
    elif cell.role == "check":
        metadata["nbgrader"] = _nbgrader(
            f"check_{cell.name}", grade=True, locked=True, points=find(cell.name).points
        )
    elif cell.role == "discussion":
        metadata["nbgrader"] = _nbgrader(
            cell.name, grade=True, solution=True, points=cell.keys["points"]
        )
    return metadata


def _nbgrader(
    grade_id: str,
    *,
    grade: bool = False,
    solution: bool = False,
    locked: bool = False,
    points: float | None = None,
) -> dict[str, Any]:
    metadata: dict[str, Any] = {
        "grade": grade,
        "grade_id": grade_id,
        "locked": locked,
        "schema_version": 3,
        "solution": solution,
        "task": False,
    }
    if points is not None:
        metadata["points"] = points
    return metadata


def _cell_id(cell: SourceCell) -> str:
    """A name from the cell's key, or from its content; at most 64 characters (nbformat)."""
    if cell.role == "check":
        return f"check_{cell.name}"[:60]
    if cell.role == "hints" or cell.has_role("exercise", "markdown"):
        return f"{cell.name[:48]}-{'hints' if cell.role == 'hints' else 'statement'}"
    if cell.role == "model_answer":
        return f"{cell.name[:48]}-model-answer"
    if cell.role in ("exercise", "discussion"):
        return cell.name[:60]
    return hashlib.sha256(f"{cell.kind}\n{cell.source}".encode()).hexdigest()[:12]
