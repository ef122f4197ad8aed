"""A table of word vectors: nearest neighbours, cosine similarity, analogies."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from elmo_mini.settings import whole_number
from elmo_mini.text.vocabulary import Vocabulary


def unit(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """Vectors (..., D) scaled to length 1; a vector of zeros stays zero."""
    length = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.divide(vectors, np.where(length > 0, length, 1), dtype=np.float32)


class WordVectors:
    """One vector per word: row i of `vectors` (V, D) belongs to word i of `vocabulary`.

    Raises
    ------
    ValueError
        If the table does not have one row per word.
    """

    def __init__(self, vocabulary: Vocabulary, vectors: NDArray[np.float32]) -> None:
        if vectors.ndim != 2 or len(vectors) != len(vocabulary):
            raise ValueError(
                f"{len(vocabulary)} words need a table of as many rows, got shape {vectors.shape}"
            )
        self._vocabulary: Vocabulary | None = vocabulary
        self._vectors = vectors

    @property
    def vocabulary(self) -> Vocabulary:
        """The words; word i has row i."""
        if self._vocabulary is None:
            raise RuntimeError("there is no vocabulary yet: give the model sentences first")
        return self._vocabulary

    @property
    def vectors(self) -> NDArray[np.float32]:
        """(V, D) float32."""
        return self._vectors

    def __len__(self) -> int:
        return len(self.vocabulary)

    def __contains__(self, word: object) -> bool:
        return word in self.vocabulary

    def __getitem__(self, word: str) -> NDArray[np.float32]:
        """The vector of a word, (D,).

        Raises
        ------
        UnknownWord
            If the word is not in the vocabulary.
        """
        vector: NDArray[np.float32] = self.vectors[self.vocabulary.id(word)]
        return vector

    def similarity(self, first: str, second: str) -> float:
        """Cosine of the vectors of two words."""
        return float(unit(self[first]) @ unit(self[second]))

    def most_similar(
        self,
        positive: str | NDArray[Any] | Sequence[str | NDArray[Any]],
        negative: str | NDArray[Any] | Sequence[str | NDArray[Any]] = (),
        topn: int = 10,
    ) -> list[tuple[str, float]]:
        """The words whose vectors have the largest cosine with a word, a vector, or a mixture.

        Several are mixed as the sum of their unit vectors, `negative` ones subtracted, as for
        analogies: ``most_similar(["king", "woman"], ["man"])``. The words given are left out.

        Raises
        ------
        UnknownWord
            If a word is not in the vocabulary.
        ValueError
            If nothing is given, a vector has another length, a number is not finite, or `topn` is
            no whole number.
        TypeError
            If something is neither a word nor a vector.
        """
        given = [(item, 1) for item in _several(positive)]
        given += [(item, -1) for item in _several(negative)]
        topn = whole_number("topn", topn, low=0)
        if not given:
            raise ValueError("most_similar needs at least one word or vector")
        size = self.vectors.shape[1]
        query = np.zeros(size, dtype=np.float32)
        seen = set()
        for item, sign in given:
            if not isinstance(item, str | np.ndarray):
                raise TypeError(f"a word or a vector is needed, and this is {item!r:.40}")
            if isinstance(item, str):
                seen.add(self.vocabulary.id(item))
                vector = self[item]
            else:
                vector = np.asarray(item, dtype=np.float32)
                if vector.shape != (size,):
                    raise ValueError(f"a vector of shape ({size},) is needed, got {vector.shape}")
                if not np.isfinite(vector).all():
                    raise ValueError("the vector holds numbers that are not finite")
            query += sign * unit(vector)
        cosines = unit(self.vectors) @ unit(query)
        if not np.isfinite(cosines).all():
            raise ValueError("the table holds numbers that are not finite")
        order = np.argsort(-cosines, kind="stable")[: topn + len(seen)]
        words = [(self.vocabulary.words[i], float(cosines[i])) for i in order if i not in seen]
        return words[:topn]


def _several(
    given: str | NDArray[Any] | Sequence[str | NDArray[Any]],
) -> Sequence[str | NDArray[Any]]:
    """A list of words and vectors; one alone, a string or a row of numbers, becomes such a list."""
    if isinstance(given, np.ndarray):  # of numbers, or of words
        return [given] if given.ndim == 1 and given.dtype.kind not in "UO" else list(given)
    return [given] if isinstance(given, str) or not isinstance(given, Iterable) else list(given)
