"""Short runs of GloVe with one planted fault each, and their symptoms."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from elmo_mini.progress import progress_bar
from elmo_mini.text.vocabulary import Vocabulary
from elmo_mini.training.steps import seeded

SHUFFLED, NO_LOGARITHM, UNSEEN = "words shuffled", "the count itself", "pairs that never occur"
RUNS = {"A": NO_LOGARITHM, "B": SHUFFLED, "C": UNSEEN}
WORDS, STEPS, RATE, DIMENSION, WINDOW, FREQUENT = 600, 80, 0.3, 50, 5, 10

Loss = Callable[[Tensor, Tensor, Tensor, Tensor, Tensor], Tensor]
Train = Callable[..., tuple[Tensor, list[float]]]
Count = Callable[[Sequence[Sequence[int]], int, int], NDArray[np.float64]]


@dataclass(frozen=True)
class Symptoms:
    """What can be seen of a run without its code.

    Attributes
    ----------
    losses : of each step, as a share of the first
    frequent, unseen : mean score of the pairs that count at least 10, and of those that never occur
    target : mean logarithm of the counts of the frequent pairs
    near : the five nearest words of each word that was asked for
    """

    losses: NDArray[np.float64]
    frequent: float
    unseen: float
    target: float
    near: dict[str, list[str]]


def four_runs(
    sentences: Sequence[Sequence[str]],
    asked: Sequence[str],
    count: Count,
    loss_of: Loss,
    train: Train,
) -> dict[str, Symptoms]:
    """A sound run, and one for each fault of `RUNS`; the same seed for all.

    Parameters
    ----------
    asked : words whose neighbours are shown, where they are among the most frequent; if none
        is, four others are
    count, loss_of, train : those of lesson 02
    """
    vocabulary = Vocabulary.from_sentences(sentences, max_size=WORDS)
    asked = [word for word in asked if word in vocabulary] or vocabulary.words[100:500:100]
    ids = [vocabulary.encode(sentence) for sentence in sentences]
    seen = {}
    runs = list({"sound": "", **RUNS}.items())
    for name, fault in progress_bar(runs, "four runs", unit=" runs"):
        text = _shuffled(ids) if fault == SHUFFLED else ids
        counts = torch.as_tensor(count(text, len(vocabulary), WINDOW), dtype=torch.float32)
        seen[name] = _symptoms(vocabulary, counts, _planted(fault, loss_of), train, asked)
    return seen


def _shuffled(ids: Sequence[Sequence[int]]) -> list[list[int]]:
    words = iter(np.random.default_rng(0).permutation([i for row in ids for i in row]).tolist())
    return [[next(words) for _ in row] for row in ids]


def _planted(fault: str, loss_of: Loss) -> Loss:
    def loss(w: Tensor, c: Tensor, b: Tensor, d: Tensor, counts: Tensor) -> Tensor:
        scores = w @ c.T + b[:, None] + d
        if fault == NO_LOGARITHM:
            return ((counts / 10).clamp(max=1) ** 0.75 * (scores - counts) ** 2).sum()
        if fault == UNSEEN:
            return ((scores - torch.log(counts + 1e-3)) ** 2).sum()
        return loss_of(w, c, b, d, counts)

    return loss


def _symptoms(
    vocabulary: Vocabulary, counts: Tensor, loss_of: Loss, train: Train, asked: Sequence[str]
) -> Symptoms:
    last: list[Tensor] = []

    def watched(w: Tensor, c: Tensor, b: Tensor, d: Tensor, counts: Tensor) -> Tensor:
        last[:] = [part.detach() for part in (w, c, b, d)]
        return loss_of(w, c, b, d, counts)

    with seeded(0, torch.device("cpu")):
        vectors, losses = train(counts, watched, DIMENSION, STEPS, RATE, lambda *_: None)
    w, c, b, d = last
    scores, frequent = w @ c.T + b[:, None] + d, counts >= FREQUENT
    unit = functional.normalize(vectors.detach(), dim=1)
    near = {
        word: vocabulary.decode((unit @ unit[vocabulary.id(word)]).topk(6).indices[1:].tolist())
        for word in asked
    }
    return Symptoms(
        np.array(losses) / losses[0],
        float(scores[frequent].mean()),
        float(scores[counts == 0].mean()),
        float(counts[frequent].log().mean()),
        near,
    )
