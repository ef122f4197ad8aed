"""Training that has diverged says so, and what to change."""

import math

import pytest
import torch
from torch import nn

from elmo_mini.divergence import check_finite, check_history
from elmo_mini.errors import ConfigurationError
from elmo_mini.training.steps import TrainingOptions, train
from elmo_mini.word_vectors.glove_trainer import Glove


def test_numbers_that_are_none_are_refused_by_name() -> None:
    check_finite("lower it", loss=3.0, gradient=0.0)
    with pytest.raises(FloatingPointError, match="the loss is nan, the gradient is 1; lower it"):
        check_finite("lower it", loss=math.nan, gradient=1.0)


def test_a_history_that_rises_is_told(recwarn: pytest.WarningsRecorder) -> None:
    check_history([], "lower it")
    check_history([4.0, 9.0, 3.0, 2.0], "lower it")
    assert not recwarn.list
    with pytest.warns(UserWarning, match="the loss rose from 4 to 50: training has diverged; low"):
        check_history([4.0] + [50.0] * 30, "lower it")
    with pytest.raises(FloatingPointError, match="the loss is inf"):
        check_history([4.0, math.inf], "lower it")


def test_a_step_that_is_no_number_leaves_the_weights_alone() -> None:
    model = nn.Linear(2, 1)
    before = model.weight.detach().clone()
    bad = torch.tensor([[1.0, math.inf]])
    with pytest.raises(FloatingPointError, match="lower learning_rate"):
        train(model, (model(bad).square().mean() for _ in range(2)), 2, TrainingOptions())
    assert torch.equal(model.weight, before)


@pytest.mark.parametrize("rate", [math.nan, math.inf, -1.0])
def test_a_learning_rate_is_a_finite_number(rate: float) -> None:
    with pytest.raises(ConfigurationError, match="learning_rate"):
        TrainingOptions(learning_rate=rate)


def test_glove_says_when_it_diverges() -> None:
    text = [["the", "cat", "sat"], ["the", "dog", "sat"]] * 20
    with pytest.raises(FloatingPointError, match="lower learning_rate=1e"):
        Glove(text, min_count=1, learning_rate=1e30, epochs=3)
