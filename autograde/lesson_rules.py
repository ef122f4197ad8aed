"""What a lesson must have before notebooks are made from it. Every breach is reported at once."""

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol

from autograde.alt_text import undescribed_in_markdown
from autograde.cell_code import (
    checked_id,
    cleared,
    ends_with_semicolon,
    syntax_error,
    tree,
)
from autograde.hints import KINDS, read_hints
from autograde.lesson_source import KEYS, ROLES, Lesson, Refusal, SourceCell

BEGIN, END = "BEGIN SOLUTION", "END SOLUTION"
FRAME = ("points", "difficulty", "importance", "minutes")
SLIDE_TYPES = ("slide", "subslide", "fragment", "skip", "notes", "-")
KINDS_OF_ROLE = {
    "exercise": ("code", "markdown"),
    "check": ("code",),
    "hints": ("markdown",),
    "discussion": ("markdown",),
    "instructor": ("markdown",),
}


class FramedExercise(Protocol):
    """What the builder reads of an exercise; see `autograde.exercise.Exercise`."""

    @property
    def lesson(self) -> str: ...
    @property
    def points(self) -> float: ...
    @property
    def difficulty(self) -> int: ...
    @property
    def importance(self) -> int: ...
    @property
    def minutes(self) -> int: ...


Find = Callable[[str], FramedExercise]


def refusals(lesson: Lesson, find: Find) -> list[Refusal]:
    """Everything that is wrong with the lesson, in the order of its lines.

    Args:
        lesson: the lesson as read.
        find: looks an exercise up by its id; raises `LookupError` for an unknown one.
    """
    rules = _Rules(lesson, find)
    found = [
        *rules.about_headers(),
        *rules.about_code(),
        *rules.about_exercises(),
        *rules.about_discussions(),
        *rules.about_pictures(),
    ]
    return sorted(found, key=lambda refusal: refusal.line or 0)


