"""A learner's file is never overwritten, whatever happens to the release or to the record."""

from datetime import date
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autograde.running.working_copies import RECORD, hand_out

LESSON = Path("01_word2vec/word2vec.ipynb")
TODAY = date(2026, 11, 21)


@pytest.fixture
def course(tmp_path: Path) -> Path:
    write(tmp_path / "lessons" / LESSON, "release 1")
    return tmp_path


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def again(course: Path) -> list[str]:
    return [c.kind for c in hand_out(course / "lessons", course / "work", TODAY)]


def files(work: Path) -> dict[str, str]:
    return {
        path.relative_to(work).as_posix(): path.read_text()
        for path in work.rglob("*")
        if path.is_file() and ".course" not in path.parts
    }


def test_first_start_copies_and_the_second_does_nothing(course: Path) -> None:
    assert again(course) == ["copied"]
    assert files(course / "work") == {"01_word2vec/word2vec.ipynb": "release 1"}
    assert again(course) == []


def test_checkpoints_and_hidden_files_are_not_handed_out(course: Path) -> None:
    write(course / "lessons/01_word2vec/.ipynb_checkpoints/word2vec.ipynb", "old")
    write(course / "lessons/01_word2vec/__pycache__/x.pyc", "")
    assert again(course) == ["copied"]


def test_new_release_beside_changed_work_and_only_once(course: Path) -> None:
    again(course)
    write(course / "work" / LESSON, "my answers")
    write(course / "lessons" / LESSON, "release 2")
    (change,) = hand_out(course / "lessons", course / "work", TODAY)
    assert str(change).endswith('beside it: "word2vec (new release 2026-11-21).ipynb".')
    assert files(course / "work") == {
        "01_word2vec/word2vec.ipynb": "my answers",
        "01_word2vec/word2vec (new release 2026-11-21).ipynb": "release 2",
    }
    assert again(course) == []


def test_two_releases_in_one_day_get_two_names(course: Path) -> None:
    again(course)
    write(course / "work" / LESSON, "my answers")
    for release in ("release 2", "release 3"):
        write(course / "lessons" / LESSON, release)
        assert again(course) == ["beside"]
    assert sorted(files(course / "work")) == [
        "01_word2vec/word2vec (new release 2026-11-21).ipynb",
        "01_word2vec/word2vec (new release 2026-11-21, 2).ipynb",
        "01_word2vec/word2vec.ipynb",
    ]


def test_an_untouched_copy_becomes_the_new_release(course: Path) -> None:
    again(course)
    write(course / "lessons" / LESSON, "release 2")
    assert again(course) == ["replaced"]
    assert files(course / "work") == {"01_word2vec/word2vec.ipynb": "release 2"}
    assert again(course) == []


def test_a_copy_made_by_hand_counts_as_handed_out(course: Path) -> None:
    write(course / "work" / LESSON, "release 1")
    assert again(course) == []
    write(course / "lessons" / LESSON, "release 2")
    assert again(course) == ["replaced"]


@pytest.mark.parametrize("record", ["", "[1]", '{"x": 3}', "\x00"])
def test_a_damaged_record_costs_no_work(course: Path, record: str) -> None:
    again(course)
    write(course / "work" / LESSON, "my answers")
    write(course / "work" / RECORD, record)
    assert again(course) == ["beside"]
    assert files(course / "work")["01_word2vec/word2vec.ipynb"] == "my answers"
    assert again(course) == []


def test_a_deleted_copy_comes_back(course: Path) -> None:
    again(course)
    (course / "work" / LESSON).unlink()
    assert again(course) == ["copied"]


def test_kept_parts_and_records_stay_as_they_are(course: Path) -> None:
    again(course)
    for name in ("my_elmo/perplexity.py", ".course/results.jsonl", "01_word2vec/predictions.json"):
        write(course / "work" / name, "mine")
    write(course / "lessons" / LESSON, "release 2")
    assert again(course) == ["replaced"]
    assert {p.name for p in course.rglob("*") if p.is_file() and p.read_text() == "mine"} == {
        "perplexity.py",
        "results.jsonl",
        "predictions.json",
    }


def test_a_full_disk_leaves_no_half_lesson(course: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class FullDisk:
        def __enter__(self) -> "FullDisk":
            return self

        def __exit__(self, *_: object) -> None: ...

        def write(self, _: bytes) -> None:
            raise OSError(28, "No space left on device")

    real_open = Path.open

    def open_full(path: Path, mode: str = "r", **kwargs: object) -> object:
        file = real_open(path, mode, **kwargs)  # type: ignore[call-overload]
        if mode == "xb":
            file.close()
            return FullDisk()
        return file

    monkeypatch.setattr(Path, "open", open_full)
    with pytest.raises(OSError, match="No space"):
        again(course)
    assert files(course / "work") == {}


steps = st.lists(st.sampled_from(["release", "work", "lab", "delete", "lose the record"]))


@settings(max_examples=60, deadline=None)
@given(steps=steps)
def test_no_order_of_events_loses_a_word(
    steps: list[str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Whatever a learner wrote and did not delete is in the folder at the end."""
    course = tmp_path_factory.mktemp("course")
    mine, written = course / "work" / LESSON, ""
    write(course / "lessons" / LESSON, "release 0")
    for number, step in enumerate(steps, start=1):
        if step == "release":
            write(course / "lessons" / LESSON, f"release {number}")
        elif step == "work":
            written = f"answer {number}"
            write(mine, written)
        elif step == "delete":
            mine.unlink(missing_ok=True)
            written = ""
        elif step == "lose the record":
            (course / "work" / RECORD).unlink(missing_ok=True)
        else:
            again(course)
        if written:
            assert mine.read_text() == written
