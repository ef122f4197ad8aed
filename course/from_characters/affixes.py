"""The class of a word from its affixes or its vector, by logistic regression."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from course.baselines.word_clues import shape
from course.from_characters.word_similarity import Encode
from elmo_mini.extras import brought_by

with brought_by("experiments"):
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.linear_model import LogisticRegression

AFFIXES, VECTORS = "beginnings, endings and shape", "layer 0"
PENALTIES = (0.01, 0.1, 1, 10)
Labelled = tuple[Any, NDArray[np.str_]]
"""Rows of numbers (N, columns), and their N labels."""


def affixes(word: str) -> list[str]:
    """Its first and last one to four letters, in lower case, and its `shape`."""
    low, sizes = word.lower(), range(1, 5)
    ends = [f"begins {low[:n]}" for n in sizes] + [f"ends {low[-n:]}" for n in sizes]
    return [f"like {shape(word)}", *ends]


def affixes_and_vectors(encode: Encode, parts: Sequence[Sequence[str]]) -> dict[str, list[Any]]:
    """What each reader sees of each part: a row for each word; the first part sets the scale."""
    counts = CountVectorizer(analyzer=affixes).fit(parts[0])
    vectors = [encode(words) for words in parts]
    mean, spread = vectors[0].mean(0), vectors[0].std(0)
    return {
        VECTORS: [(rows - mean) / spread for rows in vectors],
        AFFIXES: [counts.transform(words) for words in parts],
    }


def chosen_on_dev(
    train: Labelled, dev: Labelled, test: Labelled
) -> tuple[NDArray[np.float64], dict[str, float]]:
    """(N,) 1 where the reader that is best on `dev` is right of `test`; its C and share on dev."""
    readers = [LogisticRegression(C=c, max_iter=300, tol=1e-3).fit(*train) for c in PENALTIES]
    best = max(readers, key=lambda reader: float(reader.score(*dev)))
    right = np.asarray(best.predict(test[0]) == test[1], dtype=float)
    return right, {"C": best.C, "share": float(best.score(*dev))}
