"""An answer that never ends, and a learner who loses patience."""

import _thread
import contextlib
import importlib
import itertools
import random
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType, SimpleNamespace
from typing import Any

import numpy as np
import pytest
from IPython.core.interactiveshell import InteractiveShell

from autograde.checking import time_limit
from autograde.checking.check import check, examine, or_reference
from autograde.checking.exercise import Exercise
from autograde.checking.time_limit import CheckInterrupted, StillRunning, each_limited, limited
from tests.autograde.checking.made_up import double, exercise


def endless(values: Any) -> Any:
    while True:
        pass


def endless_generator(values: Any) -> Iterator[int]:
    while True:
        time.sleep(0.01)
        yield 1


def swallows_errors(values: Any) -> Any:
    while True:
        with contextlib.suppress(Exception):
            sum(range(100))


def threads_of_answers() -> list[threading.Thread]:
    """Those still at work; one that has said so may need a moment to be gone."""
    threads = [thread for thread in threading.enumerate() if thread.name == "answer"]
    for thread in threads:
        thread.join(1)
    return [thread for thread in threads if thread.is_alive()]


@pytest.mark.parametrize("answer", [endless, endless_generator, swallows_errors])
def test_an_answer_that_never_ends_is_stopped_and_told_why(
    answer: Any, capfd: pytest.CaptureFixture[str]
) -> None:
    report = examine(exercise(seconds=0.3), answer)
    assert report.points == 0
    assert 'still running after 0.3 seconds in the case "drawn numbers"' in report.message
    assert "A loop may never end" in report.message
    assert report.mistake is None
    assert "Not run" in (report.cases[1].difference or "")
    assert not threads_of_answers()
    assert capfd.readouterr() == ("", "")


def test_an_answer_that_cannot_be_stopped_is_left_behind_and_the_kernel_wants_a_restart() -> None:
    end = threading.Event()

    def swallows_everything(values: Any) -> Any:
        while not end.is_set():
            with contextlib.suppress(BaseException):
                swallows_everything(values)

    def waits(values: Any) -> Any:
        end.wait()  # inside compiled code, where no exception arrives

    for answer in (swallows_everything, waits):
        report = examine(exercise(seconds=0.1), answer)
        assert "still running after 0.1 seconds" in report.message
    assert "restart the kernel" in report.message
    end.set()
    assert not threads_of_answers()


def test_an_iterator_without_end_is_refused_before_it_fills_the_memory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("autograde.checking.answers.MOST_PARTS", 1_000)
    report = examine(exercise(), lambda values: itertools.count())
    assert "more than 1000 parts" in report.message


def test_only_later_cases_are_left_out_and_the_earlier_keep_their_points() -> None:
    def endless_on_empty(values: np.ndarray) -> np.ndarray:
        while not len(values):
            pass
        return 2 * values

    report = examine(exercise(seconds=0.3), endless_on_empty)
    assert report.points == 3
    assert [case.difference is None for case in report.cases] == [True, False]


def test_an_answer_that_was_stopped_is_not_run_again_until_it_is_another(
    registered: Exercise, capsys: pytest.CaptureFixture[str]
) -> None:
    calls: list[int] = []

    def never_ends(values: Any) -> Any:
        calls.append(1)
        while True:
            pass

    assert check("double", never_ends) == 0
    assert or_reference("double", never_ends) is double
    assert len(calls) == 1

    def ends(values: Any) -> Any:
        return values + values

    assert or_reference("double", ends) is ends


def test_a_finished_helper_makes_another_answer_of_the_function_that_calls_it(
    registered: Exercise,
) -> None:
    notebook: dict[str, Any] = {}
    exec("def answer(values):\n    return helper(values)\ndef helper(values): ...", notebook)
    answer = notebook["answer"]
    assert check("double", answer) == 0
    exec("def helper(values): return 2 * values", notebook)
    assert or_reference("double", answer) is answer


@pytest.mark.usefixtures("registered", "interruptible_process")
def test_an_interrupt_is_one_line_and_nothing_is_remembered() -> None:
    sys.modules["made_up"].EXERCISE = exercise(seconds=3600)  # only the interrupt ends it
    interrupting = True

    def answer(values: Any) -> Any:
        if interrupting:
            _thread.interrupt_main()
            endless(values)
        return 2 * values

    shell = InteractiveShell()
    for name in ("check", "or_reference"):
        shell.push({name: globals()[name], "answer": answer})
        shown: list[str] = []
        shell._showtraceback = lambda kind, error, lines, shown=shown: shown.extend(lines)
        result = shell.run_cell(f"{name}('double', answer)")
        assert isinstance(result.error_in_exec, CheckInterrupted)
        assert len(shown) == 1
        assert "You interrupted this check" in shown[0]
    assert not threads_of_answers()
    interrupting = False
    assert or_reference("double", answer) is answer


