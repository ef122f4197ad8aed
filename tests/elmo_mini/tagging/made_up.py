"""Sentences in which only the LM vectors tell what a name is."""

from typing import Any

import numpy as np

from elmo_mini.tagging.tagged_sentences import TaggedSentence

SMALL: dict[str, Any] = {"hidden": 8, "word_dim": 6, "character_dim": 5, "character_filters": 4}


def sentences(count: int, seed: int, *, lm: int = 6) -> list[TaggedSentence]:
    """One word in three is a name. Only the first LM number of the forward half tells which."""
    draw = np.random.default_rng(seed)
    found = []
    for _ in range(count):
        length = int(draw.integers(1, 8))
        words = tuple("abcdefghij"[draw.integers(10)] for _ in range(length))
        name = draw.random(length) < 0.33
        vectors = draw.normal(size=(length, lm)).astype(np.float32)
        vectors[:, 0] = np.where(name, 3, -3)
        labels = tuple("S-X" if n else "O" for n in name)
        found.append(TaggedSentence(words, labels, vectors))
    return found
