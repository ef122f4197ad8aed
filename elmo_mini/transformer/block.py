"""The block: look around, then think alone; each adds to what was there.

Vaswani et al. 2017 (arXiv:1706.03762), sections 3.1 and 3.3. As there, in GPT and in BERT, a layer
norm follows each sum. The inner layer has GELUs as in GPT and BERT; in 2017 it had ReLUs.
"""

from collections.abc import Callable

from torch import Tensor, nn
from torch.nn import functional

from elmo_mini.transformer.attention import MultiHead, both_sides

Look = Callable[[Tensor], Tensor]
"""The mask (B, T) of tokens to who may look where, (B, T, T)."""

WIDER = 4  # as in all three papers


class Block(nn.Module):
    """One layer of a Transformer.

    Parameters
    ----------
    dim : D
    heads : A
    look : who may look where; `both_sides` by default
    """

    def __init__(self, dim: int, heads: int, look: Look = both_sides) -> None:
        super().__init__()
        self.look = look
        self.attention = MultiHead(dim, heads)
        self.wide, self.narrow = nn.Linear(dim, WIDER * dim), nn.Linear(WIDER * dim, dim)
        self.norm_1, self.norm_2 = nn.LayerNorm(dim), nn.LayerNorm(dim)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """States (B, T, D), and the mask (B, T), True at tokens, to (B, T, D)."""
        found, _ = self.attention(x, self.look(mask))
        x = self.norm_1(x + found)
        inner = self.narrow(functional.gelu(self.wide(x)))  # (B, T, 4 D) on the way
        return self.norm_2(x + inner)