@dataclass
class _Rules:
    lesson: Lesson
    find: Find

    def _at(self, cell: SourceCell, message: str, line_in_cell: int = 0) -> Refusal:
        return Refusal(self.lesson.path, cell.line + line_in_cell, message)

    def _cells(self, role: str, kind: str) -> dict[str, SourceCell]:
        """The cells of one role by name; of several with one name, the first."""
        cells: dict[str, SourceCell] = {}
        for cell in self.lesson.cells:
            if cell.has_role(role, kind):
                cells.setdefault(cell.name, cell)
        return cells

    def about_headers(self) -> Iterator[Refusal]:
        """Known keys, one role a cell, the right kind of cell, every id once."""
        taken: dict[tuple[str, str], SourceCell] = {}
        for cell in self.lesson.cells:
            if "incorrectly_encoded_metadata" in cell.keys:
                text = cell.keys["incorrectly_encoded_metadata"]
                yield self._at(
                    cell, f'the cell header cannot be read: {text} -- write key="value" pairs.'
                )
                continue
            for key in cell.keys:
                if key not in KEYS:
                    yield self._at(
                        cell, f"unknown header key {key!r}. The keys are: {', '.join(KEYS)}."
                    )
            roles = [role for role in ROLES if role in cell.keys]
            if len(roles) > 1:
                yield self._at(
                    cell, f"one cell cannot be {' and '.join(roles)} at once. Cut it in two."
                )
            if cell.role and cell.kind not in KINDS_OF_ROLE[cell.role]:
                yield self._at(
                    cell,
                    f"{cell.role}= belongs on a {KINDS_OF_ROLE[cell.role][0]} cell, "
                    f"this is a {cell.kind} cell.",
                )
            if cell.keys.get("slide", "-") not in SLIDE_TYPES:
                yield self._at(
                    cell,
                    f"unknown slide type {cell.keys['slide']!r}. "
                    f"The types are: {', '.join(SLIDE_TYPES)}.",
                )
            if "points" in cell.keys and cell.role != "discussion":
                yield self._at(
                    cell,
                    "points= belongs on discussions. An exercise's points stand in "
                    "autograde/exercises/.",
                )
            yield from self._about_id(cell, taken)

    def _about_id(
        self, cell: SourceCell, taken: dict[tuple[str, str], SourceCell]
    ) -> Iterator[Refusal]:
        if cell.role is None or cell.role == "instructor":
            return
        name = cell.keys[cell.role]
        if not isinstance(name, str) or not name.isidentifier():
            yield self._at(
                cell, f'{cell.role} without id. Write {cell.role}="name_of_the_{cell.role}".'
            )
            return
        # A discussion and an answer share nbgrader's one space of grade ids.
        space = "grade_id" if cell.kind == "code" or cell.role == "discussion" else cell.role
        grade_id = f"check_{name}" if cell.role == "check" else name
        first = taken.setdefault((space, grade_id), cell)
        if first is not cell:
            yield self._at(
                cell,
                f"the id {name!r} is taken: line {first.line} has {first.role}={first.name!r}. "
                "Give each cell its own id.",
            )

    def about_code(self) -> Iterator[Refusal]:
        """Cells parse, before and after clearing; solution marks stand in pairs."""
        for cell in self.lesson.cells:
            if cell.kind != "code":
                continue
            broken = syntax_error(cell.source)
            if broken:
                yield self._at(cell, f"this cell does not parse: {broken[1]}.", broken[0])
            else:
                yield from self._about_checks_called(cell)
            marks = [
                (number, BEGIN if BEGIN in line else END)
                for number, line in enumerate(cell.source.splitlines(), start=1)
                if BEGIN in line or END in line
            ]
            if cell.role != "exercise":
                for number, mark in marks[:1]:
                    yield self._at(
                        cell,
                        f"{mark} outside an answer cell: students would see the solution. "
                        'Give the cell exercise="id".',
                        number,
                    )
            elif not marks:
                yield self._at(
                    cell,
                    f"the answer of {cell.name!r} has no ### {BEGIN} / ### {END}. "
                    "Put them around what the student shall write.",
                )
            elif [mark for _, mark in marks] != [BEGIN, END] * (len(marks) // 2):
                yield self._at(
                    cell,
                    f"### {BEGIN} and ### {END} do not stand in pairs in {cell.name!r}.",
                    marks[0][0],
                )
            elif not broken and (broken := syntax_error(cleared(cell.source))):
                yield self._at(
                    cell,
                    f"the student's version of {cell.name!r} does not parse ({broken[1]}). "
                    f"Move ### {BEGIN} so that whole statements are inside.",
                )

    def _about_checks_called(self, cell: SourceCell) -> Iterator[Refusal]:
        """Every ``check("id", ...)`` in any code cell names an exercise."""
        for node in ast.walk(tree(cell.source)):
            name = checked_id(node)
            if name is not None and not self._exercise(name):
                yield self._at(
                    cell,
                    f"check names the unknown exercise {name!r}. "
                    "Declare it in autograde/exercises/ or mend the name.",
                    getattr(node, "lineno", 0),
                )

    def _exercise(self, name: str) -> FramedExercise | None:
        try:
            return self.find(name)
        except LookupError:
            return None

    def about_exercises(self) -> Iterator[Refusal]:
        """Each exercise: declared and framed; statement, answer, check and hints, in order."""
        statements = self._cells("exercise", "markdown")
        answers = self._cells("exercise", "code")
        checks = self._cells("check", "code")
        hints = self._cells("hints", "markdown")
        for name, cell in {**statements, **answers}.items():
            yield from self._about_frame(cell, name)
        for name, cell in answers.items():
            if name not in statements:
                yield self._at(
                    cell,
                    f"the exercise {name!r} has no statement. "
                    f'Write a # %% [markdown] exercise="{name}" cell before it.',
                )
            elif statements[name].line > cell.line:
                yield self._at(cell, f"the answer of {name!r} stands before its statement.")
            if name not in checks:
                yield self._at(
                    cell,
                    f'the exercise {name!r} has no check. Write a # %% check="{name}" cell '
                    f'that ends with check("{name}", ...).',
                )
            if name not in hints:
                yield self._at(
                    cell,
                    f"the exercise {name!r} has no hints. Write a # %% [markdown] "
                    f'hints="{name}" cell with nudge:, idea: and outline:.',
                )
        for name, cell in statements.items():
            if name not in answers:
                yield self._at(
                    cell, f'the exercise {name!r} has no answer cell # %% exercise="{name}".'
                )
        for name, cell in checks.items():
            if name not in answers:
                yield self._at(
                    cell,
                    f'the check of {name!r} has no answer cell # %% exercise="{name}".',
                )
            elif answers[name].line > cell.line:
                yield self._at(cell, f"the check of {name!r} stands before its answer.")
            yield from self._about_last_line(cell)
        for name, cell in hints.items():
            if name not in answers:
                yield self._at(cell, f"hints for {name!r}, but there is no such answer cell.")
            missing = [kind for kind in KINDS if not read_hints(cell.source).get(kind)]
            if missing:
                yield self._at(
                    cell,
                    f"the hints for {name!r} lack {', '.join(missing)}. Each begins a paragraph: "
                    + ", ".join(f"{kind}:" for kind in KINDS)
                    + ".",
                )

    def _about_frame(self, cell: SourceCell, name: str) -> Iterator[Refusal]:
        exercise = self._exercise(name)
        if exercise is None:
            yield self._at(
                cell,
                f"unknown exercise {name!r}. Declare it in autograde/exercises/ or mend the name.",
            )
            return
        for field in FRAME:
            if getattr(exercise, field, None) is None:
                yield self._at(
                    cell, f"the exercise {name!r} has no {field}. Set it in autograde/exercises/."
                )
        if exercise.lesson != self.lesson.name:
            yield self._at(
                cell,
                f"the exercise {name!r} belongs to lesson {exercise.lesson!r}, "
                f"this is {self.lesson.name!r}.",
            )

    def _about_last_line(self, cell: SourceCell) -> Iterator[Refusal]:
        if syntax_error(cell.source):
            return
        body = tree(cell.source).body
        last = body[-1] if body else None
        called = checked_id(last.value) if isinstance(last, ast.Expr) else None
        if called != cell.name:
            yield self._at(
                cell,
                f'a check cell must end with check("{cell.name}", ...): '
                "nbgrader reads the points from the cell's last value.",
            )
        elif ends_with_semicolon(cell.source):
            yield self._at(
                cell,
                "a check cell must not end with a semicolon: it hides the points from nbgrader.",
            )

    def about_discussions(self) -> Iterator[Refusal]:
        """Each discussion has points and follows the prose that asks the question."""
        before: SourceCell | None = None
        for cell in self.lesson.cells:
            if cell.role == "discussion":
                points = cell.keys.get("points")
                if isinstance(points, bool) or not isinstance(points, int | float) or points <= 0:
                    yield self._at(
                        cell, f"the discussion {cell.name!r} has no points. Write points=2."
                    )
                if before is None or before.kind != "markdown" or before.role is not None:
                    yield self._at(
                        cell,
                        f"the discussion {cell.name!r} has no question. "
                        "Ask it in the prose cell before: this cell is emptied for students.",
                    )
            if cell.role != "instructor":
                before = cell

    def about_pictures(self) -> Iterator[Refusal]:
        """Pictures in prose have alt text."""
        for cell in self.lesson.cells:
            if cell.kind == "markdown":
                for picture in undescribed_in_markdown(cell.source):
                    yield self._at(cell, f"{picture}. Say in words what the picture shows.")
