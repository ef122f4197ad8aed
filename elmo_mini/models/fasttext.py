"""fastText: word vectors as sums of character n-gram vectors, so no spelling is out of vocabulary.

Taught in lesson 02, "If you have time: fastText, and two sizes of vectors". Paper: Bojanowski et
al. 2017 (TACL), "Enriching Word Vectors with Subword Information", section 3.2. A word is the sum
of the vectors of its n-grams, 3 to 6 characters long, cut from the word between the boundary signs
< and >; a word of the vocabulary adds a vector of its own. The n-grams share a table of K rows: a
hash says which.

Letters in the shape comments: V words, K buckets, D dimensions.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

BUCKETS = 2_000_000


def character_ngrams(word: str, shortest: int = 3, longest: int = 6) -> list[str]:
    """Every n-gram of ``shortest`` to ``longest`` characters of ``<word>``, in order.

    Taught in lesson 02, exercise 9 (A word in pieces); section 3.2. An n-gram that occurs twice is
    listed twice. Characters, not bytes: 打针 has n-grams too.

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
    """The 32-bit FNV-1a hash of the UTF-8 bytes, as fastText's program computes it.

    fastText takes a byte as a signed number before the exclusive or, so bytes from 128 on turn
    over the upper 24 bits as well; plain FNV-1a does not.
    """
    value = 2166136261
    for byte in text.encode("utf-8"):
        signed = byte | 0xFFFFFF00 if byte > 127 else byte
        value = ((value ^ signed) * 16777619) & 0xFFFFFFFF
    return value


def bucket(ngram: str, buckets: int = BUCKETS) -> int:
    """The row of an n-gram in a table of ``buckets`` rows; hash collisions share one."""
    return fnv1a(ngram) % buckets


def subword_vector(
    word: str,
    words: Sequence[str],
    word_vectors: NDArray[np.float32],
    ngram_vectors: NDArray[np.float32],
) -> NDArray[np.float32]:
    """The sum of a word's n-gram vectors (D,), and of its own vector if it is among ``words``.

    Taught in lesson 02, exercise 10 (A vector for every spelling); section 3.2.

    Parameters
    ----------
    words : the V words of the vocabulary
    word_vectors : (V, D), one row for each of them
    ngram_vectors : (K, D), one row for each bucket
    """
    rows = [bucket(ngram, len(ngram_vectors)) for ngram in character_ngrams(word)]
    total: NDArray[np.float32] = ngram_vectors[rows].sum(0)  # (n-grams, D) to (D,)
    if word in words:
        total = total + word_vectors[list(words).index(word)]
    return total
