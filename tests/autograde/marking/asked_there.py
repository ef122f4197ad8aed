"""An answer in a forked process, to be asked and judged as in marking, without a sandbox."""

import os
import resource
import signal
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from autograde.checking.exercise import Exercise
from autograde.checking.report import Report
from autograde.marking.asking.peer import Peer
from autograde.marking.asking.student import StudentPeer
from autograde.marking.asking.wire import Line, Waited
from autograde.marking.judging import report_on

PATIENCE = 60.0


@contextmanager
def peer_for(
    answer: Any, name: str = "answer", seconds: int = 0
) -> Iterator[tuple[Peer, Callable[[], int]]]:
    """The end that judges, and what ends the other: the signal that ended it, 0 for none.

    Parameters
    ----------
    seconds : of processor time, for an answer that may not end
    """
    ours, theirs = socket.socketpair()
    child = os.fork()
    if not child:
        try:
            ours.close()
            if seconds:
                signal.signal(signal.SIGXCPU, signal.SIG_DFL)
                used = resource.getrusage(resource.RUSAGE_SELF)
                spent = int(used.ru_utime + used.ru_stime) + seconds
                resource.setrlimit(resource.RLIMIT_CPU, (spent, spent + 1))
            sink = os.open(os.devnull, os.O_RDWR)
            os.dup2(sink, 1)
            os.dup2(sink, 2)
            StudentPeer(Line(theirs), name, answer).serve()
        finally:
            os._exit(0)
    theirs.close()
    until = time.monotonic() + PATIENCE

    def watch() -> None:
        if time.monotonic() > until:
            raise Waited("too long")

    found: list[int] = []

    def end() -> int:
        if not found:
            ours.close()
            late = time.monotonic() + 0.5
            status: int | None = None
            while status is None:
                done, came = os.waitpid(child, os.WNOHANG)
                if done:
                    status = came
                elif time.monotonic() > late:
                    os.kill(child, signal.SIGKILL)
                time.sleep(0.005)
            found.append(os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0)
        return found[0]

    try:
        yield Peer(Line(ours, watch), strict=True), end
    finally:
        end()


@contextmanager
def asked(answer: Any) -> Iterator[Any]:
    """A function of another process, to call here."""
    with peer_for(answer) as (peer, _):
        yield peer.ask("begin", None)


def judged_there(exercise: Exercise, answer: Any, seconds: int = 0, seed: int = 5) -> Report:
    """The report on an answer that lives in another process."""
    with peer_for(answer, exercise.id, seconds) as (peer, end):
        return report_on(exercise, peer, seed, end)
