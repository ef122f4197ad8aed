"""Planted faults show the symptoms that lesson 03 speaks of, each its own."""

import numpy as np
import pytest

from course.context_enters import broken_readers
from course.context_enters.broken_readers import (
    ENDLESS,
    SHUFFLED,
    UNSHIFTED,
    Symptoms,
    look_at_all,
    print_beside,
)
from elmo_mini.text.running_text import text_stream, word_vocabulary


@pytest.fixture(scope="module")
def seen() -> dict[str, Symptoms]:
    rng = np.random.default_rng(0)
    words = [f"word{number}" for number in range(12)]
    text = [[*rng.choice(words, 6).tolist(), "."] for _ in range(400)]
    vocabulary = word_vocabulary(text)
    patch = pytest.MonkeyPatch()
    for name, size in {"ROWS": 4, "WIDTH": 5, "WINDOWS": 8, "READINGS": 6, "SIZE": 16}.items():
        patch.setattr(broken_readers, name, size)
    stream = text_stream(text, vocabulary)
    found = look_at_all(stream, stream[-1_000:], vocabulary)
    patch.undo()
    return found


def test_each_run_has_one_fault() -> None:
    assert list(broken_readers.RUNS.values()) == ["", SHUFFLED, UNSHIFTED, ENDLESS]


def test_only_the_run_that_copies_has_a_loss_too_good_to_be_true(seen: dict[str, Symptoms]) -> None:
    assert seen["B"].training[-1] < 0.7 * seen["sound"].training[-1]
    assert seen["B"].held_out > 2 * seen["sound"].held_out
    assert seen["B"].repeats > 5 * seen["sound"].repeats
    for name in "AC":
        assert seen[name].training[-1] == pytest.approx(seen["sound"].training[-1], rel=0.1)


def test_only_the_run_without_a_cut_drags_its_windows_along(seen: dict[str, Symptoms]) -> None:
    for name in ("sound", "A", "B"):
        assert len(set(seen[name].nodes)) == 1
    assert seen["C"].nodes == sorted(set(seen["C"].nodes))


def test_only_the_shuffled_run_reads_over_other_edges(seen: dict[str, Symptoms]) -> None:
    assert seen["sound"].seams == seen["B"].seams == seen["C"].seams != seen["A"].seams
    assert all(run.handed_on > 0 for run in seen.values())


def test_the_runs_stand_side_by_side(
    seen: dict[str, Symptoms], capsys: pytest.CaptureFixture[str]
) -> None:
    print_beside(seen)
    first, *rows = capsys.readouterr().out.splitlines()
    assert first.split() == list(seen)
    assert len(rows) == 6
    assert rows[-1].split()[-4:] == [f"{run.repeats:.1%}" for run in seen.values()]
