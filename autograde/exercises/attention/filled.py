"""A learner's module with the check's weights in it, and what it gives."""

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor, nn

from autograde.checking.answers import AnswerRefused, Plain, plain, refuse_changed
from autograde.checking.differentiable import gradient_of, slopes
from autograde.checking.exercise import Inputs
from autograde.checking.judge import first_difference

OTHER_PARTS = "The parts of your module are not those that the task names. {how}."
DROPOUT = (
    "Your module gives something else each time while it is trained: a dropout is in it, or "
    "something else is drawn. The models of the papers have one. This one has none."
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
    if found != dict(shapes):
        raise AnswerRefused(OTHER_PARTS.format(how=_unlike(found, shapes)))
    generator = torch.Generator().manual_seed(seed)
    parameters = dict(model.named_parameters())
    with torch.no_grad():
        for key in sorted(shapes):
            drawn = torch.randn(shapes[key], generator=generator)
            parameters[key].copy_(drawn if key.endswith("weight") else drawn / 2)
    return model


def _unlike(found: Mapping[str, tuple[int, ...]], shapes: Mapping[str, tuple[int, ...]]) -> str:
    """How the parts differ from those that are asked for, four names of each kind at most."""
    kinds = {
        "Missing": [name for name in shapes if name not in found],
        "Not asked for": [name for name in found if name not in shapes],
        "Of another size": [name for name in found if shapes.get(name, found[name]) != found[name]],
    }
    return ". ".join(f"{kind}: {', '.join(names[:4])}" for kind, names in kinds.items() if names)


def called(model: nn.Module, inputs: Inputs, given: Mapping[str, Tensor]) -> Any:
    """What the module gives for a sentence, after training.

    Parameters
    ----------
    inputs : ``seed``, and what `given` was made from, by the same names

    Raises
    ------
    AnswerRefused
        If it changes what it was given, or if it gives something else in training: numbers that
        are drawn, or a dropout.
    """
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(inputs["seed"])
        came = model.eval()(*given.values())
        refuse_changed(inputs, given)
        if isinstance(came, Tensor | tuple | list):
            copied = plain(came)
            for _ in range(3):
                with torch.no_grad():
                    again = plain(model.train()(*given.values()))
                if first_difference(copied, again, rtol=1e-3, atol=1e-4):
                    raise AnswerRefused(DROPOUT)
    return came


def shapes_of(module: nn.Module) -> dict[str, tuple[int, ...]]:
    """Names and shapes of the parameters."""
    return {name: tuple(part.shape) for name, part in module.named_parameters()}


def learnt(model: nn.Module, total: Tensor) -> Plain:
    """The names of the parameters that the gradient reaches."""
    parameters = {name: part for name, part in model.named_parameters() if part.requires_grad}
    found = slopes(total, parameters) if parameters and total.requires_grad else {}
    return sorted(name for name, slope in found.items() if slope is not None)


def gradients(model: nn.Module, total: Tensor, **given: Tensor) -> dict[str, Plain]:
    """Which parameters the gradient reaches, and which share of its length each row gets, in words.

    A way that is cut off may leave every parameter reached, but not with the right numbers.

    Parameters
    ----------
    given : tensors whose gradients count, too
    """
    leaves = {**dict(model.named_parameters()), **given}
    learning = {name: leaf for name, leaf in leaves.items() if leaf.requires_grad}
    slopes_of = slopes(total, learning) if learning and total.requires_grad else {}
    rows = {  # (rows,) the length of each row; of a vector, each number's
        name: slope.detach().double().flatten(1).norm(dim=1) if slope.ndim > 1 else slope.abs()
        for name, slope in slopes_of.items()
        if slope is not None
    }
    whole = float(torch.cat([*rows.values()]).norm()) if rows else 0.0
    return {
        "the gradient reaches": sorted(name for name in rows if name not in given),
        "how long the gradients are": {
            gradient_of(name): plain(row / whole if whole else row) for name, row in rows.items()
        },
    }


def weighted_sum(*parts: Tensor) -> Tensor:
    """One number that moves with every number of every part, each in its own way."""
    sums = [(part * (1 + torch.arange(part.numel()).view_as(part))).sum() for part in parts]
    return torch.stack(sums).sum()
