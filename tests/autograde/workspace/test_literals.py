"""A literal makes its value again; what has no short text is refused."""

import functools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from autograde.workspace.literals import CannotBeWritten, literal

PLAIN = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False)
    | st.text(max_size=20)
    | st.binary(max_size=9),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.tuples(inner, inner)
        | st.dictionaries(st.text(max_size=5), inner, max_size=3)
        | st.frozensets(st.integers(), max_size=4)
    ),
    max_leaves=12,
)


@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(PLAIN)
def test_a_literal_is_the_value_again(value: Any) -> None:
    again = eval(literal(value))
    assert again == value
    assert type(again) is type(value)


def test_literals_of_odd_values() -> None:
    assert math.isnan(eval(literal(float("nan"))))
    assert literal({"b", "a"}) == "{'a', 'b'}"
    assert literal([set(), frozenset(), (1,), ()]) == "[set(), frozenset(), (1,), ()]"
    for value in (np.float64(1), functools.partial(print), object(), "x" * 5_000, 1j):
        with pytest.raises(CannotBeWritten):
            literal(value)
