"""Weights that keep their numbers and lose their places: a control for what training has learnt.

Each matrix keeps its mean, its spread and its outliers. Which number belongs to which input and
output is gone. What a model still gains from such weights, it owes to their size alone.
"""

from collections.abc import Mapping

import torch
from torch import Tensor


def scrambled(weights: Mapping[str, Tensor], generator: torch.Generator) -> dict[str, Tensor]:
    """New tensors of the same names and shapes, the numbers of each one in random order.

    Parameters
    ----------
    weights : as `state_dict` gives them; they stay as they are
    generator : of the order, drawn anew for each tensor
    """
    found = {}
    for name, tensor in weights.items():
        order = torch.randperm(tensor.numel(), generator=generator)
        found[name] = tensor.flatten()[order].view(tensor.shape)
    return found
