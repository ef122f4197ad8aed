"""A run that is asked to stop ends after its step, and not within it."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager

# The last two come where a terminal is closed; no system has both.
_NAMES = ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK")
SIGNALS = [getattr(signal, name) for name in _NAMES if hasattr(signal, name)]


@contextmanager
def noting_signals(asked: list[int]) -> Iterator[None]:
    """Note Ctrl-C, termination and a closed terminal in `asked`; Ctrl-C again interrupts at once.

    What is ignored as ``nohup`` ignores it, a closed terminal, still is.
    """

    def note(number: int, frame: object) -> None:
        asked.append(number)
        if number == signal.SIGINT and len(asked) > 1:  # a closed terminal may well say so twice
            raise KeyboardInterrupt

    noted = [n for n in SIGNALS if signal.getsignal(n) != signal.SIG_IGN or n in SIGNALS[:2]]
    before = {number: signal.signal(number, note) for number in noted}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
