"""What lesson 13 prints of trained models and of stored results."""

from collections.abc import Callable, Mapping
from typing import Any, cast

import numpy as np
import torch
from numpy.typing import NDArray

from course.attention.experiments import READERS, STEPS
from course.attention.recall import recall_accuracy, train_to_recall
from course.texts.word_classes import word_classes
from elmo_mini.checkpoints.safetensors_file import read_checkpoint
from elmo_mini.text.batches import pad
from elmo_mini.text.running_text import BOUNDARY
from elmo_mini.transformer.block import Block
from elmo_mini.transformer.causal_lm_file import COURSE_CHECKPOINT, load_causal_lm

Numbers = NDArray[np.float64]
Moments = Callable[[Numbers, Numbers, Numbers, Numbers], tuple[Any, Any]]


@torch.no_grad()
def trained_heads(texts: int = 200) -> list[tuple[Numbers, Numbers]]:
    """Queries and keys (N, d) of the first head of each block of the course's next-word model.

    Parameters
    ----------
    texts : so many beginnings of sentences of lesson 14's task, N tokens
    """
    model, vocabulary = load_causal_lm()
    some = word_classes().dev.texts[:texts]
    ids, mask = pad([vocabulary.encode([BOUNDARY, *text]) for text in some], device="cpu")
    x, found = model.norm(model.word(ids) + model.place.weight[: ids.shape[1]]), []
    for block in cast(list[Block], model.blocks):
        heads = block.attention
        d = x.shape[-1] // heads.heads
        q, k = (layer(x)[mask][:, :d].double().numpy() for layer in (heads.query, heads.key))
        found.append((q, k))
        x = block(x, mask)
    return found


def print_trained_moments(dot_moments: Moments) -> None:
    """Mean and spread of the dot products of trained heads, by the learner's rule and measured.

    Parameters
    ----------
    dot_moments : from the means and variances of the numbers of queries and keys, each (d,)
    """
    for number, (q, k) in enumerate(trained_heads(), start=1):
        mean, variance = dot_moments(q.mean(0), q.var(0), k.mean(0), k.var(0))
        scores = q @ k.T
        print(
            f"block {number}: mean of yours {mean:.1f}, measured {scores.mean():.1f}; "
            f"root of yours {variance**0.5:.1f}, measured {scores.std():.1f}"
        )


def print_longer(stored: Mapping[str, Any], longer: Mapping[str, Any]) -> None:
    """Right answers of readers that have trained longer, from two stored experiments.

    Parameters
    ----------
    stored : ``distance``, whose LSTMs train four times as long with 16 words in between
    longer : ``longer``, the sum of all words by distance and number of batches
    """
    for name, point in stored["trained 4 times as long, distance 16"].items():
        print(f"16 words, {name}: 2,400 batches {100 * point['mean']:.0f} %")
    for far, points in longer["accuracy"].items():
        said = (f"{int(n):,} batches {100 * found['mean']:.0f} %" for n, found in points.items())
        print(f"{far} words, sum of all tokens:", ", ".join(said))


def print_faster(rate: float = 1e-2) -> None:
    """Right answers at another learning rate, 16 words of chatter, 600 batches, one run each."""
    for name, make in READERS.items():
        if name == "attention":
            continue
        torch.manual_seed(0)
        reader = make()
        train_to_recall(reader, 16, STEPS, rate=rate, progress=True)
        print(f"16 words, {name}: rate {rate:g} {100 * recall_accuracy(reader, 16):.0f} %")


def print_perplexities() -> None:
    """Held-out perplexity of the course's next-word model, and of counts of pairs."""
    _, record = read_checkpoint(COURSE_CHECKPOINT)
    print(f"held-out speeches: blocks {record['perplexity']:.1f}, pairs {record['pairs']:.1f}")


def print_counts(stored: dict[str, Any]) -> None:
    """Perplexities of blocks and of counts, by the sentences; of each model, by its rate."""
    for n, point in stored["perplexity"]["blocks that look back"].items():
        counted = (f"{name} {value:.1f}" for name, value in stored["counts"][n].items())
        print(f"{int(n):,} sentences: blocks {point['mean']:.1f}; counts of", *counted)


def print_choosing(stored: dict[str, Any], sentences: str = "6400") -> None:
    """Perplexity of each model at each rate on the sentences that chose the rate."""
    for name, by in stored["choosing"].items():
        tried = (f"{value:.1f} at {rate}" for rate, value in by[sentences].items())
        print(f"{name}:", ", ".join(tried))
