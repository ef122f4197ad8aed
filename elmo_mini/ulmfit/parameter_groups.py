"""Who learns how fast, and from when on: discriminative rates and gradual unfreezing.

Howard & Ruder 2018, sections 3.2 and 3.3. A model is given as its layers from the bottom to the
top, each a list of parameters. An epoch's groups are what an optimiser of PyTorch takes; a layer
that has no group in an epoch does not learn in it.
"""

from collections.abc import Callable, Sequence
from typing import Any

from torch import nn

FACTOR = 2.6

Layers = Sequence[Sequence[nn.Parameter]]
Group = dict[str, Any]
GroupsOf = Callable[[int], list[Group]]
"""From the number of an epoch, counted from 0, to its parameter groups."""


def parameter_groups(
    layers: Layers, rate: float, epoch: int, factor: float = FACTOR
) -> list[Group]:
    """The groups of an epoch: each layer `factor` times slower than the one above it.

    In epoch 0 the top layer learns alone, and with every epoch the next lower one joins. A
    parameter of two layers, such as a tied softmax, belongs to the lower one.

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
    """The groups of an epoch of chain-thaw, the rule that the paper compares with (section 5).

    First the top learns alone, then every layer alone from the bottom to the top, and then all.

    Parameters
    ----------
    groups : of all layers, from the bottom to the top
    epoch : counted from 0
    """
    return groups if epoch > len(groups) else [groups[epoch - 1]]
