"""Optimizers for checks: a plain one to build on, and gradient descent that records its rates."""

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

import torch
from torch.nn import Parameter


class PlainOptimizer(torch.optim.Optimizer):
    """An optimizer without what PyTorch's base class does when it is made.

    That would import a compiler first, which takes seconds.
    """

    def __init__(self, groups: list[dict[str, Any]], defaults: dict[str, Any]) -> None:
        self.defaults, self.param_groups = defaults, groups
        self.state = defaultdict(dict)

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget the gradients."""
        for group in self.param_groups:
            for weight in group["params"]:
                weight.grad = None if set_to_none or weight.grad is None else weight.grad * 0


class Descent(PlainOptimizer):
    """Plain gradient descent that any loop or scheduler can drive.

    Parameters
    ----------
    groups : parameters and the rate of each group

    Attributes
    ----------
    rates : of each step, the rate of each group
    """

    def __init__(self, *groups: tuple[Iterable[Parameter], float]) -> None:
        made = [{"params": list(weights), "lr": rate} for weights, rate in groups]
        super().__init__(made, {"lr": groups[0][1]})
        self.rates: list[list[float]] = []

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
