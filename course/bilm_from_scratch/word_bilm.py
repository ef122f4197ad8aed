"""Word biLMs that train in seconds, sound or with one planted fault.

Quick stand-ins for the real biLM: a table of words in place of the character CNN, PyTorch's
`nn.LSTM` in place of the projected cell. The softmax is the table itself, so that a reader that has
seen its answer can hand it on at once, and a fault shows after a few hundred steps.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from elmo_mini.models import elmo as plain
from elmo_mini.training.steps import TrainingOptions, train

Reading = tuple[Sequence[Tensor], Tensor]
Batch = tuple[Tensor, Tensor]
MEET, PADDING = "the directions meet", "padding is read"
POINTS = 12


class WordReader(Protocol):
    """What can be trained here: `table` is (V + 1, H) with padding in row 0, `bias` (V,)."""

    table: nn.Embedding
    bias: nn.Parameter

    def __call__(self, ids: Tensor) -> Reading: ...


class WordBiLM(nn.Module):
    """Two stacks of `nn.LSTM` over the same words, each with a softmax that is their table.

    Parameters
    ----------
    words : V
    size : H
    fault : "" or one of the planted faults of the states
    """

    def __init__(self, words: int, size: int, fault: str = "") -> None:
        super().__init__()
        self.table = nn.Embedding(words + 1, size)
        self.bias = nn.Parameter(torch.zeros(words))
        self.fault = fault
        self.layers = nn.ModuleList(
            nn.ModuleList(
                nn.LSTM(size * (1 + (fault == MEET and layer)), size, batch_first=True)
                for layer in range(2)
            )
            for _ in range(2)
        )

    def forward(self, ids: Tensor) -> tuple[list[Tensor], Tensor]:
        """(B, T), 0 is padding, to [x ; x], two layers (B, T, 2 H) each, and the mask (B, T)."""
        mask = ids > 0
        turn: Callable[[Tensor], Tensor] = partial(plain.reverse_each, lengths=mask.sum(1))
        if self.fault == PADDING:
            turn = partial(torch.flip, dims=(1,))
        x = self.table(ids)
        ahead = behind = x
        found = [torch.cat([x, x], -1)]
        for first, second in zip(*self.layers, strict=True):
            if self.fault == MEET and len(found) > 1:
                ahead = behind = found[-1]
            ahead = first(ahead)[0]
            behind = turn(second(turn(behind))[0])
            found.append(torch.cat([ahead, behind], -1))
        return found, mask


def losses_of(model: WordReader, ids: Tensor, words: Tensor) -> Tensor:
    """Both directions' mean -log p, (2,)."""
    layers, mask = model(ids)
    softmax = model.table.weight[1:] * model.table.embedding_dim**-0.5  # (V, H)
    return plain.bilm_loss(layers, mask, words, softmax, model.bias)


def trained(
    model: Any, batches: Iterator[Batch], held_out: Batch, steps: int, *, progress: bool = True
) -> NDArray[np.float64]:
    """Train with Adam and note the held-out losses of both directions, (POINTS, 2), in nats."""
    points: list[list[float]] = []

    def note(done: int) -> None:
        if done * POINTS // steps > len(points):
            with torch.no_grad():
                points.append(losses_of(model, *held_out).tolist())

    options = TrainingOptions(learning_rate=1e-2, progress=progress)
    asked = (
        losses_of(model, *batch).mean() for _, batch in zip(range(steps), batches, strict=False)
    )
    train(model, asked, steps, options, after_step=note)
    return np.array(points)
