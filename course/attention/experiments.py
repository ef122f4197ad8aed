"""``python -m course.attention.experiments NAME ...``: what lesson 13 measures, full-size.

``distance``: four readers that learn to answer a question about a fact, by how far back it stands.
``longer``: the plain sum of all words, trained four and sixteen times as long.
``language-model``: blocks that look back against an LSTM, equal in weights, text and steps.
"""

import argparse
from collections.abc import Callable, Sequence
from itertools import islice

import numpy as np
import torch
from torch import nn

from course.attention.recall import Attentive, Bag, Recurrent, recall_accuracy, train_to_recall
from course.command import Prepared, Result, run_experiments
from course.results.intervals import interval
from course.texts.small_text import Sentences, SmallText, small_text
from elmo_mini.recurrent.training import TrainingOptions, evaluating, train
from elmo_mini.transformer.causal_lm import CausalLM, RecurrentLM, next_word_loss

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


TIMES = (1, 4, 16)


def longer(seeds: Sequence[int]) -> tuple[str, Result]:
    """The sum's accuracy by the number of batches: does it fail, or has it not finished?"""
    make = READERS["sum of all tokens"]
    return "A question about a fact: the sum of all tokens, by the number of batches", {
        "training": f"{STEPS} batches of 64 fresh texts, or 4 or 16 times as many; Adam at 0.003 "
        "falling to 0",
        "test": "1,000 fresh texts; the share of right answers; 1 in 8 by chance",
        "accuracy": {
            str(far): {
                str(times * STEPS): interval(
                    [_accuracy(make, far, times * STEPS, seed) for seed in seeds]
                )
                for times in TIMES
            }
            for far in (16, 64)
        },
    }


def _accuracy(make: Callable[[], nn.Module], far: int, steps: int, seed: int) -> float:
    torch.manual_seed(seed)
    model = make()
    train_to_recall(model, far, steps, seed=seed)
    return recall_accuracy(model, far)


SENTENCES = (1_600, 6_400)
EPOCHS, BATCH = 3, 32
MODELS: dict[str, Callable[[int], nn.Module]] = {
    "blocks that look back": lambda words: CausalLM(words, longest=24),
    "LSTM": RecurrentLM,
}
RATES = {
    "blocks that look back": (1e-3, 2e-3, 4e-3, 8e-3),
    "LSTM": (6e-3, 1.2e-2, 2.4e-2, 4.8e-2),
}
"""Of each model, around the best one."""
COUNTED = (("words", 1), ("pairs", 2), ("triples", 3))


def language_model(seeds: Sequence[int]) -> tuple[str, Result]:
    """Held-out perplexity by the number of sentences read, each model at its best rate."""
    found: dict[str, dict[str, Result]] = {name: {} for name in MODELS}
    chosen: dict[str, dict[str, float]] = {name: {} for name in MODELS}
    choosing: dict[str, dict[str, dict[str, float]]] = {name: {} for name in MODELS}
    counts = {}
    for sentences in SENTENCES:
        text = small_text(sentences, held_out=800, words=1_000)
        choose, judge = text.held_out[:400], text.held_out[400:]
        counts[str(sentences)] = {name: text.ngram(judge, order) for name, order in COUNTED}
        for name, make in MODELS.items():
            tried = {rate: _perplexity(make, text, choose, rate, 0) for rate in RATES[name]}
            best = min(tried, key=lambda rate: tried[rate])
            choosing[name][str(sentences)] = {f"{r:g}": p for r, p in tried.items()}
            runs = [_perplexity(make, text, judge, best, seed) for seed in seeds]
            found[name][str(sentences)] = interval(runs)
            chosen[name][str(sentences)] = best
    weights = {
        name: sum(part.numel() for part in make(len(text.vocabulary)).parameters())
        for name, make in MODELS.items()
    }
    return "A language model of blocks and one of LSTMs, by the sentences that it reads", {
        "training": f"{EPOCHS} epochs, batches of {BATCH}; the best of four rates by 400 "
        "held-out sentences and another seed",
        "test": "perplexity on 400 other held-out sentences, 1,000 words",
        "weights": weights,
        "perplexity": found,
        "rate": chosen,
        "choosing": choosing,
        "counts": counts,
    }


def _perplexity(
    make: Callable[[int], nn.Module],
    text: SmallText,
    held_out: Sentences,
    rate: float,
    seed: int,
) -> float:
    torch.manual_seed(seed)
    model = make(len(text.vocabulary))
    steps = EPOCHS * len(text.train) // BATCH
    batches = islice(text.batches(BATCH, seed), steps)
    losses = (next_word_loss(model, *text.numbers(some)) for some in batches)
    train(model, losses, steps, TrainingOptions(learning_rate=rate, seed=seed))
    with evaluating(model):
        return float(np.exp(float(next_word_loss(model, *text.numbers(held_out)))))


EXPERIMENTS: dict[str, Callable[[Sequence[int]], tuple[str, Result]]] = {
    "distance": distance,
    "longer": longer,
    "language-model": language_model,
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run the named experiments and store each."""
    return run_experiments(
        "attention.experiments", "attention_", __doc__, EXPERIMENTS, _prepare, argv, seeds=5
    )


def _prepare(args: argparse.Namespace) -> Prepared:
    return (args.seeds,), {}


if __name__ == "__main__":
    raise SystemExit(main())
