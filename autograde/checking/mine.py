"""`mine("exercise")`: the learner's own part of an earlier lesson, or the course's."""

from collections.abc import Collection
from datetime import datetime
from pathlib import Path

from autograde.checking import catalogue
from autograde.checking.check import report_of
from autograde.checking.exercise import Answer, Exercise
from autograde.checking.kept_part import PartBroken, loaded
from autograde.checking.report import Report
from autograde.checking.safe_state import safe_state
from autograde.checking.time_limit import interruptible
from autograde.workspace import parts, results
from autograde.workspace.place import being_graded, find_workspace


@interruptible()
@safe_state()
def mine(exercise_id: str) -> Answer:
    """Your own answer to an exercise of an earlier lesson, if it was kept and still passes.

    Else the course's. One printed sentence says which. While nbgrader runs the notebook it is
    always the course's, so that a mark does not depend on another lesson.

    Raises
    ------
    KeyError
        If there is no such exercise; the message lists those there are.
    """
    exercise = catalogue.find(exercise_id)
    if being_graded():
        return exercise.reference
    workspace = find_workspace()
    if workspace is None:
        print(f"`{exercise_id}` is the course's: nothing of yours is kept here.")
        return exercise.reference
    part, sentence = own_part(exercise, workspace)
    print(sentence)
    return exercise.reference if part is None else part


def own_part(
    exercise: Exercise, workspace: Path, of_the_course: Collection[str] = ()
) -> tuple[Answer | None, str]:
    """The learner's own part, if it was kept and still passes; and a sentence on whose is used.

    Parameters
    ----------
    of_the_course : parts of an ELMo that it finds the course's, besides those that are not there
    """
    file = parts.file_of(workspace, exercise.id)
    name = parts.shown(file)
    if not file.exists():
        passed = [e for e, found in results.results(workspace).items() if found.passed]
        why = f"{name} is not there" if exercise.id in passed else "you have not passed it yet"
        return None, f"`{exercise.id}` is the course's: {why}."
    try:
        stays = not of_the_course
        part: Answer = loaded(exercise, workspace, of_the_course=of_the_course, stays=stays)
        fault = _fault(report_of(exercise, part))
    except PartBroken as broken:
        fault = f"cannot be loaded ({broken})"
    if fault:
        return None, f"Your `{exercise.id}` in {name} {fault}, so the course's is used."
    return part, f"`{exercise.id}` is yours, {_since(workspace, exercise.id)}."


def _fault(report: Report) -> str:
    if not report.judged:
        return "cannot be judged in this notebook"
    if report.points < report.exercise.points:
        return f"no longer passes ({report.message.rstrip('.')})"
    return ""


def _since(workspace: Path, exercise_id: str) -> str:
    now = parts.digest(parts.read(parts.file_of(workspace, exercise_id)) or "")
    for entry in results.kept(workspace, exercise_id):
        if entry.kept == now:
            return f"kept on {parts.day(datetime.fromisoformat(entry.when))}"
    return "as you edited it"
