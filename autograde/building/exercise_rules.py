"""What a lesson must have around each exercise: statement, answer, check, hints, and its frame."""

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol

from autograde.building.cell_code import checked_id, ends_with_semicolon, syntax_error, tree
from autograde.building.hints import KINDS, read_hints
from autograde.building.lesson_source import Lesson, Refusal, SourceCell

FRAME = ("points", "difficulty", "importance", "minutes")


class FramedExercise(Protocol):
    """What the builder reads of an exercise; see `autograde.checking.exercise.Exercise`."""

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


def exercise_refusals(lesson: Lesson, find: Find) -> Iterator[Refusal]:
    """Everything that is wrong with the exercises of a lesson; see `lesson_rules.refusals`."""
    rules = _ExerciseRules(lesson, find)
    yield from rules.about_checks_called()
    yield from rules.about_parts()


@dataclass
class _ExerciseRules:
    lesson: Lesson
    find: Find

    def _cells(self, role: str, kind: str) -> dict[str, SourceCell]:
        """The cells of one role by name; of several with one name, the first."""
        cells: dict[str, SourceCell] = {}
        for cell in self.lesson.cells:
            if cell.has_role(role, kind):
                cells.setdefault(cell.name, cell)
        return cells

    def about_checks_called(self) -> Iterator[Refusal]:
        """Every ``check("id", ...)`` in any code cell names an exercise."""
        for cell in self.lesson.cells:
            if cell.kind == "code" and not syntax_error(cell.source):
                yield from self._about_checks_called_in(cell)

    def _about_checks_called_in(self, cell: SourceCell) -> Iterator[Refusal]:
        for node in ast.walk(tree(cell.source)):
            name = checked_id(node)
            if name is not None and not self._exercise(name):
                yield self.lesson.refusal(
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

    def about_parts(self) -> Iterator[Refusal]:
        """Statement, answer, check and hints, in order; the exercise declared and framed."""
        statements = self._cells("exercise", "markdown")
        answers = self._cells("exercise", "code")
        checks = self._cells("check", "code")
        hints = self._cells("hints", "markdown")
        for name, cell in {**statements, **answers}.items():
            yield from self._about_frame(cell, name)
        for name, cell in answers.items():
            if name not in statements:
                yield self.lesson.refusal(
                    cell,
                    f"the exercise {name!r} has no statement. "
                    f'Write a # %% [markdown] exercise="{name}" cell before it.',
                )
            elif statements[name].line > cell.line:
                yield self.lesson.refusal(
                    cell, f"the answer of {name!r} stands before its statement."
                )
            if name not in checks:
                yield self.lesson.refusal(
                    cell,
                    f'the exercise {name!r} has no check. Write a # %% check="{name}" cell '
                    f'that ends with check("{name}", ...).',
                )
            if name not in hints:
                yield self.lesson.refusal(
                    cell,
                    f"the exercise {name!r} has no hints. Write a # %% [markdown] "
                    f'hints="{name}" cell with nudge:, idea: and outline:.',
                )
        for name, cell in statements.items():
            if name not in answers:
                yield self.lesson.refusal(
                    cell, f'the exercise {name!r} has no answer cell # %% exercise="{name}".'
                )
        for name, cell in checks.items():
            if name not in answers:
                yield self.lesson.refusal(
                    cell,
                    f'the check of {name!r} has no answer cell # %% exercise="{name}".',
                )
            elif answers[name].line > cell.line:
                yield self.lesson.refusal(cell, f"the check of {name!r} stands before its answer.")
            yield from self._about_last_line(cell)
        for name, cell in hints.items():
            if name not in answers:
                yield self.lesson.refusal(
                    cell, f"hints for {name!r}, but there is no such answer cell."
                )
            missing = [kind for kind in KINDS if not read_hints(cell.source).get(kind)]
            if missing:
                yield self.lesson.refusal(
                    cell,
                    f"the hints for {name!r} lack {', '.join(missing)}. Each begins a paragraph: "
                    + ", ".join(f"{kind}:" for kind in KINDS)
                    + ".",
                )

    def _about_frame(self, cell: SourceCell, name: str) -> Iterator[Refusal]:
        exercise = self._exercise(name)
        if exercise is None:
            yield self.lesson.refusal(
                cell,
                f"unknown exercise {name!r}. Declare it in autograde/exercises/ or mend the name.",
            )
            return
        for field in FRAME:
            if getattr(exercise, field, None) is None:
                yield self.lesson.refusal(
                    cell, f"the exercise {name!r} has no {field}. Set it in autograde/exercises/."
                )
        if exercise.lesson != self.lesson.name:
            yield self.lesson.refusal(
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
            yield self.lesson.refusal(
                cell,
                f'a check cell must end with check("{cell.name}", ...): '
                "nbgrader reads the points from the cell's last value.",
            )
        elif ends_with_semicolon(cell.source):
            yield self.lesson.refusal(
                cell,
                "a check cell must not end with a semicolon: it hides the points from nbgrader.",
            )
