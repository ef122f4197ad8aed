"""A fresh softmax begins with counts of words, stops in time, and is compared by sentence."""

import numpy as np
import pytest
import torch
from torch import Tensor

from course.bilm_from_scratch.frozen_softmax import (
    Answered,
    by_counts,
    frozen_softmax,
    mixed,
    times_lower,
)
from tests.course.texts.test_small_text import SENTENCES, text


def test_forward_counts_pay_what_their_perplexity_says() -> None:
    small = text()
    words = len(small.held_out[0]) + 1
    for order in (1, 2, 3):
        paid = by_counts(small, SENTENCES, small.held_out[:1], order)
        expected = small.ngram(small.held_out[:1], order)
        assert np.exp(paid.nats[:words].mean()) == pytest.approx(expected)
        assert np.bincount(paid.sentence).tolist() == [2 * words]


def test_counts_and_states_answer_the_same_words_in_one_order() -> None:
    small = text()
    read = frozen_softmax(knows_nothing, small, SENTENCES, SENTENCES, SENTENCES, steps=0)
    counted = by_counts(small, SENTENCES, SENTENCES, 1)
    assert read.sentence.tolist() == counted.sentence.tolist()
    assert np.corrcoef(read.nats, counted.nats)[0, 1] > 0.9


def test_a_mixture_leans_on_the_model_that_was_right_before() -> None:
    sentence = np.array([0, 0, 1, 1])
    good = Answered(np.log([2.0, 2, 2, 4]), sentence)
    bad = Answered(np.log([9.0, 9, 9, 9]), sentence)
    found = mixed([good, bad], stop=1, rounds=500)
    assert found.sentence.tolist() == [0, 0]
    assert np.exp(found.nats) == pytest.approx([2, 4], rel=1e-3)


def knows_the_answer(ids: Tensor) -> tuple[list[Tensor], Tensor]:
    """Forward states that say what comes next, backward states that say what came before."""
    mask = (ids > 0).any(-1)
    letters = torch.nn.functional.one_hot(ids[:, :, 1], 262).float() * mask[..., None]
    ahead, behind = torch.zeros_like(letters), torch.zeros_like(letters)
    ahead[:, :-1], behind[:, 1:] = letters[:, 1:], letters[:, :-1]
    return [torch.cat([ahead, behind], -1)], mask


def knows_nothing(ids: Tensor) -> tuple[list[Tensor], Tensor]:
    """States that are zero."""
    layers, mask = knows_the_answer(ids)
    return [0 * layers[0]], mask


def test_states_that_know_the_answer_cost_little_and_others_what_counts_cost() -> None:
    small = text()
    given = (small, SENTENCES, SENTENCES, SENTENCES)
    good = frozen_softmax(knows_the_answer, *given, steps=200)
    blind = frozen_softmax(knows_nothing, *given, steps=20)
    assert good.steps > 0
    assert good.nats.mean() < 0.7 * blind.nats.mean()
    assert len(good.nats) == 2 * sum(len(sentence) + 1 for sentence in SENTENCES)
    ratio, low, high = times_lower(good, blind)
    assert low <= ratio <= high
    assert low > 1


def test_a_model_against_itself_is_exactly_as_good() -> None:
    answered = Answered(np.array([1.0, 2.0, 0.5]), np.array([0, 0, 1]))
    assert times_lower(answered, answered) == (1.0, 1.0, 1.0)
