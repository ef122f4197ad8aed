"""The block: look around, then think alone; each adds to what was there (arXiv:1706.03762, 3.1).

As in the paper, GPT and BERT, layer norm comes after each sum. The inner layer has GELUs as in GPT
and BERT (the paper of 2017 has ReLUs).
"""

from torch import Tensor, nn
from torch.nn import functional as F

from elmo_mini.transformer.attention import MultiHead, may_look

WIDER = 4  # the inner layer has four times the numbers, as in all three papers


class Block(nn.Module):
    """One layer of a Transformer.

    Parameters
    ----------
    dim : D
    heads : A
    causal : True if no place may look at those behind it
    dropout : on what the heads and the inner layer add, in training
    """

    def __init__(
        self, dim: int, heads: int, *, causal: bool = False, dropout: float = 0.0
    ) -> None:
        super().__init__()
        self.causal = causal
        self.attention = MultiHead(dim, heads)
        self.wide, self.narrow = nn.Linear(dim, WIDER * dim), nn.Linear(WIDER * dim, dim)
        self.norm_1, self.norm_2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """(B, T, D) and the mask of real tokens (B, T), to (B, T, D)."""
        found, _ = self.attention(x, may_look(mask, self.causal))
        x = self.norm_1(x + self.dropout(found))
        inner = self.narrow(F.gelu(self.wide(x)))
        return self.norm_2(x + self.dropout(inner))
