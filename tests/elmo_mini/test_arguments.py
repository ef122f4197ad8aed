"""Numbers on a command line; every option of every command is in `commands/test_refusals`."""

import argparse

import pytest

from elmo_mini.arguments import (
    dropout_rate,
    non_negative_float,
    positive_float,
    positive_int,
    random_seed,
    whole_number,
)


def test_what_is_in_range_is_read() -> None:
    assert positive_int("12") == 12
    assert random_seed("4294967295") == 2**32 - 1
    assert whole_number(2, 3)("2") == 2
    assert (positive_float("1e-3"), non_negative_float("0"), dropout_rate("0")) == (0.001, 0, 0)


@pytest.mark.parametrize(
    ("read", "text", "sentence"),
    [
        (positive_int, "0", "'0' is not a whole number of at least 1"),
        (positive_int, "1.5", "'1.5' is not a whole number of at least 1"),
        (positive_int, "9" * 5000, "is not a whole number of at least 1"),
        (random_seed, "4294967296", "is not a whole number from 0 to 4294967295"),
        (positive_float, "0", "'0' is not a number above 0 and up to 1e30"),
        (positive_float, "inf", "'inf' is not a number above 0 and up to 1e30"),
        (non_negative_float, "nan", "'nan' is not a number of at least 0 and up to 1e30"),
        (dropout_rate, "1", "'1' is not a number from 0 to below 1"),
        (dropout_rate, "half", "'half' is not a number from 0 to below 1"),
    ],
)
def test_the_rest_is_one_sentence(read, text: str, sentence: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(argparse.ArgumentTypeError) as refused:
        read(text)
    assert str(refused.value).endswith(sentence)
