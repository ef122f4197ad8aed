"""ULMFiT: slanted triangle, discriminative rates, gradual unfreezing, concat pooling, the loop.

Howard & Ruder 2018 (ACL, arXiv:1801.06146), section 3. A pretrained language model
(`elmo_mini.models.awd_lstm`, stage 1) is fine-tuned on a task's text (stage 2) and then on its
labels (stage 3).

Letters in the shape comments: B texts, T words, H numbers of a state.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import torch
from torch import Tensor, nn

CUT_SHARE = 0.1
RATIO = 32.0
FACTOR = 2.6
BETAS = (0.7, 0.99)

Schedule = Callable[[int, int], float]
"""From a step, counted from 0, and the number of all steps to the factor on the highest rate."""
Layers = Sequence[Sequence[nn.Parameter]]
"""The parameters of each layer, from the bottom to the top."""
Group = dict[str, Any]
GroupsOf = Callable[[int], list[Group]]
"""From the number of an epoch, counted from 0, to its parameter groups."""
Batch = TypeVar("Batch")


def slanted_triangular(
    step: int, steps: int, cut_share: float = CUT_SHARE, ratio: float = RATIO
) -> float:
    """Slanted triangular learning rate: the factor on the highest rate, a short rise, a long fall.

    Section 3.2, equation 3, its second slope mended: it leads to 1/ratio at `steps`. Taught in
    lesson 11, section 2, "When: a slanted triangle".

    Parameters
    ----------
    step : t, from 0 to steps - 1; a scheduler of PyTorch asks for ``steps``, too, at the end
    steps : T, all steps of the run
    cut_share : share of the steps on which the rate rises
    ratio : how many times smaller the lowest rate is than the highest

    Raises
    ------
    ValueError
        If the step is outside the run, `cut_share` not from 0 to below 1, or `ratio` below 1.
    """
    check_step(step, steps)
    if not (0 <= cut_share < 1 <= ratio):
        raise ValueError(
            f"cut_share={cut_share}, ratio={ratio}; the first must be from 0 to below 1, the other "
            "at least 1"
        )
    cut = math.floor(steps * cut_share)
    height = step / cut if step < cut else 1 - (step - cut) / (steps - cut)
    return (1 + height * (ratio - 1)) / ratio


def check_step(step: int, steps: int) -> None:
    """Refuse a step outside the run; a scheduler of PyTorch asks for ``steps``, too."""
    if not 0 <= step <= steps or steps < 1:
        raise ValueError(f"step {step} is outside a run of {steps} steps, counted from 0")


def as_printed(step: int, steps: int, cut_share: float = CUT_SHARE, ratio: float = RATIO) -> float:
    """Equation 3 as the paper prints it; its fall is right only if steps x cut_share is whole.

    It ends below zero in many short runs. Shown in lesson 11, section 2.

    Raises
    ------
    ZeroDivisionError
        If fewer than one step rises.
    """
    cut = math.floor(steps * cut_share)
    height = step / cut if step < cut else 1 - (step - cut) / (cut * (1 / cut_share - 1))
    return (1 + height * (ratio - 1)) / ratio


def constant(step: int, steps: int) -> float:
    """The same rate at every step."""
    return 1.0


def cosine(step: int, steps: int) -> float:
    """Cosine annealing from the highest rate down to 0, the paper's other schedule (section 5).

    Raises
    ------
    ValueError
        If the step is outside the run.
    """
    check_step(step, steps)
    return (1 + math.cos(math.pi * step / steps)) / 2


def parameter_groups(
    layers: Layers, rate: float, epoch: int, factor: float = FACTOR
) -> list[Group]:
    """Discriminative rates and gradual unfreezing: the parameter groups of an epoch.

    Sections 3.2 and 3.3. Taught in lesson 11, section 2, "Who, and how fast: the layers". Each
    layer learns `factor` times slower than the one above it. In epoch 0 the top layer learns
    alone, and with every epoch the next lower one is unfrozen. A parameter of two layers, such as
    a tied softmax, belongs to the lower one.

    Parameters
    ----------
    layers : from the bottom to the top
    rate : of the top layer
    epoch : counted from 0

    Returns
    -------
    ``{"params": [...], "lr": ...}`` for each layer that learns, from the bottom to the top
    """
    groups: list[Group] = []
    seen: set[nn.Parameter] = set()
    for height, layer in enumerate(layers):
        own = [parameter for parameter in layer if parameter not in seen]
        seen.update(own)
        below_the_top = len(layers) - 1 - height
        if below_the_top <= epoch:
            groups.append({"params": own, "lr": rate / factor**below_the_top})
    return groups


def chain_thaw(groups: list[Group], epoch: int) -> list[Group]:
    """Chain-thaw's parameter groups of an epoch: the rule that the paper compares with (section 5).

    Felbo et al. 2017 (arXiv:1708.00524). Taught in lesson 11, section 8. First the top learns
    alone, then every layer alone from the bottom to the top, and then all.

    Parameters
    ----------
    groups : of all layers, from the bottom to the top
    epoch : counted from 0
    """
    return groups if epoch > len(groups) else [groups[epoch - 1]]


def concat_pool(states: Tensor, mask: Tensor) -> Tensor:
    """Concat pooling: the last state, the largest number of each unit, and the mean over words.

    Section 3.3. Taught in lesson 11, section 4.

    Parameters
    ----------
    states : (B, T, H); what stands at padding is left out
    mask : (B, T), True at words; each text has its words at the start, and at least one

    Returns
    -------
    (B, 3 H)

    Raises
    ------
    ValueError
        If a text has no word.
    """
    lengths = mask.sum(1)  # (B,)
    if not bool((lengths > 0).all()):
        raise ValueError("a text without words has no state to pool")
    last = states[torch.arange(len(states)), lengths - 1]  # (B, H)
    outside = ~mask.unsqueeze(-1)  # (B, T, 1)
    largest = states.masked_fill(outside, -torch.inf).amax(1)  # (B, H)
    mean = states.masked_fill(outside, 0).sum(1) / lengths.unsqueeze(1)  # (B, H)
    return torch.cat([last, largest, mean], 1)  # (B, 3 H)


def fine_tune(
    model: nn.Module,
    epochs: Sequence[Sequence[Batch]],
    loss_of: Callable[[Batch], Tensor],
    groups_of: GroupsOf,
    schedule: Schedule,
) -> list[float]:
    """Fine-tuning loop: Adam, parameter groups per epoch, a schedule per step.

    Section 3, stages 2 and 3. Taught in lesson 11, section 2, "The loop". A parameter that has no
    group in an epoch is frozen: it neither moves nor takes part in gradients. Afterwards the model
    is in evaluation mode, and all of its parameters can learn again.

    Parameters
    ----------
    epochs : the batches of each epoch
    loss_of : the loss of a batch
    groups_of : the parameter groups of an epoch, each with the highest rate of its parameters
    schedule : the factor on all rates, at a step of so many

    Returns
    -------
    The loss of each batch

    Raises
    ------
    FloatingPointError
        If a loss is no finite number: training has diverged.
    """
    steps = sum(map(len, epochs))
    history: list[float] = []
    model.train()
    for epoch, batches in enumerate(epochs):
        optimizer = torch.optim.Adam(_unfrozen(model, groups_of(epoch)), betas=BETAS, fused=True)
        highest = [group["lr"] for group in optimizer.param_groups]
        for batch in batches:
            factor = schedule(len(history), steps)
            for group, rate in zip(optimizer.param_groups, highest, strict=True):
                group["lr"] = rate * factor
            optimizer.zero_grad()
            loss = loss_of(batch)
            if not loss.isfinite():
                step = len(history)
                raise FloatingPointError(f"step {step}: the loss is {loss:.4g}; lower the rates")
            loss.backward()
            optimizer.step()
            history.append(loss.item())
    model.requires_grad_(True)
    model.eval()
    return history


def _unfrozen(model: nn.Module, groups: list[Group]) -> list[Group]:
    """The groups, with everything outside them frozen."""
    model.requires_grad_(False)
    for group in groups:
        for parameter in group["params"]:
            parameter.requires_grad_(True)
    return groups
