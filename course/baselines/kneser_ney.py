"""An n-gram language model with interpolated Kneser-Ney smoothing, the baseline of an LSTM.

Kneser & Ney 1995 (ICASSP), in the interpolated form of Chen & Goodman 1998 (Harvard TR-10-98):
a fixed discount is taken from every count, and what is saved goes to the next shorter context (the
backoff). There a word counts not by how often it occurred but by how many different words it
followed (its continuation count).
"""

import math
from collections import Counter, defaultdict
from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

NGram = tuple[int, ...]


class KneserNey:
    """Probabilities of the next word from the ``order - 1`` words before it.

    Parameters
    ----------
    stream : ids of running text
    words : V; what is left over at the end is spread evenly over all words
    order : 1 for single words, 2 for bigrams, 3 for trigrams
    said : as what each word of the stream is predicted, where contexts tell more words apart

    Raises
    ------
    ValueError
        If the order is below 1, or the text shorter than one n-gram.
    """

    def __init__(
        self, stream: Sequence[int], words: int, order: int = 3, said: Sequence[int] | None = None
    ) -> None:
        if order < 1 or len(stream) < order:
            raise ValueError(f"a text of {len(stream)} words has no n-grams of order {order}")
        self.words, self.order = words, order
        last = (stream if said is None else said)[order - 1 :]
        before = (stream[start:] for start in range(order - 1))
        counts: Counter[NGram] = Counter(zip(*before, last, strict=False))
        self._levels: list[_Level] = []
        for _ in range(order):
            self._levels.insert(0, _Level(counts))
            counts = Counter(ngram[1:] for ngram in counts)  # how many words it followed
        self._after: dict[NGram, NDArray[np.float64]] = {}

    def probability(self, context: Sequence[int], word: int) -> float:
        """p(word | the last ``order - 1`` words of context); a shorter context is used whole."""
        p = 1 / self.words
        for length, level in enumerate(self._levels):
            if length > len(context):
                break
            p = level.interpolate(tuple(context[len(context) - length :]), word, p)
        return p

    def probabilities(
        self, stream: Sequence[int], said: Sequence[int] | None = None
    ) -> list[float]:
        """p of each word of running text but the first; `said` as for the text counted."""
        reach, last = self.order - 1, stream if said is None else said
        return [
            self.probability(stream[max(0, place - reach) : place], last[place])
            for place in range(1, len(stream))
        ]

    def scores(self, ids: Tensor) -> Tensor:
        """Log-probabilities (B, T, V) of the word after each position of ids (B, T)."""
        reach = self.order - 1
        found = [
            np.stack(
                [
                    self._distribution(tuple(row[max(0, end - reach) : end]))
                    for end in range(1, len(row) + 1)
                ]
            )
            for row in ids.tolist()
        ]
        return torch.from_numpy(np.log(np.stack(found))).float()

    def _distribution(self, context: NGram) -> NDArray[np.float64]:
        """(V,) p of each word after a context; short contexts are kept, as they come again."""
        if context in self._after:
            return self._after[context]
        shorter = (
            self._distribution(context[1:]) if context else np.full(self.words, 1 / self.words)
        )
        found = self._levels[len(context)].distribution(context, shorter)
        if len(context) < 2:
            self._after[context] = found
        return found

    def blank_scores(self, row: Sequence[int], position: int) -> NDArray[np.float64]:
        """(V,) log p of a row with each of the words at this position, up to a constant.

        So the words on both sides decide: each n-gram that holds the blank is scored. What stands
        at the position is not read.
        """
        reach = self.order - 1
        logs = np.log(self._distribution(tuple(row[max(0, position - reach) : position])))
        for at in range(position + 1, min(position + self.order, len(row))):
            left, right = tuple(row[max(0, at - reach) : position]), tuple(row[position + 1 : at])
            p = np.full(self.words, 1 / self.words)
            for length, level in enumerate(self._levels[: len(left) + 2 + len(right)]):
                if length <= len(right):  # the blank stands further back
                    p[:] = level.interpolate(right[len(right) - length :], row[at], p[0])
                    continue
                head = left[len(left) + len(right) + 1 - length :]
                for word in level.between(head, right):
                    p[word] = level.interpolate((*head, word, *right), row[at], p[word])
            logs += np.log(p)
        return logs

    def perplexity(self, stream: Sequence[int]) -> float:
        """exp of mean -log p over every id of running text but the first.

        Raises
        ------
        ValueError
            If there are fewer than two ids.
        """
        if len(stream) < 2:
            raise ValueError("perplexity needs two ids or more")
        nats = sum(-math.log(p) for p in self.probabilities(stream))
        return math.exp(nats / (len(stream) - 1))


class _Level:
    """Counts of n-grams of one length, and their discount n1 / (n1 + 2 n2)."""

    def __init__(self, counts: Counter[NGram]) -> None:
        self.counts = counts
        self.totals: Counter[NGram] = Counter()
        self.kinds: Counter[NGram] = Counter()
        self.followers: dict[NGram, list[tuple[int, int]]] = defaultdict(list)
        self._between: dict[tuple[NGram, NGram], list[int]] = defaultdict(list)
        for ngram, count in counts.items():
            self.followers[ngram[:-1]].append((ngram[-1], count))
            self.totals[ngram[:-1]] += count
            self.kinds[ngram[:-1]] += 1
        seen = Counter(counts.values())
        once, twice = seen[1], seen[2]
        self.discount = once / (once + 2 * twice) if once and twice else 0.5

    def between(self, head: NGram, right: NGram) -> list[int]:
        """The words that occurred between these two in a context."""
        if not self._between:
            for context in self.totals:
                for at, word in enumerate(context):
                    self._between[context[:at], context[at + 1 :]].append(word)
        return self._between.get((head, right), [])

    def distribution(self, context: NGram, shorter: NDArray[np.float64]) -> NDArray[np.float64]:
        """(V,) as `interpolate` gives for each word."""
        total = self.totals.get(context, 0)
        if not total:
            return shorter
        found = shorter * (self.discount * self.kinds[context] / total)
        for word, count in self.followers[context]:
            found[word] += max(count - self.discount, 0.0) / total
        return found

    def interpolate(self, context: NGram, word: int, shorter: float) -> float:
        total = self.totals.get(context, 0)
        if not total:
            return shorter
        saved = self.discount * self.kinds[context]
        kept = max(self.counts.get((*context, word), 0) - self.discount, 0.0)
        return (kept + saved * shorter) / total
