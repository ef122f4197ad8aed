"""Writing marks into nbgrader's gradebook: by one process, one submission at a time.

The gradebook's own tables are filled as nbgrader's `SaveCells` and `SaveAutoGrades` fill them, so
its formgrader, feedback and export go on from here.
"""

import contextlib
import json
import warnings
from pathlib import Path

import nbformat
from nbformat.notebooknode import NotebookNode
from nbgrader import utils
from nbgrader.api import Gradebook, MissingEntry
from nbgrader.preprocessors import SaveCells
from sqlalchemy.exc import SAWarning

from autograde.grading.nbgrader_settings import put_scripts_on_path
from autograde.marking.plan import checked
from autograde.marking.verdict import Verdict


class Marks:
    """An open gradebook of one lesson.

    Parameters
    ----------
    url : any of SQLAlchemy's; nbgrader makes the tables where there are none
    """

    def __init__(self, url: str, lesson: str, notebook: str, released: NotebookNode) -> None:
        put_scripts_on_path()
        self.lesson, self.notebook, self.released = lesson, notebook, released
        self.gradebook = Gradebook(url)
        self._prepare(url)

    def close(self) -> None:
        """Close the database."""
        self.gradebook.close()

    def _prepare(self, url: str) -> None:
        """Make the lesson's cells known, where `generate_assignment` has not done it."""
        try:
            self.gradebook.find_notebook(self.notebook, self.lesson)
        except MissingEntry:
            self.gradebook.update_or_create_assignment(self.lesson)
            names = {"notebook": self.notebook, "assignment": self.lesson, "db_url": url}
            SaveCells().preprocess(self.released, {"nbgrader": names})
            self.gradebook.db.expire_all()

    def forget(self, student: str) -> None:
        """Take out a submission, with all its marks: another one has come in its place."""
        with contextlib.suppress(MissingEntry):
            self.gradebook.remove_submission(self.lesson, student)

    def write(self, verdict: Verdict, graded: NotebookNode, when: str | None) -> None:
        """Write the marks of one submission.

        A mark that a person gave stays, and the cell asks to be looked at again.
        """
        student = verdict.student
        self.gradebook.update_or_create_student(student)
        with warnings.catch_warnings():
            # nbgrader makes a submission's rows before it is in the session, which is harmless.
            warnings.filterwarnings("ignore", "Object of type .* not in session", SAWarning)
            submission = self.gradebook.update_or_create_submission(self.lesson, student)
        if when:
            with contextlib.suppress(ValueError, OverflowError):  # with the exchange, a student's
                submission.timestamp = utils.parse_utc(when)
        points = {exercise.id: exercise.points for exercise in verdict.exercises}
        cells = {_grade_id(cell): cell for cell in graded.cells if _grade_id(cell)}
        notebook = self.gradebook.find_submission_notebook(self.notebook, self.lesson, student)
        for grade in notebook.grades:
            cell = cells.get(grade.name)
            automatic = self._automatic(cell, points)
            grade.auto_score = automatic
            grade.needs_manual_grade = automatic is None or grade.manual_score is not None
        for comment in notebook.comments:
            cell = cells.get(comment.name)
            comment.auto_comment = "No response." if cell is None or _untouched(cell) else None
        self.gradebook.db.commit()

    def _automatic(self, cell: NotebookNode | None, points: dict[str, float]) -> float | None:
        """What a graded cell earns without a person; None if it takes one."""
        if cell is None:
            return 0.0
        if cell.metadata.nbgrader.get("solution"):
            return 0.0 if _untouched(cell) else None
        return points[checked(cell.source)[0]]


def _untouched(cell: NotebookNode) -> bool:
    checksum = cell.metadata.nbgrader.get("checksum")
    return bool(checksum == utils.compute_checksum(cell)) and not utils.is_task(cell)


def _grade_id(cell: NotebookNode) -> str:
    return str(cell.metadata.get("nbgrader", {}).get("grade_id", ""))


def write_graded(notebook: NotebookNode, file: Path, timestamp: Path) -> None:
    """Write the graded notebook where nbgrader and formgrader look for it."""
    file.parent.mkdir(parents=True, exist_ok=True)
    draft = file.with_suffix(".new")
    draft.write_text(nbformat.writes(notebook) + "\n", "utf-8")
    draft.replace(file)
    if timestamp.is_file():
        (file.parent / timestamp.name).write_bytes(timestamp.read_bytes())


def as_json(verdict: Verdict) -> str:
    """A verdict in one line."""
    return json.dumps(verdict.to_json(), ensure_ascii=False)
