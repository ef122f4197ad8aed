"""How large the numbers of word vectors are, and what that does to whoever learns from them.

Gradient descent at a fixed rate learns slowly from small features and overshoots on large ones. So
two tables of vectors can differ in a short training although they hold the same information.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from course.static_limits.pseudo_word_vectors import context_average
from course.static_limits.pseudo_words import PseudoWord
from elmo_mini.word_vectors.table import WordVectors

SCALES: NDArray[np.float64] = 2.0 ** np.arange(-4, 7).astype(np.float64)


def spread(vectors: NDArray[np.float32]) -> float:
    """Variance of all numbers of a table (V, D)."""
    return float(vectors.var())


def loss_after(
    features: NDArray[np.float32],
    targets: NDArray[np.float64],
    scale: float,
    *,
    steps: int = 100,
    rate: float = 0.1,
) -> float:
    """Mean loss of a logistic regression after ``steps`` of gradient descent on scaled features.

    Parameters
    ----------
    features : (N, D)
    targets : (N,) of 0 and 1
    """
    x = np.asarray(features, dtype=np.float64) * scale
    weight, bias = np.zeros(x.shape[1]), 0.0
    for _ in range(steps):
        error = 1 / (1 + np.exp(-np.clip(x @ weight + bias, -500, 500))) - targets
        weight -= rate * (x.T @ error) / len(x)
        bias -= rate * error.mean()
    score = x @ weight + bias
    return float((np.logaddexp(0, score) - targets * score).mean())


def losses_by_scale(
    words: Sequence[PseudoWord],
    text: Sequence[Sequence[str]],
    vectors: WordVectors,
    scales: NDArray[np.float64] = SCALES,
) -> NDArray[np.float64]:
    """`loss_after` for each scale, averaged over the pseudo-words."""
    losses = np.zeros((len(words), len(scales)))
    for row, word in zip(losses, words, strict=True):
        features = np.stack([context_average(text[n], p, vectors) for n, p, _ in word.labels])
        targets = np.array([float(token == word.first) for *_, token in word.labels])
        row[:] = [loss_after(features, targets, scale) for scale in scales]
    mean: NDArray[np.float64] = losses.mean(0)
    return mean
