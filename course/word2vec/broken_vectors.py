"""Short runs of skip-gram with one planted fault each, and their symptoms."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from elmo_mini.recurrent.training import seeded
from elmo_mini.text.vocabulary import Vocabulary
from elmo_mini.word_vectors.word2vec import noise_distribution

EVEN, HIGH, EVERYTHING = "noise drawn evenly", "a rate too high", "no subsampling"
LOW, MISMATCHED = "a rate too low", "contexts of other words"
RUNS = {"A": EVEN, "B": HIGH, "C": EVERYTHING}
STEPS, BATCH, RATE, OFTEN, USUAL = 600, 1_000, 0.05, 10, 300
TIMES = {HIGH: 10.0, LOW: 0.01}

Pairs = NDArray[np.int64]


@dataclass(frozen=True)
class Symptoms:
    """What can be seen of a run without its code.

    Attributes
    ----------
    vectors : the input vectors, (V, D)
    losses : of each step; infinite where it is no number any more
    often : share of the pairs with one of the ten most frequent words
    by_chance : mean score of two of the 300 most frequent words, drawn at random
    """

    vectors: Tensor
    losses: NDArray[np.float64]
    often: float
    by_chance: float


def four_runs(
    vocabulary: Vocabulary,
    pairs_of: Callable[[float], Pairs],
    train: Callable[..., tuple[Tensor, Tensor, list[float]]],
    step: Callable[..., float],
    faults: Mapping[str, str] = RUNS,
) -> dict[str, Symptoms]:
    """A sound run, and one for each fault; the same seed for all.

    Parameters
    ----------
    pairs_of : pairs of ids (P, 2) at a threshold of subsampling; with 1 nothing is thrown away
    train, step : those of lesson 01
    faults : of each broken run
    """
    seen = {}
    counts = vocabulary.counts
    for name, fault in {"sound": "", **faults}.items():
        pairs = pairs_of(1.0 if fault == EVERYTHING else 1e-3)
        if fault == MISMATCHED:
            pairs = np.stack([pairs[:, 0], np.random.default_rng(0).permutation(pairs[:, 1])], 1)
        noise = noise_distribution(counts, 0.0 if fault == EVEN else 0.75)
        rate = RATE * TIMES.get(fault, 1)
        rows = torch.from_numpy(np.resize(pairs, (STEPS * BATCH, 2)))
        with seeded(0, torch.device("cpu")):
            inputs, outputs, losses = train(
                rows, torch.as_tensor(noise), step, 50, 5, BATCH, rate, _nothing
            )
        drawn = np.random.default_rng(0).integers(0, USUAL, (2, 4_000))
        scores = (inputs[drawn[0]] * outputs[drawn[1]]).sum(1)
        often = float((pairs < OFTEN).any(1).mean())
        finite = np.nan_to_num(np.array(losses), nan=np.inf)
        seen[name] = Symptoms(inputs, finite, often, float(scores.mean()))
    return seen


def _nothing(*_: Any) -> None:
    """Looks at nothing."""
