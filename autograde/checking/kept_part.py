"""Keep an answer that has passed, as a part for later lessons, and say what became of it.

Nothing that goes wrong here costs a point, or the check: it is said in a sentence.
"""

import tempfile
from collections.abc import Callable, Collection
from datetime import datetime
from pathlib import Path
from typing import Any

from autograde.checking import catalogue
from autograde.checking.captured_output import captured_output
from autograde.checking.exercise import Answer, Exercise
from autograde.checking.outcomes import said
from autograde.checking.report import Report
from autograde.checking.time_limit import StillRunning, limited
from autograde.workspace import parts, results
from autograde.workspace.literals import CannotBeWritten
from autograde.workspace.part_imports import foreign, stand_ins
from autograde.workspace.part_text import part_text
from autograde.workspace.place import ELMO_PARTS, KEPT_IN, OTHERS, PACKAGE, find_workspace
from autograde.workspace.renamed import every_id

LOAD_SECONDS = 60.0  # libraries that it imports may have to be read from a slow disk
NOT_KEPT = "Your answer counts, but it is not kept for later lessons"
Examine = Callable[[Exercise, Answer], Report]


class PartBroken(Exception):
    """A kept part cannot be loaded; the text says why."""


def keep_at_the_workspace(answer: Answer, report: Report, examine: Examine) -> str:
    """Keep the result in the learner's folder, and a full answer as a part.

    Returns
    -------
    One sentence on the part; "" where there is nothing to say, and where there is no such folder.
    """
    workspace, exercise = find_workspace(), report.exercise
    if workspace is None or not report.judged or not report.counts:
        return ""
    note, kept = "", ""
    if report.points == exercise.points:
        try:
            note, kept = _keep(workspace, exercise, answer, examine)
        except CannotBeWritten as reason:
            note = f"{NOT_KEPT}: `{reason.name}` {reason}."
        except OSError as error:
            why = error.strerror or error
            folder = parts.file_of(workspace, exercise.id).parent.name
            note = f"{NOT_KEPT}: {workspace.name}/{folder} cannot be written ({why})."
        except Exception as error:  # whatever a notebook's objects do, the points stand
            note = f"{NOT_KEPT} ({said(error)})."
    try:
        results.add(workspace, exercise.id, report.points, exercise.points, kept)
    except OSError as error:
        why = f"{workspace.name} cannot be written ({error.strerror or error})"
        note = f"{note} Your progress cannot be kept: {why}.".strip()
    return note


def _keep(workspace: Path, exercise: Exercise, answer: Answer, examine: Examine) -> tuple[str, str]:
    kept_as = [f"{package}.{name}" for package in KEPT_IN for name in every_id(exercise.id)]
    if getattr(answer, "__module__", None) in kept_as:
        return "", ""  # it comes from there
    now, file = datetime.now(), parts.file_of(workspace, exercise.id)
    body, package = _source(workspace, exercise, answer)
    text = parts.with_head(exercise.id, exercise.lesson, body, now)
    kept, old = parts.digest(text), parts.read(file)
    earlier = [entry.kept for entry in results.kept(workspace, exercise.id)]
    if old is not None and parts.digest(old) == kept:
        return "", "" if kept in earlier else kept
    edited = old is not None and parts.digest(old) not in earlier
    if edited and earlier and earlier[-1] == kept:
        return f"`{parts.shown(file)}` stays as you edited it.", ""
    fault = _fault_alone(workspace, exercise, text, examine)
    if fault:
        return f"{NOT_KEPT}: on its own, without this notebook, {fault}", ""
    aside = parts.put_aside(file, now).name if edited else ""
    new = workspace / package / f"{exercise.id}.py"
    parts.write(new, text)
    if file != new:  # an earlier release kept it there
        file.unlink(missing_ok=True)
    beside = f" What you had edited there is beside it: `{aside}`." if aside else ""
    return f"Kept for later lessons: `{parts.shown(new)}`.{beside}", kept


def _source(workspace: Path, exercise: Exercise, answer: Answer) -> tuple[str, str]:
    """The text of a part, and the package that it belongs to.

    A part of an ELMo takes the course's other parts, too, from the learner's package: whichever is
    there when the package is put together.
    """
    if exercise.id in ELMO_PARTS:
        whichever = {
            catalogue.find(name).reference: (f"{PACKAGE}.{name}", name)
            for name in ELMO_PARTS
            if name != exercise.id
        }
        text = part_text(exercise.id, answer, workspace, (OTHERS,), whichever, (PACKAGE,))
        if not foreign(text):
            return text, PACKAGE
    return part_text(exercise.id, answer, workspace), OTHERS


def _fault_alone(workspace: Path, exercise: Exercise, text: str, examine: Examine) -> str:
    """What is wrong with the text as a module of its own; "" if it passes as the answer did."""
    with tempfile.TemporaryDirectory() as draft:
        (Path(draft) / f"{exercise.id}.py").write_text(text, encoding="utf-8")
        try:
            part = loaded(exercise, workspace, draft=Path(draft))
        except PartBroken as broken:
            return f"it cannot be loaded: {broken}."
    report = examine(exercise, part)
    return "" if report.points == exercise.points else f"it does not pass: {report.message}"


def loaded(
    exercise: Exercise,
    workspace: Path,
    *,
    draft: Path | None = None,
    of_the_course: Collection[str] = (),
    stays: bool = False,
) -> Any:
    """The kept part, in limited time, whatever its file does.

    Parameters
    ----------
    draft : a folder whose files come before those of the workspace
    of_the_course : parts of an ELMo that are the course's, besides those that are not there

    Raises
    ------
    PartBroken
        If it raises, ends the program, is missing, or takes too long.
    """

    def load() -> Any:
        names = {*of_the_course, *stand_ins(workspace, exercise.id, draft)} - {exercise.id}
        instead = {name: catalogue.find(name).reference for name in names}
        try:
            return parts.load(workspace, exercise.id, draft=draft, instead=instead, stays=stays)
        except BaseException as error:
            raise PartBroken(said(error)) from None

    with captured_output():
        try:
            return limited(load, LOAD_SECONDS)
        except StillRunning:
            raise PartBroken(f"still running after {LOAD_SECONDS:g} seconds") from None
