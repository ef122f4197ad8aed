"""Scaled dot-product attention, multi-head attention, and the Transformer block (post-norm).

Vaswani et al. 2017, "Attention is all you need" (arXiv:1706.03762), sections 3.1 to 3.3. Taught in
lesson 13.

Letters in the shape comments: B sentences, T positions, D numbers of a state, A heads, d = D / A
numbers of a head.
"""

from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.nn import functional

AttentionMask = Callable[[Tensor], Tensor]
"""The mask (B, T) of tokens to which position (row) may attend to which (column), (B, T, T)."""

WIDER = 4  # of the feed-forward layer, as in the Transformer, GPT and BERT


def one_head(q: Tensor, k: Tensor, v: Tensor, allowed: Tensor) -> tuple[Tensor, Tensor]:
    """Scaled dot-product attention, softmax(q kᵀ / √d) v: output and attention weights.

    Equation 1. Taught in lesson 13, section 2; why √d, in sections 3 and 13. PyTorch's own is
    `torch.nn.functional.scaled_dot_product_attention`, which returns the output alone.

    Parameters
    ----------
    q : (..., T, d) queries: what each position asks
    k : (..., S, d) keys: what each position can be found by
    v : (..., S, e) values: what each position has to give
    allowed : (..., T, S) bool, True where a position may attend; each row has a True

    Returns
    -------
    The output (..., T, e), and the attention weights (..., T, S), each row of which sums to 1
    """
    scores = q @ k.transpose(-2, -1) / k.shape[-1] ** 0.5  # (..., T, S)
    attention_weights = scores.masked_fill(~allowed, -torch.inf).softmax(-1)  # (..., T, S)
    return attention_weights @ v, attention_weights  # (..., T, e)


def full_mask(mask: Tensor) -> Tensor:
    """(B, T, T): every position may attend to every token, as in BERT.

    Taught in lesson 13, section 5.

    Parameters
    ----------
    mask : (B, T) bool, True at tokens; each sentence has one
    """
    return mask[:, None, :].expand(-1, mask.shape[1], -1)


def causal_mask(mask: Tensor) -> Tensor:
    """(B, T, T): a position may attend to the tokens up to itself, as in GPT.

    Section 3.2.3. Taught in lesson 13, section 6.

    Parameters
    ----------
    mask : (B, T) bool, True at tokens, which stand before the padding; each sentence has one
    """
    return full_mask(mask).tril()


class MultiHead(nn.Module):
    """Multi-head self-attention: several heads, each with a query, key and value of its own.

    Section 3.2.2. Taught in lesson 13, section 4. PyTorch's own is `nn.MultiheadAttention`.

    Parameters
    ----------
    dim : D
    heads : A, of D / A numbers each

    Raises
    ------
    ValueError
        If the heads cannot share D evenly.
    """

    def __init__(self, dim: int, heads: int) -> None:
        super().__init__()
        if heads < 1 or dim % heads:
            raise ValueError(f"{heads} heads cannot share {dim} numbers evenly")
        self.heads = heads
        self.query, self.key, self.value, self.out = (nn.Linear(dim, dim) for _ in range(4))

    def forward(self, x: Tensor, allowed: Tensor) -> tuple[Tensor, Tensor]:
        """States (B, T, D), and which position may attend to which, (B, T, T).

        Returns
        -------
        The output (B, T, D), and the attention weights of each head (B, A, T, T)
        """
        q, k, v = (
            part(x).unflatten(-1, (self.heads, -1)).transpose(1, 2)  # (B, A, T, d)
            for part in (self.query, self.key, self.value)
        )
        found, attention_weights = one_head(q, k, v, allowed[:, None])  # (B, A, T, d)
        return self.out(found.transpose(1, 2).flatten(2)), attention_weights  # (B, T, D)


class Block(nn.Module):
    """Transformer block (post-norm): attention, then a feed-forward layer, each with a residual.

    Sections 3.1 and 3.3. Taught in lesson 13, section 5. As in the paper, in GPT and in BERT, a
    layer norm follows each sum. The inner layer has GELUs as in GPT and BERT; in 2017 it had
    ReLUs. PyTorch's own is `nn.TransformerEncoderLayer`.

    Parameters
    ----------
    dim : D
    heads : A
    mask_of : which position may attend to which; `full_mask` by default
    """

    def __init__(self, dim: int, heads: int, mask_of: AttentionMask = full_mask) -> None:
        super().__init__()
        self.mask_of = mask_of
        self.attention = MultiHead(dim, heads)
        self.wide, self.narrow = nn.Linear(dim, WIDER * dim), nn.Linear(WIDER * dim, dim)
        self.norm_1, self.norm_2 = nn.LayerNorm(dim), nn.LayerNorm(dim)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """States (B, T, D), and the mask (B, T), True at tokens, to (B, T, D)."""
        found, _ = self.attention(x, self.mask_of(mask))  # (B, T, D)
        x = self.norm_1(x + found)
        inner = self.narrow(functional.gelu(self.wide(x)))  # (B, T, 4 D), then (B, T, D)
        return self.norm_2(x + inner)
