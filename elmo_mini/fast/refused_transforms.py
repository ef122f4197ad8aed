"""What PyTorch cannot do with a biLM, each said in one sentence; docs/compilers.md is its page.

A batch is sorted by its lengths, and each of its words is computed once. A recording of one call
would hold the order and the words of that call, and give wrong vectors of every other text.
"""

from typing import Any, NoReturn

import torch
from torch import Tensor

_WAY_OUT = (
    "what it computes depends on the words and lengths of each batch. Keep it in Python: export "
    "the model that reads its vectors, or store the vectors with embed_file"
)


class CannotTransform(RuntimeError):
    """A transform of PyTorch's that a biLM does not bear."""


def refuse(transform: str) -> NoReturn:
    """Raise for this transform."""
    raise CannotTransform(f"{transform} cannot record a biLM: {_WAY_OUT}")


def refuse_recording(ids: object) -> None:
    """Refuse a call inside `torch.jit.trace`, `torch.export`, `torch.fx` or `torch.func`.

    Raises
    ------
    CannotTransform
        Saying which, why, and what to do.
    """
    exporting = getattr(torch.compiler, "is_exporting", bool)()  # new in PyTorch 2.7
    if torch.compiler.is_compiling() and not exporting:
        return
    if exporting:
        refuse("torch.export")
    if torch.jit.is_tracing():
        refuse("torch.jit.trace")
    if type(ids).__module__.startswith("torch.fx"):
        refuse("torch.fx")
    if torch._C._functorch.peek_interpreter_stack() is not None:
        refuse("torch.func")


class DifferentiatedOnce(torch.autograd.Function):
    """Hands gradients on, and says so where somebody differentiates them again."""

    @staticmethod
    def forward(ctx: Any, sources: int, *tensors: Tensor | None) -> tuple[Tensor | None, ...]:
        """The tensors after the first `sources`, on which the gradients depend."""
        return tensors[sources:]

    @staticmethod
    def backward(ctx: Any, *grads: Tensor | None) -> NoReturn:
        """Raises `CannotTransform`."""
        raise CannotTransform(
            "a biLM's LSTMs can be differentiated once only, since their gradient is written out; "
            "leave the second derivative out, or use elmo_mini.models.elmo, which is plain autograd"
        )
