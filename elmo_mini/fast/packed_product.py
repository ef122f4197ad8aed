"""A product with weights that are laid out once in the order in which the processor reads them.

A matrix product first copies the weights into blocks that fit the processor's registers. A
recurrent network multiplies a few rows with the same large matrix at every step, so that this
copy takes much of the time. oneDNN, which comes with PyTorch, can be given the blocks ready made;
PyTorch's own compiler calls it in the same way when it freezes a model.
"""

from contextlib import suppress
from typing import Literal

import torch
from torch import Tensor
from torch.nn import functional

Activation = Literal["none", "relu", "sigmoid"]

_ROWS = 128  # for how many rows the blocks are chosen; other numbers work as well


def can_pack(weight: Tensor) -> bool:
    """Whether oneDNN takes this weight: float32, on a processor for which it was built."""
    return (
        weight.device.type == "cpu"
        and weight.dtype == torch.float32
        and torch.backends.mkldnn.is_available()
        and bool(torch.backends.mkldnn.enabled)
        and hasattr(torch.ops.mkldnn, "_linear_pointwise")
        and hasattr(torch.ops.mkldnn, "_reorder_linear_weight")
    )


class PackedProduct:
    """activation(x W^T + b), weights packed where that is possible; for inference only.

    Parameters
    ----------
    weight : (out, in), as `nn.Linear` keeps it
    bias : (out,) or None
    """

    def __init__(self, weight: Tensor, bias: Tensor | None = None) -> None:
        self.weight = weight.detach().contiguous()
        self.bias = None if bias is None else bias.detach()
        self._packed: Tensor | None = None
        if can_pack(weight):
            # PyTorch promises nothing about these two: where one refuses, as another version or
            # another processor's build may, the product is taken in the common way.
            with suppress(RuntimeError):
                packed = torch.ops.mkldnn._reorder_linear_weight(self.weight, _ROWS)
                self._multiply(self.weight.new_zeros(1, weight.shape[1]), packed, "none")
                self._packed = packed
                del self.weight

    def _multiply(self, x: Tensor, packed: Tensor, activation: Activation) -> Tensor:
        multiply = torch.ops.mkldnn._linear_pointwise.default
        return multiply(x, packed, self.bias, activation, [], "")

    def __call__(self, x: Tensor, activation: Activation = "none") -> Tensor:
        """(rows, in) to (rows, out)."""
        if self._packed is not None:
            return self._multiply(x, self._packed, activation)
        y = functional.linear(x, self.weight, self.bias)
        if activation == "none":
            return y
        return y.relu_() if activation == "relu" else y.sigmoid_()
