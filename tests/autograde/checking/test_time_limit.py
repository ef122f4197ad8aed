"""An answer that never ends, and a learner who loses patience."""

import _thread
import contextlib
import itertools
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from IPython.core.interactiveshell import InteractiveShell

from autograde.checking.check import check, examine, or_reference
from autograde.checking.exercise import Exercise
from autograde.checking.time_limit import CheckInterrupted, StillRunning, limited
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
    monkeypatch.setattr("autograde.checking.exercise.MOST_PARTS", 1_000)
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
