"""The made submissions of a rehearsal, each with the marks that it must earn."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import nbformat
from nbformat.notebooknode import NotebookNode

from autograde.checking import catalogue
from autograde.checking.check import judged
from autograde.checking.exercise import Exercise, Mistake
from autograde.checking.outcomes import known_outcomes
from autograde.checking.slips import Slip
from autograde.marking.judging import seed_for
from autograde.marking.names import Import, Piece, pieces
from autograde.marking.oracles import Symbol
from autograde.marking.plan import exercises_of
from autograde.marking.rehearsal.answer_text import cell_of, written
from autograde.marking.rehearsal.broken import COSTLY, unreadable
from autograde.marking.rehearsal.hand_in import HandIn
from autograde.marking.rehearsal.strange import STRANGE
from autograde.marking.standing import Status
from autograde.marking.worker import gone_for
from autograde.workspace.literals import CannotBeWritten

RENAMED = {"as_it_should_be": "my copy of it (1).ipynb"}


@dataclass(frozen=True)
class Must:
    """What a made submission must come to.

    Attributes
    ----------
    points : by exercise and discussion; None where a person has to give them
    mistakes : by exercise, the name of the mistake that must be said
    """

    status: Status
    points: Mapping[str, float | None] = field(default_factory=dict)
    mistakes: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Made:
    """A submission and what it must come to; ``file`` is the name under which it is handed in."""

    student: str
    data: bytes = field(repr=False)
    must: Must
    file: str = ""


class Lesson:
    """A released lesson with its right answers and everything that is known to be wrong.

    Parameters
    ----------
    solution : the solved notebook
    secret, seeded : the course's secret and the student whose cases all made submissions get
    """

    def __init__(
        self, released: NotebookNode, solution: NotebookNode, secret: bytes, seeded: str
    ) -> None:
        self.released, self.secret, self.seeded = released, secret, seeded
        self.right = {
            cell.metadata.nbgrader.grade_id: cell.source
            for cell in solution.cells
            if cell.metadata.get("nbgrader", {}).get("solution")
        }
        self.exercises = [catalogue.find(name) for name in exercises_of(released)]
        self.essays = HandIn.of(released, {}).essays
        self.gone: set[Symbol] = set(gone_for(released))
        self.not_written: list[str] = []

    def made(self, only: str = "") -> Iterator[Made]:
        """Right, empty, strange, costly, unreadable, and every named mistake.

        Parameters
        ----------
        only : a text that the names of those hold that are made
        """
        right = HandIn.of(self.released, self.right).saved()
        if only in "nothing_done":
            yield Made("nothing_done", HandIn.of(self.released, {}).saved(), self._nothing())
        for name, change in STRANGE.items():
            if only in name:
                hand_in = HandIn.of(self.released, self.right)
                change(hand_in)
                yield Made(name, hand_in.saved(), self._must(), RENAMED.get(name, ""))
        if only in "a_byte_order_mark":
            yield Made("a_byte_order_mark", b"\xef\xbb\xbf" + right, self._must())
        last = self.exercises[-1].id
        for name, text in COSTLY.items():
            if only in name:
                answers = {**self.right, last: text.format(name=last)}
                hand_in = HandIn.of(self.released, answers)
                yield Made(name, hand_in.saved(), self._must(points={last: 0.0}))
        for name, data in unreadable(right).items():
            if only in name:
                yield Made(name, data, Must("unreadable"))
        yield from self.mistaken(only=only)

    def mistaken(self, row: int | None = None, only: str = "") -> Iterator[Made]:
        """Every named mistake once: the first of each exercise together, then the second.

        Parameters
        ----------
        row : the one row that is made, modulo their number
        only : as for `made`
        """
        rows = [list(self._mistakes(exercise)) for exercise in self.exercises]
        most = max(map(len, rows), default=0)
        for number in range(most) if row is None else [row % most]:
            name = f"mistakes_{number + 1:03}"
            if only not in name:
                continue
            answers, points, names = dict(self.right), {}, {}
            for exercise, mistakes in zip(self.exercises, rows, strict=True):
                if number < len(mistakes):
                    mistake, answers[exercise.id] = mistakes[number]
                    found = self._told(exercise, mistake)
                    points[exercise.id], names[exercise.id] = found
            hand_in = HandIn.of(self.released, answers)
            yield Made(name, hand_in.saved(), self._must(points, names))

    def _mistakes(self, exercise: Exercise) -> Iterator[tuple[Mistake, str]]:
        for mistake in exercise.mistakes:
            slip = mistake if isinstance(mistake, Slip) else None
            try:
                answer = written(exercise, mistake.answer, slip)
            except CannotBeWritten as why:
                self.not_written.append(f"{exercise.id}: {mistake.name} {why}")
                continue
            # What a right answer imports, others may use that stand below it.
            front = [p.text for p in _parts(self.right[exercise.id]) if isinstance(p.node, Import)]
            above = _imports_above(self.released, exercise.id)
            cell = cell_of(exercise, answer, self.gone, above)
            yield mistake, "\n".join([*front, cell])

    def _told(self, exercise: Exercise, mistake: Mistake) -> tuple[float, str]:
        """What this answer earns in a process that it shares with its judge, and its name there."""
        seed = seed_for(self.secret, self.seeded, exercise.id)
        came = known_outcomes(exercise, mistake.answer, seed)
        report = judged(exercise, mistake.answer, came, seed)
        return float(report.points), report.mistake.name if report.mistake else ""

    def _must(
        self, points: Mapping[str, float] | None = None, mistakes: Mapping[str, str] | None = None
    ) -> Must:
        full: dict[str, float | None] = {e.id: float(e.points) for e in self.exercises}
        essays = dict.fromkeys(self.essays)
        status: Status = "essay unmarked" if essays else "complete"
        return Must(status, {**full, **essays, **(points or {})}, mistakes or {})

    def _nothing(self) -> Must:
        names = [*(exercise.id for exercise in self.exercises), *self.essays]
        return Must("complete", dict.fromkeys(names, 0.0))

    def second_hand_in(self) -> Made:
        """Everything right, from who had handed in nothing."""
        return Made("nothing_done", HandIn.of(self.released, self.right).saved(), self._must())


def _imports_above(released: NotebookNode, exercise_id: str) -> Iterator[Piece]:
    for cell in released.cells:
        if cell.metadata.get("nbgrader", {}).get("grade_id") == exercise_id:
            return
        if cell.cell_type == "code" and "nbgrader" not in cell.metadata:
            yield from _parts(cell.source)


def _parts(source: str) -> list[Piece]:
    try:
        return pieces(source)
    except SyntaxError:
        return []


def read(released: str, solution: str, secret: bytes, seeded: str) -> Lesson:
    """The lesson of a released and a solved notebook."""
    return Lesson(nbformat.reads(released, 4), nbformat.reads(solution, 4), secret, seeded)
