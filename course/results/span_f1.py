"""F1 of labelled spans, with an interval over draws of training sentences and test sentences."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Counts = NDArray[np.int64]
"""(draws, N, 3) of each test sentence: its spans that are right, predicted, and there."""

BOOTSTRAPS = 2_000


def f1_of(totals: NDArray[Any]) -> NDArray[np.float64]:
    """(..., 3) spans right, predicted and there, of all sentences, to F1."""
    correct, predicted, gold = np.moveaxis(totals, -1, 0)
    found: NDArray[np.float64] = 2 * correct / (predicted + gold)
    return found


def f1_share(one: Counts, other: Counts | None = None) -> dict[str, Any]:
    """F1, or how far it is ahead of another's, as ``mean``, ``low``, ``high`` and ``values``.

    ``values`` are those of each draw; ``low`` and ``high`` come from drawing the draws and the
    test sentences anew (bootstrap), the same ones for both.
    """
    draws, sentences = one.shape[:2]
    random = np.random.default_rng(0)
    by_sentence = random.multinomial(sentences, np.full(sentences, 1 / sentences), BOOTSTRAPS)
    by_draw = random.multinomial(draws, np.full(draws, 1 / draws), BOOTSTRAPS) / draws
    drawn = f1_of(np.tensordot(by_sentence, one, (1, 1)))  # (rounds, draws)
    values = f1_of(one.sum(1))
    if other is not None:
        drawn = drawn - f1_of(np.tensordot(by_sentence, other, (1, 1)))
        values = values - f1_of(other.sum(1))
    low, high = np.quantile((drawn * by_draw).sum(1), [0.025, 0.975])
    mean = float(values.mean())
    return {"mean": mean, "low": float(low), "high": float(high), "values": values.tolist()}
