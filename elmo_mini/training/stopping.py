"""A run that is asked to stop ends after its step, and not within it."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def noting_signals(asked: list[int]) -> Iterator[None]:
    """Note Ctrl-C and termination in the list `asked`; a second one interrupts at once."""

    def note(number: int, frame: object) -> None:
        asked.append(number)
        if len(asked) > 1:
            raise KeyboardInterrupt

    before = {number: signal.signal(number, note) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
