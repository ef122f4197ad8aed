"""Two dropouts for running text: one mask for all steps, and whole words at once.

Merity, Keskar & Socher 2017 (arXiv:1708.02182), sections 4.2 and 4.3, after Gal & Ghahramani 2016
(NIPS). What is kept is divided by 1 - p, so that the expected value stays.

Letters in the shape comments: B rows, T steps, D dimensions, V words, E size of an embedding.
"""

import torch
from torch import Tensor, nn
from torch.nn import functional as F


def locked_dropout(x: Tensor, p: float, *, training: bool = True) -> Tensor:
    """Drop the same dimensions of a row at every step.

    Parameters
    ----------
    x : (B, T, D)
    p : share of the dimensions dropped; each row draws its own

    Returns
    -------
    (B, T, D)
    """
    if not training or p == 0:
        return x
    mask = torch.empty_like(x[:, :1]).bernoulli_(1 - p) / (1 - p)  # (B, 1, D)
    return x * mask


def embedding_dropout(weight: Tensor, ids: Tensor, p: float, *, training: bool = True) -> Tensor:
    """Look words up in a table from which whole word types are dropped.

    A dropped word is a row of zeros wherever it stands in the batch.

    Parameters
    ----------
    weight : (V, E)
    ids : (B, T)

    Returns
    -------
    (B, T, E)
    """
    if not training or p == 0:
        return F.embedding(ids, weight)
    kept = weight.new_empty(len(weight), 1).bernoulli_(1 - p) / (1 - p)  # (V, 1)
    return F.embedding(ids, weight) * kept[ids]  # the rows that no one reads need no product


class LockedDropout(nn.Module):
    """`locked_dropout` as a layer; it does nothing in evaluation."""

    def __init__(self, p: float) -> None:
        super().__init__()
        self.p = p

    def forward(self, x: Tensor) -> Tensor:
        """(B, T, D) to (B, T, D)."""
        return locked_dropout(x, self.p, training=self.training)

    def extra_repr(self) -> str:
        """What ``print`` shows of it."""
        return f"p={self.p}"
