"""Training with parts that are handed in: the loop, the loss and the trigger of whoever calls."""

from collections.abc import Callable, Sequence
from contextlib import nullcontext
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
) -> list[float]:
    """Dev perplexity after each epoch of SGD; averaged once the trigger says so.

    Parameters
    ----------
    train_epoch, loss_of, averaging_is_due : as lesson 10 asks for them
    """
    optimiser = torch.optim.SGD(model.parameters(), lr=RATE, weight_decay=WEIGHT_DECAY)
    random = np.random.default_rng(0)
    lengths = iter(lambda: window_length(BPTT, random), None)
    rows = stream_rows(text, BATCH_SIZE)
    average: WeightAverage | None = None
    seen: list[float] = []
    for _ in progress_bar(range(epochs), "training"):
        after_step = average.update if average else lambda: None
        train_epoch(model, optimiser, rows, lengths, BPTT, RATE, CLIP, loss_of, after_step)
        with average.applied() if average else nullcontext():
            seen.append(awd_perplexity(model, dev))
        if average is None and averaging_is_due(seen, patience):
            average = WeightAverage(model)
    return seen
