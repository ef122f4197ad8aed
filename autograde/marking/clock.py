"""How long a process that runs a student's code is waited for, however busy the machine is.

Its own limits count its processor seconds. This clock ends what takes none, such as a `sleep`: it
counts the seconds in which no process of the sandbox runs or waits for a processor.
"""

import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from autograde.marking.asking.peer import Peer
from autograde.marking.asking.wire import Line, Waited
from autograde.marking.limits import Limits

LOOK = 1.0
BLINK = 0.2
MOST_LOAD = 10.0
# Processes of one submission may share its work, and each has a limit of its own.
MOST_OF_ALL = 3.0
PROC = Path("/proc")


class Clock:
    """Raises when what is waited for stands still, or takes more than its processor seconds.

    Parameters
    ----------
    root : the process whose descendants are waited for
    """

    def __init__(self, limits: Limits, root: int) -> None:
        self.limits, self.root = limits, root
        self.start(0.0)

    def start(self, seconds: float) -> None:
        """Begin to wait for something that may take so many processor seconds."""
        self.seconds, self._idle, self._used = seconds, 0.0, 0.0
        self._looked = self._polled = time.monotonic()
        self._seen = 0.0
        self._before = activity(self.root)
        load = min(MOST_LOAD, max(1.0, 2 * os.getloadavg()[0] / (os.cpu_count() or 1)))
        self._until = self._looked + (seconds + self.limits.idle_seconds) * load

    def __call__(self) -> None:
        """Raise if the time is up.

        Raises
        ------
        Waited
            If it is.
        """
        now = time.monotonic()
        # Between two calls this process may have had no processor, or have been busy itself.
        self._seen += min(now - self._polled, BLINK)
        self._polled = now
        if self._before is None:  # a system that does not say
            if now > self._until:
                raise Waited("too long")
        elif now > self._looked + LOOK:
            self._look(now)

    def _look(self, now: float) -> None:
        after = activity(self.root) or {}
        before = self._before or {}
        none = (0.0, 0.0)
        moves = [
            (ran - before.get(task, none)[0], waited - before.get(task, none)[1])
            for task, (ran, waited) in after.items()
        ]
        self._used += sum(ran for ran, _ in moves)
        self._idle += max(0.0, self._seen - sum(ran + waited for ran, waited in moves))
        self._looked, self._seen, self._before = now, 0.0, after
        most = MOST_OF_ALL * self.seconds + self.limits.idle_seconds
        if self._idle > self.limits.idle_seconds or self._used > most:
            raise Waited("too long")


Activity = dict[tuple[int, int], tuple[float, float]]


def activity(root: int) -> Activity | None:
    """By task below a process: the seconds that it ran, and those that it waited for a processor.

    None where the system does not say, as outside Linux.
    """
    if not (PROC / str(root) / "schedstat").exists():
        return None
    found = {}
    for process in descendants(root):
        for task in _entries(PROC / str(process) / "task"):
            try:
                words = (task / "schedstat").read_text().split()
            except (OSError, ValueError):
                continue
            found[process, int(task.name)] = int(words[0]) / 1e9, int(words[1]) / 1e9
    return found


def descendants(root: int) -> Iterator[int]:
    """The processes below this one, as far as they are still there."""
    for task in _entries(PROC / str(root) / "task"):
        try:
            children = (task / "children").read_text().split()
        except OSError:
            continue
        for child in map(int, children):
            yield child
            yield from descendants(child)


def _entries(folder: Path) -> list[Path]:
    try:
        return list(folder.iterdir())
    except OSError:
        return []


class TimedPeer(Peer):
    """A peer that may take so many seconds for each request."""

    def __init__(self, line: Line, clock: Clock, seconds: float) -> None:
        self._clock, self._seconds = clock, seconds
        super().__init__(line, strict=True)

    def ask(self, what: str, *arguments: Any) -> Any:
        """Send a request; the clock begins anew with each case."""
        if what in ("begin", "about"):
            self._clock.start(self._seconds)
        return super().ask(what, *arguments)
