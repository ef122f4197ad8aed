"""What a lesson must have before notebooks are made from it. Every breach is reported at once."""

from collections.abc import Iterator
from dataclasses import dataclass

from autograde.building.alt_text import undescribed_in_markdown
from autograde.building.cell_code import cleared, syntax_error, taken_apart, values_not_shown
from autograde.building.deck_source import deck_refusals
from autograde.building.exercise_rules import Find, exercise_refusals
from autograde.building.lesson_source import KEYS, ROLES, Lesson, Refusal, SourceCell

BEGIN, END = "BEGIN SOLUTION", "END SOLUTION"
SLIDE_TYPES = ("slide", "subslide", "fragment", "skip", "notes", "-")
KINDS_OF_ROLE = {
    "exercise": ("code", "markdown"),
    "check": ("code",),
    "hints": ("markdown",),
    "discussion": ("markdown",),
    "model_answer": ("markdown",),
    "instructor": ("markdown",),
    "deck": ("markdown",),
}


def refusals(lesson: Lesson, find: Find) -> list[Refusal]:
    """Everything that is wrong with the lesson, in the order of its lines.

    Parameters
    ----------
    lesson : the lesson as read
    find : looks an exercise up by its id; raises `LookupError` for an unknown one
    """
    rules = _Rules(lesson)
    found = [
        *rules.about_headers(),
        *rules.about_code(),
        *exercise_refusals(lesson, find),
        *rules.about_discussions(),
        *rules.about_model_answers(),
        *rules.about_pictures(),
        *deck_refusals(lesson),
    ]
    return sorted(found, key=lambda refusal: refusal.line or 0)