def test_work_that_ends_gives_its_result_or_its_error() -> None:
    assert limited(lambda: 3, seconds=60) == 3
    with pytest.raises(ZeroDivisionError):
        limited(lambda: 1 // 0, seconds=None)
    with pytest.raises(StillRunning):
        limited(lambda: endless(0), seconds=0.05)


def test_work_in_turn_has_one_thread_and_each_its_own_time() -> None:
    threads = each_limited([threading.get_ident] * 3, seconds=None)
    assert len(threads) == 3
    assert len(set(threads)) == 1
    with pytest.raises(StillRunning) as still:
        each_limited([lambda: 1, lambda: endless(0), lambda: 3], seconds=0.05)
    assert (still.value.done, still.value.ended) == ([1], True)


@pytest.fixture
def unheard(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Nothing that a thread raises may be heard of outside it."""
    heard: list[Any] = []
    monkeypatch.setattr(threading, "excepthook", heard.append)
    monkeypatch.setattr(sys, "unraisablehook", heard.append)
    yield
    assert not heard
    assert not threads_of_answers()


def outcome_of_a_stop(work: Callable[[], int], seconds: float) -> str:
    """Which of two it is, with nothing of it left for what comes next."""
    after: list[int] = []
    done, ended = [], True
    try:
        done = each_limited([work, lambda: after.append(1) or 2], seconds)
    except StillRunning as still:
        done, ended = still.done, still.ended
    finally:
        threading.settrace(None)  # type: ignore[arg-type]
    assert ended
    assert len(after) <= len(done)  # nothing runs after what was stopped
    assert limited(lambda: sum(range(100)), None) == 4950
    return "ended" if len(done) == 2 else "stopped"


@pytest.mark.usefixtures("unheard")
def test_nothing_runs_after_an_answer_that_meets_its_stop_and_returns() -> None:
    def returns() -> int:
        with contextlib.suppress(SystemExit):
            endless(0)
        return 1

    assert outcome_of_a_stop(returns, seconds=0.01) == "stopped"
    with pytest.raises(StillRunning) as still:
        limited(returns, seconds=0.01)
    assert still.value.done == []


@pytest.mark.usefixtures("unheard")
@pytest.mark.parametrize("insists", [False, True])
def test_a_stop_at_any_step_of_an_answers_end_meets_neither_the_account_nor_the_next(
    insists: bool, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """The thread halts at one instruction after its work until the caller has had its say."""
    late, steps, halt, at_work = 0.0, 0, 0, 0
    clock = SimpleNamespace(monotonic=lambda: time.monotonic() + late)
    monkeypatch.setattr(time_limit, "time", clock)
    monkeypatch.setattr(time_limit, "STEP", 0.001)
    monkeypatch.setattr(time_limit, "POLITE", 0.0)

    def work() -> int:
        nonlocal at_work, late
        if insists:
            late += 1000
            with contextlib.suppress(SystemExit):
                endless(0)
        at_work = threading.get_ident()
        return 1

    def follow(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal late, steps
        if frame.f_code.co_filename not in (time_limit.__file__, threading.__file__):
            return None
        frame.f_trace_opcodes = True
        if event == "opcode" and threading.get_ident() == at_work:
            steps += 1
            if steps == halt:
                late += 0 if insists else 1000
                for _ in range(10):
                    time.sleep(0.001)
        return follow

    kinds: set[str] = set()
    while halt < 300:  # more than there are
        halt += 1
        steps = at_work = 0
        threading.settrace(follow)
        kinds.add(outcome_of_a_stop(work, seconds=100))
    assert steps < halt
    assert kinds == ({"stopped"} if insists else {"ended", "stopped"})
    assert capfd.readouterr() == ("", "")


@pytest.mark.usefixtures("unheard")
@pytest.mark.parametrize("times", [1_000, pytest.param(10_000, marks=pytest.mark.slow)])
def test_answers_that_end_as_they_are_stopped(
    times: int, capfd: pytest.CaptureFixture[str]
) -> None:
    rng, seconds, interval = random.Random(1), 0.001, sys.getswitchinterval()
    sys.setswitchinterval(1e-6)

    def work() -> int:
        end = time.monotonic() + rng.uniform(0.9, 1.2) * seconds
        while time.monotonic() < end:
            pass
        return 1

    try:
        for _ in range(times):
            outcome_of_a_stop(work, seconds)
    finally:
        sys.setswitchinterval(interval)
    assert capfd.readouterr() == ("", "")


def test_an_import_is_not_cut_short(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Half a package would fail whatever needs it later, in this process."""
    package = tmp_path / "slow_to_import"
    package.mkdir()
    (package / "__init__.py").write_text(
        "import time\nfor _ in range(50):\n    time.sleep(0.01)\nwhole = True\n"
    )
    monkeypatch.syspath_prepend(tmp_path)

    def answer() -> Any:
        importlib.import_module("slow_to_import")
        return endless(0)

    try:
        with pytest.raises(StillRunning) as stopped:
            limited(answer, 0.05)
        assert stopped.value.ended
        assert sys.modules["slow_to_import"].whole
    finally:
        sys.modules.pop("slow_to_import", None)
