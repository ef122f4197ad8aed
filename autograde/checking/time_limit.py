"""Give an answer so many seconds, so that an endless loop ends in a sentence.

The answer runs in a thread of its own while the caller waits. Python can raise an exception inside
another thread on every platform, which alarms and signals cannot. What arrives too late meets the
answer alone, never the judge. An answer that swallows the exception, or that waits inside compiled
code, is left behind.

A new thread also starts with gradients on, the processor as PyTorch's device and NumPy's own
handling of errors, whatever this notebook has switched since.
"""

import contextlib
import ctypes
import threading
import time
from collections.abc import Callable, Iterator
from typing import TypeVar

T = TypeVar("T")

POLITE = 0.5
INSISTENT = 1.0


class StillRunning(Exception):
    """The time was up; ``ended`` says whether the work could be stopped."""

    def __init__(self, ended: bool) -> None:
        super().__init__()
        self.ended = ended


class CheckInterrupted(KeyboardInterrupt):
    """An interrupt from the keyboard, which a notebook shows as one line."""

    def _render_traceback_(self) -> list[str]:
        return [str(self)]


@contextlib.contextmanager
def interruptible() -> Iterator[None]:
    """Turn an interrupt into a sentence, without the way through the checker."""
    try:
        yield
    except KeyboardInterrupt:
        raise CheckInterrupted(
            "You interrupted this check, so nothing was judged. Run the cell again when you like."
        ) from None


def limited(work: Callable[[], T], seconds: float | None) -> T:
    """What ``work`` returns, or raises, if it ends within ``seconds`` (None: however long).

    Raises
    ------
    StillRunning
        If it does not.
    KeyboardInterrupt
        If the caller is interrupted; ``work`` is stopped.
    """
    came: list[T] = []
    raised: list[BaseException] = []
    ended = threading.Event()

    def run() -> None:
        try:
            came.append(work())
        except BaseException as error:
            raised.append(error)
        finally:
            ended.set()

    worker = threading.Thread(target=run, name="answer", daemon=True)
    try:
        worker.start()
        in_time = _waited(worker, ended, seconds)
    except KeyboardInterrupt:
        _end(worker, ended)
        raise
    if not in_time:
        raise StillRunning(ended=_end(worker, ended))
    if raised:
        raise raised[0]
    return came[0]


def _waited(worker: threading.Thread, ended: threading.Event, seconds: float | None) -> bool:
    """Whether the thread ended in time.

    It waits in short steps, because on Windows an interrupt waits for the step's end, and for an
    event, because in Python 3.11 a thread whose `join` is interrupted counts as stopped.
    """
    end = float("inf") if seconds is None else time.monotonic() + seconds
    while not ended.is_set() and worker.is_alive() and time.monotonic() < end:
        ended.wait(min(0.1, max(0.0, end - time.monotonic())))
    return ended.is_set() or not worker.is_alive()


def _end(worker: threading.Thread, ended: threading.Event) -> bool:
    """Ask once and let the answer clean up; then insist, as its loop may swallow the request."""
    insist_until = time.monotonic() + POLITE + INSISTENT
    _raise_exit_in(worker)
    stopped = _waited(worker, ended, POLITE)
    while not stopped and time.monotonic() < insist_until:
        _raise_exit_in(worker)
        stopped = _waited(worker, ended, 0.002)
    return stopped


def _raise_exit_in(worker: threading.Thread) -> None:
    """Raise SystemExit there: a thread that it ends says nothing on stderr."""
    ctypes.pythonapi.PyThreadState_SetAsyncExc(
        ctypes.c_ulong(worker.ident or 0), ctypes.py_object(SystemExit)
    )
