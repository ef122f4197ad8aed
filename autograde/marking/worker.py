"""A worker's task: a notebook, a release and seeds in; verdict and graded notebook out.

It is a pure function of its arguments: the same seeds, the same verdict. What a worker keeps from
one task to the next is a fork server for the lesson.
"""

import hashlib
import os
import resource
import threading
import traceback
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cache
from multiprocessing.util import Finalize

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
# A worker of a cluster may have threads; what a mark changes of the process, it changes for all.
_one_at_a_time = threading.Lock()


@dataclass(frozen=True)
class Task:
    """One submission, and all that marking it takes.

    Attributes
    ----------
    gone : what the packages in the sandbox are without
    walls : whether it is marked in bubblewrap; where there is one, unless it is said
    seeded : whose cases it is given; the student's own, unless it is said
    """

    lesson: str
    student: str
    submission: bytes = field(repr=False)
    released: str = field(repr=False)
    secret: bytes = field(repr=False)
    limits: Limits
    gone: frozenset[Symbol] = field(repr=False)
    walls: bool | None = None
    seeded: str = ""


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
    with _one_at_a_time:
        before = os.environ.get(GRADED)
        os.environ[GRADED] = "autograde"
        try:
            return _marked(task)
        except Unreadable as why:
            return Marked(replace(_begun(task), status="unreadable", reason=str(why)))
        except Exception as error:
            said = traceback.format_exception_only(error)[-1].strip()
            return failed(task, f"{said}\n{traceback.format_exc(limit=-3)}")
        finally:
            if before is None:
                del os.environ[GRADED]
            else:
                os.environ[GRADED] = before


def failed(task: Task, reason: str) -> Marked:
    """The verdict where marking itself went wrong; the next run marks it anew."""
    return Marked(replace(_begun(task), status="failed", reason=reason[:3000]))


def _begun(task: Task) -> Verdict:
    return Verdict(task.lesson, task.student, hashlib.sha256(task.submission).hexdigest())


def _marked(task: Task) -> Marked:
    """Mark it, and once more where the fork server was lost meanwhile: that is no student's."""
    for last in (False, True):
        server = _server_for(task)
        try:
            return _mark(task, server, _begun(task))
        except Unreadable:  # nothing of it has come to the server
            raise
        except Exception:
            _give_up(server)
            if last or not server.is_lost():
                raise
    raise AssertionError


def _mark(task: Task, server: Server, verdict: Verdict) -> Marked:
    began = _spent()
    released = nbformat.reads(task.released, 4)
    notebook, notes = repaired(read_submission(task.submission), released)
    ids = exercises_of(released)
    seeds = {name: seed_for(task.secret, task.seeded or task.student, name) for name in ids}
    steps = plan(notebook, released, task.limits.run_everything, task.gone)
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


def _server_for(task: Task) -> Server:
    """The server of this lesson; one that was lost between two submissions is started anew."""
    server = _servers(task.gone, task.limits, task.walls)
    if server.is_lost():
        _give_up(server)
        server = _servers(task.gone, task.limits, task.walls)
    return server


def _give_up(server: Server) -> None:
    """End a server, which holds hundreds of megabytes; the next submission has a new one."""
    _servers.cache_clear()
    server.close()


@cache
def _servers(gone: frozenset[Symbol], limits: Limits, walls: bool | None) -> Server:
    server = Server(set(gone), limits, walls)
    Finalize(server, Server.close, (server,), exitpriority=1)  # a pool's workers know no atexit
    return server


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
