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


def test_rounding_does_not_decide_which_of_equal_differences_is_shown() -> None:
    expected = np.array([0.25, -0.25, 0.25])
    for noise in (-1e-16, 1e-16):
        found = first_difference(expected, -expected + [0, noise, 0], rtol=1e-4, atol=1e-6)
        assert found == "The result is -0.25 at index (0,), not 0.25 (3 of 3 values are off)."


def test_what_is_0_but_for_rounding_is_written_so() -> None:
    for noise in (-3e-17, 3e-17):
        found = first_difference(np.array([0.25, 1.0]), np.array([noise, 1.0]), rtol=0, atol=1e-6)
        assert found == "The result is about 0 at index (0,), not 0.25 (1 of 2 values are off)."


def test_four_digits_are_shown_where_they_tell_two_numbers_apart() -> None:
    found = str(first_difference(0.0124221499, 2.0, rtol=1e-4, atol=1e-6))
    assert found == "The result is 2, not 0.01242."
    assert "1.00001, not 1" in str(first_difference(1.0, 1.00001, rtol=0, atol=1e-6))


def test_a_whole_number_may_come_of_a_division() -> None:
    assert first_difference(3, 0.3 / 0.1, rtol=0, atol=0) is None
    assert first_difference(3, 3.001, rtol=1, atol=1) == "The result should hold whole numbers."


def test_a_list_that_is_held_as_a_tuple_is_not_asked_to_be_one() -> None:
    assert first_difference((1, 2), [1, 2], rtol=0, atol=0) is None
    found = first_difference((1, 2), [1], rtol=0, atol=0)
    assert found == "The result should consist of 2 parts, not of 1."
    found = first_difference((1, 2), 1.0, rtol=0, atol=0)
    assert found == "The result should be a list or tuple of 2 parts, not a number."


def test_a_part_is_set_as_code_unless_its_name_holds_code() -> None:
    assert "`loss` is 1" in str(first_difference({"loss": 0}, {"loss": 1}, rtol=0, atol=0))
    name = "what `first` is given"
    found = first_difference({name: 0}, {name: 1}, rtol=0, atol=0)
    assert found == "What `first` is given is 1, not 0."
