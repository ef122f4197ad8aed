"""How close words are, by their vectors or by their letters, and three questions to ask of it.

A closeness takes Q words and N candidates and gives a table (Q, N); the larger, the closer. Where
candidates tie, the one that stands first in the list wins: put frequent words first.
"""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from elmo_mini.characters.edit_distance import edit_distances
from elmo_mini.word_vectors.table import unit

Table = NDArray[np.float32]
Closeness = Callable[[Sequence[str], Sequence[str]], Table]


def by_vectors(encode: Callable[[Sequence[str]], Table]) -> Closeness:
    """The cosine of the vectors that `encode` gives, (n, H) for n words.

    The vectors of the longest list of candidates are kept: thousands are asked again and again.
    """
    kept: dict[tuple[str, ...], Table] = {}

    def closeness(words: Sequence[str], candidates: Sequence[str]) -> Table:
        key = tuple(candidates)
        vectors = kept[key] if key in kept else unit(encode(candidates))
        if len(key) >= max(map(len, kept), default=0):
            kept.clear()
            kept[key] = vectors
        return unit(encode(words)) @ vectors.T

    return closeness


def by_letters(words: Sequence[str], candidates: Sequence[str]) -> Table:
    """Minus the number of letters to change."""
    return -edit_distances(words, candidates).astype(np.float32)


def nearest(
    closeness: Closeness, words: Sequence[str], candidates: Sequence[str], n: int
) -> NDArray[np.intp]:
    """Places of the n closest candidates of each word, itself left out: (Q, n)."""
    table = closeness(words, candidates)
    own = {candidate: place for place, candidate in enumerate(candidates)}
    for row, word in zip(table, words, strict=True):
        if word in own:
            row[own[word]] = -np.inf
    rows, places = np.arange(len(words)), []
    for _ in range(n):
        places.append(table.argmax(1))
        table[rows, places[-1]] = -np.inf
    return np.stack(places, 1)


def finds_meant(
    closeness: Closeness, pairs: Sequence[tuple[str, str]], candidates: Sequence[str]
) -> NDArray[np.float64]:
    """1 for each slip whose closest candidate is the word that was meant, else 0: (Q,)."""
    first = nearest(closeness, [slip for slip, _ in pairs], candidates, 1)[:, 0]
    hits = [candidates[i] == meant for i, (_, meant) in zip(first, pairs, strict=True)]
    return np.array(hits, dtype=np.float64)


def prefers_meaning(
    closeness: Closeness, triples: Sequence[tuple[str, str, str]]
) -> NDArray[np.float64]:
    """1 for each word closer to its like in meaning than to its like in letters, ½ for a tie."""
    wins = []
    for word, meaning, letters in triples:
        ((by_meaning, by_letters),) = closeness([word], [meaning, letters])
        wins.append(0.5 * (np.sign(by_meaning - by_letters) + 1))
    return np.array(wins, dtype=np.float64)


def same_class(
    closeness: Closeness,
    words: Sequence[str],
    candidates: Sequence[str],
    classes: dict[str, str],
    n: int = 5,
) -> NDArray[np.float64]:
    """Of the n closest candidates of each word, the share of its own class: (Q,)."""
    places = nearest(closeness, words, candidates, n)
    return np.array(
        [
            np.mean([classes[candidates[i]] == classes[word] for i in row])
            for word, row in zip(words, places, strict=True)
        ]
    )
