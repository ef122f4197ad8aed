"""The controls that know which words stand around: random vectors of them, or their letters."""

from collections.abc import Iterable, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from course.from_characters.word_similarity import reader, remembered
from elmo_mini.fast.bilm import FastBiLM
from elmo_mini.probing.tasks import Occurrence

Floats = NDArray[np.float64]


class WordVectors(Protocol):
    """Vectors of `size` numbers for spellings."""

    size: int

    def of(self, words: Iterable[str]) -> Floats:
        """(N, size)"""
        ...


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


class TokenLayer:
    """The vector that a biLM's token layer gives a spelling: letters, and no sentence."""

    def __init__(self, bilm: FastBiLM) -> None:
        self._encode = remembered(reader(bilm.token_encoder))
        self.size = bilm.options.projection_dim

    def of(self, words: Iterable[str]) -> Floats:
        """(N, size)"""
        return self._encode(list(words)).astype(np.float64)


def words_around(
    occurrences: Sequence[Occurrence], reach: int, vectors: WordVectors, *, lower: bool = True
) -> Floats:
    """(N, 2 reach + 1, size): of the words from `reach` before to `reach` after.

    The word itself stands in the middle; places outside of the sentence are zeros.

    Parameters
    ----------
    lower : read all words in lower case
    """
    rows = np.zeros((len(occurrences), 2 * reach + 1, vectors.size))
    for row, o in zip(rows, occurrences, strict=True):
        first = max(0, o.position - reach)
        near = o.words[first : o.position + reach + 1]
        read = vectors.of(word.lower() if lower else word for word in near)
        row[first - o.position + reach :][: len(near)] = read
    return rows
