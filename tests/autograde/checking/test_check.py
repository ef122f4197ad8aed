"""The check itself: the ladder, partial credit, captured output, kindness, secrecy."""

import logging
import os
import sys
from typing import Any

import numpy as np
import pytest
import torch

from autograde.checking import outcomes
from autograde.checking.answers import call_with_tensors
from autograde.checking.captured_output import captured_output
from autograde.checking.check import check, examine, or_reference
from autograde.checking.differentiable import run_differentiably
from autograde.checking.exercise import Case, Exercise, Mistake
from autograde.checking.judge import first_difference
from autograde.checking.markup import prose
from tests.autograde.checking.made_up import double, exercise


def test_score_is_a_plain_number_with_a_report(registered: Exercise) -> None:
    score = check("double", lambda values: values + values)
    assert isinstance(score, float)
    assert score == 4
    bundle = score._repr_mimebundle_()
    assert bundle["text/plain"] == "4.0"
    assert "Double" in bundle["text/html"]


def test_named_mistake_points_to_its_hint(registered: Exercise) -> None:
    report = examine(registered, lambda values: values * values)
    assert report.mistake is not None
    assert report.mistake.name == "squared"
    assert "Hint 2" in report.advice
    assert report.points == 0


def test_a_corner_alone_earns_nothing_and_the_rest_alone_earns_its_share() -> None:
    def crashes_on_empty(values: np.ndarray) -> np.ndarray:
        return 2 * values if values.max() else values

    assert examine(exercise(), lambda values: np.zeros(0)).points == 0
    assert examine(exercise(), crashes_on_empty).points == 3


def test_unknown_mistake_shows_what_went_in_what_was_expected_what_came() -> None:
    report = examine(exercise(), lambda values: 3 * values)
    assert report.mistake is None
    assert [name for name, _ in report.detail] == ["in: values", "expected", "came"]


def test_expected_values_are_hidden_while_nbgrader_marks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NBGRADER_EXECUTION", "autograde")
    assert examine(exercise(), lambda values: 3 * values).detail == ()


def test_error_in_the_answer_names_type_and_line() -> None:
    def wrong(values: np.ndarray) -> np.ndarray:
        return values / undefined  # type: ignore[name-defined]  # noqa: F821

    message = examine(exercise(), wrong).message
    assert "NameError" in message
    assert "line" in message


def test_an_answer_that_ends_the_program_is_only_a_wrong_answer() -> None:
    report = examine(exercise(), lambda values: sys.exit())
    assert report.points == 0
    assert "Your function stopped with SystemExit (line" in report.message


def test_signature_is_looked_at_first() -> None:
    assert "1 arguments (values)" in examine(exercise(), lambda a, b: a).message


def test_changing_the_argument_is_refused() -> None:
    def in_place(values: Any) -> Any:
        values *= 2
        return values

    for run in (exercise().run, call_with_tensors):
        assert "changed its argument `values`" in examine(exercise(run=run), in_place).message


def test_a_huge_result_is_told_by_its_size_not_as_a_loop() -> None:
    wide = examine(exercise(), lambda values: np.broadcast_to(0.0, (10_000, 20_000)))
    assert "returned 1.6 GB of numbers, in shape (10000, 20000)" in wide.message
    in_list = examine(exercise(), lambda values: [torch.zeros(1).expand(10**8)])
    assert "returned 0.4 GB of numbers" in in_list.message
    long = examine(exercise(), lambda values: [0] * 5_000_001)
    assert "returned a list of 5,000,001 parts" in long.message
    assert not any("loop" in report.text() for report in (wide, in_list, long))


def test_more_memory_than_there_is_is_told_with_its_line() -> None:
    for answer in (lambda values: np.ones(2**45), lambda values: torch.ones(2**45)):
        message = examine(exercise(), answer).message
        assert message.startswith("Your function asked for more memory than there is (line ")


def test_a_change_in_place_of_what_a_gradient_is_wanted_for_is_told_as_one() -> None:
    def in_place(values: torch.Tensor) -> torch.Tensor:
        values += 1
        return 2 * values

    made = exercise(
        cases=(Case("ones", lambda rng: {"values": np.ones(3, dtype=np.float32)}),),
        run=run_differentiably,
    )
    message = examine(made, in_place).message
    assert message.startswith("Your function changes a tensor in place that a gradient is wanted")
    assert "(line " in message


