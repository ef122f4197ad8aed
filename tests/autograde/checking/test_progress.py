"""`progress()`: counted from the journal and the predictions; elsewhere, from this kernel."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from autograde.checking import attempts
from autograde.checking import progress as module
from autograde.checking.predictions import FILE
from autograde.checking.progress import progress
from autograde.workspace import results
from tests.autograde.checking.made_up import exercise

ALL = {
    made.id: made
    for made in (
        exercise(id="a", title="First", lesson="00_start_here", minutes=3),
        exercise(id="b", title="Second", lesson="01_word2vec", minutes=50),
        exercise(id="c", title="Third", lesson="01_word2vec", minutes=20),
        exercise(id="d", title="Fourth", lesson="03_context_enters", minutes=10),
    )
}


@pytest.fixture(autouse=True)
def few_exercises(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "catalogue", lambda: ALL)


def coming() -> str | None:
    following = progress().next
    return following.id if following else None


def test_what_is_passed_begun_next_and_left(workspace: Path) -> None:
    assert coming() == "a"
    results.add(workspace, "a", 4, 4)
    results.add(workspace, "b", 1, 4)
    assert repr(progress()) == (
        "You have passed 1 of 4 exercises. Lessons with all exercises passed: 1; begun: 1.\n"
        'Next: "Second" (`b`) in lesson 01, word2vec, about 50 minutes.\n'
        "Exercises that are left: about 1 h 10 min in that lesson, 1 h 20 min in all. "
        "Reading comes on top."
    )
    road = repr(progress().picture())
    assert "00 start here (done), 01 word2vec (0 of 2 exercises passed), 02" in road
    assert "You are at 01, word2vec." in road


def test_the_picture_and_the_words_are_two_outputs(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    results.add(workspace, "a", 4, 4)
    shown: list[Any] = []
    monkeypatch.setattr("IPython.display.display", lambda thing, **_: shown.append(thing))
    progress()._ipython_display_()
    picture, words = shown
    assert repr(picture) == repr(progress().picture())
    assert words["text/plain"] == repr(progress())
    assert "You have passed 1 of 4 exercises." in words["text/html"]


def test_next_goes_on_from_the_latest_and_comes_back_for_what_was_left_out(workspace: Path) -> None:
    results.add(workspace, "b", 4, 4)
    assert coming() == "c"
    results.add(workspace, "c", 4, 4)
    assert coming() == "d"
    results.add(workspace, "d", 4, 4)
    assert coming() == "a"
    results.add(workspace, "an exercise of another release", 4, 4)
    results.add(workspace, "a", 4, 4)
    assert coming() is None
    assert "There is no exercise left." in repr(progress())
    assert "You are at 03" in repr(progress().picture())


def test_predictions_of_all_lessons_count_and_damaged_ones_stay_where_they_are(
    workspace: Path,
) -> None:
    held = {"question": "?", "guess": 1.0, "outcome": 1.5}
    missed = {"question": "?", "guess": "a", "outcome": "b"}
    open_ = {"question": "?", "guess": 2.0}
    (workspace / "01").mkdir()
    (workspace / "01" / FILE).write_text(json.dumps({"x": held, "y": missed, "z": open_}))
    (workspace / "03").mkdir()
    (workspace / "03" / FILE).write_text("[")
    assert "1 of your 2 predictions held." in repr(progress())
    assert (workspace / "03" / FILE).read_text() == "["


NOTHING_KEPT = "Nothing is kept here. What lasts is kept where `make lab` puts the lessons."


@pytest.fixture
def elsewhere(workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A notebook that somebody has opened in a folder of their own, in a fresh kernel."""
    results.add(workspace, "a", 4, 4)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(attempts, "_tries", Counter())
    monkeypatch.setattr(attempts, "_passed", set())


@pytest.mark.usefixtures("elsewhere")
def test_where_nothing_is_kept_it_counts_what_this_kernel_has_seen() -> None:
    attempts.note("a", passed=False)
    attempts.note("c", passed=False)
    attempts.note("b", passed=True)
    attempts.note("a", passed=True)
    attempts.note("b", passed=False)
    assert repr(progress()) == (
        "Passed in lesson 00 since this kernel started: 1 of 1 exercises.\n"
        "Passed in lesson 01 since this kernel started: 1 of 2 exercises.\n"
        f"{NOTHING_KEPT}\n"
        'Next: "Third" (`c`) in lesson 01, word2vec, about 20 minutes.\n'
        "Exercises that are left: about 20 minutes in that lesson. Reading comes on top."
    )
    shown = repr(progress().picture())
    assert "01 word2vec (1 of 2 exercises passed)" in shown
    assert "You are at 01, word2vec." in shown


@pytest.mark.usefixtures("elsewhere")
def test_where_nothing_is_kept_the_last_lesson_sends_nobody_back_to_the_first() -> None:
    attempts.note("d", passed=True)
    assert progress().next is None
    attempts.note("c", passed=True)
    attempts.note("d", passed=True)
    assert coming() == "b"


@pytest.mark.usefixtures("elsewhere")
def test_where_nothing_is_kept_and_nothing_was_checked_it_guesses_at_no_lesson() -> None:
    assert repr(progress()) == (
        f"No answer of yours has been checked since this kernel started.\n{NOTHING_KEPT}"
    )
    assert "You are at" not in repr(progress().picture())
