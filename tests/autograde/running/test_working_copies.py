"""A learner's file is never overwritten, whatever happens to the release or to the record."""

import json
import re
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autograde.running.released import START, START_LESSON, released_files
from autograde.running.working_copies import RECORD, Change, fingerprint, hand_out

LESSON = Path("01_word2vec/word2vec.ipynb")
TODAY = date(2026, 11, 21)


@pytest.fixture
def course(tmp_path: Path) -> Path:
    write(tmp_path / "lessons" / LESSON, "release 1")
    return tmp_path


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def changes(course: Path) -> list[Change]:
    return hand_out(released_files(course), course / "work", TODAY)


def again(course: Path) -> list[str]:
    return [change.kind for change in changes(course)]


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
    (change,) = changes(course)
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
    for name in (
        "my_elmo/embed.py",
        "my_parts/perplexity.py",
        ".course/results.jsonl",
        "01_word2vec/predictions.json",
    ):
        write(course / "work" / name, "mine")
    write(course / "lessons" / LESSON, "release 2")
    assert again(course) == ["replaced"]
    assert {p.name for p in course.rglob("*") if p.is_file() and p.read_text() == "mine"} == {
        "embed.py",
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


def notebook(*cells: str, ran: int | None = None) -> str:
    """A notebook of code cells; one that ran has outputs and what a kernel and JupyterLab write."""
    written = [
        {
            "cell_type": "code",
            "id": f"c{number}",
            "metadata": {} if ran is None else {"trusted": True},
            "source": source.splitlines(keepends=True),
            "execution_count": ran,
            "outputs": [] if ran is None else [{"output_type": "stream", "text": str(ran)}],
        }
        for number, source in enumerate(cells)
    ]
    kernel = {} if ran is None else {"language_info": {"version": "3.11.7"}}
    return json.dumps({"cells": written, "metadata": kernel, "nbformat": 4, "nbformat_minor": 5})


@pytest.fixture
def with_notebook(course: Path) -> Path:
    write(course / "lessons" / LESSON, notebook("import torch", "# YOUR CODE HERE"))
    again(course)
    return course


def test_a_copy_that_was_opened_and_run_is_not_changed(with_notebook: Path) -> None:
    write(with_notebook / "work" / LESSON, notebook("import torch", "# YOUR CODE HERE", ran=7))
    assert again(with_notebook) == []
    release = notebook("import torch", "# YOUR CODE")
    write(with_notebook / "lessons" / LESSON, release)
    assert again(with_notebook) == ["replaced"]
    assert files(with_notebook / "work") == {LESSON.as_posix(): release}


@pytest.mark.parametrize(
    "mine",
    [
        notebook("import torch", "# YOUR CODE HERE", "a new cell"),
        notebook("import torch", "x = 1", ran=1),
        notebook("import torch"),
        notebook("# YOUR CODE HERE", "import torch"),
        notebook("import torch", "# YOUR CODE HERE").replace('"code"', '"raw"', 1),
        notebook("import torch", "# YOUR CODE HERE")[:-9],
        "",
    ],
    ids=["new cell", "answer", "deleted cell", "moved", "other type", "half written", "empty"],
)
def test_any_other_text_is_the_learners(mine: str, with_notebook: Path) -> None:
    write(with_notebook / "work" / LESSON, mine)
    write(with_notebook / "lessons" / LESSON, notebook("import torch", "# YOUR CODE"))
    assert again(with_notebook) == ["beside"]
    assert files(with_notebook / "work")[LESSON.as_posix()] == mine


def test_a_pasted_picture_is_the_learners() -> None:
    plain = notebook("see below")
    pasted = plain.replace('"metadata"', '"attachments": {"a.png": {}}, "metadata"', 1)
    assert fingerprint(LESSON, plain.encode()) != fingerprint(LESSON, pasted.encode())


def test_a_release_with_the_same_text_puts_nothing_beside(with_notebook: Path) -> None:
    write(with_notebook / "work" / LESSON, notebook("import torch", "x = 1"))
    other_points = notebook("import torch", "# YOUR CODE HERE").replace(
        '"metadata": {}', '"metadata": {"p": 2}'
    )
    write(with_notebook / "lessons" / LESSON, other_points)
    assert again(with_notebook) == []
    write(with_notebook / "lessons" / LESSON, notebook("import torch", "# YOUR CODE"))
    assert again(with_notebook) == ["beside"]


def with_pages(course: Path) -> None:
    there = "01_word2vec/word2vec.ipynb"
    write(course / "CONCEPTS.md", f"[01](lessons/{there}), [solved](solutions/{there})")
    write(course / "elmo_mini/__init__.py", "")
    write(course / "elmo_mini/text/tokenizer.py", "code")
    write(course / "solutions" / LESSON, "solved")
    write(course / "lessons/01_word2vec/.model_answers.json", "{}")


def test_pages_come_along_and_go_without_saying(course: Path) -> None:
    with_pages(course)
    (change,) = changes(course)
    assert change.written == LESSON
    assert files(course / "work") == {
        LESSON.as_posix(): "release 1",
        "01_word2vec/.model_answers.json": "{}",
        "course/CONCEPTS.md": "[01](../01_word2vec/word2vec.ipynb), "
        "[solved](../01_word2vec/word2vec.ipynb)",
        "course/elmo_mini/text/tokenizer.py": "code",
        "course/solutions/01_word2vec/word2vec.ipynb": "solved",
    }
    write(course / "CONCEPTS.md", "more")
    (course / "elmo_mini/text/tokenizer.py").unlink()
    assert again(course) == []
    assert files(course / "work")["course/CONCEPTS.md"] == "more"
    assert "course/elmo_mini/text/tokenizer.py" not in files(course / "work")


def test_a_page_that_somebody_wrote_in_stays(course: Path) -> None:
    with_pages(course)
    again(course)
    write(course / "work/course/CONCEPTS.md", "my notes")
    write(course / "work/course/elmo_mini/text/tokenizer.py", "my notes")
    write(course / "CONCEPTS.md", "more")
    (course / "elmo_mini/text/tokenizer.py").unlink()
    assert again(course) == ["beside"]
    mine = files(course / "work")
    assert mine["course/CONCEPTS.md"] == mine["course/elmo_mini/text/tokenizer.py"] == "my notes"


def test_a_graded_course_hands_out_no_solved_lesson(course: Path) -> None:
    """Without model answers among the lessons there are no solved ones; what was there goes."""
    with_pages(course)
    again(course)
    (course / "lessons/01_word2vec/.model_answers.json").unlink()
    again(course)
    assert sorted(files(course / "work")) == [
        LESSON.as_posix(),
        "course/CONCEPTS.md",
        "course/elmo_mini/text/tokenizer.py",
    ]


def test_links_of_a_lesson_lead_to_the_pages(course: Path) -> None:
    write(course / "lessons" / LESSON, notebook("[all](../../CONCEPTS.md), [03](../03_x/x.ipynb)"))
    again(course)
    text = files(course / "work")[LESSON.as_posix()]
    assert "[all](../course/CONCEPTS.md), [03](../03_x/x.ipynb)" in text


steps = st.lists(st.sampled_from(["release", "work", "run", "lab", "delete", "lose the record"]))


@settings(max_examples=60, deadline=None)
@given(steps=steps)
def test_no_order_of_events_loses_a_word(
    steps: list[str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Whatever a learner wrote and did not delete is in the folder at the end."""
    course = tmp_path_factory.mktemp("course")
    mine, written = course / "work" / LESSON, ""
    write(course / "lessons" / LESSON, notebook("release 0"))
    for number, step in enumerate(steps, start=1):
        if step == "release":
            write(course / "lessons" / LESSON, notebook(f"release {number}"))
        elif step == "work":
            written = notebook(f"answer {number}", ran=number)
            write(mine, written)
        elif step == "run" and mine.exists() and not written:
            cells = ("".join(cell["source"]) for cell in json.loads(mine.read_text())["cells"])
            write(mine, notebook(*cells, ran=number))
        elif step == "delete":
            mine.unlink(missing_ok=True)
            written = ""
        elif step == "lose the record":
            (course / "work" / RECORD).unlink(missing_ok=True)
        elif step == "lab":
            again(course)
        if written:
            assert mine.read_text() == written


def test_the_first_page_says_where_to_begin_and_its_links_lead_somewhere() -> None:
    handed_out = released_files(Path(__file__).resolve().parents[3])
    page = handed_out[START].decode()
    assert page.index(f"]({START_LESSON})") < 100
    for link in re.findall(r"\]\(([^)]+)\)", page):
        path, _, section = link.partition("#")
        text = handed_out[Path(path)].decode()
        assert f"## {section.replace('-', ' ')}" in text.lower() if section else text
