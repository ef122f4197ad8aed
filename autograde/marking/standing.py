"""How every student stands in every lesson: complete, waiting, unreadable, nothing handed in."""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

from autograde.marking.collected import Attempt, Collected
from autograde.marking.course_folder import CourseFolder
from autograde.marking.gradebook import Gradebook, Marks, exercise_of
from autograde.marking.roster import Roster, Student

Status = Literal["complete", "essay unmarked", "unreadable", "not marked yet", "nothing handed in"]
VERDICTS = "verdicts"
AGAIN = "handed in again since it was marked"


@dataclass
class Standing:
    """One student in one lesson.

    Attributes
    ----------
    points : the points so far; None where there is nothing to count
    of : the points that can be earned
    exercises : by exercise and discussion; None for what waits for a person
    reason : why it is unreadable or not marked
    """

    student: Student
    lesson: str
    status: Status
    points: float | None = None
    of: float = 0.0
    exercises: dict[str, float | None] = field(default_factory=dict)
    reason: str = ""
    attempt: Attempt | None = None

    @property
    def late(self) -> bool:
        """Handed in after the date, as far as anybody said."""
        return bool(self.attempt and self.attempt.late)


class Standings:
    """All students of a course in all its lessons."""

    def __init__(self, course: CourseFolder, roster: Roster | None, lessons: list[str]) -> None:
        self.course, self.lessons = course, lessons
        self.book = Gradebook.read(course.database)
        self.ledgers = {lesson: Collected.read(course, lesson) for lesson in lessons}
        self.students = self._students(roster)

    def _students(self, roster: Roster | None) -> list[Student]:
        listed = list(roster.students) if roster else []
        known = {student.id for student in listed}
        names: dict[str, str] = {}
        for ledger in self.ledgers.values():
            for student in (*ledger.students, *ledger.no_notebook):
                newest = ledger.newest(student)
                names.setdefault(student, (newest and newest.name) or student)
        for path in self.course.root.glob(f"{self.course.submitted}/*"):
            if path.is_dir():
                names.setdefault(path.name, path.name)
        for lesson, student in self.book.marks:
            if lesson in self.lessons:
                names.setdefault(student, student)
        more = sorted(names.keys() - known)
        return listed + [Student(student, names[student]) for student in more]

    def exercises(self, lesson: str) -> list[str]:
        """The exercises and discussions of a lesson, in the order of its notebook."""
        released = json.loads(self.course.released(lesson).read_text(encoding="utf-8"))
        nbgrader = [cell["metadata"].get("nbgrader", {}) for cell in released["cells"]]
        return [exercise_of(n["grade_id"]) for n in nbgrader if n.get("grade")]

    def of(self, lesson: str) -> float:
        """The points that a lesson can earn; 0 before it is in the gradebook."""
        return sum(self.book.of.get(lesson, {}).values())

    def __iter__(self) -> Iterator[Standing]:
        for lesson in self.lessons:
            name = self.course.released(lesson).name
            for student in self.students:
                yield self._standing(student, lesson, name)

    def _standing(self, student: Student, lesson: str, name: str) -> Standing:
        attempt = self.ledgers[lesson].newest(student.id)
        of = self.of(lesson)
        path = self.course.root / self.course.submitted / student.id / lesson / name
        if not path.is_file():
            files = self.ledgers[lesson].no_notebook.get(student.id)
            if files:
                reason = f"handed in no notebook, but {', '.join(files)}"
                return Standing(student, lesson, "unreadable", of=of, reason=reason)
            return Standing(student, lesson, "nothing handed in", of=of)
        verdict = self._verdict(lesson, student.id)
        found = Standing(student, lesson, "not marked yet", of=of, attempt=attempt)
        current = not verdict or _digest(path.read_bytes()) == verdict.get("submission")
        if verdict and current and verdict["status"] != "marked":
            found.status = "unreadable" if verdict["status"] == "unreadable" else "not marked yet"
            found.reason = verdict.get("reason", "")
            return found
        if not verdict and attempt and attempt.unreadable:
            found.status, found.reason = "unreadable", attempt.unreadable
            return found
        marks = self.book.marks.get((lesson, student.id))
        if marks is None or not current:
            found.reason = "" if current else AGAIN
            return found
        return self._marked(found, marks)

    def _marked(self, found: Standing, marks: Marks) -> Standing:
        found.exercises = {exercise_of(cell): points for cell, points in marks.points.items()}
        found.points = marks.total
        found.status = "essay unmarked" if marks.waiting else "complete"
        found.reason = ", ".join(map(exercise_of, marks.waiting))
        return found

    def _verdict(self, lesson: str, student: str) -> dict[str, Any] | None:
        path = self.course.root / VERDICTS / lesson / f"{student}.json"
        if not path.is_file():
            return None
        verdict: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        return verdict


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
