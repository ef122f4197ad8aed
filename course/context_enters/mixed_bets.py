"""What a language model, counts and a cache of recent words bet on each next word of a text.

Bets are tables (R, N - 1) for running text in rows (R, N): the probability of each word but the
first of a row. A mixture is a weighted mean of such tables.
"""

import math
from collections import Counter
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from course.baselines.kneser_ney import KneserNey

Model = Callable[[Tensor, Any], tuple[Tensor, Any]]


@torch.no_grad()
def network_bets(model: Model, rows: Tensor, width: int = 64) -> Tensor:
    """Of a model: ids (R, T) and a state, or None, to logits (R, T, V) and the next state."""
    state, parts = None, []
    for start in range(0, rows.shape[1] - 1, width):
        targets = rows[:, start + 1 : start + 1 + width]
        logits, state = model(rows[:, start : start + targets.shape[1]], state)
        parts.append(logits.softmax(-1).gather(-1, targets[..., None])[..., 0])
    return torch.cat(parts, 1).double()


def counted_bets(counts: KneserNey, rows: Tensor) -> Tensor:
    """Of counts of n-grams."""
    return torch.tensor([counts.probabilities(row) for row in rows.tolist()], dtype=torch.float64)


def cache_bets(rows: Tensor, last: int = 400) -> Tensor:
    """Of a cache: the share of each word among the last ones of its row."""
    found = []
    for row in rows.tolist():
        recent: Counter[int] = Counter()
        bets = []
        for place in range(1, len(row)):
            recent[row[place - 1]] += 1
            if place > last:
                recent[row[place - 1 - last]] -= 1
            bets.append(recent[row[place]] / min(place, last))
        found.append(bets)
    return torch.tensor(found, dtype=torch.float64)


def with_cache(bets: Tensor, cached: Tensor, weight: float = 0.1) -> Tensor:
    """The mixture of bets with those of a cache, which gets this weight."""
    return (1 - weight) * bets + weight * cached


def bets_perplexity(bets: Tensor) -> float:
    """exp of the mean surprise."""
    return math.exp(-float(bets.log().mean()))
