"""Training on sentences: batches of like length, Adam, and a rate that falls to zero.

What a batch's loss is, the caller says; the small models of lessons 03 and 04 share the rest.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from tqdm import tqdm

LARGEST_GRADIENT = 1.0
SORTED_BATCHES = 50


def batches_of_like_length(
    lengths: Sequence[int], batch: int, random: np.random.Generator
) -> Iterator[NDArray[np.int64]]:
    """Rows of one epoch in batches: shuffled, then sorted by length within 50 batches."""
    order = random.permutation(len(lengths))
    groups: list[NDArray[np.int64]] = []
    for start in range(0, len(order), batch * SORTED_BATCHES):
        chunk = sorted(order[start : start + batch * SORTED_BATCHES], key=lambda row: lengths[row])
        groups += [np.array(chunk[at : at + batch]) for at in range(0, len(chunk), batch)]
    for place in random.permutation(len(groups)):
        yield groups[place]


def train_on_sentences(
    model: nn.Module,
    lengths: Sequence[int],
    loss_of: Callable[[list[int]], Tensor],
    *,
    epochs: int,
    batch: int,
    learning_rate: float,
    seed: int,
    progress: bool = False,
    minimised: Callable[[Tensor], Tensor] | None = None,
    after_step: Callable[[int], Any] | None = None,
) -> list[float]:
    """Train with Adam on batches of like length; the rate falls in a straight line to zero.

    Args:
        lengths: of each sentence. loss_of: the loss of the sentences with these numbers.
        seed: of the order and the dropout; the caller's random state is left as it was.
        minimised: what to minimise in place of a batch's loss, given that loss.
        after_step: called with the number of steps done.

    Returns:
        The loss of each batch by `loss_of`.
    """
    random = np.random.default_rng(seed)
    steps = epochs * -(-len(lengths) // batch)
    optimizer = torch.optim.Adam(model.parameters(), lr=learning_rate)
    schedule = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.0, max(1, steps))
    losses: list[float] = []
    model.train()
    with (
        torch.random.fork_rng(devices=[]),
        tqdm(total=steps, disable=not progress, unit="batch") as bar,
    ):
        torch.manual_seed(seed)
        for _ in range(epochs):
            for rows in batches_of_like_length(lengths, batch, random):
                loss = loss_of(rows.tolist())
                losses.append(loss.item())
                clipped_step(model, optimizer, loss if minimised is None else minimised(loss))
                schedule.step()
                bar.update()
                if after_step is not None:
                    after_step(len(losses))
    model.eval()
    return losses


def clipped_step(model: nn.Module, optimizer: torch.optim.Optimizer, loss: Tensor) -> None:
    """One step down the gradient, clipped at norm `LARGEST_GRADIENT`."""
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), LARGEST_GRADIENT)
    optimizer.step()
