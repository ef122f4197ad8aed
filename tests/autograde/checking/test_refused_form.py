"""Right numbers in a form that is refused: the mistake that says so, and wrong numbers in it."""

from typing import Any

import numpy as np
import pytest
import torch

from autograde.checking.answers import Answer, AnswerRefused, Inputs, Plain, call
from autograde.checking.check import examine
from autograde.checking.exercise import Mistake
from autograde.checking.refused_form import without_form
from autograde.checking.report import Report
from tests.autograde.checking.made_up import exercise

TENSOR = "Your answer is a tensor."
SQUARED = Mistake("squared", lambda v: v**2, "You square.", hint=2)
FORM = Mistake("a tensor", lambda v: torch.from_numpy(2 * v), "The right numbers in a tensor.")


def run(answer: Answer, inputs: Inputs) -> Plain:
    def arrays_only(*arguments: Any) -> Any:
        result = answer(*arguments)
        if isinstance(result, torch.Tensor):
            raise AnswerRefused(TENSOR)
        return result

    return call(arrays_only, inputs)


def report_on(answer: Answer, *mistakes: Mistake) -> Report:
    return examine(exercise(run=run, mistakes=(SQUARED, FORM, *mistakes)), answer)


def test_right_numbers_in_the_wrong_form_are_named() -> None:
    report = report_on(lambda v: torch.tensor((v + v).tolist()))
    assert (report.mistake, report.certain) == (FORM, True)


def test_wrong_numbers_in_the_wrong_form_are_not_called_right() -> None:
    report = report_on(lambda v: torch.from_numpy(v + 1))
    assert report.mistake is None
    assert report.advice.startswith(f"{TENSOR} That is not all: the numbers are wrong")


def test_a_mistake_in_the_wrong_form_is_told_with_the_form() -> None:
    report = report_on(lambda v: torch.from_numpy(v * v))
    assert report.mistake is None
    assert report.advice == (f"{TENSOR} That is not all. You square. Hint 2 is about this.")


def test_a_form_that_says_nothing_of_the_numbers_is_named_as_before() -> None:
    drawn = Mistake("drawn", lambda v: torch.rand(len(v)), "You draw a tensor.")
    made = exercise(run=run, mistakes=(SQUARED, drawn), cases=exercise().cases[:1])
    assert examine(made, lambda v: torch.from_numpy(v * v)).mistake is drawn


def test_an_argument_that_is_changed_by_half_is_not_called_right() -> None:
    def half_done(values: np.ndarray) -> torch.Tensor:
        values += 1
        return torch.from_numpy(2 * values)

    report = report_on(half_done)
    assert report.mistake is None
    assert report.advice == TENSOR


def test_nothing_is_said_of_numbers_where_other_orders_may_be_right() -> None:
    made = exercise(run=run, mistakes=(SQUARED, FORM), view=lambda _, v: np.sort(v))
    assert examine(made, lambda v: torch.from_numpy(2 * v[::-1].copy())).advice == TENSOR


def test_nothing_is_said_of_numbers_where_right_answers_return_different_ones() -> None:
    made = exercise(run=run, mistakes=(FORM,), right_answers={"drawn": lambda v: v + 2})
    assert examine(made, lambda v: torch.from_numpy(v + 1)).advice == TENSOR


@pytest.mark.parametrize("form", [list, tuple])
def test_right_numbers_in_a_list_have_nothing_to_be_observed(form: Any) -> None:
    report = examine(exercise(), lambda v: form((2 * abs(v)).tolist()))
    cases = exercise().cases[:1]
    made = exercise(cases=cases, reference=lambda values: abs(values), mistakes=())
    assert examine(made, lambda v: form(abs(v).tolist())).observed == ""
    assert report.observed != ""


def test_a_vast_list_of_lists_is_not_read() -> None:
    labels = ["NOUN"] * 2_000
    assert without_form([([labels] * 2, ())]) is not None
    assert without_form([([labels] * 2_000, ())]) is None
