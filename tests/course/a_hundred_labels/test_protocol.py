"""The protocol of a hundred labels: nothing of the judgement leaks into what is judged."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from course.a_hundred_labels.differences import paired_interval, texts_needed
from course.a_hundred_labels.protocol import choose, learn_and_answer, split


def test_copies_of_a_text_go_the_same_way() -> None:
    texts = [[f"word{row % 7}", "The" if row < 10 else "the"] for row in range(20)]
    learn, test = split(texts, 6, np.random.default_rng(0))
    assert sorted(learn + test) == list(range(20))
    assert 6 <= len(test) <= 8
    assert not {row % 7 for row in learn} & {row % 7 for row in test}


def test_steps_learn_from_the_known_texts_alone() -> None:
    seen: list[Any] = []

    def step(inputs: Any, labels: Sequence[int]) -> Callable[[Any], Any]:
        seen.append(list(inputs))
        return lambda asked: [number + sum(labels) for number in asked]

    assert learn_and_answer([step, step], [1, 2], [1, 0], [10]) == [12]
    assert seen == [[1, 2], [2, 3]]


def by_heart(answer: int) -> list[Any]:
    """Knows the labels that it has learnt, and says of other texts always the same."""

    def learn(texts: Any, labels: Sequence[int]) -> Callable[[Any], list[int]]:
        known = {tuple(text): label for text, label in zip(texts, labels, strict=True)}
        return lambda asked: [known.get(tuple(text), answer) for text in asked]

    return [learn]


def test_a_method_is_chosen_by_texts_that_it_has_not_learnt() -> None:
    texts = [[f"known{row}"] for row in range(10)]
    labels, folds = [1] * 7 + [0] * 3, [row % 5 for row in range(10)]
    methods = {"always 0": by_heart(0), "always 1": by_heart(1)}
    asked, truth = [["a"], ["b"], ["c"], ["d"]], [1, 0, 0, 0]
    assert choose(methods, texts, labels, folds, asked, truth) == ("always 1", 0.25)


def test_an_interval_knows_other_labels_and_other_texts() -> None:
    rng = np.random.default_rng(0)
    second = rng.random((5, 200)) < 0.7
    by_text = second | (rng.random(200) < 0.3)
    by_draw = second | (np.array([0.0, 0.0, 1.0, 0.0, 0.0])[:, None] > rng.random((5, 200)))
    for first, narrow in ((by_text, 1), (by_draw, 0)):
        low, high = paired_interval(first, second, np.random.default_rng(1))
        alone = (first.astype(float) - second).mean(narrow)
        assert low < (first.mean() - second.mean()) < high
        assert high - low > 2 * alone.std() / len(alone) ** 0.5


@pytest.mark.parametrize(
    ("lead", "disagree", "width", "needed"),
    [(0.03, 0.15, 1.96, 637), (0.1, 0.1, 1.96, 35), (0.03, 0.15, 2.8, 1299)],
)
def test_texts_needed(lead: float, disagree: float, width: float, needed: int) -> None:
    assert texts_needed(lead, disagree, width) == needed


def test_at_that_number_the_lead_is_seen_in_half_of_the_experiments() -> None:
    n, rng = texts_needed(0.1, 0.2), np.random.default_rng(0)
    leads = rng.choice([1, -1, 0], (4_000, n), p=[0.15, 0.05, 0.8])
    error = leads.std(1) / n**0.5
    seen = (leads.mean(1) > 1.96 * error).mean()
    assert 0.42 < seen < 0.58
