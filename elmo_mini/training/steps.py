"""Training as all small models of lessons 03 to 05 share it: options, seed, clipped Adam steps.

What the loss of a batch is, each model says.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Lock, get_ident
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from elmo_mini.divergence import check_finite, check_history
from elmo_mini.progress import progress_bar
from elmo_mini.settings import at_least_0, seed_number, truth, whole_number
from elmo_mini.text.batches import shuffled_batches

LARGEST_GRADIENT = 1.0
POOL = 50


@dataclass(frozen=True)
class TrainingOptions:
    """How long, in what steps and from which seed to train.

    Attributes
    ----------
    epochs : passes over the data
    batch_size : sentences of a batch, or parallel rows of running text
    learning_rate : Adam's, of the first step
    seed : of the order, the dropout and whatever else is drawn; the start weights are drawn when
        the model is built
    progress : show a bar on standard output

    Raises
    ------
    ConfigurationError
        If a number is outside its range.
    """

    epochs: int = 1
    batch_size: int = 16
    learning_rate: float = 3e-3
    seed: int = 0
    progress: bool = False

    def __post_init__(self) -> None:
        for name in ("epochs", "batch_size"):
            whole_number(name, getattr(self, name))
        seed_number(self.seed)
        truth("progress", self.progress)
        at_least_0("learning_rate", self.learning_rate)


def train(
    model: nn.Module,
    losses: Iterable[Tensor],
    steps: int,
    options: TrainingOptions,
    *,
    minimised: Callable[[Tensor], Tensor] | None = None,
    after_step: Callable[[int], Any] | None = None,
) -> list[float]:
    """Train with Adam; the learning rate falls in a straight line to zero.

    Parameters
    ----------
    losses : the loss of each batch, computed when it is asked for
    steps : how many there will be
    minimised : what to minimise in place of a batch's loss, given that loss
    after_step : called with the number of steps done

    Returns
    -------
    The loss of each batch
    """
    optimizer = torch.optim.Adam(model.parameters(), lr=options.learning_rate)
    schedule = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.0, steps)
    history: list[float] = []
    model.train()
    with (
        seeded(options.seed, device_of(model)),
        progress_bar(total=steps, show=options.progress) as bar,
    ):
        for loss in losses:
            history.append(loss.item())
            clipped_step(model, optimizer, loss if minimised is None else minimised(loss))
            schedule.step()
            bar.update()
            if after_step is not None:
                after_step(len(history))
    model.eval()
    check_history(history, f"lower learning_rate={options.learning_rate}")
    return history


def train_on_sentences(
    model: nn.Module,
    lengths: Sequence[int],
    loss_of: Callable[[list[int]], Tensor],
    options: TrainingOptions,
    *,
    minimised: Callable[[Tensor], Tensor] | None = None,
    after_step: Callable[[int], Any] | None = None,
) -> list[float]:
    """`train` on batches of sentences of like length.

    Parameters
    ----------
    lengths : of each sentence
    loss_of : the loss of the sentences with these numbers

    Returns
    -------
    The loss of each batch

    Raises
    ------
    ValueError
        If there is no sentence.
    """
    if not lengths:
        raise ValueError("there is no sentence to learn from")
    shuffle = np.random.default_rng(options.seed).shuffle

    def losses() -> Iterator[Tensor]:
        for _ in range(options.epochs):
            for rows in shuffled_batches(lengths, options.batch_size, shuffle, pool=POOL):
                yield loss_of(rows)

    steps = options.epochs * -(-len(lengths) // options.batch_size)
    return train(model, losses(), steps, options, minimised=minimised, after_step=after_step)


def clipped_step(
    model: nn.Module,
    optimizer: torch.optim.Optimizer,
    loss: Tensor,
    largest: float = LARGEST_GRADIENT,
) -> None:
    """One step down the gradient, whose norm is clipped at `largest`.

    Raises
    ------
    FloatingPointError
        If the loss or its gradient is no finite number; the weights are then as before the step.
    """
    optimizer.zero_grad()
    loss.backward()
    norm = float(nn.utils.clip_grad_norm_(model.parameters(), largest))
    rate = optimizer.param_groups[0]["lr"]
    check_finite(f"lower learning_rate (here {rate:.4g})", loss=loss.item(), gradient=norm)
    optimizer.step()


def device_of(model: nn.Module) -> torch.device:
    """Where the parameters of a model are."""
    return next(model.parameters()).device


@contextmanager
def seeded(seed: int, device: torch.device) -> Iterator[None]:
    """Random numbers from `seed`, on the CPU and on the GPU `device`, if it is one.

    The caller's random states are left as they were, on every device.
    """
    gpu = device.type == "cuda"
    with torch.random.fork_rng([device] if gpu else []):
        torch.default_generator.manual_seed(seed)  # torch.manual_seed reseeds every GPU
        if gpu:
            with torch.cuda.device(device):
                torch.cuda.manual_seed(seed)
        yield


_MODES = Lock()
Modes = list[tuple[nn.Module, bool]]
_inside: dict[nn.Module, tuple[list[int], Modes]] = {}
"""The thread of each `evaluating` that a model is in, and the modes of its parts before."""


def _forget_other_threads() -> None:
    """In a forked child: what threads of its parent were in has nobody who leaves it."""
    global _MODES
    _MODES = Lock()
    for model, (threads, modes) in list(_inside.items()):
        own = [thread for thread in threads if thread == get_ident()]
        _inside[model] = own, modes
        if not own:
            del _inside[model]
            _set_back(modes)


def _set_back(modes: Modes) -> None:
    for part, was_training in modes:
        part.training = was_training


if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(after_in_child=_forget_other_threads)


@contextmanager
def evaluating(model: nn.Module) -> Iterator[None]:
    """Neither dropout nor gradients; afterwards each part of the model is in the mode it was in.

    Where several overlap, as in threads, the last to end sets the mode back.
    """
    thread = get_ident()
    with _MODES:
        modes = [(part, part.training) for part in model.modules()]
        threads, modes = _inside.get(model, ([], modes))
        _inside[model] = [*threads, thread], modes
        model.eval()
    try:
        with torch.no_grad():
            yield
    finally:
        with _MODES:
            threads, modes = _inside.pop(model)
            threads.remove(thread)
            if threads:
                _inside[model] = threads, modes
            else:
                _set_back(modes)
