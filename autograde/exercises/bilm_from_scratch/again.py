"""A model that is called twice with the same ids gives the same layers."""

from typing import Any

import torch
from torch import Tensor, nn

from autograde.checking.answers import AnswerRefused

MEMORY = (
    "Called twice with the same ids, your model gives other layers: it goes on from the text "
    "before, or draws random numbers, as dropout does. Begin each call from zeros, without dropout."
)


def refuse_memory(model: nn.Module, ids: Tensor, layers: Any) -> None:
    """Refuse a model whose layers hang on what it was called with before.

    Raises
    ------
    AnswerRefused
        If the second call gives other numbers.
    """
    with torch.no_grad():
        again = model(ids)[0]
    for before, now in zip(layers, again, strict=False):
        comparable = isinstance(before, Tensor) and before.shape == now.shape
        if comparable and not torch.allclose(before, now, rtol=1e-3, atol=1e-4, equal_nan=True):
            raise AnswerRefused(MEMORY)
