"""Weights of a small character CNN under the names of the official files, and words for it."""

from collections.abc import Sequence

import numpy as np

from elmo_mini.text.character_ids import word_to_ids

Weights = dict[str, np.ndarray]
WORDS = ("cat", "unhappily", "naïve", "打针", "re-re-re", "Straße", "", "A")


def drawn_weights(
    rng: np.random.Generator,
    filters: Sequence[tuple[int, int]],
    *,
    dim: int = 3,
    n_highway: int = 1,
    hidden: int = 4,
) -> Weights:
    """`filters` holds (width, number); every bias differs from 0, so that each can be missed."""
    total = sum(number for _, number in filters)
    weights: Weights = {"char_embed": rng.standard_normal((261, dim))}
    for i, (width, number) in enumerate(filters):
        weights[f"CNN/W_cnn_{i}"] = 0.5 * rng.standard_normal((1, width, dim, number))
        weights[f"CNN/b_cnn_{i}"] = 0.5 * rng.standard_normal(number) - 0.5
    for i in range(n_highway):
        for half in ("transform", "carry"):
            weights[f"CNN_high_{i}/W_{half}"] = 0.5 * rng.standard_normal((total, total))
            weights[f"CNN_high_{i}/b_{half}"] = 0.5 * rng.standard_normal(total)
    weights["CNN_proj/W_proj"] = rng.standard_normal((total, hidden))
    weights["CNN_proj/b_proj"] = rng.standard_normal(hidden)
    return weights


def ids_of(words: Sequence[str]) -> np.ndarray:
    """(N, 50) ids of the letters of N words."""
    return np.array([word_to_ids(word) for word in words], dtype=np.int64).reshape(-1, 50)
