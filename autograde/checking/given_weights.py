"""Whether a model made copies of the weights that it was given."""

from collections.abc import Callable

import torch
from torch import nn

from autograde.checking.answers import Plain
from autograde.checking.judge import first_difference


def when_trained(model: nn.Module, another: Callable[[], Plain]) -> str:
    """What the given weights do when every parameter of the model takes a step.

    Parameters
    ----------
    another : what a new model gives that is made of the same given weights
    """
    before = another()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(1)
    stay = first_difference(before, another(), rtol=1e-6, atol=1e-8) is None
    return "stay as they are" if stay else "change, too"
