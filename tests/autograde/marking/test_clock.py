"""What stands still is ended, what works is waited for: on a busy machine as on a quiet one."""

import os
import subprocess
import sys
import time

import pytest

from autograde.marking import clock
from autograde.marking.asking.wire import Waited
from autograde.marking.clock import Clock, activity
from autograde.marking.limits import Limits

if activity(os.getpid()) is None:
    pytest.skip("this system does not say what waits for a processor", allow_module_level=True)


def _waited_for(code: str, seconds: float, until: float, idle: float = 0.3) -> bool:
    """Whether the clock raises while a child runs this, before so many seconds of its work."""
    process = subprocess.Popen([sys.executable, "-c", code])
    try:
        waiting = Clock(Limits(idle_seconds=idle), os.getpid())
        waiting.start(seconds)
        while True:
            found = activity(os.getpid()) or {}
            if sum(ran for (child, _), (ran, _) in found.items() if child == process.pid) > until:
                return False
            try:
                waiting()
            except Waited:
                return True
            time.sleep(0.02)
    finally:
        process.kill()
        process.wait()


@pytest.fixture(autouse=True)
def _looks_often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clock, "LOOK", 0.1)


def test_what_sleeps_is_ended_and_what_works_is_not() -> None:
    assert _waited_for("import time; time.sleep(1000)", 100.0, 1000.0)
    assert not _waited_for("while True: pass", 100.0, 1.0, idle=5.0)


def test_what_takes_far_more_than_its_seconds_is_ended() -> None:
    """Many processes, each below its own limit."""
    assert _waited_for("while True: pass", 0.1, 1000.0)


def test_a_coordinator_that_had_no_processor_counts_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    waiting = Clock(Limits(idle_seconds=5.0), os.getpid())
    waiting.start(1.0)
    waiting._polled -= 1000.0
    waiting._looked -= 1000.0
    waiting()
