"""A worker's task: a notebook, a release and seeds in; verdict and graded notebook out.

It is a pure function of its arguments: the same seeds, the same verdict. What a worker keeps from
one task to the next is a fork server for the lesson.
"""

import hashlib
import os
import resource
import traceback
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cache

import nbformat
from nbformat.notebooknode import NotebookNode
from nbformat.v4 import new_output

from autograde.checking import catalogue
from autograde.marking.judging import seed_for
from autograde.marking.limits import Limits
from autograde.marking.marking import Marking
from autograde.marking.oracles import Symbol, oracles, symbol_of
from autograde.marking.plan import checked, exercises_of, plan
from autograde.marking.repair import Unreadable, read_submission, repaired
from autograde.marking.sandbox.start import Server
from autograde.marking.verdict import ExerciseVerdict, Verdict

GRADED = "NBGRADER_EXECUTION"


@dataclass(frozen=True)
class Task:
    """One submission, and all that marking it takes."""

    lesson: str
    student: str
    submission: bytes = field(repr=False)
    released: str = field(repr=False)
    secret: bytes = field(repr=False)
    limits: Limits
    gone: frozenset[Symbol] = field(repr=False)
    walls: bool | None = None


@dataclass(frozen=True)
class Marked:
    """What came of a task; ``notebook`` is "" where nothing could be read."""

    verdict: Verdict
    notebook: str = field(default="", repr=False)


def gone_for(released: NotebookNode) -> frozenset[Symbol]:
    """What a build of the packages must not hold while this lesson is marked."""
    found = [symbol_of(catalogue.find(name)) for name in exercises_of(released)]
    return frozenset(oracles(found))


def mark(task: Task) -> Marked:
    """Mark one submission; whatever goes wrong is a verdict, and stops nobody else."""
    digest = hashlib.sha256(task.submission).hexdigest()
    verdict = Verdict(task.lesson, task.student, digest)
    try:
        before = os.environ.get(GRADED)
        os.environ[GRADED] = "autograde"
        try:
            return _mark(task, verdict)
        finally:
            if before is None:
                del os.environ[GRADED]
            else:
                os.environ[GRADED] = before
    except Unreadable as why:
        return Marked(replace(verdict, status="unreadable", reason=str(why)))
    except Exception as error:
        _servers.cache_clear()
        said = traceback.format_exception_only(error)[-1].strip()
        where = traceback.format_exc(limit=-3)
        return Marked(replace(verdict, status="failed", reason=f"{said}\n{where}"[:3000]))


def _mark(task: Task, verdict: Verdict) -> Marked:
    began = _spent()
    released = nbformat.reads(task.released, 4)
    notebook, notes = repaired(read_submission(task.submission), released)
    ids = exercises_of(released)
    seeds = {name: seed_for(task.secret, task.student, name) for name in ids}
    server = _servers(task.gone, task.limits, task.walls)
    steps = plan(notebook, released, task.limits.run_everything)
    marking = Marking(server, steps, seeds, set(task.gone), task.limits)
    found = marking.run()
    verdict = replace(
        verdict,
        sandbox=server.stamp,
        repaired=tuple(notes),
        notes=tuple(marking.notes),
        processor_seconds=round(_spent() - began + marking.spent, 3),
        exercises=tuple(found[name] for name in ids),
    )
    _write_outputs(notebook.cells, found)
    return Marked(verdict, nbformat.writes(notebook))


@cache
def _servers(gone: frozenset[Symbol], limits: Limits, walls: bool | None) -> Server:
    return Server(set(gone), limits, walls)


def _spent() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def _write_outputs(cells: Iterable[NotebookNode], found: dict[str, ExerciseVerdict]) -> None:
    """Put the trusted reports where the student's kernel would have put its own."""
    for cell in cells:
        nbgrader = cell.metadata.get("nbgrader", {})
        if cell.cell_type == "code" and nbgrader.get("grade") and nbgrader.get("locked"):
            verdict = found[checked(cell.source)[0]]
            data = {"text/plain": repr(verdict.points), "text/html": verdict.page}
            cell.outputs = [new_output("execute_result", data, execution_count=None)]
