"""What one call leaves for the next is told, and only where it does harm."""

from collections.abc import Callable

import numpy as np
import pytest

from autograde.checking.check import examine
from autograde.checking.kept_between_calls import DEFAULT, OUTSIDE
from tests.autograde.checking.made_up import exercise

Numbers = list[float]
outside: Numbers = []
cache: dict[int, Numbers] = {}


def in_a_default(values: np.ndarray, found: Numbers = []) -> np.ndarray:  # noqa: B006 - the slip
    found += [2 * value for value in values]
    return np.array(found)


def in_a_named_default(values: np.ndarray, *, found: Numbers = []) -> np.ndarray:  # noqa: B006
    found += [2 * value for value in values]
    return np.array(found)


def in_a_list_outside(values: np.ndarray) -> np.ndarray:
    outside.extend(2 * value for value in values)
    return np.array(outside)


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (in_a_default, DEFAULT.format(name="found")),
        (in_a_named_default, DEFAULT.format(name="found")),
        (in_a_list_outside, OUTSIDE.format(name="outside")),
    ],
)
def test_what_a_call_leaves_for_the_next_is_told(
    answer: Callable[..., np.ndarray], says: str
) -> None:
    report = examine(exercise(), answer)
    assert report.points == 3
    assert report.note == says


def test_neither_a_right_cache_nor_an_empty_default_is_told() -> None:
    def cached(values: np.ndarray) -> np.ndarray:
        cache[len(cache)] = list(values)
        return 2 * values

    def untouched(values: np.ndarray, found: Numbers = []) -> np.ndarray:  # noqa: B006
        return np.array([3 * value for value in values] + found)

    assert examine(exercise(), cached).note == ""
    assert examine(exercise(), untouched).note == ""
