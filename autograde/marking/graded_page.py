"""The short graded notebook: what a marker reads, in the order in which they need it.

formgrader shows a notebook cell by cell, so what it shows is made of cells: a table of marks; each
discussion with its model answer and rubric above; each exercise with its answer and what the check
said. The rest of the lesson is left out.
"""

import re
from collections.abc import Iterable
from typing import Any, Protocol

import nbformat
from nbformat.notebooknode import NotebookNode
from nbformat.v4 import new_markdown_cell, new_notebook

from autograde.grading.model_answers import OF
from autograde.marking.repair import KEY

HEADING = re.compile(r"^#{1,6} +(.+?) *#*$", re.MULTILINE)
# What is for the marker and must not reach the student.
FOR_MARKER = "for the marker"


class ExerciseMarks(Protocol):
    """What is read of an exercise's verdict."""

    id: str
    title: str
    points: float
    of: float
    status: str
    headline: str
    message: str


class SubmissionVerdict(Protocol):
    """What is read of a submission's verdict."""

    lesson: str
    sandbox: str
    repaired: list[str]
    notes: list[str]

    @property
    def exercises(self) -> Iterable[ExerciseMarks]: ...


def graded_notebook(
    notebook: NotebookNode, verdict: SubmissionVerdict, solution: NotebookNode | None = None
) -> NotebookNode:
    """The notebook that formgrader shows.

    Parameters
    ----------
    notebook : the repaired submission; the outputs of its check cells are the trusted reports
    verdict : what the engine found
    solution : the solved notebook, whose rubrics and model answers stand above the essays

    Returns
    -------
    Every graded cell with its nbgrader metadata, once. Cells whose ``marking`` metadata is of the
    kind "for the marker" are never shown to the student.
    """
    short = new_notebook(metadata=nbformat.from_dict(notebook.metadata))
    short.metadata[KEY] = {
        "lesson": verdict.lesson,
        "title": title_of(notebook),
        "repaired": list(verdict.repaired),
        "notes": list(verdict.notes),
        "sandbox": verdict.sandbox,
        "exercises": [
            {
                **{"id": e.id, "title": e.title, "points": e.points, "of": e.of},
                **{"status": e.status, "headline": e.headline, "message": e.message},
            }
            for e in verdict.exercises
        ],
    }
    groups = list(_groups(notebook))
    short.cells.append(_made("summary", _summary(short.metadata[KEY])))
    guides = _guides(solution)
    for kind in ("discussion", "exercise"):
        for group_kind, name, cells in groups:
            if group_kind != kind:
                continue
            if kind == "discussion" and name in guides:
                cells = [cells[0], _made(f"guide-{name}", guides[name], FOR_MARKER), *cells[1:]]
            short.cells += cells
    return short


def title_of(notebook: NotebookNode) -> str:
    """The first heading of a lesson."""
    found = HEADING.search("\n".join(c.source for c in notebook.cells[:3] if _is_text(c)))
    return found[1] if found else "Lesson"


def _groups(notebook: NotebookNode) -> Iterable[tuple[str, str, list[NotebookNode]]]:
    """For each exercise and discussion: its question, what the student wrote, and its check."""
    question: NotebookNode | None = None
    group: list[NotebookNode] = []
    name = kind = ""
    for cell in notebook.cells:
        what = cell.metadata.get(KEY, {}).get("kind", "given")
        nbgrader = cell.metadata.get("nbgrader", {})
        if what == "answer":
            kind, name = "exercise", nbgrader.grade_id
            group = [_asked(name, question, folded=True), cell]
        elif what == "discussion":
            if group:
                yield kind, name, group
            kind, name = "discussion", nbgrader.grade_id
            group = [_asked(name, question, folded=False), cell]
        elif what == "check":
            group.append(cell)
        elif what == "added" and group:
            # A helper between answer and check, or the rest of an essay.
            group.append(cell)
        elif what == "given":
            if group and (kind == "discussion" or _has_check(group)):
                yield kind, name, group
                group = []
            if _is_text(cell) and HEADING.search(cell.source):
                question = cell
    if group:
        yield kind, name, group


def _has_check(group: list[NotebookNode]) -> bool:
    return any(c.metadata.get(KEY, {}).get("kind") == "check" for c in group)


def _is_text(cell: NotebookNode) -> bool:
    return bool(cell.cell_type == "markdown")


def _asked(name: str, question: NotebookNode | None, *, folded: bool) -> NotebookNode:
    """The question; an exercise's is folded under its title."""
    source = question.source if question is not None else f"### {name}"
    if folded and (heading := HEADING.search(source)):
        rest = source[heading.end() :].strip()
        folded_text = f"<details><summary>What was asked</summary>\n\n{rest}\n\n</details>"
        source = f"### {heading[1]}\n\n{folded_text}"
    return _made(f"asked-{name}", source)


def _made(name: str, source: str, kind: str = "given") -> NotebookNode:
    cell = new_markdown_cell(source, metadata={KEY: {"kind": kind, "edited": False}})
    cell["id"] = re.sub(r"[^\w-]", "-", name)[:64]
    return cell


def _guides(solution: NotebookNode | None) -> dict[str, str]:
    """By discussion: rubric and model answer, for the marker."""
    if solution is None:
        return {}
    answers = {cell.metadata[OF]: cell.source for cell in solution.cells if OF in cell.metadata}
    guides = {}
    for cell in solution.cells:
        nbgrader = cell.metadata.get("nbgrader", {})
        if nbgrader.get("solution") and nbgrader.get("grade"):
            name = nbgrader.grade_id
            parts = [cell.source.strip()]
            if name in answers:
                parts.append(f"**Model answer.** {answers[name].strip()}")
            quoted = "\n".join(f"> {line}".rstrip() for line in "\n\n".join(parts).splitlines())
            guides[name] = f"*For the marker; the student does not see this.*\n\n{quoted}"
    return guides


def _summary(marking: dict[str, Any]) -> str:
    """A table of the exercises' marks, and what was repaired."""
    lines = [f"## {marking['title']}", "", "| exercise | points | |", "|---|---|---|"]
    for e in marking["exercises"]:
        said = "" if e["status"] == "judged" else e["status"]
        lines.append(f"| {_cell(e['title'])} | {e['points']:g} of {e['of']:g} | {_cell(said)} |")
    told = [*marking["repaired"], *marking["notes"]]
    if marking["sandbox"] == "unsandboxed":
        told.append("Marked without a sandbox.")
    return "\n".join([*lines, "", *(f"- {_cell(sentence)}" for sentence in told)])


def _cell(text: str) -> str:
    """A text as one cell of a Markdown table; it may come from a student."""
    return re.sub(r"([\\|<>*_$\[\]])", r"\\\1", " ".join(text.split()))
