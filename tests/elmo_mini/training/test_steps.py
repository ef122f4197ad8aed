"""What all small models share when they are trained."""

import os
from contextlib import nullcontext
from threading import Event, Thread

import numpy as np
import pytest
import torch

from elmo_mini.training import steps
from elmo_mini.training.steps import (
    LARGEST_GRADIENT,
    TrainingOptions,
    clipped_step,
    evaluating,
    seeded,
    train_on_sentences,
)


def test_a_step_is_no_longer_than_the_largest_gradient() -> None:
    model = torch.nn.Linear(3, 1, bias=False)
    before = model.weight.detach().clone()
    clipped_step(model, torch.optim.SGD(model.parameters(), lr=1.0), 100 * model.weight.sum())
    assert float((model.weight.detach() - before).norm()) == pytest.approx(
        LARGEST_GRADIENT, rel=1e-4
    )


def test_what_is_minimised_may_hold_more_than_what_is_reported() -> None:
    model = torch.nn.Linear(1, 1)

    def own(rows: list[int]) -> torch.Tensor:
        return 0 * model.weight.sum() + len(rows)

    def more(loss: torch.Tensor) -> torch.Tensor:
        return loss + model.bias.square().sum()

    torch.nn.init.ones_(model.bias)
    options = TrainingOptions(epochs=2, batch_size=4, learning_rate=0.1)
    losses = train_on_sentences(model, [3] * 10, own, options, minimised=more)
    assert sorted(losses) == [2, 2, 4, 4, 4, 4]
    assert float(model.bias.detach()) < 0.9
    assert not model.training


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("epochs", 0), ("batch_size", 0), ("seed", -1), ("seed", "one"), ("progress", "no")),
        *(("learning_rate", -1.0), ("learning_rate", np.nan)),
    ],
)
def test_options_outside_their_range_are_refused(name: str, value: float) -> None:
    with pytest.raises(ValueError, match=f"{name} is {value!r}; it must be "):
        TrainingOptions(**{name: value})  # type: ignore[arg-type]


def test_without_a_sentence_there_is_nothing_to_learn() -> None:
    model = torch.nn.Linear(1, 1)
    with pytest.raises(ValueError, match="no sentence"):
        train_on_sentences(model, [], lambda rows: model.weight.sum(), TrainingOptions())


def test_a_seed_for_the_cpu_leaves_every_gpu_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    reseeded: list[int] = []
    monkeypatch.setattr(torch.cuda, "manual_seed_all", reseeded.append)
    before = torch.get_rng_state()
    with seeded(7, torch.device("cpu")):
        drawn = torch.rand(3)
    assert torch.equal(torch.get_rng_state(), before)
    assert reseeded == []
    assert torch.equal(drawn, torch.rand(3, generator=torch.Generator().manual_seed(7)))


@pytest.mark.parametrize("training", [True, False])
def test_evaluating_gives_the_mode_back_even_after_an_error(training: bool) -> None:
    model = torch.nn.Dropout().train(training)

    def fail() -> None:
        with evaluating(model):
            assert not model.training
            assert not torch.is_grad_enabled()
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert model.training == training


def test_a_part_that_was_set_to_evaluation_stays_so() -> None:
    """Such as a frozen reader, or a dropout that was switched off by hand."""
    model = torch.nn.Sequential(torch.nn.Dropout(), torch.nn.Dropout())
    model[1].eval()
    with evaluating(model):
        assert not model[0].training
    assert [part.training for part in model] == [True, False]
    assert model.training


def test_threads_that_overlap_leave_the_mode_that_was() -> None:
    model = torch.nn.Dropout()
    begun, may_end = Event(), Event()

    def read() -> None:
        with evaluating(model):
            begun.set()
            may_end.wait(60)

    thread = Thread(target=read)
    with evaluating(model):
        thread.start()
        begun.wait(60)
    still = model.training
    may_end.set()
    thread.join()
    assert not still, "the other still reads"
    assert model.training


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.parametrize("own", [False, True])
def test_a_child_forked_while_a_thread_reads_gets_its_mode_back(own: bool) -> None:
    model = torch.nn.Dropout()
    begun, may_end = Event(), Event()

    def read() -> None:
        with evaluating(model), steps._MODES:
            begun.set()
            may_end.wait(60)

    thread = Thread(target=read)
    with evaluating(model) if own else nullcontext():
        thread.start()
        begun.wait(60)
        child = os.fork()
        if child == 0:
            free = steps._MODES.acquire(timeout=10)
            os._exit(model.training if free else 99)
        in_training = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        may_end.set()
        thread.join()
    assert in_training == (not own)
    assert model.training