def test_gradients_that_are_switched_off_are_told_by_where(registered: Exercise) -> None:
    def leaves_them_off(values: np.ndarray) -> np.ndarray:
        torch.set_grad_enabled(False)
        return 2 * values

    def without(values: np.ndarray) -> np.ndarray:
        with torch.no_grad():
            return 3 * values

    assert examine(exercise(), double).note == ""
    assert "leaves them off" in examine(exercise(), leaves_them_off).note
    assert "`torch.no_grad()` stands in your function" in examine(exercise(), without).note
    over = torch.no_grad()(lambda values: 3 * values)
    assert "`torch.no_grad()` stands in your function" in examine(exercise(), over).note
    torch.set_grad_enabled(False)
    try:
        score = check("double", lambda values: 2 * values)
    finally:
        torch.set_grad_enabled(True)
    assert score == 4
    assert "In this notebook gradients are switched off" in score.report.text()


def test_live_objects_are_refused_by_type() -> None:
    assert "type Module" in examine(exercise(), lambda values: torch.nn.Module()).message


def test_case_inputs_depend_on_the_seed_alone() -> None:
    first, again, other = (exercise().inputs(0, seed)["values"] for seed in (1, 1, 2))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


def test_noise_on_every_channel_is_kept_out_of_the_cell(
    capfd: pytest.CaptureFixture[str],
) -> None:
    logger = logging.getLogger("noisy")
    logger.addHandler(logging.StreamHandler())

    def noisy(values: np.ndarray) -> np.ndarray:
        print("to stdout")
        sys.stderr.write("a progress bar")
        logger.error("a log line")
        os.write(2, b"from compiled code\n")
        return 2 * values

    report = examine(exercise(), noisy)
    assert report.points == 4
    assert all(
        text in report.printed
        for text in ("to stdout", "a progress bar", "a log line", "from compiled code")
    )
    seen = capfd.readouterr()
    assert seen.err == ""
    assert seen.out == ""


def test_captured_output_is_bounded_and_streams_come_back() -> None:
    with captured_output() as text:
        print("x" * 100_000)
    assert len(text.getvalue()) == text.limit
    with pytest.raises(ZeroDivisionError), captured_output():
        raise ZeroDivisionError


def test_or_reference_judges_the_answer_itself(
    registered: Exercise, capsys: pytest.CaptureFixture[str]
) -> None:
    def right(values: np.ndarray) -> np.ndarray:
        return values * 2

    assert or_reference("double", right) is right
    assert or_reference("double", lambda values: values) is double
    assert "course's own" in capsys.readouterr().out


