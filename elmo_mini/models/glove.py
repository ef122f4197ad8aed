"""GloVe: word vectors by weighted least squares on the logs of co-occurrence counts.

Taught in lesson 02, section 2 (Count first: GloVe). Paper: Pennington, Socher & Manning 2014
(EMNLP), "GloVe: Global Vectors for Word Representation". What the paper leaves open is as in the
authors' program: counts weighted by 1/distance, AdaGrad, the sum of both tables as the result.
The trainer for whole corpora, batch by batch, is `elmo_mini.word_vectors.glove_trainer`.

Letters in the shape comments: V words, V' contexts (in practice the same words), D dimensions.
"""

from collections.abc import Callable, Iterable, Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor


def cooccurrence_counts(
    sentences: Iterable[Sequence[int]], vocabulary_size: int, window: int
) -> NDArray[np.float64]:
    """The co-occurrence matrix X, (V, V); a pair at distance d counts 1/d.

    Taught in lesson 02, section 2 (exercise 1); section 4.2. Every pair of positions at most
    ``window`` apart counts for both its words, so X is symmetric. No pair crosses a sentence's
    end. Plain loops and a full table, for a small vocabulary;
    `elmo_mini.word_vectors.glove_trainer.sparse_counts` gives the same for a large one.

    Raises
    ------
    ValueError
        If ``window`` is less than 1, or an id negative.
    """
    check_window(window)
    counts = np.zeros((vocabulary_size, vocabulary_size))
    for ids in sentences:
        if len(ids) and min(ids) < 0:
            raise ValueError(f"a word's id is {min(ids)}; ids run from 0 to {vocabulary_size - 1}")
        for position, word in enumerate(ids):
            for distance in range(1, min(window, position) + 1):
                neighbour = ids[position - distance]
                counts[word, neighbour] += 1 / distance
                counts[neighbour, word] += 1 / distance
    return counts


def check_window(window: int) -> None:
    """Refuse a window below 1."""
    if window < 1:
        raise ValueError(f"window must be at least 1, got {window}")


def glove_weight(
    counts: NDArray[np.float64], x_max: float = 100.0, alpha: float = 0.75
) -> NDArray[np.float64]:
    """f(x) = (x / x_max) ** alpha below x_max, 1 from there on; same shape as ``counts``.

    Taught in lesson 02, section 2 (How much is a count worth?); equation 9.
    """
    return np.minimum(np.asarray(counts, dtype=np.float64) / x_max, 1.0) ** alpha


def glove_loss(
    vectors: Tensor,
    context_vectors: Tensor,
    biases: Tensor,
    context_biases: Tensor,
    counts: Tensor,
    x_max: float = 100.0,
    alpha: float = 0.75,
) -> Tensor:
    """J = sum_ij f(X_ij) (w_i . c_j + b_i + b'_j - log X_ij)^2, over the pairs with X_ij > 0.

    Taught in lesson 02, section 2 (The loss); equation 8.

    Parameters
    ----------
    vectors : w, (V, D)
    context_vectors : c, (V', D)
    biases : b, (V,)
    context_biases : b', (V',)
    counts : X, (V, V'). Pairs that never occur have f = 0 and add nothing.

    Returns
    -------
    A scalar
    """
    scores = vectors @ context_vectors.T + biases[:, None] + context_biases  # (V, V')
    seen = counts > 0  # (V, V')
    weight = (counts / x_max).clamp(max=1.0) ** alpha  # (V, V'), 0 where nothing was counted
    logs = torch.log(torch.where(seen, counts, torch.ones_like(counts)))  # (V, V')
    return (weight * (scores - logs) ** 2).sum()


def train_glove(
    counts: Tensor,
    loss_of: Callable[..., Tensor],
    dimension: int,
    steps: int,
    rate: float,
    look: Callable[[int, Tensor], object],
) -> tuple[Tensor, list[float]]:
    """Fit vectors to counts by AdaGrad on all pairs at once.

    Taught in lesson 02, section 2 (The loop); section 4.2.

    Parameters
    ----------
    counts : X, (V, V)
    loss_of : as `glove_loss`: vectors, context vectors, both biases and counts to a scalar
    dimension : D
    rate : the learning rate
    look : called after each step with the number of steps taken and w + c

    Returns
    -------
    The sum of both tables w + c, (V, D), and the loss of each step

    Raises
    ------
    FloatingPointError
        If a loss is no finite number: training has diverged.
    """
    size = len(counts)
    w, c = ((torch.rand(size, dimension) - 0.5) / dimension for _ in range(2))  # (V, D) each
    parts = [part.requires_grad_() for part in (w, c, torch.zeros(size), torch.zeros(size))]
    optimiser = torch.optim.Adagrad(parts, lr=rate)
    losses = []
    for number in range(steps):
        loss = loss_of(*parts, counts)
        if not loss.isfinite():
            raise FloatingPointError(f"step {number}: the loss is {loss:.4g}; lower the rate")
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        losses.append(loss.item())
        look(number + 1, (w + c).detach())
    return (w + c).detach(), losses
