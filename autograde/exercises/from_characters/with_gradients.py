"""Running an answer that a network learns through: its result, and the gradients of what came in.

Sentences that several exercises of the lesson share stand here, too.
"""

from collections.abc import Mapping

import torch
from torch import Tensor

from autograde.checking.answers import Answer, Inputs, Plain, as_tensors, plain, refuse_changed
from autograde.checking.differentiable import GIVEN_FROZEN, slopes, tensor_of

ONE_TENSOR = "Your answer is of type {kind}. Return one tensor: the network goes on from here."
CUT_OFF = (
    "The numbers are right, and autograd cannot follow them back, so nothing below would ever "
    "learn. Leave out `.detach()`, `.data`, `.item()`, `torch.tensor` and `torch.no_grad()`."
)


def run_with_gradients(answer: Answer, inputs: Inputs) -> Plain:
    """The result, and what each number that came in would learn from it."""
    tensors: dict[str, Tensor] = {name: as_tensors(value) for name, value in inputs.items()}
    for value in tensors.values():
        value.requires_grad_()
    result = tensor_of(lambda: answer(*tensors.values()), ONE_TENSOR)
    refuse_changed(inputs, tensors, "Build a new tensor.")
    return {"result": plain(result), **gradients(result, tensors)}


def gradients(
    result: Tensor, leaves: Mapping[str, Tensor], frozen: str = GIVEN_FROZEN
) -> dict[str, Plain]:
    """What each leaf learns from a sum of the result's numbers, each with a weight of its own."""
    weights = torch.linspace(0.5, 1.5, result.numel(), dtype=result.dtype).view(result.shape)
    found = slopes((result * weights).sum(), leaves, frozen)
    if not result.requires_grad:
        return {f"gradient for {name}": None for name in leaves}
    return {
        f"gradient for {name}": plain(torch.zeros_like(leaves[name]) if slope is None else slope)
        for name, slope in found.items()
    }
