"""The control that knows which words stand around, and nothing else: random vectors of them."""

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from elmo_mini.probing.tasks import Occurrence

Floats = NDArray[np.float64]


class RandomVectors:
    """A vector of `size` random numbers for each spelling, drawn where it is first met."""

    def __init__(self, size: int, seed: int = 0) -> None:
        self.size = size
        self._random = np.random.default_rng(seed)
        self._drawn: dict[str, Floats] = {}

    def __getitem__(self, word: str) -> Floats:
        if word not in self._drawn:
            self._drawn[word] = self._random.standard_normal(self.size)
        return self._drawn[word]

    def of(self, words: Iterable[str]) -> Floats:
        """(N, size)"""
        return np.stack([self[word] for word in words])


def words_around(occurrences: Sequence[Occurrence], reach: int, vectors: RandomVectors) -> Floats:
    """(N, 2 reach + 1, size): of the words from `reach` before to `reach` after, in lower case.

    The word itself stands in the middle; places outside of the sentence are zeros.
    """
    rows = np.zeros((len(occurrences), 2 * reach + 1, vectors.size))
    for row, o in zip(rows, occurrences, strict=True):
        first = max(0, o.position - reach)
        near = [word.lower() for word in o.words[first : o.position + reach + 1]]
        row[first - o.position + reach :][: len(near)] = vectors.of(near)
    return rows
