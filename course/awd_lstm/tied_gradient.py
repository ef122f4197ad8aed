"""A table that is read and said: what a gradient is, held to the same network with two tables."""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn import functional

READ, SAID = np.array([0, 0, 1]), np.array([2, 3, 2])
WORDS, SIZE = 6, 3


def two_uses(
    tied_gradient: Callable[..., NDArray[np.floating[Any]]],
) -> dict[str, list[float]]:
    """The slope of the first number of each row, (V,): as read, as said, and of the tied table.

    The first two are autograd's, for the same network with a table for each use.

    Parameters
    ----------
    tied_gradient : as lesson 10 asks for it, of a table (V, D), a matrix (D, D), the words that
        are read (N,) and the slopes of the loss for the scores (N, V)
    """
    random = np.random.default_rng(0)
    table, matrix = random.standard_normal((WORDS, SIZE)), random.standard_normal((SIZE, SIZE))
    as_read, as_said = (torch.tensor(table, requires_grad=True) for _ in range(2))
    scores = as_read[torch.from_numpy(READ)] @ torch.from_numpy(matrix) @ as_said.T
    loss = functional.cross_entropy(scores, torch.from_numpy(SAID))
    error, *slopes = torch.autograd.grad(loss, (scores, as_read, as_said))
    yours = tied_gradient(table, matrix, READ, error.numpy())
    found = (*(slope.numpy() for slope in slopes), yours)
    return {
        name: slope[:, 0].tolist()
        for name, slope in zip(("as read", "as said", "yours"), found, strict=True)
    }
