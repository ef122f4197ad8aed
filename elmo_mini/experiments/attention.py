"""``python -m elmo_mini.experiments.attention NAME ...``: what lesson 13 measures, full-size.

``distance``: four readers that learn to answer a question about a fact, by how far back it stands.
``language-model``: blocks that look back against an LSTM, equal in weights, text and steps.
"""

import argparse
from collections.abc import Callable, Sequence

import torch
from torch import nn

from elmo_mini.experiments.command import Prepared, Result, run_experiments
from elmo_mini.results.intervals import interval
from elmo_mini.transformer.recall import (
    Attentive,
    Bag,
    Recurrent,
    recall_accuracy,
    train_to_recall,
)

DISTANCES = (1, 4, 16, 32, 64)
STEPS, LONGER = 600, 4
READERS: dict[str, Callable[[], nn.Module]] = {
    "attention": Attentive,
    "LSTM": Recurrent,
    "LSTM, forget gate open": lambda: Recurrent(open_gate=3.0),
    "sum of all tokens": Bag,
}


def distance(seeds: Sequence[int]) -> tuple[str, Result]:
    """Accuracy by distance, and of the LSTMs when they train longer at one distance."""
    accuracy = {
        name: {
            str(far): interval([_accuracy(make, far, STEPS, seed) for seed in seeds])
            for far in DISTANCES
        }
        for name, make in READERS.items()
    }
    longer = {
        name: interval([_accuracy(READERS[name], 16, LONGER * STEPS, seed) for seed in seeds])
        for name in ("LSTM", "LSTM, forget gate open")
    }
    return "A question about a fact, by the tokens of chatter in between", {
        "training": f"{STEPS} batches of 64 fresh texts, Adam at 0.003 falling to 0",
        "weights": {n: sum(p.numel() for p in make().parameters()) for n, make in READERS.items()},
        "test": "1,000 fresh texts; the share of right answers; 1 in 8 by chance",
        "accuracy": accuracy,
        f"trained {LONGER} times as long, distance 16": longer,
    }


def _accuracy(make: Callable[[], nn.Module], far: int, steps: int, seed: int) -> float:
    torch.manual_seed(seed)
    model = make()
    train_to_recall(model, far, steps, seed=seed)
    return recall_accuracy(model, far)


EXPERIMENTS: dict[str, Callable[[Sequence[int]], tuple[str, Result]]] = {"distance": distance}


def main(argv: Sequence[str] | None = None) -> int:
    """Run the named experiments and store each."""
    return run_experiments("attention", __doc__, EXPERIMENTS, _prepare, argv, seeds=5)


def _prepare(args: argparse.Namespace) -> Prepared:
    return (args.seeds,), {}


if __name__ == "__main__":
    raise SystemExit(main())
