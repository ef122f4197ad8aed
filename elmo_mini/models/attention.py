"""Attention: every place of a sentence looks at the others and takes home a weighted mean.

Vaswani et al. 2017, "Attention is all you need" (arXiv:1706.03762), section 3.2.

Letters in the shape comments: B sentences, T places, D numbers of a state, A heads, d = D / A
numbers of a head.
"""

import torch
from torch import Tensor, nn

from elmo_mini.errors import ConfigurationError


def one_head(q: Tensor, k: Tensor, v: Tensor, allowed: Tensor) -> tuple[Tensor, Tensor]:
    """softmax(q kᵀ / √d) v, equation 1: what each place takes home, and how it shared itself out.

    Parameters
    ----------
    q : (..., T, d) what each place asks
    k : (..., S, d) what each place can be found by
    v : (..., S, e) what each place has to give
    allowed : (..., T, S) bool, True where a place may look; each may look somewhere

    Returns
    -------
    (..., T, e), and the shares (..., T, S), each row of which sums to 1
    """
    scores = q @ k.transpose(-2, -1) / k.shape[-1] ** 0.5  # (..., T, S)
    shares = scores.masked_fill(~allowed, -torch.inf).softmax(-1)
    return shares @ v, shares


def both_sides(mask: Tensor) -> Tensor:
    """(B, T, T): every place may look at every token, as in BERT.

    Parameters
    ----------
    mask : (B, T) bool, True at tokens; each sentence has one
    """
    return mask[:, None, :].expand(-1, mask.shape[1], -1)


def only_back(mask: Tensor) -> Tensor:
    """(B, T, T): a place may look at the tokens up to itself, as in GPT.

    Parameters
    ----------
    mask : (B, T) bool, True at tokens, which stand before the padding; each sentence has one
    """
    return both_sides(mask).tril()


class MultiHead(nn.Module):
    """Several heads side by side, each with a query, key and value of its own; section 3.2.2.

    Parameters
    ----------
    dim : D
    heads : A, of D / A numbers each

    Raises
    ------
    ConfigurationError
        If the heads cannot share D evenly.
    """

    def __init__(self, dim: int, heads: int) -> None:
        super().__init__()
        if heads < 1 or dim % heads:
            raise ConfigurationError(f"{heads} heads cannot share {dim} numbers evenly")
        self.heads = heads
        self.query, self.key, self.value, self.out = (nn.Linear(dim, dim) for _ in range(4))

    def forward(self, x: Tensor, allowed: Tensor) -> tuple[Tensor, Tensor]:
        """States (B, T, D), and who may look where, (B, T, T).

        Returns
        -------
        What the heads bring (B, T, D), and the shares of each (B, A, T, T)
        """
        q, k, v = (
            part(x).unflatten(-1, (self.heads, -1)).transpose(1, 2)  # (B, A, T, d)
            for part in (self.query, self.key, self.value)
        )
        found, shares = one_head(q, k, v, allowed[:, None])
        return self.out(found.transpose(1, 2).flatten(2)), shares
