"""Keep an answer that has passed, as a part for later lessons, and say what became of it.

Nothing that goes wrong here costs a point, or the check: it is said in a sentence.
"""

import tempfile
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

from autograde.checking.captured_output import captured_output
from autograde.checking.exercise import Answer, Exercise
from autograde.checking.outcomes import said
from autograde.checking.report import Report
from autograde.checking.time_limit import StillRunning, limited
from autograde.desk import parts, results
from autograde.desk.literals import CannotBeWritten
from autograde.desk.part_text import part_text
from autograde.desk.place import PACKAGE, find_desk

LOAD_SECONDS = 60.0  # libraries that it imports may have to be read from a slow disk
NOT_KEPT = "Your answer counts, but it is not kept for later lessons"
Examine = Callable[[Exercise, Answer], Report]


class PartBroken(Exception):
    """A kept part cannot be loaded; the text says why."""


def keep_at_the_desk(answer: Answer, report: Report, examine: Examine) -> str:
    """Keep the result in the learner's folder, and a full answer as a part.

    Returns
    -------
    One sentence on the part; "" where there is nothing to say, and where there is no such folder.
    """
    desk, exercise = find_desk(), report.exercise
    if desk is None or not report.judged or not report.cases:  # a stub is no try
        return ""
    note, kept = "", ""
    if report.points == exercise.points:
        try:
            note, kept = _keep(desk, exercise, answer, examine)
        except CannotBeWritten as reason:
            note = f"{NOT_KEPT}: `{reason.name}` {reason}."
        except OSError as error:
            why = error.strerror or error
            note = f"{NOT_KEPT}: {desk.name}/{PACKAGE} cannot be written ({why})."
        except Exception as error:  # whatever a notebook's objects do, the points stand
            note = f"{NOT_KEPT} ({said(error)})."
    try:
        results.add(desk, exercise.id, report.points, exercise.points, kept)
    except OSError as error:
        why = f"{desk.name} cannot be written ({error.strerror or error})"
        note = f"{note} Your progress cannot be kept: {why}.".strip()
    return note


def _keep(desk: Path, exercise: Exercise, answer: Answer, examine: Examine) -> tuple[str, str]:
    if getattr(answer, "__module__", None) == f"{PACKAGE}.{exercise.id}":
        return "", ""  # it comes from there
    now, file = datetime.now(), parts.file_of(desk, exercise.id)
    text = parts.with_head(exercise.id, exercise.lesson, part_text(exercise.id, answer, desk), now)
    kept, old = parts.digest(text), parts.read(file)
    earlier = [entry.kept for entry in results.kept(desk, exercise.id)]
    if old is not None and parts.digest(old) == kept:
        return "", "" if kept in earlier else kept
    edited = old is not None and parts.digest(old) not in earlier
    name = f"{desk.name}/{PACKAGE}/{file.name}"
    if edited and earlier and earlier[-1] == kept:
        return f"`{name}` stays as you edited it.", ""
    fault = _fault_alone(desk, exercise, text, examine)
    if fault:
        return f"{NOT_KEPT}: on its own, without this notebook, {fault}", ""
    aside = parts.put_aside(file, now).name if edited else ""
    parts.write(file, text)
    beside = f" What you had edited there is beside it: `{aside}`." if aside else ""
    return f"Kept for later lessons: `{name}`.{beside}", kept


def _fault_alone(desk: Path, exercise: Exercise, text: str, examine: Examine) -> str:
    """What is wrong with the text as a module of its own; "" if it passes as the answer did."""
    with tempfile.TemporaryDirectory() as draft:
        (Path(draft) / f"{exercise.id}.py").write_text(text, encoding="utf-8")
        try:
            part = loaded(exercise, Path(draft), desk / PACKAGE)
        except PartBroken as broken:
            return f"it cannot be loaded: {broken}."
    report = examine(exercise, part)
    return "" if report.points == exercise.points else f"it does not pass: {report.message}"


def loaded(exercise: Exercise, *folders: Path, stays: bool = False) -> Any:
    """The part that these folders hold, in limited time, whatever its file does.

    Raises
    ------
    PartBroken
        If it raises, ends the program, is missing, or takes too long.
    """

    def load() -> Any:
        try:
            return parts.load(exercise.id, *folders, stays=stays)
        except BaseException as error:
            raise PartBroken(said(error)) from None

    with captured_output():
        try:
            return limited(load, LOAD_SECONDS)
        except StillRunning:
            raise PartBroken(f"still running after {LOAD_SECONDS:g} seconds") from None