@dataclass
class _Rules:
    lesson: Lesson

    def about_headers(self) -> Iterator[Refusal]:
        """Known keys, one role a cell, the right kind of cell, every id once."""
        taken: dict[tuple[str, str], SourceCell] = {}
        for cell in [*self.lesson.cells, *(cell for _, cell in self.lesson.deck)]:
            if "incorrectly_encoded_metadata" in cell.keys:
                text = cell.keys["incorrectly_encoded_metadata"]
                yield self.lesson.refusal(
                    cell, f'the cell header cannot be read: {text} -- write key="value" pairs.'
                )
                continue
            for key in cell.keys:
                if key not in KEYS:
                    yield self.lesson.refusal(
                        cell, f"unknown header key {key!r}. The keys are: {', '.join(KEYS)}."
                    )
            roles = [role for role in ROLES if role in cell.keys]
            if len(roles) > 1:
                yield self.lesson.refusal(
                    cell, f"one cell cannot be {' and '.join(roles)} at once. Cut it in two."
                )
            if cell.role and cell.kind not in KINDS_OF_ROLE[cell.role]:
                yield self.lesson.refusal(
                    cell,
                    f"{cell.role}= belongs on a {KINDS_OF_ROLE[cell.role][0]} cell, "
                    f"this is a {cell.kind} cell.",
                )
            if cell.keys.get("slide", "-") not in SLIDE_TYPES:
                yield self.lesson.refusal(
                    cell,
                    f"unknown slide type {cell.keys['slide']!r}. "
                    f"The types are: {', '.join(SLIDE_TYPES)}.",
                )
            if "points" in cell.keys and cell.role != "discussion":
                yield self.lesson.refusal(
                    cell,
                    "points= belongs on discussions. An exercise's points stand in "
                    "autograde/exercises/.",
                )
            yield from self._about_id(cell, taken)

    def _about_id(
        self, cell: SourceCell, taken: dict[tuple[str, str], SourceCell]
    ) -> Iterator[Refusal]:
        if cell.role in (None, "instructor", "deck"):
            return
        name = cell.keys[cell.role]
        if not isinstance(name, str) or not name.isidentifier():
            yield self.lesson.refusal(
                cell, f'{cell.role} without id. Write {cell.role}="name_of_the_{cell.role}".'
            )
            return
        # A discussion and an answer share nbgrader's one space of grade ids.
        space = "grade_id" if cell.kind == "code" or cell.role == "discussion" else cell.role
        grade_id = f"check_{name}" if cell.role == "check" else name
        first = taken.setdefault((space, grade_id), cell)
        if first is not cell:
            yield self.lesson.refusal(
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
                yield self.lesson.refusal(
                    cell, f"this cell does not parse: {broken[1]}.", broken[0]
                )
            for number, function in [] if broken else values_not_shown(cell.source):
                yield self.lesson.refusal(
                    cell,
                    f"what {function}(...) returns is not shown: a notebook shows the value of a "
                    "cell's last line only. Put it last, or in a cell of its own.",
                    number,
                )
            for number, name in [] if broken else taken_apart(cell.source):
                yield self.lesson.refusal(
                    cell,
                    f"run a second time, this cell fails: it puts another value in the place of "
                    f"{name!r}, whose entries it reads. Give the new value a name of its own.",
                    number,
                )
            marks = [
                (number, BEGIN if BEGIN in line else END)
                for number, line in enumerate(cell.source.splitlines(), start=1)
                if BEGIN in line or END in line
            ]
            if cell.role != "exercise":
                for number, mark in marks[:1]:
                    yield self.lesson.refusal(
                        cell,
                        f"{mark} outside an answer cell: students would see the solution. "
                        'Give the cell exercise="id".',
                        number,
                    )
            elif not marks:
                yield self.lesson.refusal(
                    cell,
                    f"the answer of {cell.name!r} has no ### {BEGIN} / ### {END}. "
                    "Put them around what the student shall write.",
                )
            elif [mark for _, mark in marks] != [BEGIN, END] * (len(marks) // 2):
                yield self.lesson.refusal(
                    cell,
                    f"### {BEGIN} and ### {END} do not stand in pairs in {cell.name!r}.",
                    marks[0][0],
                )
            elif not broken and (broken := syntax_error(cleared(cell.source))):
                yield self.lesson.refusal(
                    cell,
                    f"the student's version of {cell.name!r} does not parse ({broken[1]}). "
                    f"Move ### {BEGIN} so that whole statements are inside.",
                )

    def about_discussions(self) -> Iterator[Refusal]:
        """Each discussion has points, a model answer, and the prose before that asks it."""
        before: SourceCell | None = None
        answered = {cell.name for cell in self.lesson.cells if cell.role == "model_answer"}
        for cell in self.lesson.cells:
            if cell.role == "discussion":
                points = cell.keys.get("points")
                if isinstance(points, bool) or not isinstance(points, int | float) or points <= 0:
                    yield self.lesson.refusal(
                        cell, f"the discussion {cell.name!r} has no points. Write points=2."
                    )
                if before is None or before.kind != "markdown" or before.role is not None:
                    yield self.lesson.refusal(
                        cell,
                        f"the discussion {cell.name!r} has no question. "
                        "Ask it in the prose cell before: this cell is emptied for students.",
                    )
                if cell.name not in answered:
                    yield self.lesson.refusal(
                        cell,
                        f"the discussion {cell.name!r} has no model answer. Write a "
                        f'# %% [markdown] model_answer="{cell.name}" cell after it.',
                    )
            if cell.role not in ("instructor", "model_answer"):
                before = cell

    def about_model_answers(self) -> Iterator[Refusal]:
        """Each model answer belongs to an exercise or a discussion of the lesson."""
        asked = {c.name for c in self.lesson.cells if c.role in ("exercise", "discussion")}
        for cell in self.lesson.cells:
            if cell.role == "model_answer" and cell.name not in asked:
                yield self.lesson.refusal(
                    cell,
                    f"the model answer {cell.name!r} belongs to no exercise and no discussion "
                    "of this lesson. Mend the name.",
                )

    def about_pictures(self) -> Iterator[Refusal]:
        """Pictures in prose have alt text."""
        for cell in self.lesson.cells:
            if cell.kind == "markdown":
                for picture in undescribed_in_markdown(cell.source):
                    yield self.lesson.refusal(
                        cell, f"{picture}. Say in words what the picture shows."
                    )
