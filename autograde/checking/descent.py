"""An optimizer for checks: plain gradient descent, and a record of every learning rate."""

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

import torch
from torch.nn import Parameter


class Descent(torch.optim.Optimizer):
    """Plain gradient descent that any loop or scheduler can drive.

    What the base class does when it is made would import a compiler first, which takes seconds.

    Parameters
    ----------
    groups : parameters and the rate of each group

    Attributes
    ----------
    rates : of each step, the rate of each group
    """

    def __init__(self, *groups: tuple[Iterable[Parameter], float]) -> None:
        self.defaults = {"lr": groups[0][1]}
        self.param_groups = [{"params": list(weights), "lr": rate} for weights, rate in groups]
        self.state = defaultdict(dict)
        self.rates: list[list[float]] = []

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget the slopes."""
        for group in self.param_groups:
            for weight in group["params"]:
                weight.grad = None if set_to_none or weight.grad is None else weight.grad * 0

    def step(self, closure: Any = None) -> Any:
        """One step down the slopes."""
        with torch.enable_grad():
            loss = closure() if closure is not None else None
        self.rates.append([float(group["lr"]) for group in self.param_groups])
        with torch.no_grad():
            for group in self.param_groups:
                for weight in group["params"]:
                    if weight.grad is not None:
                        weight.sub_(weight.grad, alpha=float(group["lr"]))
        return loss
