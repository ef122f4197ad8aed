"""A learner's module with the check's weights in it, and what it gives."""

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor, nn

from autograde.checking.answers import AnswerRefused, Plain
from autograde.checking.differentiable import slopes

OTHER_PARTS = (
    "The parts of your module are not those that the task names. Missing, other or of another "
    "size: {names}."
)


def filled(model: Any, shapes: Mapping[str, tuple[int, ...]], seed: int, name: str) -> nn.Module:
    """The module, each parameter drawn from `seed` by its name.

    Parameters
    ----------
    shapes : of the parameters that it should have

    Raises
    ------
    AnswerRefused
        If it is no module, or has other parameters.
    """
    if not isinstance(model, nn.Module):
        raise AnswerRefused(
            f"`{name}(...)` gives no module of PyTorch. Keep the line `class {name}(nn.Module):`."
        )
    found = {key: tuple(part.shape) for key, part in model.named_parameters()}
    other = sorted(key for key, _ in set(found.items()) ^ set(shapes.items()))
    if other:
        raise AnswerRefused(OTHER_PARTS.format(names=", ".join(other[:4])))
    generator = torch.Generator().manual_seed(seed)
    parameters = dict(model.named_parameters())
    with torch.no_grad():
        for key in sorted(shapes):
            drawn = torch.randn(shapes[key], generator=generator)
            parameters[key].copy_(drawn if key.endswith("weight") else drawn / 2)
    return model.eval()


def shapes_of(module: nn.Module) -> dict[str, tuple[int, ...]]:
    """Names and shapes of the parameters."""
    return {name: tuple(part.shape) for name, part in module.named_parameters()}


def learnt(model: nn.Module, total: Tensor) -> Plain:
    """The names of the parameters that the gradient reaches."""
    parameters = {name: part for name, part in model.named_parameters() if part.requires_grad}
    found = slopes(total, parameters) if parameters and total.requires_grad else {}
    return [name for name, slope in found.items() if slope is not None]


def weighted_sum(*parts: Tensor) -> Tensor:
    """One number that moves with every number of every part, each in its own way."""
    sums = [(part * (1 + torch.arange(part.numel()).view_as(part))).sum() for part in parts]
    return torch.stack(sums).sum()
