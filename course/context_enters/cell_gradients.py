"""How much the cells of an LSTM still feel what stood in them some words ago, for lesson 03.

Beside a plain recurrence, whose slope is a product that fades, stand the cells of an LSTM before
its first step, after training, and before its first step with the forget gates held open.
"""

import copy
from typing import Any

import torch
from torch import Tensor

STEPS = (1, 2, 4, 8, 12, 16, 20, 24)
OPEN = 3.0
Slopes = dict[int, float]


def notes_kept(fresh: Any, trained: Any, rows: Tensor) -> dict[str, Slopes]:
    """By model, the slope of the cells by those of some words before, on all ways together.

    Parameters
    ----------
    fresh, trained : with `states`, from ids (B, T) and a state to the states and the last (h, c),
        and with `lstm.gates`, a linear layer to the blocks i, f, g, o
    rows : (B, 25 or more) of running text

    Returns
    -------
    after so many words, the length of v . d c_t / d c_0 for a random v of length 1, the mean over
    the rows
    """
    models = {"fresh": fresh, "trained": trained, "fresh, gates open": with_open_gates(fresh)}
    return {name: _kept(model, rows) for name, model in models.items()}


def with_open_gates(model: Any) -> Any:
    """A copy whose forget gates begin near 1."""
    other = copy.deepcopy(model)
    bias = other.lstm.gates.bias
    with torch.no_grad():
        bias.view(4, -1)[1] = OPEN
    return other


def _kept(model: Any, rows: Tensor) -> Slopes:
    with torch.no_grad():
        _, (h, c) = model.states(rows[:, :1])
    v = torch.randn(c.shape, generator=torch.Generator().manual_seed(0))
    v = v / v.norm(dim=1, keepdim=True)
    lengths = {}
    for steps in STEPS:
        before = c.clone().requires_grad_()
        _, (_, after) = model.states(rows[:, 1 : 1 + steps], (h, before))
        (slope,) = torch.autograd.grad((after * v).sum(), before)
        lengths[steps] = slope.norm(dim=1).mean().item()
    return lengths
