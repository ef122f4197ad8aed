"""Word similarity by vectors or by spelling, and three evaluations of it.

A closeness takes Q words and N candidates and gives a table (Q, N); the larger, the closer. Where
candidates tie, each has the chance of a draw, so that the order of the list tells nobody which
words are frequent.
"""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from course.from_characters.edit_distance import edit_distances
from elmo_mini.progress import progress_bar
from elmo_mini.text.character_ids import word_to_ids
from elmo_mini.word_vectors.table import unit

Table = NDArray[np.float32]
Closeness = Callable[[Sequence[str], Sequence[str]], Table]
Encode = Callable[[Sequence[str]], Table]
LONGEST = 100
"""More letters than a word has."""


def reader(
    char_cnn: Callable[[Tensor], Tensor],
    ids_of: Callable[[str], Sequence[int]] = word_to_ids,
    together: int = 500,
) -> Encode:
    """Words to their vectors, without gradients.

    Parameters
    ----------
    char_cnn : ids of letters (n, 50) to vectors (n, H)
    ids_of : a word to its fifty ids
    together : words encoded at once; a bar shows the progress of more than these
    """

    @torch.no_grad()
    def encode(words: Sequence[str]) -> Table:
        rows = torch.stack([torch.as_tensor(ids_of(word)) for word in words])
        parts = progress_bar(rows.split(together), "reading letters", show=len(rows) > together)
        vectors: Table = torch.cat([char_cnn(part) for part in parts]).numpy()
        return vectors

    return encode


def remembered(encode: Encode) -> Encode:
    """The same vectors, each word encoded once: for weights that no longer change."""
    vectors: dict[str, Table] = {}

    def encode_new(words: Sequence[str]) -> Table:
        new = [word for word in dict.fromkeys(words) if word not in vectors]
        if new:
            vectors.update(zip(new, encode(new), strict=True))
        return np.stack([vectors[word] for word in words])

    return encode_new


def whitened(encode: Encode, words: Sequence[str]) -> Encode:
    """Vectors moved and turned so that over `words` every direction has mean 0 and variance 1.

    A cosine of such vectors is no longer ruled by the few directions in which all vectors differ
    most. Directions in which `words` do not differ are left out.
    """
    vectors = encode(words)
    mean = vectors.mean(0)
    variances, directions = np.linalg.eigh(np.cov((vectors - mean).T))
    kept = variances > 1e-8 * variances.max()
    turn = (directions[:, kept] / np.sqrt(variances[kept])).astype(np.float32)

    def white(asked: Sequence[str]) -> Table:
        found: Table = ((vectors if asked is words else encode(asked)) - mean) @ turn
        return found

    return white


def by_vectors(encode: Encode) -> Closeness:
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


def by_ending(words: Sequence[str], candidates: Sequence[str]) -> Table:
    """The number of letters that both have at their end; of equals, the nearer in length."""
    return common_endings(words, candidates) - 0.01 * _further(words, candidates)


def lower_case_first(ending: Closeness) -> Closeness:
    """Words in lower case before all others, then as `ending` has it; of equals, the nearer length.

    Parameters
    ----------
    ending : counts letters, as `common_endings` does
    """

    def closeness(words: Sequence[str], candidates: Sequence[str]) -> Table:
        first = LONGEST * np.array([word.islower() for word in candidates], dtype=np.float32)
        letters = np.asarray(ending(words, candidates), dtype=np.float32)
        found: Table = letters + first - 0.01 * _further(words, candidates)
        return found

    return closeness


def _further(words: Sequence[str], candidates: Sequence[str]) -> Table:
    """By how many letters one is longer: (Q, N)."""
    sizes = [np.array([len(text) for text in texts]) for texts in (words, candidates)]
    return np.abs(sizes[0][:, None] - sizes[1]).astype(np.float32)


def common_endings(words: Sequence[str], candidates: Sequence[str]) -> Table:
    """The number of letters that two words share, counted from their ends: (Q, N)."""
    length = max(map(len, [*words, *candidates]), default=0)

    def backwards(texts: Sequence[str], blank: int) -> NDArray[np.int32]:
        rows = [[ord(letter) for letter in reversed(text)] for text in texts]
        return np.array([row + [blank] * (length - len(row)) for row in rows], dtype=np.int32)

    ours, theirs = backwards(words, -1), backwards(candidates, -2)
    table = np.zeros((len(words), len(candidates)), dtype=np.float32)
    still = np.ones(table.shape, dtype=bool)
    for place in range(length):
        still &= ours[:, place, None] == theirs[None, :, place]
        table += still
    return table


def nearest(
    closeness: Closeness, words: Sequence[str], candidates: Sequence[str], n: int
) -> NDArray[np.intp]:
    """Places of the n closest candidates of each word, itself left out: (Q, n).

    Of equals the first in the list is named first.
    """
    table = _of_others(closeness, words, candidates)
    rows, places = np.arange(len(words)), []
    for _ in range(n):
        places.append(table.argmax(1))
        table[rows, places[-1]] = -np.inf
    return np.stack(places, 1)


def show_nearest(
    readers: Mapping[str, Closeness], words: Sequence[str], candidates: Sequence[str], n: int = 4
) -> None:
    """Print the n closest candidates of each word, the readers side by side."""
    width = max(map(len, words))
    found = [nearest(closeness, words, candidates, n) for closeness in readers.values()]
    print(f"{'':>{width}}  {' | '.join(readers)}")
    for row, word in enumerate(words):
        near = (", ".join(candidates[i] for i in places[row]) for places in found)
        print(f"{word:>{width}}: {' | '.join(near)}")


def chances(
    closeness: Closeness, words: Sequence[str], candidates: Sequence[str], n: int
) -> NDArray[np.float64]:
    """How likely each candidate is among a word's n closest, if equals are drawn: (Q, N)."""
    table = _of_others(closeness, words, candidates)
    last = np.partition(table, -n, axis=1)[:, -n, None]
    sure, equal = table > last, table == last
    return sure + equal * (n - sure.sum(1, keepdims=True)) / equal.sum(1, keepdims=True)


def _of_others(closeness: Closeness, words: Sequence[str], candidates: Sequence[str]) -> Table:
    """The closeness, and minus infinity between a word and itself."""
    table = closeness(words, candidates)
    own = {candidate: place for place, candidate in enumerate(candidates)}
    for row, word in zip(table, words, strict=True):
        if word in own:
            row[own[word]] = -np.inf
    return table


def finds_meant(
    closeness: Closeness, pairs: Sequence[tuple[str, str]], candidates: Sequence[str]
) -> NDArray[np.float64]:
    """1 for each slip whose closest candidate is the word that was meant, else 0: (Q,).

    Where k candidates are equally close, and the meant word is one of them, 1 / k.
    """
    chance = chances(closeness, [slip for slip, _ in pairs], candidates, 1)
    places = {candidate: place for place, candidate in enumerate(candidates)}
    return chance[np.arange(len(pairs)), [places[meant] for _, meant in pairs]]


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
    chance = chances(closeness, words, candidates, n)
    class_of = np.array([classes[candidate] for candidate in candidates])
    same = class_of[None] == np.array([classes[word] for word in words])[:, None]
    return np.asarray((chance * same).sum(1) / n)
