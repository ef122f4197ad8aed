"""A gradebook for a class, as nbgrader's own commands fill it."""

import hashlib
import json
import sqlite3
from collections.abc import Mapping, Sequence

from autograde.marking.course_folder import CourseFolder
from tests.autograde.marking.small_lesson import LESSON, right, saved

MOST = {"check_double": 4.0, "check_share": 1.0, "why": 2.0, "what": 2.0}


def hand_in(course: CourseFolder, student: str, data: bytes | None = None) -> str:
    """Put a notebook where nbgrader looks; return its digest."""
    data = saved(right()) if data is None else data
    path = course.hand_in(student, LESSON)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return hashlib.sha256(data).hexdigest()


def mark(
    course: CourseFolder,
    marks: Mapping[str, Mapping[str, float | None]],
    lessons: Sequence[str] = (LESSON,),
) -> None:
    """Points by student and cell; None is an essay that waits for a person."""
    from nbgrader.api import Gradebook

    # In a new database nbgrader asks alembic, a program that takes seconds to start.
    with sqlite3.connect(course.root / "gradebook.db") as new:
        new.execute("CREATE TABLE IF NOT EXISTS alembic_version (version_num VARCHAR(32))")
    with Gradebook(course.database) as book:
        for lesson in lessons:
            book.update_or_create_assignment(lesson)
            book.update_or_create_notebook("small", lesson)
            for cell, most in MOST.items():
                kind = "code" if cell.startswith("check_") else "markdown"
                book.update_or_create_grade_cell(
                    cell, "small", lesson, max_score=most, cell_type=kind
                )
        for student, points in marks.items():
            book.update_or_create_student(student)
            for lesson in lessons:
                book.update_or_create_submission(lesson, student)
                for cell, score in points.items():
                    grade = book.find_grade(cell, "small", lesson, student)
                    grade.needs_manual_grade = score is None
                    if cell.startswith("check_"):
                        grade.auto_score = score
                    else:
                        grade.manual_score = score
        book.db.commit()


def verdict(course: CourseFolder, student: str, **fields: object) -> None:
    """What the engine writes beside the gradebook."""
    path = course.root / "verdicts" / LESSON / f"{student}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    made = {"version": 1, "lesson": LESSON, "student": student, "status": "marked", "reason": ""}
    path.write_text(json.dumps({**made, **fields}))
