"""What counts as a number where a number is meant."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
import torch

from autograde.checking.answers import TOO_LARGE, AnswerRefused, in_range, plain, refuse_changed
from autograde.checking.catalogue import find
from autograde.checking.check import examine


@pytest.mark.parametrize("number", [Fraction(1, 4), Decimal("0.25")])
def test_fractions_and_decimals_are_numbers(number: Fraction | Decimal) -> None:
    assert plain([number, {"a": number}]) == [0.25, {"a": 0.25}]


def test_a_share_may_be_a_fraction() -> None:
    report = examine(
        find("relative_frequency"),
        lambda tokens, word: Fraction(tokens.count(word), max(1, len(tokens))),
    )
    assert report.points == report.exercise.points


HUGE = 50_000**300


@pytest.mark.parametrize(
    "value",
    [HUGE, -HUGE, (1, HUGE), [[HUGE]], {"a": [HUGE]}, 7**9999],
    ids=["plus", "minus", "pair", "rows", "by name", "not even text"],
)
@pytest.mark.parametrize("name", ["softmax_cost", "noise_distribution", "nearest", "text_to_ids"])
def test_a_number_that_no_array_holds_is_a_wrong_answer_and_no_broken_kernel(
    name: str, value: object
) -> None:
    """`vocabulary_size ** dimension` is one: in marking, it left a whole hand-in without a mark."""
    report = examine(find(name), lambda *given: value)
    assert report.judged
    assert report.points == 0


def test_the_learner_is_told_of_a_number_that_no_array_holds() -> None:
    report = examine(find("softmax_cost"), lambda words, width, k: (words**width, (k + 1) * width))
    assert TOO_LARGE in report.message
    for value in (HUGE, 2**63, -(2**63), [1.0, (True, {"a": {HUGE}})]):
        with pytest.raises(AnswerRefused, match="18 digits"):
            in_range(value)
    for number in (Fraction(HUGE), Fraction(-HUGE)):
        with pytest.raises(AnswerRefused, match="18 digits"):
            plain(number)
    largest = [2**63 - 1, -(2**63) + 1, float("inf"), "9" * 400, {"a": np.ones(2)}]
    assert in_range(largest) is largest


def test_a_long_double_is_a_number() -> None:
    assert plain([np.longdouble(0.25)]) == [0.25]


def test_a_list_of_dicts_of_arrays_that_was_changed_is_refused() -> None:
    given = {"stack": [{"W": np.ones(2), "b": np.zeros(1)}]}
    refuse_changed(given, {"stack": [{"W": torch.ones(2), "b": torch.zeros(1)}]})
    for changed in ({"W": torch.ones(2), "b": torch.ones(1)}, {"W": torch.ones(2)}):
        with pytest.raises(AnswerRefused, match="changed its argument `stack`"):
            refuse_changed(given, {"stack": [changed]})
