"""Word vectors from character n-grams, as in fastText: a vector for every spelling.

Paper: Bojanowski et al. (TACL 2017). A word is the sum of the vectors of its n-grams, 3 to 6
characters long, cut from the word between the boundary signs < and >; a word of the vocabulary
adds a vector of its own. The n-grams share a table of K rows: a hash says which.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

BUCKETS = 2_000_000


def character_ngrams(word: str, shortest: int = 3, longest: int = 6) -> list[str]:
    """Every stretch of ``shortest`` to ``longest`` characters of ``<word>``, in order.

    A stretch that occurs twice is listed twice. Characters, not bytes: 打针 has n-grams too.

    Raises
    ------
    ValueError
        Unless 1 <= shortest <= longest.
    """
    if not 1 <= shortest <= longest:
        raise ValueError(f"need 1 <= shortest <= longest, got {shortest} and {longest}")
    marked = f"<{word}>"
    return [
        marked[start : start + length]
        for start in range(len(marked))
        for length in range(shortest, longest + 1)
        if start + length <= len(marked)
    ]


def fnv1a(text: str) -> int:
    """The 32-bit FNV-1a hash of the UTF-8 bytes, as fastText computes it.

    fastText takes a byte as a signed number before the exclusive or, so bytes from 128 on turn
    over the upper 24 bits as well; plain FNV-1a does not.
    """
    value = 2166136261
    for byte in text.encode("utf-8"):
        signed = byte | 0xFFFFFF00 if byte > 127 else byte
        value = ((value ^ signed) * 16777619) & 0xFFFFFFFF
    return value


def bucket(ngram: str, buckets: int = BUCKETS) -> int:
    """The row of an n-gram in a table of ``buckets`` rows; different n-grams may share one."""
    return fnv1a(ngram) % buckets


def subword_vector(
    word: str,
    words: Sequence[str],
    word_vectors: NDArray[np.float32],
    ngram_vectors: NDArray[np.float32],
) -> NDArray[np.float32]:
    """The sum of a word's n-gram vectors (D,), and of its own vector if it is among ``words``.

    Parameters
    ----------
    words : the V words of the vocabulary
    word_vectors : (V, D), one row for each of them
    ngram_vectors : (K, D), one row for each bucket
    """
    rows = [bucket(ngram, len(ngram_vectors)) for ngram in character_ngrams(word)]
    total: NDArray[np.float32] = ngram_vectors[rows].sum(0)
    if word in words:
        total = total + word_vectors[list(words).index(word)]
    return total
