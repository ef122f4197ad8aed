"""Heads and blocks beside PyTorch's own, with the same weights: how far apart they end."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from elmo_mini.transformer.from_pytorch import exchange_blocks, weights_of_heads, weights_of_layer
from elmo_mini.transformer.masked_lm import MaskedLM, MaskedLMOptions

DIM, HEADS, WORDS = 64, 4, 500
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
def masked_model_beside_pytorch(make: Make, seed: int = 0) -> float:
    """Largest distance of the scores of a masked model when its blocks are exchanged."""
    torch.manual_seed(seed)
    mini = MaskedLM(MaskedLMOptions(words=WORDS)).eval()
    ids = torch.randint(WORDS, (4, 12))
    everything = torch.ones_like(ids, dtype=torch.bool)
    wanted = mini.scores(mini(ids, everything))
    exchange_blocks(mini, nn.ModuleList(make(DIM, HEADS) for _ in range(2)))
    return _apart(mini.scores(mini(ids, everything)), wanted)


def _sentences() -> tuple[Tensor, Tensor]:
    mask = torch.arange(max(LENGTHS)) < torch.tensor(LENGTHS)[:, None]
    return torch.randn(*mask.shape, DIM), mask


def _apart(one: Tensor, other: Tensor) -> float:
    return float((one - other).abs().max())
