"""How many labels one learner needs for what another does with fewer, and how sure that is."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

ROUNDS = 2_000


def labels_needed(labels: Sequence[float], right: Sequence[float], level: float) -> float:
    """The number of labels at which the curve first reaches the level.

    Between two points the curve is a straight line over the logarithm of the labels.

    Parameters
    ----------
    labels : numbers of labels, rising
    right : the share of right answers at each

    Returns
    -------
    The first number of labels where the first point is at the level or above it; infinity where
    the curve never reaches it
    """
    if right[0] >= level:
        return float(labels[0])
    for i in range(1, len(labels)):
        if right[i] >= level:
            share = (level - right[i - 1]) / (right[i] - right[i - 1])
            low, high = math.log(labels[i - 1]), math.log(labels[i])
            return math.exp(low + share * (high - low))
    return math.inf


def needed_interval(
    level: NDArray[np.float64],
    curve: Mapping[int, NDArray[np.float64]],
    rng: np.random.Generator,
    rounds: int = ROUNDS,
) -> dict[str, float]:
    """The labels that a learner needs to reach a level, with the ends of the 95 % interval.

    Draws of labels and texts of the test are drawn anew, the same ones for both learners.

    Parameters
    ----------
    level : (draws, N) 1 where the answer of the learner that sets the level is right
    curve : the same of the other learner, by its number of labels

    Returns
    -------
    ``mean``, of all draws and texts, ``low`` and ``high``; the last is the largest number of
    labels where the curve does not reach the level in one round of forty
    """
    counts = sorted(curve)
    table = np.stack([level, *(curve[count] for count in counts)])  # (1 + counts, draws, N)
    draws, texts = level.shape

    def needed(rows: Any, columns: Any) -> float:
        goal, *means = table[:, rows][:, :, columns].mean((1, 2))
        return min(labels_needed(counts, means, goal), float(counts[-1]))

    again = [
        needed(rng.integers(draws, size=draws), rng.integers(texts, size=texts))
        for _ in range(rounds)
    ]
    low, high = np.quantile(again, [0.025, 0.975])
    every = needed(np.arange(draws), np.arange(texts))
    return {"mean": every, "low": float(low), "high": float(high)}
