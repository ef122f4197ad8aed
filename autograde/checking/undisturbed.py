"""Run the course's own code as in a fresh kernel, whatever this one has switched or replaced."""

import threading
from collections.abc import Callable
from typing import TypeVar

from autograde.checking.captured_output import captured_output
from autograde.checking.safe_state import safe_state
from autograde.checking.time_limit import limited

T = TypeVar("T")

_this_thread = threading.local()


def undisturbed(work: Callable[[], T]) -> T:
    """What ``work`` returns, or raises, in a thread of its own; work within work shares one."""
    if getattr(_this_thread, "is_undisturbed", False):
        return work()

    def alone() -> T:
        _this_thread.is_undisturbed = True
        return work()

    with captured_output(), safe_state():
        return limited(alone, seconds=None)
