"""Whether a model made copies of the weights that it was given."""

from collections.abc import Mapping

import torch
from torch import Tensor, nn


def when_trained(model: nn.Module, weights: Mapping[str, Tensor]) -> str:
    """What the given tensors do when every parameter of the model takes a step."""
    before = {name: weight.clone() for name, weight in weights.items()}
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(1)
    stay = all(torch.equal(weight, weights[name]) for name, weight in before.items())
    return "stay as they are" if stay else "change, too"
