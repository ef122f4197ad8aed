"""Attention: every place of a sentence looks at the others and takes home a weighted mean.

Vaswani and others 2017, "Attention is all you need" (arXiv:1706.03762), section 3.2. Letters in the
shape comments: B sentences, T places, S places that are looked at, D numbers of a vector, A heads,
D / A numbers of a head.
"""

import torch
from torch import Tensor, nn

from elmo_mini.errors import ConfigurationError


def one_head(q: Tensor, k: Tensor, v: Tensor, allowed: Tensor) -> tuple[Tensor, Tensor]:
    """softmax(q kᵀ / √d) v, equation 1: what each query takes home, and how it shared itself out.

    Parameters
    ----------
    q : (..., T, d) what each place asks
    k : (..., S, d) what each place answers to
    v : (..., S, e) what each place has to give
    allowed : (..., T, S) bool, True where a query may look; each query may look somewhere

    Returns
    -------
    (..., T, e), and the shares (..., T, S), each row of which sums to 1
    """
    scores = q @ k.transpose(-2, -1) / k.shape[-1] ** 0.5  # (..., T, S)
    shares = scores.masked_fill(~allowed, -torch.inf).softmax(-1)
    return shares @ v, shares


def may_look(mask: Tensor, causal: bool) -> Tensor:
    """(B, T, T): True where the query of a row may look at the place of a column.

    Parameters
    ----------
    mask : (B, T) True at real tokens
    causal : True if no query may look at a place behind its own (GPT); False for both sides (BERT)

    Notes
    -----
    A row of padding may look at itself, so that its softmax has something to share out.
    """
    places = mask.shape[1]
    allowed = mask[:, None, :].expand(-1, places, -1)
    if causal:
        allowed = allowed & torch.ones(places, places, dtype=torch.bool, device=mask.device).tril()
    return allowed | torch.eye(places, dtype=torch.bool, device=mask.device)


class MultiHead(nn.Module):
    """Several heads side by side, each with its own query, key and value; section 3.2.2.

    Parameters
    ----------
    dim : D
    heads : A, of D / A numbers each

    Raises
    ------
    ConfigurationError
        If the heads do not share D out evenly.
    """

    def __init__(self, dim: int, heads: int) -> None:
        super().__init__()
        if heads < 1 or dim % heads:
            raise ConfigurationError(f"{heads} heads cannot share {dim} numbers out evenly")
        self.heads = heads
        self.query, self.key, self.value, self.out = (nn.Linear(dim, dim) for _ in range(4))

    def forward(self, x: Tensor, allowed: Tensor) -> tuple[Tensor, Tensor]:
        """(B, T, D) and who may look where, (B, T, T), to (B, T, D) and the shares (B, A, T, T)."""
        q, k, v = (self._cut(part(x)) for part in (self.query, self.key, self.value))
        found, shares = one_head(q, k, v, allowed[:, None])  # (B, A, T, D / A)
        return self.out(found.transpose(1, 2).flatten(2)), shares

    def _cut(self, x: Tensor) -> Tensor:
        """(B, T, D) to (B, A, T, D / A)."""
        return x.unflatten(-1, (self.heads, -1)).transpose(1, 2)
