"""What counts as a number where a number is meant."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
import torch

from autograde.checking.answers import AnswerRefused, plain, refuse_changed
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


def test_a_long_double_is_a_number() -> None:
    assert plain([np.longdouble(0.25)]) == [0.25]


def test_a_list_of_dicts_of_arrays_that_was_changed_is_refused() -> None:
    given = {"stack": [{"W": np.ones(2), "b": np.zeros(1)}]}
    refuse_changed(given, {"stack": [{"W": torch.ones(2), "b": torch.zeros(1)}]})
    for changed in ({"W": torch.ones(2), "b": torch.ones(1)}, {"W": torch.ones(2)}):
        with pytest.raises(AnswerRefused, match="changed its argument `stack`"):
            refuse_changed(given, {"stack": [changed]})
