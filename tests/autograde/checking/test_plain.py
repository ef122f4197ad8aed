"""What counts as a number where a number is meant."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from autograde.checking.answers import plain
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
