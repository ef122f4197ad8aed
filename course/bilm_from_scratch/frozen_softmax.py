"""A fresh softmax on a frozen model's states: what do they know of the next word?

Only the softmax learns, and it begins with the counts of words, so the states can only add to
those. When to stop is chosen on other sentences than those that judge it.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

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
    """What a model has paid for each word that it was asked for.

    Attributes
    ----------
    nats : (N,) -log p
    sentence : (N,) the number of its sentence
    steps : how long its softmax has learnt; 0 for counts
    """

    nats: NDArray[np.float64]
    sentence: NDArray[np.int64]
    steps: int = 0

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
    """Counts of words (order 1) or of pairs (order 2) of the sentences to learn from."""
    words = len(text.vocabulary)
    counts = KneserNey(text.running(learn), words, order)
    numbers, mask = text.numbers(judge)
    nats, sentence = [], []
    for number, (row, there) in enumerate(zip(numbers, mask, strict=True)):
        for before, word in pairwise(row[there].tolist()):
            nats.append(-math.log(counts.probability([before][: order - 1], word)))
            sentence.append(number)
    return Answered(np.array(nats), np.array(sentence))


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
    states, asked, _ = _states(read, text, learn)
    middle, spread = states.mean(0), states.std(0) + TINY
    states = (states - middle) / spread
    stop_states, stop_asked, _ = _states(read, text, stop)
    stop_states = (stop_states - middle) / spread
    words = len(text.vocabulary)
    softmax = nn.Linear(states.shape[1], words)
    with torch.no_grad():
        softmax.weight.zero_()
        softmax.bias.copy_((torch.bincount(asked, minlength=words) + 1).log())
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
            drawn = torch.randint(len(asked), (DRAWN,), generator=generator)
            optimizer.zero_grad()
            functional.cross_entropy(softmax(states[drawn]), asked[drawn]).backward()
            optimizer.step()
            bar.update()
    softmax.load_state_dict(kept)
    states, asked, sentence = _states(read, text, judge)
    with torch.no_grad():
        scores = softmax((states - middle) / spread)
        nats = functional.cross_entropy(scores, asked, reduction="none")
    return Answered(nats.double().numpy(), sentence.numpy(), best_step)


def _states(read: Read, text: SmallText, sentences: Sentences) -> tuple[Tensor, Tensor, Tensor]:
    """Top states (N, H) of both directions, the words that they are asked for, their sentences."""
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
    states, asked, number = map(torch.cat, zip(*kept, strict=True))
    return states, asked, number
