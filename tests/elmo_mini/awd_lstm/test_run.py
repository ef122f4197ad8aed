"""A run that was stopped goes on as if it had not been."""

from dataclasses import replace
from pathlib import Path

import pytest
import torch

from elmo_mini.awd_lstm.files import save_awd_lstm
from elmo_mini.awd_lstm.model import AWDLSTM
from elmo_mini.awd_lstm.options import AWDLSTMOptions
from elmo_mini.awd_lstm.run import AWDRun
from elmo_mini.awd_lstm.training import AWDTraining
from elmo_mini.checkpoints.safetensors_file import CheckpointDamaged
from elmo_mini.errors import ConfigurationError
from elmo_mini.text.vocabulary import Vocabulary

OPTIONS = AWDLSTMOptions(vocabulary_size=6, dim=8, hidden_dim=8, layers=2).scaled(0.5)
TEXT = torch.tensor([2, 3, 4, 5, 2, 4]).repeat(80)
HELD_OUT = torch.tensor([2, 3, 4, 5]).repeat(20)
ADAM = AWDTraining(epochs=3, batch_size=4, bptt=20, optimiser="adam", learning_rate=0.05)
AVERAGED = AWDTraining(epochs=8, batch_size=4, bptt=20, patience=1, learning_rate=30.0)


def new(training: AWDTraining, text: torch.Tensor = TEXT) -> AWDRun:
    torch.manual_seed(0)
    return AWDRun(AWDLSTM(OPTIONS), text, HELD_OUT, training)


def weights(run: AWDRun) -> torch.Tensor:
    return torch.cat([parameter.detach().flatten() for parameter in run.model.parameters()])


@pytest.mark.parametrize(
    ("training", "stop"),
    [
        (ADAM, 9),
        (replace(ADAM, sampled=3, vary=False), 7),
        (replace(AVERAGED, keep_best=True), 16),
        (AVERAGED, 44),
    ],
    ids=["Adam", "sampled, even windows", "SGD, the best kept", "averaging"],
)
def test_it_goes_on_with_the_numbers_it_would_have_had(
    training: AWDTraining, stop: int, tmp_path: Path
) -> None:
    whole = new(training)
    assert whole.run()
    stopped = new(training)
    assert not stopped.run(after_step=lambda run: run.step == stop)
    assert stopped.losses, "the stop is within an epoch"
    stopped.save(tmp_path / "run.safetensors")
    torch.rand(1_000)
    later = new(training)
    later.resume(tmp_path / "run.safetensors")
    assert later.run()
    for run in (whole, later):
        run.close()
    assert later.step == whole.step > stop
    assert later.history.validation == whole.history.validation
    assert later.history.training == whole.history.training
    assert later.history.averaging_since == whole.history.averaging_since
    assert torch.equal(weights(later), weights(whole))


def test_averaging_has_begun_where_its_run_was_stopped() -> None:
    run = new(AVERAGED)
    run.run(after_step=lambda run: run.step == 44)
    assert run.average is not None
    assert run.average.count > 0


def test_a_run_saved_between_two_epochs_goes_on(tmp_path: Path) -> None:
    whole, stopped, later = new(ADAM), new(ADAM), new(ADAM)
    whole.run()
    stopped.run(after_validation=lambda run: run.epoch == 2)
    stopped.save(tmp_path / "run.safetensors")
    later.resume(tmp_path / "run.safetensors")
    assert (later.epoch, later.state) == (2, None)
    later.run()
    assert torch.equal(weights(later), weights(whole))


def test_another_run_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "run.safetensors"
    run = new(ADAM)
    run.run(after_step=lambda run: run.step == 2)
    run.save(file)
    with pytest.raises(ConfigurationError, match="epochs is 3 there and 4 here"):
        new(replace(ADAM, epochs=4)).resume(file)
    with pytest.raises(ConfigurationError, match="the text or its vocabulary"):
        new(ADAM, TEXT.flip(0)).resume(file)
    save_awd_lstm(AWDLSTM(OPTIONS), file, Vocabulary(list("abcdef"), [1] * 6, unknown="a"))
    with pytest.raises(CheckpointDamaged, match="a model alone"):
        new(ADAM).resume(file)
