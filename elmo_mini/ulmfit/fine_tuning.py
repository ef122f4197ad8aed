"""The loop of stages 2 and 3: whatever is learnt, its layers and rates are given from outside."""

from collections.abc import Callable, Sequence
from typing import TypeVar

import torch
from torch import Tensor, nn

from elmo_mini.divergence import check_finite
from elmo_mini.ulmfit.parameter_groups import GroupsOf
from elmo_mini.ulmfit.schedule import Schedule

BETAS = (0.7, 0.99)
Batch = TypeVar("Batch")


def fine_tune(
    model: nn.Module,
    epochs: Sequence[Sequence[Batch]],
    loss_of: Callable[[Batch], Tensor],
    groups_of: GroupsOf,
    schedule: Schedule,
) -> list[float]:
    """Train with Adam, its groups new in every epoch and its rates new at every step.

    A parameter that has no group in an epoch neither moves nor takes part in gradients. Afterwards
    the model is in evaluation mode, and all of its parameters can learn again.

    Parameters
    ----------
    epochs : the batches of each epoch
    loss_of : the loss of a batch
    groups_of : the parameter groups of an epoch, each with the highest rate of its parameters
    schedule : the factor on all rates, at a step of so many

    Returns
    -------
    The loss of each batch
    """
    steps = sum(map(len, epochs))
    history: list[float] = []
    model.train()
    for epoch, batches in enumerate(epochs):
        optimizer = torch.optim.Adam(_awake(model, groups_of(epoch)), betas=BETAS, fused=True)
        highest = [group["lr"] for group in optimizer.param_groups]
        for batch in batches:
            factor = schedule(len(history), steps)
            for group, rate in zip(optimizer.param_groups, highest, strict=True):
                group["lr"] = rate * factor
            optimizer.zero_grad()
            loss = loss_of(batch)
            loss.backward()
            history.append(loss.item())
            check_finite("lower the rates of the groups", loss=history[-1])
            optimizer.step()
    model.requires_grad_(True)
    model.eval()
    return history


def _awake(model: nn.Module, groups: list[dict]) -> list[dict]:
    """The groups, with everything outside them frozen."""
    model.requires_grad_(False)
    for group in groups:
        for parameter in group["params"]:
            parameter.requires_grad_(True)
    return groups
