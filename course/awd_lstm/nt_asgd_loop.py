"""Training with parts that are handed in: the loop, the loss and the trigger of whoever calls."""

import copy
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from elmo_mini.awd_lstm.averaging import PATIENCE, WeightAverage
from elmo_mini.awd_lstm.training import awd_perplexity
from elmo_mini.awd_lstm.windows import window_length
from elmo_mini.progress import progress_bar
from elmo_mini.text.running_text import stream_rows

BATCH_SIZE, BPTT, RATE, CLIP, WEIGHT_DECAY = 10, 35, 20.0, 0.25, 1.2e-6


@dataclass
class OwnRun:
    """What a run came to.

    Attributes
    ----------
    training : perplexity on the training text while it was learnt, an epoch each: exp of the mean
        of the windows' losses, so with dropout and penalties where there are some
    dev : perplexity on the dev text after each epoch
    best : a copy of the model at the epoch that dev likes best
    """

    best: nn.Module
    training: list[float] = field(default_factory=list)
    dev: list[float] = field(default_factory=list)


def train_own(
    model: nn.Module,
    text: Tensor,
    dev: Tensor,
    train_epoch: Callable[..., Any],
    loss_of: Callable[..., Tensor],
    averaging_is_due: Callable[[Sequence[float], int], bool],
    *,
    epochs: int = 25,
    patience: int = PATIENCE,
) -> OwnRun:
    """Epochs of SGD; the weights are averaged once the trigger says so, from the next step on.

    Parameters
    ----------
    train_epoch, loss_of, averaging_is_due : as lesson 10 asks for them
    """
    optimiser = torch.optim.SGD(model.parameters(), lr=RATE, weight_decay=WEIGHT_DECAY)
    random = np.random.default_rng(0)
    lengths = iter(lambda: window_length(BPTT, random), None)
    rows = stream_rows(text, BATCH_SIZE)
    average: WeightAverage | None = None
    run = OwnRun(model)
    for _ in progress_bar(range(epochs), "training"):
        after_step = average.update if average else lambda: None
        losses = train_epoch(model, optimiser, rows, lengths, BPTT, RATE, CLIP, loss_of, after_step)
        run.training.append(float(np.exp(np.mean(losses))))
        with average.applied() if average else nullcontext():
            run.dev.append(awd_perplexity(model, dev))
            if run.dev[-1] == min(run.dev):
                run.best = copy.deepcopy(model)
        if average is None and averaging_is_due(run.dev, patience):
            average = WeightAverage(model)
    return run
