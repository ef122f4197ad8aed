"""Counted vectors: words with like neighbours are near, whatever the case."""

import numpy as np

from course.baselines.counted_vectors import CountedVectors

TEXT = [
    row
    for number in range(40)
    for row in (
        ["The", ("cat", "dog")[number % 2], "eats", "fish", "now"],
        ["we", ("read", "write")[number % 2], "long", "letters", "here"],
    )
]


def test_words_with_like_neighbours_are_near() -> None:
    counted = CountedVectors(TEXT, size=4)
    cat, dog, read = counted(["cat", "DOG", "read"])
    assert cat @ dog > 0.9 * 4
    assert abs(cat @ read) < 0.5 * 4
    assert np.allclose((counted(["fish", "letters"]) ** 2).mean(1), 1, atol=1e-5)


def test_a_word_that_was_not_counted_is_zero_and_no_pair_crosses_a_sentence() -> None:
    text = [["a", "b"], ["c", "d"]] * 5
    counted = CountedVectors(text, size=4)
    assert not counted(["never"]).any()
    b, c = counted(["b", "c"])
    assert abs(b @ c) < 1e-4
