"""Every mark of a course in one query of nbgrader's gradebook."""

from collections import defaultdict
from dataclasses import dataclass, field

from sqlalchemy import create_engine, inspect, text

MARKS = """
SELECT submitted_assignment.student_id, assignment.name, base_cell.name, grade_cells.max_score,
       grade.auto_score, grade.manual_score, grade.extra_credit, grade.needs_manual_grade
FROM grade
JOIN base_cell ON base_cell.id = grade.cell_id
JOIN grade_cells ON grade_cells.id = base_cell.id
JOIN submitted_notebook ON submitted_notebook.id = grade.notebook_id
JOIN submitted_assignment ON submitted_assignment.id = submitted_notebook.assignment_id
JOIN assignment ON assignment.id = submitted_assignment.assignment_id
"""
PENALTIES = """
SELECT submitted_assignment.student_id, assignment.name,
       submitted_notebook.late_submission_penalty
FROM submitted_notebook
JOIN submitted_assignment ON submitted_assignment.id = submitted_notebook.assignment_id
JOIN assignment ON assignment.id = submitted_assignment.assignment_id
WHERE submitted_notebook.late_submission_penalty > 0
"""
COMMENTS = """
SELECT submitted_assignment.student_id, assignment.name, base_cell.name,
       COALESCE(comment.manual_comment, comment.auto_comment)
FROM comment
JOIN base_cell ON base_cell.id = comment.cell_id
JOIN submitted_notebook ON submitted_notebook.id = comment.notebook_id
JOIN submitted_assignment ON submitted_assignment.id = submitted_notebook.assignment_id
JOIN assignment ON assignment.id = submitted_assignment.assignment_id
WHERE comment.manual_comment IS NOT NULL OR comment.auto_comment IS NOT NULL
"""
CELLS = """
SELECT assignment.name, base_cell.name, grade_cells.max_score
FROM grade_cells
JOIN base_cell ON base_cell.id = grade_cells.id
JOIN notebook ON notebook.id = base_cell.notebook_id
JOIN assignment ON assignment.id = notebook.assignment_id
"""


@dataclass
class Marks:
    """One student's marks for one lesson.

    Attributes
    ----------
    points : by graded cell; None where a person has to give them still
    penalty : what lateness takes away, where the course's nbgrader settings say so
    """

    points: dict[str, float | None] = field(default_factory=dict)
    penalty: float = 0.0

    @property
    def waiting(self) -> list[str]:
        """The cells that wait for a person."""
        return [name for name, points in self.points.items() if points is None]

    @property
    def total(self) -> float:
        """The points so far."""
        return sum(points or 0.0 for points in self.points.values()) - self.penalty


@dataclass
class Gradebook:
    """What nbgrader's database holds: marks and comments, and what each cell can earn."""

    marks: dict[tuple[str, str], Marks] = field(default_factory=dict)
    of: dict[str, dict[str, float]] = field(default_factory=dict)
    comments: dict[tuple[str, str, str], str] = field(default_factory=dict)

    @classmethod
    def read(cls, url: str) -> "Gradebook":
        """Everything at once: nbgrader's own objects take minutes for a large class."""
        engine = create_engine(url)
        book = cls()
        try:
            if not inspect(engine).has_table("grade"):
                return book
            with engine.connect() as connection:
                of: dict[str, dict[str, float]] = defaultdict(dict)
                for lesson, cell, most in connection.execute(text(CELLS)):
                    of[lesson][cell] = most
                book.of = dict(of)
                for student, lesson, cell, _, auto, manual, extra, waits in connection.execute(
                    text(MARKS)
                ):
                    marks = book.marks.setdefault((lesson, student), Marks())
                    score = manual if manual is not None else auto
                    points = None if waits or score is None else score + (extra or 0.0)
                    marks.points[cell] = points
                for student, lesson, penalty in connection.execute(text(PENALTIES)):
                    book.marks.setdefault((lesson, student), Marks()).penalty += penalty
                for student, lesson, cell, comment in connection.execute(text(COMMENTS)):
                    book.comments[lesson, student, cell] = comment
        finally:
            engine.dispose()
        return book


def exercise_of(cell: str) -> str:
    """The name of an exercise or a discussion, from that of the cell that earns its points."""
    return cell.removeprefix("check_")
