"""NT-ASGD: plain SGD until it stops getting better, then the mean of the weights it passes.

Merity, Keskar & Socher 2017 (arXiv:1708.02182), section 3, algorithm 1.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import torch
from torch import Tensor, nn

PATIENCE = 5


def averaging_is_due(validation: Sequence[float], patience: int = PATIENCE) -> bool:
    """Whether the newest validation loss is worse than the best one before the last `patience`.

    Parameters
    ----------
    validation : one loss or perplexity an epoch, the newest last

    Notes
    -----
    This is the rule of the authors' code: the list holds the newest loss already when it is asked,
    and the newest `patience` entries are left out of the best. In the first epochs nothing is old
    enough, and the answer is no.
    """
    return len(validation) > patience and validation[-1] > min(validation[:-patience])


class WeightAverage:
    """The running mean of a model's parameters.

    Parameters
    ----------
    model : its parameters at each `update` count equally
    """

    def __init__(self, model: nn.Module) -> None:
        self.model = model
        self.count = 0
        self.means: list[Tensor] = [torch.zeros_like(p) for p in model.parameters()]

    @torch.no_grad()
    def update(self) -> None:
        """Take the present parameters into the mean: mean += (w - mean) / n."""
        self.count += 1
        for mean, parameter in zip(self.means, self.model.parameters(), strict=True):
            mean.lerp_(parameter, 1 / self.count)

    @contextmanager
    def applied(self) -> Iterator[None]:
        """The model has the mean as its parameters; afterwards its own again."""
        if self.count == 0:
            yield
            return
        own = [parameter.detach().clone() for parameter in self.model.parameters()]
        set_parameters(self.model, self.means)
        try:
            yield
        finally:
            set_parameters(self.model, own)

    def keep(self) -> None:
        """Give the model the mean for good."""
        if self.count:
            set_parameters(self.model, self.means)


@torch.no_grad()
def set_parameters(model: nn.Module, values: Sequence[Tensor]) -> None:
    """Copy values into a model's parameters, in their order."""
    for parameter, value in zip(model.parameters(), values, strict=True):
        parameter.copy_(value)
