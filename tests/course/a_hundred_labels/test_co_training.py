"""Counts that learn from texts without labels, and whom each reader is surest of."""

import numpy as np
import pytest

from course.a_hundred_labels.co_training import naive_bayes_with_em, named, surest

TOPICS = (["sea", "ship"], ["bread", "oven"], ["goal", "match"])


def text(topic: int, rng: np.random.Generator) -> list[str]:
    """Words of one topic and, in most texts without labels, a word that no label shows."""
    return [*rng.permutation(TOPICS[topic])[:1].tolist(), f"hidden{topic}", "the"]


@pytest.mark.parametrize("classes", [2, 3])
def test_em_learns_words_that_no_labelled_text_holds(classes: int) -> None:
    rng = np.random.default_rng(0)
    unlabelled = [text(n % classes, rng) for n in range(60)]
    texts, labels = [TOPICS[n] for n in range(classes)], list(range(classes))
    reader = naive_bayes_with_em(texts, labels, unlabelled)
    asked = [[f"hidden{n}"] for n in range(classes)]
    assert reader(asked).shape == (classes, classes)
    assert named(labels, reader)(asked).tolist() == labels


def test_the_surest_are_as_many_of_each_class_however_the_scores_lean() -> None:
    odds = np.array([9.0, 8.0, 7.0, 6.0, 5.0, 4.0, 1.0, -1.0])
    rows, classes = surest(np.column_stack([np.zeros(8), odds]))
    assert classes == [0, 0, 1, 1]
    assert set(rows[:2]) == {6, 7}
    assert set(rows[2:]) == {0, 1}
    rows, classes = surest(np.eye(3).repeat(4, 0) * np.arange(1, 13)[:, None], (5, 6, 7))
    assert classes == [5, 5, 6, 6, 7, 7]
    assert [set(rows[at : at + 2]) for at in (0, 2, 4)] == [{2, 3}, {6, 7}, {10, 11}]


def test_what_the_first_round_starts_from_decides_where_no_label_does() -> None:
    rng = np.random.default_rng(1)
    unlabelled = [text(n % 2, rng) for n in range(40)]
    start = list(range(40)), [1 - n % 2 for n in range(40)]
    reader = naive_bayes_with_em([["the"], ["the"]], [0, 1], unlabelled, start)
    assert named([0, 1], reader)([["hidden0"], ["hidden1"]]).tolist() == [1, 0]
