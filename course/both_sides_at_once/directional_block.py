"""Encoder blocks with a one-directional attention mask."""

from typing import Literal

import torch
from torch import Tensor, nn

from elmo_mini.models.masked_lm import MakeBlock, TorchBlock

Side = Literal["left", "right", "both"]


class DirectionalBlock(nn.Module):
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


def block_for(side: Side) -> MakeBlock:
    """What makes blocks that see this side."""
    if side == "both":
        return TorchBlock
    return lambda dim, heads: DirectionalBlock(dim, heads, side)
