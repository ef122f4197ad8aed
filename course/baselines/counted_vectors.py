"""Word vectors without a network: neighbours counted in plain text, and squeezed.

Positive PMI and its singular value decomposition (lesson 01). The words before and those after are
counted apart, two on either side, and chance is flattened to the power 3/4.
"""

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from elmo_mini.extras import brought_by

with brought_by("experiments"):
    from sklearn.utils.extmath import randomized_svd

Floats = NDArray[np.float32]
LEAST, CONTEXTS, REACH, POWER = 5, 8_000, 2, 0.75


class CountedVectors:
    """A vector for each word that is frequent enough, in lower case.

    Parameters
    ----------
    text : sentences as lists of words
    size : numbers in a vector
    least : how often a word must occur
    """

    def __init__(self, text: Iterable[Sequence[str]], size: int = 256, least: int = LEAST) -> None:
        sentences = [[word.lower() for word in sentence] for sentence in text]
        counts = Counter(word for sentence in sentences for word in sentence)
        words = [word for word, count in counts.most_common() if count >= least]
        self.rows = {word: row for row, word in enumerate(words)}
        gap = [-1] * REACH  # no pair crosses the end of a sentence
        stream = np.array(
            [row for s in sentences for row in (*(self.rows.get(w, -1) for w in s), *gap)]
        )
        table = sparse.hstack(
            [positive_pmi(n, power=POWER) for n in _both_sides(stream, len(words))]
        )
        left, values, _ = randomized_svd(table.tocsr(), size, n_iter=4, random_state=0)
        vectors = left * np.sqrt(values)
        lengths = np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
        self.table: Floats = (vectors / lengths * np.sqrt(size)).astype(np.float32)

    def __call__(self, words: Sequence[str]) -> Floats:
        """(N, size) of mean square 1; zeros for a word that was not counted."""
        found = np.zeros((len(words), self.table.shape[1]), np.float32)
        for place, word in enumerate(words):
            if word.lower() in self.rows:
                found[place] = self.table[self.rows[word.lower()]]
        return found


def _both_sides(stream: NDArray[np.int64], words: int) -> list[sparse.csr_matrix]:
    """(V, contexts) how often each frequent word stands before each word, and how often after."""
    contexts = min(words, CONTEXTS)
    before, after = (sparse.csr_matrix((words, contexts)) for _ in range(2))
    for distance in range(1, REACH + 1):
        first, second = stream[:-distance], stream[distance:]
        both = (first >= 0) & (second >= 0)
        first, second = first[both], second[both]
        before = before + _table(second, first, words, contexts)
        after = after + _table(first, second, words, contexts)
    return [before, after]


def _table(
    rows: NDArray[np.int64], columns: NDArray[np.int64], words: int, contexts: int
) -> sparse.csr_matrix:
    few = columns < contexts
    ones = np.ones(int(few.sum()))
    return sparse.coo_matrix((ones, (rows[few], columns[few])), (words, contexts)).tocsr()


def positive_pmi(
    counts: sparse.csr_matrix, shift: float = 1, power: float = 1
) -> sparse.csr_matrix:
    """The PMI less log `shift` where that is above 0; else 0, which is not stored.

    Parameters
    ----------
    counts : (V, contexts) of pairs
    power : of a context's share of all pairs; below 1, rare contexts are less of a surprise
    """
    table = counts.tocoo()
    by_row, by_column = counts.sum(1).A1, counts.sum(0).A1 ** power
    chance = by_row[table.row] * by_column[table.col]
    pmi = np.log(table.data * by_column.sum() / chance) - np.log(shift)
    kept = pmi > 0
    return sparse.csr_matrix((pmi[kept], (table.row[kept], table.col[kept])), counts.shape)
