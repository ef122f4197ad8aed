"""fastText on the Lee news: nearest neighbours of misspelt words by their n-grams."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from elmo_mini import corpora
from elmo_mini.extras import brought_by
from elmo_mini.progress import WithProgress
from elmo_mini.word_vectors.table import unit

with brought_by("experiments"):
    from gensim.models import FastText

ASKED = 80

Floats = NDArray[np.float32]
Pieces = Callable[[str], Sequence[str]]


def news_fasttext() -> Any:
    """gensim's fastText, skip-gram, 50 dimensions, n-grams of 3 to 6 in 20,000 buckets."""
    news = WithProgress(list(corpora.lee().sentences(lower=True)), "fastText")
    settings: dict[str, Any] = {"vector_size": 50, "window": 5, "min_count": 5, "sg": 1}
    settings |= {"alpha": 0.05, "epochs": 12, "bucket": 20_000, "ns_exponent": 0.5}
    return FastText(news, seed=1, workers=1, **settings)


def slips(words: list[str]) -> dict[str, list[tuple[str, str]]]:
    """For each kind of slip, pairs of a misspelt word that is none of ``words``, and its word."""
    rng = np.random.default_rng(0)
    made: dict[str, list[tuple[str, str]]] = {"a letter doubled": [], "two letters swapped": []}
    pool = [word for word in words if len(word) > 5 and word.isalpha()]
    for word in rng.permutation(pool)[:ASKED].tolist():
        i = int(rng.integers(1, len(word) - 2))
        made["a letter doubled"].append((word[: i + 1] + word[i:], word))
        swapped = word[:i] + word[i + 1] + word[i] + word[i + 2 :]
        made["two letters swapped"].append((swapped, word))
    known = set(words)
    return {kind: [pair for pair in pairs if pair[0] not in known] for kind, pairs in made.items()}


def random_pieces(words: int, buckets: int, size: int, seed: int) -> tuple[Floats, Floats]:
    """Vectors of words (V, size) and of pieces (K, size) that nobody has trained."""
    draw = np.random.default_rng(seed).standard_normal
    return draw((words, size)).astype(np.float32), draw((buckets, size)).astype(np.float32)


def found_by_sums(
    cases: Sequence[tuple[str, str]], words: Sequence[str], vector: Callable[[str], Floats]
) -> list[bool]:
    """Of each misspelt word: whether its word is among the five of the nearest vectors.

    Parameters
    ----------
    vector : gives a spelling's vector, of a known word or not
    """
    table = unit(np.stack([vector(word) for word in words]))
    asked = unit(np.stack([vector(slip) for slip, _ in cases]))
    five = np.argsort(-(asked @ table.T), axis=1)[:, :5]
    return [meant in {words[i] for i in row} for row, (_, meant) in zip(five, cases, strict=True)]


def nearest_by_pieces(
    asked: Sequence[str], words: Sequence[str], pieces: Pieces
) -> list[list[str]]:
    """For each spelling the five words that share most of its pieces: no vectors.

    What is shared is counted as a share of all different pieces of the two (Jaccard).
    """
    of = {word: set(pieces(word)) for word in words}

    def five(own: set[str]) -> list[str]:
        return sorted(words, key=lambda word: -len(own & of[word]) / len(own | of[word]))[:5]

    return [five(set(pieces(spelling))) for spelling in asked]
