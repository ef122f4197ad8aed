"""Gradients through a call in another process: a vector-Jacobian product is asked for there."""

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor

from autograde.marking.asking.values import Tree
from autograde.marking.asking.wire import BadMessage

Slopes = Callable[[int, list[int], Any, list[Tensor]], Any]


class There(torch.autograd.Function):
    """Tensors that were computed in the other process, and the way back to their inputs."""

    @staticmethod
    def forward(
        ctx: Any, slopes: Slopes, number: int, handles: list[int], values: Any, *inputs: Tensor
    ) -> Any:
        ctx.slopes, ctx.number, ctx.handles, ctx.inputs = slopes, number, handles, inputs
        ctx.set_materialize_grads(False)
        return tuple(values)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor | None) -> Any:
        found = ctx.slopes(ctx.number, ctx.handles, list(grads), list(ctx.inputs))
        checked = []
        for slope, leaf in zip(found, ctx.inputs, strict=True):
            if slope is not None and (not isinstance(slope, Tensor) or slope.shape != leaf.shape):
                raise BadMessage("no gradient")
            checked.append(slope)
        return (None, None, None, None, *checked)


def tensors_in(value: Any) -> list[Tensor]:
    """The tensors in lists, tuples and dicts."""
    if isinstance(value, Tensor):
        return [value]
    parts = value.values() if isinstance(value, Mapping) else value
    if isinstance(value, list | tuple | Mapping):
        return [leaf for part in parts for leaf in tensors_in(part)]
    return []


def nodes_in(tree: Tree) -> list[dict[str, Any]]:
    """The tensors of a tree."""
    if isinstance(tree, list):
        return [node for part in tree for node in nodes_in(part)]
    if isinstance(tree, dict):
        if tree.get("t") == "T" and type(tree.get("h")) is int:
            return [tree]
        return nodes_in(tree.get("v"))
    return []
