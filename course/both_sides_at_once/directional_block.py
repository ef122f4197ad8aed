"""Blocks that see one side only: what a masked language model is without the other."""

from typing import Literal

import torch
from torch import Tensor, nn

from elmo_mini.transformer.masked_lm import Block, TorchBlock

Side = Literal["left", "right", "both"]


class OneSided(nn.Module):
    """PyTorch's encoder layer in which a token reads itself and the tokens on one side of it."""

    def __init__(self, dim: int, heads: int, side: Side) -> None:
        super().__init__()
        self.layer = TorchBlock(dim, heads).layer
        self.side = side

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """States (B, T, D), and the mask (B, T), to (B, T, D)."""
        length = x.shape[1]
        hidden = torch.ones(length, length, dtype=torch.bool, device=x.device).triu(1)  # (T, T)
        if self.side == "right":
            hidden = hidden.T
        padding = (~mask).unsqueeze(1) & ~torch.eye(length, dtype=torch.bool, device=x.device)
        hidden = hidden | padding  # (B, T, T); a place always reads itself
        heads = self.layer.self_attn.num_heads
        out: Tensor = self.layer(x, src_mask=hidden.repeat_interleave(heads, 0))
        return out


def sided(side: Side) -> Block:
    """What makes blocks that see this side."""
    if side == "both":
        return TorchBlock
    return lambda dim, heads: OneSided(dim, heads, side)
