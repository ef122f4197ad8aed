"""A course folder for the tests that run nbgrader's own commands on it."""

import ast
import csv
import os
import re
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from html import unescape
from pathlib import Path

import nbformat
from nbformat.notebooknode import NotebookNode

from autograde.building.build import Builder
from autograde.building.exercise_rules import Find

REPOSITORY = Path(__file__).resolve().parents[3]
SWITCH = "c.ReleaseModelAnswers.enabled = True"
NBGRADER = Path(sys.executable).parent / "nbgrader"


@dataclass
class Course:
    """A temporary course with one lesson; ``nbgrader`` runs there as a real process."""

    root: Path
    lesson: str
    notebook: str

    @classmethod
    def with_lesson(
        cls, root: Path, source: str, lesson: str, find: Find, *, graded: bool = True
    ) -> "Course":
        """Build the lesson from its source text under the repository's nbgrader settings.

        A ``graded`` course releases no model answers.
        """
        name = lesson.partition("_")[2]
        folder = root / "solutions" / lesson
        folder.mkdir(parents=True)
        (folder / f"{name}.py").write_text(source, encoding="utf-8")
        settings = (REPOSITORY / "nbgrader_config.py").read_text(encoding="utf-8")
        switched_off = settings.replace(SWITCH, SWITCH.replace("True", "False"))
        assert switched_off != settings
        (root / "nbgrader_config.py").write_text(switched_off if graded else settings)
        builder = Builder(root, find)
        builder.build(folder / f"{name}.py")
        assert builder.problems == [], builder.problems
        return cls(root, lesson, f"{name}.ipynb")

    def nbgrader(self, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        """Run one nbgrader command, without the virtual environment on PATH."""
        return subprocess.run(
            [NBGRADER, *arguments],
            cwd=self.root,
            env={
                **os.environ,
                "PATH": "/usr/bin:/bin",
                "OMP_NUM_THREADS": "1",
                # The marks must not hang on corpora that only some machines have.
                "NLTK_DATA": "",
                **environment,
            },
            capture_output=True,
            text=True,
            timeout=3600,
            check=False,
        )

    def run(self, *arguments: str, **environment: str) -> str:
        """Run a command that must succeed; return what it said."""
        done = self.nbgrader(*arguments, **environment)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout + done.stderr

    @property
    def released(self) -> NotebookNode:
        """The student version."""
        return nbformat.read(self.root / "lessons" / self.lesson / self.notebook, as_version=4)

    @property
    def solution(self) -> NotebookNode:
        """The version with answers."""
        return nbformat.read(self.root / "solutions" / self.lesson / self.notebook, as_version=4)

    def hand_in(self, student: str, change: Callable[[NotebookNode], None]) -> Path:
        """Put a changed copy of the released notebook where nbgrader collects submissions."""
        notebook = self.released
        change(notebook)
        path = self.root / "submitted" / student / self.lesson / self.notebook
        path.parent.mkdir(parents=True)
        nbformat.write(notebook, path)
        return path

    def graded(self, student: str) -> NotebookNode:
        """The notebook after `nbgrader autograde`."""
        path = self.root / "autograded" / student / self.lesson / self.notebook
        return nbformat.read(path, as_version=4)

    def feedback_html(self, student: str) -> str:
        """The feedback page as it was written."""
        page = Path(self.notebook).with_suffix(".html")
        return (self.root / "feedback" / student / self.lesson / page).read_text(encoding="utf-8")

    def exported(self) -> dict[str, dict[str, str]]:
        """The rows of `nbgrader export`, by student."""
        self.run("export", "--to", "grades.csv")
        with (self.root / "grades.csv").open(newline="", encoding="utf-8") as file:
            return {row["student_id"]: row for row in csv.DictReader(file)}

    def scores(self, student: str) -> dict[str, float | None]:
        """The automatic score of every graded cell, from the gradebook."""
        from nbgrader.api import Gradebook

        with Gradebook(f"sqlite:///{self.root}/gradebook.db") as book:
            submission = book.find_submission(self.lesson, student)
            return {
                grade.name: grade.auto_score
                for notebook in submission.notebooks
                for grade in notebook.grades
            }


def with_answers(answers: Mapping[str, str]) -> Callable[[NotebookNode], None]:
    """Write these sources into the answer cells of the same names."""

    def change(notebook: NotebookNode) -> None:
        for cell in notebook.cells:
            name = cell.metadata.get("nbgrader", {}).get("grade_id")
            if name in answers:
                cell.source = answers[name]

    return change


def answers_of(notebook: NotebookNode) -> dict[str, str]:
    """The sources of the answer cells."""
    return {
        cell.metadata.nbgrader.grade_id: cell.source
        for cell in notebook.cells
        if cell.metadata.get("nbgrader", {}).get("solution")
    }


def checked_names(notebook: NotebookNode) -> dict[str, str]:
    """The name that each check hands over: ``check("id", name)``, by id, in order."""
    names = {}
    for cell in notebook.cells:
        if cell.cell_type == "code" and cell.metadata.get("nbgrader", {}).get("grade"):
            call = ast.parse(cell.source).body[-1].value
            names[call.args[0].value] = ast.unparse(call.args[1])
    return names


def words_of(html: str) -> str:
    """What a reader of a page sees: no tags, single spaces."""
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", "", html)))
