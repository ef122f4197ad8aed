"""A reader of merged words is judged on places that it was not fitted to."""

import numpy as np

from autograde.exercises.static_limits.context_vector import context_vector
from autograde.exercises.static_limits.fit_reader import fit_reader
from course.static_limits.merged_words import over_words, read_all
from course.static_limits.pseudo_words import PseudoWord, merge_words


def test_telling_neighbours_are_read_and_silent_ones_are_not() -> None:
    rng = np.random.default_rng(0)
    drawn = rng.integers(0, 2, (100, 2))
    sentences = [[("fish", "bone")[kind], ("cat", "dog")[kind], ("a", "b")[c]] for kind, c in drawn]
    text, labels = merge_words(sentences, "cat", "dog", "catdog")
    word = PseudoWord("cat", "dog", "catdog", tuple(labels))
    common = (text, [word, word])
    telling, silent = {"fish": 0, "bone": 1}, {"a": 0, "b": 1}
    rest = (np.eye(2), 1, context_vector, fit_reader)
    assert read_all(*common, telling, *rest).tolist() == [1, 1]
    assert read_all(*common, silent, *rest).max() < 0.75


def test_the_interval_is_over_the_words() -> None:
    point = over_words(np.array([0.5, 0.7, 0.9]))
    assert point["low"] < point["mean"] == np.mean([0.5, 0.7, 0.9]) < point["high"]
