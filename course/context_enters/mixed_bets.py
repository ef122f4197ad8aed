"""A language model and counts that bet together: half of each one's probability."""

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from course.baselines.kneser_ney import KneserNey

Model = Callable[[Tensor, Any], tuple[Tensor, Any]]


@torch.no_grad()
def mixed_perplexity(model: Model, counts: KneserNey, rows: Tensor, width: int = 64) -> float:
    """Perplexity, on running text in rows (R, N), of the mean of both bets on each word.

    Parameters
    ----------
    model : ids (R, T) and a state, or None, to logits (R, T, V) and the next state
    """
    state, nats, reach = None, 0.0, counts.order - 1
    for start in range(0, rows.shape[1] - 1, width):
        targets = rows[:, start + 1 : start + 1 + width]
        logits, state = model(rows[:, start : start + targets.shape[1]], state)
        network = logits.softmax(-1).gather(-1, targets[..., None]).squeeze(-1)
        for row, bets in zip(rows.tolist(), network.tolist(), strict=True):
            for place, bet in enumerate(bets, start + 1):
                counted = counts.probability(row[max(0, place - reach) : place], row[place])
                nats -= math.log((bet + counted) / 2)
    return math.exp(nats / (rows.shape[0] * (rows.shape[1] - 1)))
