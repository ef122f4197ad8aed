"""What a reader of affixes sees of a word, and which penalty it takes."""

from collections.abc import Sequence

import numpy as np

from course.from_characters.affixes import (
    AFFIXES,
    VECTORS,
    affixes,
    affixes_and_vectors,
    chosen_on_dev,
)
from course.from_characters.word_similarity import Table


def test_affixes_are_in_lower_case_and_the_shape_is_not() -> None:
    assert affixes("Sang") == [
        "like Xxxx",
        *("begins s", "begins sa", "begins san", "begins sang"),
        *("ends g", "ends ng", "ends ang", "ends sang"),
    ]


def test_the_first_part_sets_the_scale_and_the_columns() -> None:
    def lengths(words: Sequence[str]) -> Table:
        return np.array([[len(word)] for word in words], dtype=np.float32)

    seen = affixes_and_vectors(lengths, [["a", "bcd"], ["xyz", "q"]])
    assert [part.tolist() for part in seen[VECTORS]] == [[[-1], [1]], [[1], [-1]]]
    known, asked = seen[AFFIXES]
    assert known.shape[1] == asked.shape[1]
    assert asked.sum(1).tolist() == [[1], [1]]  # a shape that was seen, and no letter


def test_the_penalty_is_the_one_that_is_best_on_dev() -> None:
    rows = np.array([[-1.0], [-0.9], [0.2], [1.0], [1.1], [1.2]])
    labels = np.array(list("aabbbb"))
    right, chosen = chosen_on_dev((rows, labels), (rows, labels), (rows[:2], labels[:2]))
    assert right.tolist() == [1, 1]
    assert chosen == {"C": 1, "share": 1.0}
