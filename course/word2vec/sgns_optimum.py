"""The scores at which the loss of skip-gram with negative sampling is smallest.

Levy and Goldberg 2014, *Neural Word Embedding as Implicit Matrix Factorization*, section 3.
"""

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from elmo_mini.word_vectors.word2vec import noise_distribution

Floats = NDArray[np.float64]


def counts_among(pairs: NDArray[np.int64], words: int) -> Floats:
    """(words, words): how often each two of the first `words` words are a pair, plus 1.

    Without the 1 the score of a pair that never occurs would fall for ever.
    """
    few = pairs[(pairs < words).all(1)]
    counts = np.bincount(few[:, 0] * words + few[:, 1], minlength=words * words)
    return np.asarray(counts.reshape(words, words) + 1.0, dtype=np.float64)


def best_scores(
    counts: Floats, negatives: int, dimension: int, power: float = 1.0, steps: int = 150
) -> Floats:
    """(V, V): minimise the expected loss of all pairs over all vectors of so many numbers.

    Parameters
    ----------
    counts : of pairs, (V, V)
    power : noise words are drawn from the counts of contexts to this power
    """
    generator = torch.Generator().manual_seed(0)
    n = torch.from_numpy(counts)
    noise = torch.as_tensor(noise_distribution(counts.sum(0), power))
    w, c = (
        (0.1 * torch.randn(len(n), dimension, dtype=n.dtype, generator=generator)).requires_grad_()
        for _ in range(2)
    )
    optimiser = torch.optim.LBFGS([w, c], max_iter=steps, line_search_fn="strong_wolfe")

    def loss() -> Tensor:
        optimiser.zero_grad()
        score = w @ c.T
        by_chance = negatives * n.sum(1, keepdim=True) * noise
        gain = n * functional.logsigmoid(score) + by_chance * functional.logsigmoid(-score)
        value = -gain.sum() / n.sum()
        value.backward()
        return value

    optimiser.step(loss)
    return (w @ c.T).detach().numpy()


def flattened_pmi(counts: Floats, negatives: int, power: float = 0.75) -> Floats:
    """(V, V): PMI - log k with the chance that flattened noise gives to each context."""
    noise = np.asarray(noise_distribution(counts.sum(0), power))
    return np.asarray(np.log(counts / (negatives * counts.sum(1, keepdims=True) * noise)))
