import math
from dataclasses import replace

import numpy as np
import pytest
import torch
from torch import nn

from elmo_mini.awd_lstm.awd_lstm_options import AWDLSTMOptions
from elmo_mini.awd_lstm.run import train_awd_lstm
from elmo_mini.awd_lstm.training_options import AWDTraining, awd_perplexity
from elmo_mini.awd_lstm.varying_windows import varying_windows, window_length
from elmo_mini.errors import ConfigurationError
from elmo_mini.models.awd_lstm import (
    AWDLSTM,
    WeightAverage,
    activation_regularisation,
    averaging_is_due,
    temporal_activation_regularisation,
)

OPTIONS = AWDLSTMOptions(vocabulary_size=6, dim=8, hidden_dim=8, layers=1).scaled(0.2)
TEXT = torch.tensor([2, 3, 4, 5]).repeat(150)
HELD_OUT = torch.tensor([2, 3, 4, 5]).repeat(20)
QUICK = AWDTraining(epochs=3, batch_size=4, bptt=20, learning_rate=10.0)


def small() -> AWDLSTM:
    torch.manual_seed(0)
    return AWDLSTM(OPTIONS)


@pytest.mark.parametrize(
    "training",
    [
        QUICK,
        replace(QUICK, optimiser="adam", learning_rate=0.1),
        replace(QUICK, optimiser="adam", learning_rate=0.1, sampled=3),
        pytest.param(
            replace(QUICK, optimiser="adam", learning_rate=0.1, bfloat16=True),
            marks=pytest.mark.precision,
        ),
    ],
    ids=["SGD", "Adam", "sampled", "16 bits"],
)
def test_it_learns_a_text_that_repeats(training: AWDTraining) -> None:
    model = small()
    before = awd_perplexity(model, HELD_OUT)
    history = train_awd_lstm(model, TEXT, HELD_OUT, training)
    assert history.validation[-1] < 0.7 * before
    assert awd_perplexity(model, HELD_OUT) == pytest.approx(history.validation[-1])
    assert len(history.training) == 3
    assert not model.training
    assert model.decoder.weight is model.embedding.weight


def test_the_same_seed_gives_the_same_model() -> None:
    one, other = (train_awd_lstm(small(), TEXT, HELD_OUT, QUICK).validation for _ in range(2))
    assert one == other


def test_the_best_epoch_is_kept() -> None:
    model = small()
    training = replace(QUICK, epochs=6, learning_rate=200.0, clip=10.0, keep_best=True)
    history = train_awd_lstm(model, TEXT, HELD_OUT, training)
    assert awd_perplexity(model, HELD_OUT) == pytest.approx(min(history.validation))


def test_averaging_begins_when_validation_has_stalled() -> None:
    model = small()
    training = replace(QUICK, epochs=8, patience=1, learning_rate=30.0)
    history = train_awd_lstm(model, TEXT, HELD_OUT, training)
    since = history.averaging_since
    assert since is not None
    assert averaging_is_due(history.validation[:since], 1)
    assert awd_perplexity(model, HELD_OUT) == pytest.approx(history.validation[-1])


def test_what_is_called_can_end_training() -> None:
    history = train_awd_lstm(small(), TEXT, HELD_OUT, QUICK, after_step=lambda n: n == 2)
    assert len(history.validation) == 1
    history = train_awd_lstm(small(), TEXT, HELD_OUT, QUICK, after_epoch=lambda _: True)
    assert len(history.validation) == 1


def test_an_unknown_optimiser_is_told() -> None:
    with pytest.raises(ConfigurationError, match="nt-asgd or adam"):
        AWDTraining(optimiser="sgd")


def test_windows_of_drawn_length_ask_for_every_word_once() -> None:
    rows = torch.arange(240).view(2, 120)
    windows = list(varying_windows(rows, 20, np.random.default_rng(0)))
    assert torch.equal(torch.cat([w.inputs for w in windows], 1), rows[:, :-1])
    assert torch.equal(torch.cat([w.targets for w in windows], 1), rows[:, 1:])
    lengths = [w.inputs.shape[1] for w in windows]
    assert len(set(lengths)) > 2
    assert [w.rate for w in windows] == pytest.approx([n / 20 for n in lengths])


def test_drawn_lengths() -> None:
    random = np.random.default_rng(0)
    drawn = np.array([window_length(70, random) for _ in range(4000)])
    short = drawn < 52
    assert short.mean() == pytest.approx(0.05, abs=0.02)
    assert drawn[~short].mean() == pytest.approx(69.5, abs=0.5)
    assert min(window_length(6, random) for _ in range(200)) == 5


def test_the_trigger() -> None:
    assert not averaging_is_due([9, 8, 7, 9], 5)
    assert not averaging_is_due([], 5)
    assert averaging_is_due([5, 9, 9, 6], 2)
    assert not averaging_is_due([5, 9, 9, 5], 2)


def test_the_average_is_that_of_the_weights_and_can_be_taken_off() -> None:
    layer = nn.Linear(1, 1, bias=False)
    average = WeightAverage(layer)
    with average.applied():  # nothing was averaged yet
        pass
    for value in (1.0, 2.0, 6.0):
        nn.init.constant_(layer.weight, value)
        average.update()
    with average.applied():
        assert layer.weight.item() == pytest.approx(3)
    assert layer.weight.item() == 6
    average.keep()
    assert layer.weight.item() == pytest.approx(3)


def test_the_two_penalties() -> None:
    states = torch.tensor([[[1.0], [3.0], [3.0]]])
    assert activation_regularisation(states, 3.0).item() == pytest.approx(19)
    assert temporal_activation_regularisation(states, 3.0).item() == pytest.approx(6)
    assert temporal_activation_regularisation(states[:, :1]).item() == 0


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        *((name, 0) for name in ("epochs", "batch_size", "bptt", "clip")),
        *((name, 1.5) for name in ("epochs", "batch_size", "bptt", "sampled")),
        *((name, -1) for name in ("patience", "sampled", "seed", "learning_rate", "weight_decay")),
        *((name, math.nan) for name in ("learning_rate", "alpha", "beta", "clip")),
        *((name, "no") for name in ("vary", "keep_best", "bfloat16", "learning_rate")),
    ],
)
def test_a_setting_out_of_its_range_is_named(name: str, wrong: object) -> None:
    with pytest.raises(ConfigurationError, match=f"{name} is {wrong!r}"):
        AWDTraining(**{name: wrong})  # type: ignore[arg-type]
