"""Predictions are recorded beside the notebook, compared, and never lost."""

import json
from pathlib import Path

import numpy as np
import pytest
import torch

from autograde.checking.predictions import FILE, Form, calibration, outcome, predict


@pytest.fixture(autouse=True)
def lesson_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_guess_stands_beside_the_outcome() -> None:
    predict("share", "How large?", guess=40.0, unit="kg")
    assert "You predicted: 40 kg" in repr(outcome("share", 12.0))
    assert "surprise" in repr(outcome("share", 12.0))
    assert "held" in repr(outcome("share", 70.0))
    assert "surprise" in repr(outcome("share", 70.0, factor=1.1))
    assert json.loads(FILE.read_text())["share"]["outcome"] == 70.0


def test_a_percentage_holds_within_ten_points() -> None:
    predict("share", "How large?", unit="%", guess=40.0)
    assert "held (it holds within 10 percentage points)" in repr(outcome("share", 49.0))
    assert "surprise" in repr(outcome("share", 51.0))


def test_a_small_percentage_holds_within_half_of_what_was_measured() -> None:
    predict("share", "How large?", unit="%", guess=2.0)
    assert "surprise (it holds within 5.7 percentage points)" in repr(outcome("share", 11.41))
    assert "held" in repr(outcome("share", 3.9))
    assert "held (it holds within 1 percentage point)" in repr(outcome("share", 1.1))


def test_numbers_in_other_dress_are_understood_and_words_are_not() -> None:
    assert "4.5 kg" in repr(predict("weight", "How heavy?", unit="kg", guess="4,5 kg"))
    said = repr(predict("weight", "How heavy?", guess="about five"))
    assert "Not recorded" in said
    assert "must be a number" in said
    assert "4.5" in FILE.read_text()


def test_what_was_measured_may_be_a_tensor_or_an_array_of_one_number() -> None:
    for key, number in {"tensor": torch.tensor(9.5), "array": np.float32(9.5)}.items():
        predict(key, "How large?", guess=9.0)
        assert "held" in repr(outcome(key, number))  # type: ignore[arg-type]
        assert json.loads(FILE.read_text("utf-8"))[key]["outcome"] == 9.5


def test_the_first_guess_stays_once_the_outcome_is_known() -> None:
    predict("weight", "How heavy?", guess=1.0)
    predict("weight", "How heavy?", guess=2.0)
    outcome("weight", 9.0)
    assert "first guess stays: 2" in repr(predict("weight", "How heavy?", guess=9.0))
    assert "0 of your 1" in repr(calibration())
    assert "the other one" in repr(calibration())


def test_the_rule_stands_beside_the_outcome() -> None:
    predict("times", "How many times?", guess=3.0, unit="x")
    assert "held (it holds within a factor of 2)" in repr(outcome("times", 1.7))
    assert "surprise (it holds within a factor of 1.25)" in repr(outcome("times", 1.7, factor=1.25))
    predict("which", "Which?", options=["a", "b"], guess="a")
    assert "the same option" in repr(outcome("which", "b"))


def test_a_share_where_a_percentage_is_asked_is_questioned() -> None:
    assert "write 60" in repr(predict("share", "How large?", guess=0.6, unit="%"))
    assert "write" not in repr(predict("share", "How large?", guess=60, unit="%"))


def test_without_a_guess_the_outcome_is_still_said_and_nothing_is_written() -> None:
    assert "No prediction" in repr(outcome("share", 12.0))
    assert not FILE.exists()


def test_a_guess_after_the_outcome_comes_too_late() -> None:
    outcome("share", 12.0)
    assert "too late" in repr(predict("share", "How large?", guess=12.0))
    assert not FILE.exists()
    assert "Recorded" in repr(predict("another", "How large?", guess=12.0))


def test_options() -> None:
    assert "one of ['a', 'b']" in repr(predict("which", "Which?", options=["a", "b"], guess="c"))
    assert not FILE.exists()
    predict("which", "Which?", options=["a", "b"], guess="b")
    outcome("which", "b")
    predict("size", "How big?", guess=1.0)
    outcome("size", -3.0)
    assert "1 of your 2" in repr(calibration())


def test_damaged_file_is_put_aside() -> None:
    FILE.write_text("{ not json")
    predict("share", "How large?", guess=1.0)
    assert Path("predictions.damaged.json").read_text() == "{ not json"


def test_where_no_widget_can_be_shown_the_question_is() -> None:
    form = predict("share", "How large?", options=["a", "b"])
    assert isinstance(form, Form)
    bundle = form._repr_mimebundle_()
    assert bundle["text/plain"].startswith("Your prediction? How large? (a / b)")
    assert "guess=" in bundle["text/plain"]
    assert "How large?" in bundle["text/html"]
    assert any("widget" in kind for kind in bundle)
    assert not FILE.exists()


def test_the_form_records_when_its_button_is_pressed() -> None:
    form = predict("which", "Which?", options=["a", "b"])
    assert isinstance(form, Form)
    radio, (button, said) = form.widget.children[1], form.widget.children[2].children
    button.click()
    assert "Choose" in said.value
    radio.value = "b"
    button.click()
    assert json.loads(FILE.read_text())["which"]["guess"] == "b"


def test_a_second_damaged_file_does_not_cost_the_first() -> None:
    for text in ("{ one", "{ two"):
        FILE.write_text(text)
        predict("share", "How large?", guess=1.0)
    aside = [path.read_text() for path in sorted(Path.cwd().glob("predictions.damaged*.json"))]
    assert sorted(aside) == ["{ one", "{ two"]


def test_where_nothing_can_be_written_the_lesson_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    predict("share", "How large?", guess=1.0)

    def full_disk(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("autograde.checking.predictions.write_text", full_disk)
    assert "You predicted: 1 · measured: 2" in repr(outcome("share", 2.0))
    said = repr(predict("another", "How large?", guess=1.0))
    assert said.startswith("Not recorded: predictions.json cannot be written (No space left")


@pytest.mark.parametrize(
    ("unit", "asked"),
    [("%", "Your guess (%)"), ("x", "Your guess (times)"), ("", "Your guess")],
)
def test_the_form_says_what_to_type(unit: str, asked: str) -> None:
    form = predict("share", "How large?", unit=unit)
    assert isinstance(form, Form)
    number = form.widget.children[1]
    assert number.description == asked
    assert number.style.description_width == "initial"


def test_in_marking_an_outcome_without_a_guess_is_no_reproach(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("NBGRADER_EXECUTION", "autograde")
    assert repr(outcome("kind", "A Noun")) == "Measured: A Noun"
    assert calibration() is None
