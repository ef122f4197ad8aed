"""A recurrent layer in place of the network's own."""

from collections.abc import Iterable

import torch
from torch import Tensor, nn


class AnyWidth(nn.Module):
    """A recurrent layer that takes vectors of any width: wrong answers run, and differ.

    It remembers the widths it was given, because a layer of the lesson's network takes one only.
    """

    def __init__(self, seed: int, out: int) -> None:
        super().__init__()
        generator = torch.Generator().manual_seed(seed)
        self.weight = nn.Parameter(torch.randn(64, out, generator=generator))
        self.widths: list[int] = []

    def forward(self, vectors: Tensor) -> Tensor:
        """(B, T, any) to (B, T, out)."""
        self.widths.append(vectors.shape[-1])
        carried = vectors.cumsum(1) / 2  # so that the order of time matters
        return torch.tanh(carried @ self.weight[: vectors.shape[-1]])


def in_words(widths: Iterable[int]) -> str:
    """Widths as the report shows them."""
    return " and ".join(map(str, widths)) or "never called"
