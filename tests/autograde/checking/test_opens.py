"""How often hidden texts were opened is counted, kept, and said with the result."""

import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from autograde import check
from autograde.checking import attempts, catalogue
from autograde.checking import check as checking
from autograde.workspace.results import results
from tests.autograde.checking.made_up import exercise
from tests.autograde.learners_workspace import at_a_workspace, written

RIGHT = "def double(values):\n    return 2 * values\n"
WRONG = "def double(values):\n    return values\n"
STUB = "def double(values):\n    raise NotImplementedError\n"
ONCE = "The hidden texts were opened once: this result counts as measured."
TWICE = "The hidden texts were opened 2 times. Whoever reports the best of 2 measures luck, too"

Write = Callable[[str], Any]


def new_kernel(patch: pytest.MonkeyPatch) -> None:
    """As after a restart: what this process remembers of earlier checks is gone."""
    patch.setattr(attempts, "_tries", Counter())
    patch.setattr(attempts, "_passed", set())
    patch.setattr(checking, "_examined", {})


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A learner's folder, with an exercise that opens something."""
    made = exercise(opens="The hidden texts")
    monkeypatch.setitem(sys.modules, "made_up", SimpleNamespace(EXERCISE=made))
    monkeypatch.setattr(catalogue, "places", lambda: {"double": "made_up"})
    new_kernel(monkeypatch)
    with at_a_workspace(tmp_path, monkeypatch) as folder:
        yield folder


@pytest.fixture
def write(tmp_path: Path) -> Write:
    return lambda text: written(text, "double", tmp_path / "cell.py", {})


def test_opened_once_it_counts_as_measured(workspace: Path, write: Write) -> None:
    report = check("double", write(RIGHT)).report
    assert ONCE in report.note
    assert ONCE in report.text()
    assert ONCE in report.html()


def test_a_look_by_a_function_of_another_name_is_counted(workspace: Path, write: Write) -> None:
    other = write(WRONG)
    other.__name__ = "my_third_idea"
    check("double", other)
    assert TWICE in check("double", write(RIGHT)).report.note


def test_each_look_is_counted_right_or_wrong_and_after_a_restart(
    workspace: Path, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert ONCE in check("double", write(WRONG)).report.note
    new_kernel(monkeypatch)
    report = check("double", write(RIGHT)).report
    assert TWICE in report.note
    assert TWICE in report.html()
    assert results(workspace)["double"].tries == 2
    assert "opened 3 times" in check("double", write(RIGHT)).report.note


def test_a_stub_opens_nothing(workspace: Path, write: Write) -> None:
    assert "opened" not in check("double", write(STUB)).report.note
    assert ONCE in check("double", write(WRONG)).report.note


def test_what_fails_in_every_case_opens_nothing(workspace: Path, write: Write) -> None:
    crash = write("def double(values):\n    return values.nothing\n")
    assert "opened" not in check("double", crash).report.note
    assert "double" not in results(workspace)
    assert ONCE in check("double", write(WRONG)).report.note


def test_without_a_workspace_the_kernel_counts(
    write: Write, workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert ONCE in check("double", write(WRONG)).report.note
    assert TWICE in check("double", write(RIGHT)).report.note


def test_an_exercise_that_opens_nothing_says_nothing(
    workspace: Path, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "made_up", SimpleNamespace(EXERCISE=exercise()))
    assert "opened" not in check("double", write(RIGHT)).report.note
