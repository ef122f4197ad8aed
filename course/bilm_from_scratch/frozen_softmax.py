"""Perplexity of frozen states: a new softmax trained on them, the rest of the model fixed.

Only the softmax learns, and it begins with the counts of words, so the states can only add to
those. When to stop is chosen on other sentences than those that judge it.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from course.baselines.kneser_ney import KneserNey
from course.texts.small_text import Sentences, SmallText
from elmo_mini.progress import progress_bar

Read = Callable[[Tensor], tuple[Sequence[Tensor], Tensor]]
BATCH, DRAWN, EVERY, RATE, BOOTSTRAPS = 32, 512, 20, 3e-3, 2000
TINY = 1e-6


@dataclass(frozen=True)
class Answered:
    """The loss of a model for each target word.

    Attributes
    ----------
    nats : (N,) -log p
    sentence : (N,) the number of its sentence
    steps : how long its softmax has learnt; 0 for counts
    """

    nats: NDArray[np.float64]
    sentence: NDArray[np.int64]
    steps: int = 0

    def since(self, first: int) -> "Answered":
        """The sentences from number `first` on, numbered anew."""
        kept = self.sentence >= first
        return Answered(self.nats[kept], self.sentence[kept] - first, self.steps)

    def sums(self, sentences: int) -> NDArray[np.float64]:
        """(2, S): nats and words of each sentence."""
        nats = np.bincount(self.sentence, self.nats, sentences)
        return np.stack([nats, np.bincount(self.sentence, minlength=sentences)])


def perplexity(answered: Answered) -> tuple[float, float, float]:
    """It, and its 95 % interval over sentences."""
    return _interval(lambda sums: np.exp(sums[0] / sums[1]), [answered])


def times_lower(one: Answered, other: Answered) -> tuple[float, float, float]:
    """The other's perplexity over the one's, and its 95 % interval over the same sentences."""
    return _interval(
        lambda a, b: np.exp(b[0] / b[1] - a[0] / a[1]),
        [one, other],
    )


def _interval(
    number: Callable[..., NDArray[np.float64]], answered: Sequence[Answered]
) -> tuple[float, float, float]:
    sentences = 1 + max(int(a.sentence.max()) for a in answered)
    sums = [a.sums(sentences) for a in answered]
    drawn = np.random.default_rng(0).multinomial(
        sentences, np.full(sentences, 1 / sentences), BOOTSTRAPS
    )
    low, high = np.percentile(number(*(s @ drawn.T for s in sums)), [2.5, 97.5])
    return float(number(*(s.sum(1) for s in sums))), float(low), float(high)


def by_counts(text: SmallText, learn: Sentences, judge: Sentences, order: int) -> Answered:
    """Counts of n-grams of the sentences to learn from, one table for either direction.

    The words asked are those of `frozen_softmax`, in its order.
    """
    words, running = len(text.vocabulary), text.running(learn)
    numbers, mask = text.numbers(judge)
    rows = [row[there].tolist() for row, there in zip(numbers, mask, strict=True)]
    paid: list[list[float]] = [[] for _ in rows]
    for step in (1, -1):  # to the right, to the left
        counts = KneserNey(running[::step], words, order)
        for nats, row in zip(paid, rows, strict=True):
            read = row[::step]
            asked = [
                -math.log(counts.probability(read[max(0, t - order + 1) : t], read[t]))
                for t in range(1, len(read))
            ]
            nats += asked[::step]
    sentence = np.repeat(np.arange(len(rows)), [len(nats) for nats in paid])
    return Answered(np.concatenate(paid), sentence)


def mixed(parts: Sequence[Answered], stop: int, rounds: int = 100) -> Answered:
    """The weighted mean of several models' probabilities, judged from sentence `stop` on.

    EM finds one weight for each model on the sentences before. All must answer the same words.
    """
    p = np.exp(-np.stack([part.nats for part in parts]))  # (models, words)
    sentence = parts[0].sentence
    known, weights = p[:, sentence < stop], np.full(len(parts), 1 / len(parts))
    for _ in range(rounds):
        share = weights[:, None] * known
        weights = (share / share.sum(0)).mean(1)
    return Answered(-np.log(weights @ p), sentence).since(stop)


def frozen_softmax(
    read: Read,
    text: SmallText,
    learn: Sentences,
    stop: Sentences,
    judge: Sentences,
    *,
    steps: int = 480,
    seed: int = 0,
) -> Answered:
    """Train a softmax of both directions on `learn`, keep the best on `stop`, measure on `judge`.

    Parameters
    ----------
    read : a biLM, ids (B, T, 50) to its layers (B, T, 2 H) and the mask; it stays as it is. All its
        numbers are brought to mean 0 and spread 1 on `learn`, so that the softmax learns as fast
        from small states as from large ones
    """
    states, targets, _ = _states(read, text, learn)
    middle, spread = states.mean(0), states.std(0) + TINY
    states = (states - middle) / spread
    stop_states, stop_asked, _ = _states(read, text, stop)
    stop_states = (stop_states - middle) / spread
    words = len(text.vocabulary)
    softmax = nn.Linear(states.shape[1], words)
    with torch.no_grad():
        softmax.weight.zero_()
        softmax.bias.copy_((torch.bincount(targets, minlength=words) + 1).log())
    optimizer = torch.optim.Adam(softmax.parameters(), lr=RATE)
    generator = torch.Generator().manual_seed(seed)
    best, kept, best_step = math.inf, softmax.state_dict(), 0
    with progress_bar(total=steps) as bar:
        for step in range(steps + 1):
            if step % EVERY == 0:
                with torch.no_grad():
                    loss = float(functional.cross_entropy(softmax(stop_states), stop_asked))
                if loss < best:
                    best, best_step = loss, step
                    kept = {name: weight.clone() for name, weight in softmax.state_dict().items()}
            drawn = torch.randint(len(targets), (DRAWN,), generator=generator)
            optimizer.zero_grad()
            functional.cross_entropy(softmax(states[drawn]), targets[drawn]).backward()
            optimizer.step()
            bar.update()
    softmax.load_state_dict(kept)
    states, targets, sentence = _states(read, text, judge)
    with torch.no_grad():
        scores = softmax((states - middle) / spread)
        nats = functional.cross_entropy(scores, targets, reduction="none")
    order = torch.argsort(sentence, stable=True)  # of a sentence: all forward, then all backward
    return Answered(nats[order].double().numpy(), sentence[order].numpy(), best_step)


def _states(read: Read, text: SmallText, sentences: Sentences) -> tuple[Tensor, Tensor, Tensor]:
    """Top states (N, H) of both directions, the words to predict, their sentences."""
    kept = []
    for first in range(0, len(sentences), BATCH):
        rows = sentences[first : first + BATCH]
        with torch.no_grad():
            layers, mask = read(text.characters(rows))
        words = text.numbers(rows)[0]
        ahead, behind = layers[-1].chunk(2, -1)
        pair = mask[:, 1:]
        number = (first + torch.arange(len(rows)))[:, None].expand(pair.shape)[pair]
        kept += [
            (ahead[:, :-1][pair], words[:, 1:][pair], number),
            (behind[:, 1:][pair], words[:, :-1][pair], number),
        ]
    states, targets, number = map(torch.cat, zip(*kept, strict=True))
    return states, targets, number
