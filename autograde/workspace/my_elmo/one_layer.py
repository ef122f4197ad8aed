"""In the place of the mix: a module that lets one layer through."""

import torch


class OneLayer(torch.nn.Module):
    """One of the layers; 0 is the words before any context. Made and called as a ScalarMix is."""

    def __init__(self, place: int, n_layers: int, do_layer_norm: bool = False) -> None:
        super().__init__()
        self.place = place

    def forward(self, layers: list[torch.Tensor], mask: torch.Tensor) -> torch.Tensor:
        """The layer's vectors, (B, T, 2 H)."""
        return layers[self.place]
