"""Heads and blocks beside PyTorch's own, with the same weights: how far apart they end."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from course.attention.from_pytorch import exchange_blocks, weights_of_heads, weights_of_layer
from course.both_sides_at_once.fill import fill
from elmo_mini.transformer.masked_lm_file import load_masked_lm
from elmo_mini.transformer.sentence_pairs import pack, padded

DIM, HEADS = 64, 4
LENGTHS = (10, 4, 7)
Make = Callable[[int, int], Any]
"""Makes heads, or a block, from D and the number of heads."""


@torch.no_grad()
def heads_beside_pytorch(make: Make, seed: int = 0) -> dict[str, float]:
    """Largest distance of what is found, and of the shares of each head."""
    torch.manual_seed(seed)
    theirs, own = nn.MultiheadAttention(DIM, HEADS, batch_first=True).eval(), make(DIM, HEADS)
    own.load_state_dict(weights_of_heads(theirs))
    x, mask = _sentences()
    found, shares = own(x, mask[:, None, :].expand(-1, mask.shape[1], -1))
    wanted = theirs(x, x, x, key_padding_mask=~mask, average_attn_weights=False)
    return {"found": _apart(found, wanted[0]), "shares of each head": _apart(shares, wanted[1])}


@torch.no_grad()
def block_beside_pytorch(make: Make, seed: int = 0) -> float:
    """Largest distance of the states of tokens from those of PyTorch's encoder layer."""
    torch.manual_seed(seed)
    layer = nn.TransformerEncoderLayer(DIM, HEADS, 4 * DIM, 0.0, "gelu", batch_first=True)
    theirs, own = layer.eval(), make(DIM, HEADS)
    own.load_state_dict(weights_of_layer(theirs))
    x, mask = _sentences()
    return _apart(own(x, mask)[mask], theirs(x, src_key_padding_mask=~mask)[mask])


@torch.no_grad()
def masked_model_beside_pytorch(make: Make, text: str) -> tuple[float, str]:
    """Exchange the blocks of lesson 12's larger masked model: how far the scores end, what it says.

    Parameters
    ----------
    text : words with spaces between them, one of them ``[MASK]``
    """
    model, vocabulary = load_masked_lm()
    numbers = vocabulary.encode(text.split())
    ids, mask, _ = padded([pack(numbers), pack(numbers[: len(numbers) // 2])])
    wanted = model.scores(model(ids, mask))[mask]
    options = model.options
    own = nn.ModuleList(make(options.dim, options.heads) for _ in range(options.layers))
    exchange_blocks(model, own.eval())
    apart = _apart(model.scores(model(ids, mask))[mask], wanted)
    return apart, str(fill(model, vocabulary, text, 3)[0])


def _sentences() -> tuple[Tensor, Tensor]:
    mask = torch.arange(max(LENGTHS)) < torch.tensor(LENGTHS)[:, None]
    return torch.randn(*mask.shape, DIM), mask


def _apart(one: Tensor, other: Tensor) -> float:
    return float((one - other).abs().max())
