"""Counts are exact, and a report writes numbers and nouns as a reader would."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from autograde.checking.judge import digits, first_difference, with_article


@pytest.mark.parametrize(
    ("expected", "came"),
    [
        (9_271_850, 9_271_851),
        (9_271_850, 9_271_851.0),
        (np.array([100_000, 2]), np.array([100_001, 2])),
        ({"pairs": [100_000]}, {"pairs": [100_001]}),
        (True, False),
        (np.array([True, True]), np.array([True, False])),
    ],
)
def test_a_count_that_is_nearly_right_is_wrong(expected: Any, came: Any) -> None:
    assert first_difference(expected, came, rtol=1e-3, atol=1.0) is not None
    assert first_difference(expected, expected, rtol=1e-3, atol=1.0) is None


def test_whole_numbers_are_written_in_full() -> None:
    found = first_difference(9_271_850, 9_271_851, rtol=1e-3, atol=0)
    assert found == "The result is 9271851, not 9271850."
    assert [digits(value) for value in (1e6, np.int64(-3), 0.5, 1e20, np.nan, np.True_)] == [
        "1000000",
        "-3",
        "0.5",
        "1e+20",
        "nan",
        "True",
    ]


def test_two_numbers_that_differ_look_different() -> None:
    found = first_difference(0.12345678, 0.12345679, rtol=0, atol=0)
    assert found == "The result is 0.12345679, not 0.12345678."


def test_a_noun_has_its_article() -> None:
    assert [with_article(noun) for noun in ("int", "Tensor", "OrderedDict")] == [
        "an int",
        "a Tensor",
        "an OrderedDict",
    ]
    assert "not a Fraction" in str(first_difference(1.0, Fraction(1), rtol=0, atol=0))
    assert "not an object" in str(first_difference(1.0, object(), rtol=0, atol=0))


def test_a_list_for_an_array_is_told_the_way_out() -> None:
    found = str(first_difference(np.zeros(2), [0.0, 0.0], rtol=0, atol=0))
    assert found == (
        "The result should be an array, not a list. `np.array(...)` makes one of it, "
        "`torch.stack(...)` of a list of tensors."
    )
    assert "np.array" not in str(first_difference(1.0, [1.0], rtol=0, atol=0))
