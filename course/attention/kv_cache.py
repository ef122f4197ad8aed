"""Keys and values of earlier positions, kept while a causal Transformer writes: a KV cache.

Under the causal mask no position sees what comes after it, so its keys and values stay as they are.

Letters in the shape comments: B texts, T positions, D numbers of a state, A heads, d = D / A.
"""

import torch
from torch import Tensor

from elmo_mini.models.attention import MultiHead, one_head

Kept = tuple[Tensor, Tensor]
"""Keys and values of all positions so far, (B, A, T, d) each."""


def attend_next(attention: MultiHead, x: Tensor, kept: Kept | None) -> tuple[Tensor, Kept]:
    """Multi-head attention of one new position to those before it and to itself.

    Taught in lesson 13, section 9.

    Parameters
    ----------
    x : (B, 1, D) the state of the new position
    kept : of the T positions before it; None if there are none

    Returns
    -------
    The output (B, 1, D), and the keys and values of T + 1 positions
    """
    q, k, v = (
        part(x).unflatten(-1, (attention.heads, -1)).transpose(1, 2)  # (B, A, 1, d)
        for part in (attention.query, attention.key, attention.value)
    )
    if kept is not None:
        k, v = torch.cat([kept[0], k], 2), torch.cat([kept[1], v], 2)  # (B, A, T + 1, d)
    found, _ = one_head(q, k, v, torch.ones(1, k.shape[2], dtype=torch.bool))
    return attention.out(found.transpose(1, 2).flatten(2)), (k, v)
