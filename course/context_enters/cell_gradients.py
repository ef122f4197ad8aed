"""Gradient norms ‖∂c_t/∂c_0‖ of LSTM cells, before and after training, for lesson 03.

In a plain recurrence this gradient vanishes. Here stand an untrained LSTM, a trained one, and an
untrained one with a large forget-gate bias.
"""

import copy
from typing import Any

import torch
from torch import Tensor

STEPS = (1, 2, 4, 8, 12, 16, 20, 24)
OPEN = 3.0
Norms = dict[int, float]


def cell_gradient_norms(fresh: Any, trained: Any, rows: Tensor) -> dict[str, Norms]:
    """By model, the gradient norm of the cells c_t with respect to c_0, through all paths.

    Parameters
    ----------
    fresh, trained : with `states`, from ids (B, T) and a state to the states and the last (h, c),
        and with `lstm.gates`, a linear layer to the blocks i, f, g, o
    rows : (B, 25 or more) of running text

    Returns
    -------
    for each number of steps t, ‖v ∂c_t/∂c_0‖ for a random unit vector v, the mean over the rows
    """
    models = {"fresh": fresh, "trained": trained, "fresh, gates open": with_open_gates(fresh)}
    return {name: _gradient_norms(model, rows) for name, model in models.items()}


def with_open_gates(model: Any) -> Any:
    """A copy with a forget-gate bias of `OPEN`, so that the gates begin near 1."""
    other = copy.deepcopy(model)
    bias = other.lstm.gates.bias
    with torch.no_grad():
        bias.view(4, -1)[1] = OPEN
    return other


def _gradient_norms(model: Any, rows: Tensor) -> Norms:
    with torch.no_grad():
        _, (h, c) = model.states(rows[:, :1])
    v = torch.randn(c.shape, generator=torch.Generator().manual_seed(0))
    v = v / v.norm(dim=1, keepdim=True)
    norms = {}
    for steps in STEPS:
        before = c.clone().requires_grad_()
        _, (_, after) = model.states(rows[:, 1 : 1 + steps], (h, before))
        (gradient,) = torch.autograd.grad((after * v).sum(), before)
        norms[steps] = gradient.norm(dim=1).mean().item()
    return norms
