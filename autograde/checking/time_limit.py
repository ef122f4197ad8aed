"""Give an answer so many seconds, so that an endless loop ends in a sentence.

The answer runs in a thread of its own while the caller waits. Python can raise an exception inside
another thread on every platform, which alarms and signals cannot. An answer that swallows the
exception, or that waits inside compiled code, is left behind.

Who takes a turn decides it: the thread, whose result then counts and in which nothing is raised, or
the caller, after whom the thread runs nothing more. So what is raised at the very end of an answer
meets neither the next one nor the account of this one.

A new thread also starts with gradients on, the processor as PyTorch's device and NumPy's own
handling of errors, whatever this notebook has switched since.
"""

import contextlib
import ctypes
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Generic, TypeVar

T = TypeVar("T")

POLITE = 0.5
INSISTENT = 1.0
IMPORT = 60.0  # an import that is cut short leaves half a package for the whole process
STEP = 0.1  # on Windows an interrupt waits for a step's end
_raise_in = ctypes.pythonapi.PyThreadState_SetAsyncExc


class StillRunning(Exception):
    """The time was up after ``done``; ``ended`` says whether the work could be stopped."""

    def __init__(self, ended: bool, done: list[Any]) -> None:
        super().__init__()
        self.ended = ended
        self.done = done


class Stopped(SystemExit):
    """Raised in an answer whose time is up: a thread that it ends says nothing on stderr."""


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
    return each_limited([work], seconds)[0]


def each_limited(works: Sequence[Callable[[], T]], seconds: float | None) -> list[T]:
    """As `limited`, one after the other in one thread; each may take so many seconds.

    The first that raises, or has to be stopped, is the last that runs.
    """
    turns = _Turns(works)
    worker = threading.Thread(target=turns.run, name="answer", daemon=True)
    try:
        worker.start()
        while not turns.over(worker, turns.left(seconds)):
            if turns.taken_back(seconds):
                raise StillRunning(turns.stopped(worker), turns.results)
    except KeyboardInterrupt:
        turns.stopped(worker)
        raise
    if turns.raised is not None:
        raise turns.raised
    if len(turns.results) < len(works):  # work has raised `Stopped` itself
        raise StillRunning(ended=True, done=turns.results)
    return turns.results


class _Turns(Generic[T]):
    """What the thread and its caller share; no step of either's needs a lock, or can be halved."""

    def __init__(self, works: Sequence[Callable[[], T]]) -> None:
        self.results: list[T] = []
        self.raised: BaseException | None = None
        self._works = works
        self._open = dict.fromkeys(range(len(works)), True)
        self._began: list[tuple[int, float]] = []
        self._asked = False
        self._target = ctypes.c_ulong(0)  # no thread
        self._end = threading.Lock()
        self._end.acquire()

    def run(self) -> None:
        """Take the turns, in the thread."""
        try:
            try:
                self._target.value = threading.get_ident()
                self._take()
            finally:
                self._target.value = 0
        except Stopped:
            self._target.value = 0
        if self._asked:
            _meet()
        self._end.release()

    def _take(self) -> None:
        for index, work in enumerate(self._works):
            self._began.append((index, time.monotonic()))
            if index not in self._open:
                return
            try:
                result = work()
            except Stopped:
                return
            except BaseException as error:
                if self._open.pop(index, False):
                    self.raised = error
                return
            if not self._open.pop(index, False):
                return
            self.results.append(result)

    def left(self, seconds: float | None) -> float:
        """How long to wait before the present turn is looked at again."""
        if seconds is None or not self._began:
            return STEP
        _, since = self._began[-1]
        return max(0.001, since + seconds - time.monotonic())

    def taken_back(self, seconds: float | None) -> bool:
        """Whether the present turn has lasted too long, and is taken from the thread."""
        if seconds is None or not self._began:
            return False
        index, since = self._began[-1]
        return time.monotonic() >= since + seconds and self._open.pop(index, False)

    def over(self, worker: threading.Thread, seconds: float) -> bool:
        """Whether the thread ends within so many seconds."""
        end = time.monotonic() + seconds
        while True:
            if self._end.acquire(timeout=min(STEP, max(0.0, end - time.monotonic()))):
                self._end.release()
                return True
            if not worker.is_alive():
                return True
            if time.monotonic() >= end:
                return False

    def stopped(self, worker: threading.Thread) -> bool:
        """Ask once and let the answer clean up; then insist, as its loop may swallow the request.

        An import is waited for. Returns whether the thread has ended.
        """
        self._open.clear()
        import_until = time.monotonic() + IMPORT
        while _imports(worker) and time.monotonic() < import_until:
            if self.over(worker, STEP):
                return True
        insist_until = time.monotonic() + POLITE + INSISTENT
        self._ask()
        ended = self.over(worker, POLITE)
        while not ended and time.monotonic() < insist_until:
            self._ask()
            ended = self.over(worker, 0.002)
        return ended

    def _ask(self) -> None:
        """Raise `Stopped` in the thread while it is the target: read and hit in one call."""
        self._asked = True
        _raise_in(self._target, ctypes.py_object(Stopped))


def _imports(worker: threading.Thread) -> bool:
    """Whether a thread is in the middle of an import."""
    frame = sys._current_frames().get(worker.ident or 0)
    while frame is not None:
        if frame.f_code.co_filename == "<frozen importlib._bootstrap>":
            return True
        frame = frame.f_back
    return False


def _meet() -> None:
    """Meet what was raised here and may still be on its way.

    It is raised once more, not taken back: Python 3.11 looks out for what was taken back for ever.
    """
    try:
        _raise_in(ctypes.c_ulong(threading.get_ident()), ctypes.py_object(Stopped))
        while True:
            pass
    except Stopped:
        pass
