"""Short runs of skip-gram with one planted fault each, and their symptoms."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

EVEN, HIGH, EVERYTHING = "noise drawn evenly", "a rate too high", "no subsampling"
LOW, MISMATCHED = "a rate too low", "contexts of other words"
RUNS = {"A": EVEN, "B": HIGH, "C": EVERYTHING}
STEPS, RATE, OFTEN, USUAL = 600, 0.05, 10, 300
CHANGED: dict[str, dict[str, float]] = {
    EVEN: {"power": 0.0},
    HIGH: {"rate": 10 * RATE},
    LOW: {"rate": RATE / 100},
}

Pairs = NDArray[np.int64]


@dataclass(frozen=True)
class Symptoms:
    """What can be seen of a run without its code.

    Attributes
    ----------
    losses : of each step; infinite where it is no number any more
    often : share of the pairs with one of the ten most frequent words
    by_chance : mean score of two of the 300 most frequent words, drawn at random
    """

    losses: NDArray[np.float64]
    often: float
    by_chance: float


def four_runs(
    pairs_of: Callable[[float], Pairs],
    learn: Callable[..., tuple[Tensor, Tensor, list[float]]],
    faults: Mapping[str, str] = RUNS,
) -> dict[str, Symptoms]:
    """A sound run, and one for each fault.

    Parameters
    ----------
    pairs_of : pairs of ids (P, 2) at a threshold of subsampling; with 1 nothing is thrown away
    learn : that of lesson 01: from pairs, a number of steps and what is changed to the input
        table, the output table and the losses
    faults : of each broken run
    """
    sound = pairs_of(1e-3)
    seen = {}
    for name, fault in {"sound": "", **faults}.items():
        pairs = pairs_of(1.0) if fault == EVERYTHING else sound
        if fault == MISMATCHED:
            pairs = np.stack([pairs[:, 0], np.random.default_rng(0).permutation(pairs[:, 1])], 1)
        changed: dict[str, Any] = CHANGED.get(fault, {})
        inputs, outputs, losses = learn(pairs, STEPS, **changed)
        drawn = np.random.default_rng(0).integers(0, USUAL, (2, 4_000))
        scores = (inputs[drawn[0]] * outputs[drawn[1]]).sum(1)
        often = float((pairs < OFTEN).any(1).mean())
        finite = np.nan_to_num(np.array(losses), nan=np.inf)
        seen[name] = Symptoms(finite, often, float(scores.mean()))
    return seen
