"""Marking one submission: its steps are done in the sandbox, and each exercise is judged here."""

import contextlib
import os
import select
import socket
from collections.abc import Callable, Mapping, Sequence

from autograde.checking import catalogue
from autograde.checking.exercise import Exercise
from autograde.marking.asking.wire import BadMessage, Gone, Line, Waited
from autograde.marking.clock import Clock, TimedPeer
from autograde.marking.judging import not_defined, report_on, verdict_of
from autograde.marking.limits import Limits
from autograde.marking.oracles import Symbol, given_back, symbol_of
from autograde.marking.plan import Step
from autograde.marking.sandbox.start import Server
from autograde.marking.verdict import ExerciseVerdict

NO_NUMBER = KeyError, TypeError, ValueError, OverflowError


class Marking:
    """The marking of one submission.

    Parameters
    ----------
    steps : what is to be done, from `autograde.marking.plan`
    seeds : by exercise, the seed of its cases
    gone : symbols that the server's build is without
    """

    def __init__(
        self,
        server: Server,
        steps: list[Step],
        seeds: Mapping[str, int],
        gone: set[Symbol],
        limits: Limits,
    ) -> None:
        self.server, self.steps, self.seeds = server, steps, seeds
        self.gone, self.limits = gone, limits
        self.sealed: dict[str, ExerciseVerdict] = {}
        self.notes: list[str] = []
        self._given: list[str] = []
        self._skip: set[int] = set()
        self._missing: set[str] = set()
        self._brought: set[Symbol] = set()
        self._restarts = 0
        self.spent = 0.0
        self._clock = Clock(limits, server.process.pid)
        self._begin()

    def run(self) -> dict[str, ExerciseVerdict]:
        """Do all steps; the verdicts by exercise."""
        try:
            for number in range(len(self.steps)):
                self._do(number)
        finally:
            self._end()
        for exercise_id in self.seeds:
            if exercise_id not in self.sealed:
                exercise = catalogue.find(exercise_id)
                self.sealed[exercise_id] = not_defined(exercise, "it was never reached.")
        return self.sealed

    def _begin(self) -> None:
        self.number, self._socket = self.server.begin()
        self._line: Line = Line(self._socket, self._clock)

    def _end(self) -> None:
        with contextlib.suppress(BadMessage, Gone, Waited, OSError):
            self._line.send(["bye"])
        self._socket.close()
        self.spent += self.server.end(self.number)

    def _do(self, number: int) -> None:
        step = self.steps[number]
        if step.kind == "check":
            self._seal(step.exercise, step.source, number)
            return
        for exercise_id, offered in step.uses:
            if exercise_id in self.seeds and exercise_id not in self.sealed:
                if step.kind == "own":
                    continue
                self._seal(exercise_id, offered, number)
            self._give_back(exercise_id)
        self._run(number)

    def _bring(self, step: Step) -> bool:
        """Give what a statement takes that is late; False if that would answer an open exercise."""
        if step.reads & self._missing:
            return False
        for symbol, text in step.late:
            if symbol in self._brought:
                continue
            parts, came = given_back(symbol, self.gone)
            if came & self._open():
                return False
            rows = [[part.module, part.source] for part in parts]
            for message in (["give", ".".join(symbol), rows, list(symbol)], ["run", text, "", 30]):
                self._asked(message)
            self._brought.add(symbol)
        return True

    def _asked(self, message: Sequence[object]) -> dict[str, object]:
        """Send a message; the error that came of it, or an empty one."""
        self._line.send(message)
        answer, _ = self._line.receive()
        error = answer.get("error") or {} if isinstance(answer, dict) else None
        if not isinstance(error, dict):
            raise BadMessage("no answer")
        return error

    def _open(self) -> set[Symbol]:
        """The references of exercises that are not judged yet."""
        return {symbol_of(catalogue.find(name)) for name in self.seeds} - {
            symbol_of(catalogue.find(name)) for name in self.sealed
        }

    def _run(self, number: int) -> None:
        step = self.steps[number]
        if number in self._skip:
            return
        own = step.kind == "own"
        seconds = self.limits.cell_seconds if own else self.limits.lesson_seconds
        self._clock.start(seconds)
        try:
            if step.kind == "given" and not self._bring(step):
                self._missing |= step.binds
                return
            self._missing -= step.binds
            error = self._asked(["run", step.source, step.label, seconds])
        except (BadMessage, Gone, Waited) as problem:
            self._note(number, "ended or blocked the process that runs it, and is left out")
            self._restart(number, problem)
            return
        if error:
            said = f"{error.get('type')}: {error.get('text')}"
            if error.get("stopped"):
                self._note(number, f"was stopped after {seconds:g} seconds of processor time")
            elif step.matters if own else self.limits.run_everything:
                self._note(number, f"stopped with {said[:300]}")

    def _note(self, number: int, what: str) -> None:
        note = f"Cell {self.steps[number].label.strip('<>').removeprefix('cell ')} {what}."
        if note not in self.notes:
            self.notes.append(note)

    def _restart(self, number: int, problem: Exception) -> None:
        """Begin anew without the cell that broke the process, and come to the same place again."""
        self._skip.add(number)
        self._restarts += 1
        self._end()
        if self._restarts > self.limits.restarts:
            self._skip |= {n for n, step in enumerate(self.steps) if step.kind == "own"}
        self._begin()
        self._brought.clear()
        given, self._given = self._given, []
        for exercise_id in given:
            self._give_back(exercise_id)
        for earlier in range(number):
            if self.steps[earlier].kind != "check" and earlier not in self._skip:
                self._run(earlier)

    def _seal(self, exercise_id: str, expression: str, number: int) -> None:
        """Judge an exercise once, with what stands for it now."""
        if exercise_id in self.sealed or exercise_id not in self.seeds:
            return
        exercise = catalogue.find(exercise_id)
        self.sealed[exercise_id] = self._judged(exercise, expression, number)

    def _judged(self, exercise: Exercise, expression: str, number: int) -> ExerciseVerdict:
        self._clock.start(1.0)
        cases = len(exercise.cases)
        try:
            self._line.send(["check", exercise.id, expression, exercise.seconds, cases])
            mark, end = _handed_over(self._socket, self._clock)
        except (BadMessage, Gone, Waited, OSError) as problem:
            self._restart(number, problem)
            return not_defined(exercise, "the process of the notebook had ended.")
        ended = self._ender(number)
        with end:
            if mark != b"!":
                why = _why(Line(end, self._clock))
                ended()
                return not_defined(exercise, why)
            peer = TimedPeer(Line(end, self._clock), self._clock, exercise.seconds)
            return verdict_of(report_on(exercise, peer, self.seeds[exercise.id], ended))

    def _ender(self, number: int) -> Callable[[], int]:
        done: list[int] = []

        def ended() -> int:
            if not done:
                self._clock.start(1.0)
                try:
                    self._line.send(["end"])
                    answer, _ = self._line.receive()
                    done.append(int(answer["ended"]))
                except (BadMessage, Gone, Waited, *NO_NUMBER) as problem:
                    done.append(0)
                    self._restart(number, problem)
            return done[0]

        return ended

    def _give_back(self, exercise_id: str) -> None:
        """Hand in the course's function for an exercise whose verdict is sealed and not full."""
        verdict = self.sealed.get(exercise_id)
        if exercise_id in self._given or (exercise_id in self.seeds and verdict is None):
            return
        if verdict is not None and verdict.points == verdict.of:
            return
        try:
            symbol = symbol_of(catalogue.find(exercise_id))
        except KeyError:  # a student can ask for anything
            return
        parts, came = given_back(symbol, self.gone)
        if came & self._open() or not parts:
            return
        rows = [[part.module, part.source] for part in parts]
        self._clock.start(self.limits.cell_seconds)
        try:
            error = self._asked(["give", exercise_id, rows, list(symbol)])
            self._given.append(exercise_id)
            if error:
                self.notes.append(f"The course's `{exercise_id}` could not stand in here.")
        except (BadMessage, Gone, Waited):
            return


def _handed_over(line: socket.socket, watch: Callable[[], None]) -> tuple[bytes, socket.socket]:
    """The mark and the socket that the submission's fork sends."""
    while not select.select([line], [], [], 0.05)[0]:
        watch()
    mark, descriptors, _, _ = socket.recv_fds(line, 1, 1)
    if not descriptors:
        raise Gone("no line came")
    try:
        return mark, socket.socket(fileno=descriptors[0])
    except OSError:
        os.close(descriptors[0])
        raise


def _why(line: Line) -> str:
    try:
        told, _ = line.receive()
        if told["type"] == "NameError":
            return "no cell defines it, or the cell that does has failed."
        return f"{str(told['type'])[:80]}: {str(told['text'])[:300]}"
    except (BadMessage, Gone, Waited, KeyError, TypeError):
        return "its process had ended."
