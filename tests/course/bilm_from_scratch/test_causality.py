"""The causality picture counts what moved and what must not, in words."""

import numpy as np
import pytest

from course.bilm_from_scratch.causality import causality
from course.figures.legibility import unreadable

WORDS = ["the", "dog", "barks"]
FORWARD, BACKWARD = np.triu(np.ones((3, 3), bool)), np.tril(np.ones((3, 3), bool))


def test_states_that_must_not_move_are_counted_by_model_and_direction() -> None:
    leaking = FORWARD.copy()
    leaking[2, 0] = True
    picture = causality({"a": (FORWARD, BACKWARD), "b": (leaking, BACKWARD)}, WORDS, title="T")
    assert (
        "a, forward states: 6 of 6 states that may move do, 0 of 3 that must not."
        in picture.description
    )
    assert "b, forward states: 6 of 6 states that may move do, 1 of 3" in picture.description
    assert "b, backward states: 6 of 6 states that may move do, 0 of 3" in picture.description
    assert unreadable(picture.figure) == []


def test_a_table_of_another_size_is_refused() -> None:
    with pytest.raises(ValueError, match=r"a: 2 words need \(2, 2\), not \(3, 3\)"):
        causality({"a": (FORWARD, BACKWARD)}, WORDS[:2], title="T")
