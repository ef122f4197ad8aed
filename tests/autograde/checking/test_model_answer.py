"""A model answer opens after a pass, or after a try and the hints; or after one's own text."""

import json
from pathlib import Path

import pytest

from autograde import check, model_answer
from autograde.checking import attempts
from autograde.checking.model_answer import FILE, Sentence, Unfolding, count_sentences
from autograde.workspace import results
from autograde.workspace.place import MARK

EXERCISE = "relative_frequency"
ANSWERS = {
    EXERCISE: {"of": "exercise", "answer": "```python\nthe code\n```"},
    "one_example": {"of": "discussion", "answer": "Two sources."},
}


@pytest.fixture(autouse=True)
def lesson(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a lesson with model answers, in a kernel where nothing was tried."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(attempts, "_tries", attempts._tries.__class__())
    monkeypatch.setattr(attempts, "_passed", set())
    monkeypatch.delenv("NBGRADER_EXECUTION", raising=False)
    FILE.write_text(json.dumps(ANSWERS))
    return tmp_path


def stub(tokens: list[str], word: str) -> float:
    raise NotImplementedError()


def wrong(tokens: list[str], word: str) -> float:
    return float(tokens.count(word))


def right(tokens: list[str], word: str) -> float:
    return tokens.count(word) / len(tokens) if tokens else 0.0


wrong.__name__ = right.__name__ = EXERCISE


def test_a_mistake_that_the_lesson_shows_is_no_try() -> None:
    check(EXERCISE, lambda tokens, word: float(tokens.count(word)))
    assert attempts.tries(EXERCISE) == 1

    def in_a_hurry(tokens: list[str], word: str) -> float:
        return float(tokens.count(word))

    check(EXERCISE, in_a_hurry)
    assert attempts.tries(EXERCISE) == 1


def test_before_a_try_nothing_is_shown() -> None:
    check(EXERCISE, stub)
    check(EXERCISE, "no function")
    shown = model_answer(EXERCISE)
    assert isinstance(shown, Sentence)
    assert "after one try and all three hints" in repr(shown)


def test_a_pass_of_another_day_counts(lesson: Path) -> None:
    (lesson / MARK).mkdir()
    results.add(lesson, EXERCISE, points=0.5, out_of=1.0)
    assert isinstance(model_answer(EXERCISE), Sentence)
    results.add(lesson, EXERCISE, points=1.0, out_of=1.0)
    assert "yours has passed" in repr(model_answer(EXERCISE))


def test_after_a_try_the_fold_asks_for_the_hints() -> None:
    check(EXERCISE, wrong)
    shown = model_answer(EXERCISE)
    assert isinstance(shown, Unfolding)
    page = shown._repr_markdown_()
    assert page.startswith("<details><summary>Model answer of <code>relative_frequency</code>: ")
    assert "open it when you have read all three hints" in page
    assert "\n\n```python\nthe code\n```\n\n</details>" in page
    assert "the code" not in repr(shown)
    assert "the code" in repr(model_answer(EXERCISE, hints_read=True))


def test_after_a_pass_it_opens_and_stays_open() -> None:
    check(EXERCISE, right)
    check(EXERCISE, wrong)
    assert "yours has passed" in repr(model_answer(EXERCISE))
    assert "the code" in repr(model_answer(EXERCISE))


def test_hints_alone_are_no_try() -> None:
    assert isinstance(model_answer(EXERCISE, hints_read=True), Sentence)


def saved(text: str) -> None:
    cell = {
        "cell_type": "markdown",
        "metadata": {"nbgrader": {"grade_id": "one_example"}},
        "source": text.splitlines(keepends=True),
    }
    other = {"cell_type": "markdown", "metadata": {}, "source": "A long text. It has sentences."}
    Path("start_here.ipynb").write_text(json.dumps({"cells": [other, cell]}))


@pytest.mark.parametrize("text", ["YOUR ANSWER HERE", "", "I do not know.", "e.g. the form. Yes."])
def test_a_discussion_asks_for_ones_own_text_first(text: str) -> None:
    saved(text)
    shown = model_answer("one_example")
    assert isinstance(shown, Sentence)
    assert "Write two sentences or more" in repr(shown)


@pytest.mark.parametrize(
    "text",
    [
        "The sentence around it helps.\nSo does the form of the word.",
        "前后的词会告诉我们意思。字形也有帮助。",
    ],
)
def test_a_discussion_opens_for_two_sentences_in_the_saved_notebook(text: str) -> None:
    saved(text)
    Path("half written.ipynb").write_text('{"cells": [')
    assert (
        repr(model_answer("one_example")) == "Model answer: hold yours against it\n\nTwo sources."
    )


def test_without_a_notebook_the_text_can_be_handed_over() -> None:
    assert 'model_answer("one_example", mine="...")' in repr(model_answer("one_example"))
    mine = "The sentence around it helps. So does the form of the word."
    assert "Two sources." in repr(model_answer("one_example", mine=mine))


def test_a_graded_course_says_that_they_are_off(lesson: Path) -> None:
    FILE.unlink()
    check(EXERCISE, right)
    assert repr(model_answer(EXERCISE)) == "The course has switched model answers off."


@pytest.mark.parametrize("running", ["autograde", "validate"])
def test_nbgrader_sees_nothing(running: str, monkeypatch: pytest.MonkeyPatch) -> None:
    check(EXERCISE, right)
    monkeypatch.setenv("NBGRADER_EXECUTION", running)
    assert model_answer(EXERCISE) is None


def test_an_unknown_key_names_those_there_are() -> None:
    with pytest.raises(KeyError, match="'frequency'; there are: relative_frequency, one_example"):
        model_answer("frequency")


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("", 0),
        ("Yes. No. Maybe.", 0),
        ("A share is a number. It lies below 1!", 2),
        ("One, two", 0),
    ],
)
def test_sentences_are_counted(text: str, sentences: int) -> None:
    assert count_sentences(text) == sentences
