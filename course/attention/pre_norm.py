"""Pre-norm block: each half reads the norm of the states, and dropout lies on what it brings."""

from torch import Tensor, nn
from torch.nn import functional

from elmo_mini.models.attention import AttentionMask, Block


class PreNormBlock(Block):
    """Transformer block (pre-norm) with dropout, of the same parts as `Block`.

    Taught in lesson 13, section 7. Built so since GPT-2. No norm follows the sums, so one more
    stands after the last block. PyTorch's own is `nn.TransformerEncoderLayer` with
    ``norm_first=True``.

    Parameters
    ----------
    dim : D
    heads : A
    mask_of : which position may attend to which
    drop : the dropout of what each half brings
    """

    def __init__(self, dim: int, heads: int, mask_of: AttentionMask, drop: float) -> None:
        super().__init__(dim, heads, mask_of)
        self.dropout = nn.Dropout(drop)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """States (B, T, D), and the mask (B, T), True at tokens, to (B, T, D)."""
        found, _ = self.attention(self.norm_1(x), self.mask_of(mask))  # (B, T, D)
        x = x + self.dropout(found)
        inner: Tensor = self.narrow(functional.gelu(self.wide(self.norm_2(x))))
        return x + self.dropout(inner)


class LastNorm(nn.Module):
    """The layer norm after the last pre-norm block; called as a block is, it needs no mask."""

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(dim)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """States (B, T, D) to the same, layer-normalised."""
        normed: Tensor = self.norm(x)
        return normed
