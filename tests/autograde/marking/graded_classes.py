"""Classes that hand in a real lesson, and what their gradebook holds."""

import random
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from sqlalchemy import create_engine, text

from autograde.marking.course_folder import CourseFolder
from autograde.marking.graded_course import SETTINGS
from autograde.marking.rehearsal import made
from autograde.marking.rehearsal.made import Made
from tests.autograde.marking.submissions import ROOT, release_of

SMALL = "00_start_here"
SECRET = bytes(32)
EVERYTHING = """
SELECT submitted_assignment.student_id, base_cell.name, grade.auto_score, grade.manual_score,
       grade.needs_manual_grade
FROM grade
JOIN base_cell ON base_cell.id = grade.cell_id
JOIN submitted_notebook ON submitted_notebook.id = grade.notebook_id
JOIN submitted_assignment ON submitted_assignment.id = submitted_notebook.assignment_id
ORDER BY submitted_assignment.student_id, base_cell.name
"""


def rehearsed(lesson: str, seeded: str = "rehearsal") -> made.Lesson:
    """A lesson whose submissions are made."""
    (solved,) = (ROOT / "solutions" / lesson).glob("*.ipynb")
    return made.read(release_of(lesson), solved.read_text("utf-8"), SECRET, seeded)


def made_submissions(lesson: str, seeded: str = "rehearsal") -> list[Made]:
    """Everything that a rehearsal hands in."""
    return list(rehearsed(lesson, seeded).made())


def course_at(root: Path, lesson: str, database: str = "") -> CourseFolder:
    """A course that has released a lesson; its secret is the one that `made_submissions` takes."""
    (released,) = (ROOT / "lessons" / lesson).glob("*.ipynb")
    folder = root / "lessons" / lesson
    folder.mkdir(parents=True)
    (folder / released.name).write_bytes(released.read_bytes())
    url = f"c.CourseDirectory.db_url = {database!r}\n" if database else ""
    (root / "nbgrader_config.py").write_text(SETTINGS + url)
    (root / ".marking_secret").write_text(SECRET.hex())
    return CourseFolder.at(root)


def hand_in(course: CourseFolder, lesson: str, submissions: Iterable[tuple[str, bytes]]) -> None:
    """Put notebooks where nbgrader looks for them."""
    for student, data in submissions:
        path = course.hand_in(student, lesson)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def class_of(number: int, lesson: str = SMALL, broken: float = 0.1) -> dict[str, Made]:
    """A class by student: right, wrong and strange notebooks, and a share that nobody can read."""
    draw = random.Random(number)
    every = made_submissions(lesson)
    bad = [m for m in every if m.must.status == "unreadable"]
    good = [m for m in every if m.must.status != "unreadable" and "never" not in m.student]
    students = [f"s{place:04}" for place in range(number)]
    chosen = set(draw.sample(students, round(broken * number)))
    return {s: draw.choice(bad if s in chosen else good) for s in students}


def gradebook_of(course: CourseFolder) -> list[tuple[Any, ...]]:
    """Every mark."""
    engine = create_engine(course.database)
    try:
        with engine.connect() as connection:
            return [tuple(row) for row in connection.execute(text(EVERYTHING))]
    finally:
        engine.dispose()