def test_or_reference_says_why_the_courses_own_is_used(
    registered: Exercise, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def stub(values: np.ndarray) -> np.ndarray:
        raise NotImplementedError

    def why(answer: Any) -> str:
        assert or_reference("double", answer) is double
        return capsys.readouterr().out.split("is used: ")[1].strip()

    assert why(stub) == "you have not begun yours yet."
    assert why(lambda values: values) == "yours is not right yet."
    assert why(double) == "yours is not defined, this name stands for the course's."
    monkeypatch.setattr(outcomes, "first_difference", None)
    assert why(lambda values: 3 * values) == "yours could not be judged."


def test_the_reference_itself_is_no_answer(registered: Exercise) -> None:
    score = check("double", or_reference("double", lambda values: values))
    assert score == 0
    assert "not yours" in score.report.message


def test_a_stub_left_beside_an_answer_or_called_by_it_is_told_apart() -> None:
    def left(values: np.ndarray) -> np.ndarray:
        result = 2 * values
        raise NotImplementedError
        return result

    def helper(values: np.ndarray) -> np.ndarray:
        raise NotImplementedError

    assert "still in your function" in examine(exercise(), left).message
    assert "calls `helper`" in examine(exercise(), lambda values: helper(values)).message


def test_a_class_that_is_a_stub_is_told_as_a_function_is() -> None:
    class Stub:
        def __init__(self, values: np.ndarray) -> None:
            self.values = values
            self.doubled()

        def doubled(self) -> np.ndarray:
            raise NotImplementedError

    class Begun(Stub):
        def __init__(self, values: np.ndarray) -> None:
            self.doubled()

        def doubled(self) -> np.ndarray:
            return self.half()

        def half(self) -> np.ndarray:
            raise NotImplementedError

    class Left(Stub):
        def doubled(self) -> np.ndarray:
            print(self.values)
            raise NotImplementedError

    class NotBegun:
        def __init__(self, values: np.ndarray) -> None:
            raise NotImplementedError

    class Calls:
        def __init__(self, values: np.ndarray) -> None:
            Stub(values)

    class Wrong:
        def __init__(self, values: np.ndarray) -> None:
            values.double()  # type: ignore[attr-defined]

    said = {
        answer.__name__: examine(exercise(), answer).message
        for answer in (NotBegun, Begun, Left, Calls, Wrong)
    }
    assert "Not started yet" in said["NotBegun"]
    assert "Not started yet: `half` of your" in said["Begun"]
    assert "is still in your `doubled`" in said["Left"]
    assert "calls `doubled`, which is not written yet" in said["Calls"]
    assert "of your cell" in said["Wrong"]


def test_a_mistake_that_fits_one_case_only_is_said_with_perhaps() -> None:
    def squared_sometimes(values: np.ndarray) -> np.ndarray:
        return values**2 if len(values) else np.ones(1)

    report = examine(exercise(), squared_sometimes)
    assert "perhaps: squared" in report.headline
    assert "If it is that: You square." in report.advice
    assert "The result is" in report.advice


def test_a_guess_that_two_mistakes_share_is_not_made() -> None:
    def squared_at_first(values: np.ndarray) -> np.ndarray:
        return values**2 if len(values) else np.ones(1)

    mistakes = (
        *exercise().mistakes,
        Mistake("to the fourth, rooted", lambda v: np.sqrt(v**4) + 0 * len(v), "You root."),
    )
    assert examine(exercise(mistakes=mistakes), squared_at_first).mistake is None


def test_another_error_of_the_same_type_is_not_the_named_one() -> None:
    def fails(text: str) -> Any:
        def answer(values: np.ndarray) -> np.ndarray:
            raise ValueError(text)

        return answer

    made = exercise(mistakes=(Mistake("truth value", fails("ambiguous"), "Compare each."),))
    assert examine(made, fails("ambiguous")).mistake is made.mistakes[0]
    assert examine(made, fails("something else")).mistake is None


def test_words_in_italics_are_italics_and_stars_in_code_stay() -> None:
    assert prose("the *cat* in `a * b * c`") == "the <em>cat</em> in <code>a * b * c</code>"
    assert prose("2 * 3 * 4") == "2 * 3 * 4"


def test_unknown_exercise_is_named_with_those_there_are(registered: Exercise) -> None:
    with pytest.raises(KeyError, match=r"no exercise 'treble'.*double"):
        check("treble", double)


@pytest.mark.parametrize(
    ("expected", "came", "says"),
    [
        (1.0, None, "return"),
        (1.0, "1.0", "text"),
        (np.zeros(2), [0.0, 0.0], "array, not a list"),
        (np.zeros(3), np.zeros((3, 1)), "shape (3,), not (3, 1)"),
        (np.zeros(3), np.array([0, np.nan, 0]), "nan at index (1,)"),
        (np.zeros(3), np.array([0, 0, 1e-3]), "(1 of 3 values are off)"),
        (np.array([-np.inf]), np.array([0.0]), "not -inf"),
        (np.array([1, 2]), np.array([1.0, 2.5]), "whole numbers"),
        (np.zeros(2), np.zeros(2) * 1j, "real numbers"),
        ((1, 2), (1,), "2 parts, not of 1"),
        ([1], [], "1 part, not 0"),
        ((1, [2, 3]), 1.0, "tuple of 2 parts, not a number"),
        ([0, [1, 2]], [0, [1, 3]], "`result[1][1]` is 3, not 2"),
        ({"labels": [("a", 1)]}, {"labels": [("b", 1)]}, "`labels[0][0]` should be 'a'"),
        ([0, [1]], [0, None], "`result[1]` is None."),
        ([1, 2], 3, "list, not a number"),
        ({"a": 1}, {"b": 1}, "keys ['a']"),
        ("left", "right", "'left', not 'right'"),
    ],
)
def test_first_difference_says_what_is_wrong(expected: Any, came: Any, says: str) -> None:
    found = first_difference(expected, came, rtol=1e-6, atol=1e-8)
    assert found is not None
    assert says in found


@pytest.mark.parametrize(
    ("expected", "came"),
    [
        (1.0, np.float64(1.0)),
        (np.array([1.0, np.inf, np.nan]), np.array([1.0, np.inf, np.nan])),
        ((1, 2), np.array([1, 2])),
        (2, 2.0),
        ([(1, 2)], [[1, 2]]),
    ],
)
def test_equal_answers_in_another_dress_are_right(expected: Any, came: Any) -> None:
    assert first_difference(expected, came, rtol=1e-6, atol=1e-8) is None


@pytest.mark.parametrize("expected", [None, "text", 1.0, [1], (1, 2), {"a": None}, np.ones(2)])
@pytest.mark.parametrize("came", [None, "text", np.ones(3), np.array(["a", "b"]), [np.ones(2)]])
def test_no_pair_of_values_stops_the_comparison(expected: Any, came: Any) -> None:
    found = first_difference(expected, came, rtol=1e-6, atol=1e-8)
    assert found is None or found.endswith((".", "?"))
    wrapped = first_difference({"a": expected}, {"a": came}, rtol=1e-6, atol=1e-8)
    assert (wrapped is None) == (found is None)


def test_a_log_handler_without_a_stream_gets_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """PyTorch's own waits without a stream; `sys.stdout` may be None in a notebook."""
    handler = logging.StreamHandler()
    handler.stream = None
    monkeypatch.setattr(logging.root, "handlers", [*logging.root.handlers, handler])
    monkeypatch.setattr(sys, "stdout", None)
    with captured_output():
        pass
    assert handler.stream is None


def test_validate_is_told_on_stderr_what_is_missing(
    registered: Exercise, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    check("double", lambda values: values * values)
    assert capsys.readouterr().err == ""
    monkeypatch.setenv("NBGRADER_EXECUTION", "validate")
    check("double", lambda values: values + values)
    assert capsys.readouterr().err == ""
    check("double", lambda values: values * values)
    said = capsys.readouterr().err
    assert said.startswith("Double (double): ")
    assert max(map(len, said.splitlines())) <= 80  # nbgrader cuts longer lines


def test_the_repair_is_folded_away_until_the_same_answer_is_checked_again(
    registered: Exercise, monkeypatch: pytest.MonkeyPatch
) -> None:
    def squared(values: np.ndarray) -> np.ndarray:
        return values**2

    first = check("double", squared).report
    assert not first.repair
    assert "You square." not in first.text()
    assert "this is: squared" in first.text()
    assert "Hint 2" in first.text()
    opened, _, folded = first.html().partition("<details><summary>What helps")
    assert "You square." not in opened
    assert "You square." in folded
    assert "<details open><summary>The first wrong case" in first.html()
    assert "not " in opened  # what came, and what is right
    again = check("double", squared).report
    assert again.repair
    assert "You square." in again.text()
    assert "What helps" not in again.html()
    other = check("double", lambda values: values / 2).report
    assert not other.repair
    assert not check("double", squared).report.repair


def test_the_same_code_typed_once_more_is_the_same_answer(registered: Exercise) -> None:
    cell = "def double(values):\n    return values / 2\n"
    for times, told in enumerate([False, True]):
        names: dict[str, Any] = {}
        exec(compile(cell, f"<cell {times}>", "exec"), names)
        assert check("double", names["double"]).report.repair is told


@pytest.mark.parametrize("mode", ["validate", "autograde"])
def test_nbgrader_is_told_everything_at_once(
    registered: Exercise, monkeypatch: pytest.MonkeyPatch, mode: str
) -> None:
    monkeypatch.setenv("NBGRADER_EXECUTION", mode)
    report = check("double", lambda values: values**2).report
    assert report.repair
    assert "What helps" not in report.html()
