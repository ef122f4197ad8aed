"""The folders of a graded course, as its nbgrader settings name them."""

import argparse
from dataclasses import dataclass
from pathlib import Path

from nbformat.notebooknode import NotebookNode


class Refused(Exception):
    """What was asked for cannot be done; the message says why and what would help."""


@dataclass(frozen=True)
class CourseFolder:
    """A folder with an ``nbgrader_config.py``: releases, hand-ins, marks."""

    root: Path
    release: str = "lessons"
    submitted: str = "submitted"
    autograded: str = "autograded"
    feedback: str = "feedback"
    database: str = ""

    @classmethod
    def at(cls, root: Path) -> "CourseFolder":
        """The course in this folder.

        Raises
        ------
        Refused
            There are no nbgrader settings in it.
        """
        root = root.resolve()
        if not (root / "nbgrader_config.py").is_file():
            raise Refused(
                f"{root} is no course folder: it has no nbgrader_config.py. Make one with "
                "python -m autograde graded-course FOLDER, or name yours with --course."
            )
        # nbgrader takes a second to import, and every command of the course would wait for it.
        from autograde.grading.nbgrader_settings import settings_of

        c = settings_of(root).CourseDirectory
        return cls(
            root,
            c.get("release_directory", "release"),
            c.get("submitted_directory", "submitted"),
            c.get("autograded_directory", "autograded"),
            c.get("feedback_directory", "feedback"),
            c.get("db_url", f"sqlite:///{root / 'gradebook.db'}"),
        )

    def lessons(self) -> list[str]:
        """The released lessons, in order."""
        return sorted({path.parent.name for path in self.root.glob(f"{self.release}/*/*.ipynb")})

    def released(self, lesson: str) -> Path:
        """The student version of a lesson."""
        found = sorted(self.root.glob(f"{self.release}/{lesson}/*.ipynb"))
        if not found:
            known = ", ".join(self.lessons()) or "none yet"
            raise Refused(f"There is no released lesson {lesson}. Released here: {known}.")
        return found[0]

    def hand_in(self, student: str, lesson: str) -> Path:
        """Where a student's notebook lies."""
        return self.root / self.submitted / student / lesson / self.released(lesson).name

    def downloads(self, lesson: str) -> Path:
        """Where what came in is kept as it came."""
        return self.root / "downloaded" / lesson

    def ledger(self, lesson: str) -> Path:
        """What was collected: who, from which file of the platform, when."""
        return self.downloads(lesson) / "collected.json"


def notebook_at(path: Path) -> NotebookNode:
    """A notebook of the course's own; a submission is read by `read_submission`.

    Raises
    ------
    Refused
        It is not there, or no notebook.
    """
    from autograde.building.stale_notebook import (  # loads nbgrader
        DamagedNotebook,
        stored_notebook,
    )

    try:
        return stored_notebook(path)
    except DamagedNotebook as wrong:
        raise Refused(str(wrong)) from wrong


def add_course_argument(parser: argparse.ArgumentParser) -> None:
    """The option that every command of an instructor has."""
    parser.add_argument(
        "--course",
        type=Path,
        default=Path(),
        metavar="FOLDER",
        help="the course folder, which holds nbgrader_config.py (default: this folder)",
    )
