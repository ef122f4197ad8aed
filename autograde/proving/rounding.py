"""Perturb the last bits of matrix products, exponentials and sums: another processor, simulated.

Sums, products of matrices, exponentials and their kind come out a little otherwise on each make of
processor, and in each size of batch. A check that a last bit can tip says one thing here and
another there. So an exercise is judged once more with such bits changed, and must say the same.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_map

from autograde.checking.exercise import Answer, Exercise, Inputs, Plain

# What IEEE 754 does not settle to the last bit.
_SETTLED_BY_NOBODY = """
    mm bmm addmm baddbmm addbmm addmv mv dot vdot matmul linear convolution sum mean nansum prod
    cumsum exp expm1 log log1p log2 log10 sigmoid tanh log_sigmoid_forward _softmax _log_softmax
    logsumexp softplus gelu silu erf sin cos pow norm linalg_vector_norm native_layer_norm
    native_batch_norm var std var_mean std_mean cosine_similarity logaddexp
    _softmax_backward_data _log_softmax_backward_data sigmoid_backward tanh_backward
    log_sigmoid_backward
"""
_LOOSE = frozenset(_SETTLED_BY_NOBODY.split())
DYADIC = 64  # a multiple of 1/64, such as a count or sigmoid(0), is exact on each processor
_BITS = {torch.float64: torch.int64, torch.float32: torch.int32}


class AnotherProcessor(TorchDispatchMode):
    """While it is on, results that rounding may move are moved by one bit, up, down or not at all.

    The same operation on the same numbers always gives the same, as on a real processor.
    """

    def __torch_dispatch__(
        self,
        func: Any,
        types: Any,
        args: tuple[Any, ...] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        result = func(*args, **(kwargs or {}))
        if func.overloadpacket.__name__ not in _LOOSE:
            return result
        return tree_map(_moved, result)


def _moved(value: Any) -> Any:
    if not isinstance(value, torch.Tensor) or value.dtype not in _BITS or not value.numel():
        return value
    bits = value.contiguous().view(_BITS[value.dtype])
    step = (bits * (2 * value.numel() + 1)).remainder(3) - 1
    rounded = torch.isfinite(value) & (value * DYADIC != (value * DYADIC).round())
    return torch.where(rounded, (bits + step).view(value.dtype), value)


def on_another_processor(exercise: Exercise) -> Exercise:
    """The exercise, whose answers run as on another processor."""

    def run(answer: Answer, inputs: Inputs) -> Plain:
        with AnotherProcessor():
            return exercise.run(answer, inputs)

    return replace(exercise, run=run)
