"""Gradients through a call in another process: a vector-Jacobian product is asked for there."""

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor

from autograde.marking.asking.identity import Buffers, Tree, read_numbers
from autograde.marking.asking.live import Live
from autograde.marking.asking.values import Values
from autograde.marking.asking.wire import BadMessage

Slopes = Callable[[int, list[int], Any, list[Tensor]], Any]


class There(torch.autograd.Function):
    """Tensors that were computed in the other process, and the way back to their inputs."""

    @staticmethod
    def forward(
        ctx: Any, slopes: Slopes, number: int, handles: list[int], values: Any, *inputs: Tensor
    ) -> Any:
        ctx.slopes, ctx.number, ctx.handles, ctx.inputs = slopes, number, handles, inputs
        ctx.save_for_backward(torch.zeros(0))
        ctx.set_materialize_grads(False)
        return tuple(values)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor | None) -> Any:
        _ = ctx.saved_tensors  # a second way back is refused, as in a graph of PyTorch's own
        found = ctx.slopes(ctx.number, ctx.handles, list(grads), list(ctx.inputs))
        if not isinstance(found, list) or len(found) != len(ctx.inputs):
            raise BadMessage("no gradients")
        for slope, leaf in zip(found, ctx.inputs, strict=True):
            if slope is not None and (not isinstance(slope, Tensor) or slope.shape != leaf.shape):
                raise BadMessage("no gradient")
        return (None, None, None, None, *found)


class Graph:
    """The graphs of calls, of which each side has a part.

    Parameters
    ----------
    slopes : asks the other side for gradients of one of its calls
    """

    def __init__(self, values: Values, live: Live, slopes: Slopes) -> None:
        self.values, self.live, self._ask = values, live, slopes
        self._cut: dict[tuple[int, int], Tensor] = {}
        self._ends: dict[tuple[int, int], Tensor] = {}
        self.lent: list[int] = []

    def _inputs(self, arguments: Any) -> list[Tensor]:
        """What a call may learn for: its arguments, leaves that were sent before, and weights."""
        found = {id(leaf): leaf for leaf in tensors_in(arguments) if leaf.requires_grad}
        before = [leaf for leaf in self.values.mine.values() if isinstance(leaf, Tensor)]
        for leaf in (*before, *self.live.weights()):
            if leaf.requires_grad and leaf.is_leaf:
                found[id(leaf)] = leaf
        return list(found.values())

    def follow(self, tree: Tree, buffers: Buffers, given: Any, number: int, since: int) -> None:
        """Tie tensors of a result that carry a gradient to what they were made from.

        Parameters
        ----------
        given : the arguments of the call
        since : how many tensors this side had lent when the call began
        """
        if not torch.is_grad_enabled():
            return
        lent = set(self.lent[since:])
        nodes = [node for node in nodes_in(tree) if node.get("g")]
        new = {node["h"]: node for node in reversed(nodes)}  # where it is first has its numbers
        new = {
            handle: node
            for handle, node in new.items()
            if (handle not in self.values.theirs if handle > 0 else -handle in lent)
        }
        if not new:
            return
        plain = []
        for handle, node in new.items():
            came = read_numbers(node, buffers) if "b" in node else self.values.known(handle)
            if not isinstance(came, Tensor) or not came.is_floating_point():
                raise BadMessage("a gradient of no real number")
            plain.append(came.detach().clone())
            self.values.keep(handle, came)
        inputs = self._inputs(given)
        if inputs:
            plain = There.apply(self._ask, number, [*new], plain, *inputs)
        for handle, output in zip(new, plain, strict=True):
            self.values.adopt(handle, output.requires_grad_())

    def ends(self, tree: Tree, number: int) -> None:
        """Note what a call of the other side gives, to answer for its gradients."""
        for node in nodes_in(tree):
            if not node["g"]:
                continue
            handle = node["h"]
            tensor = self.values.mine[handle] if handle > 0 else self.values.theirs[-handle]
            self._ends[number, handle] = tensor
            if handle > 0 and not tensor.is_leaf:
                self.lent.append(handle)

    def leaves(self, value: Any, number: int) -> Any:
        """Arguments, in which a tensor with a past begins a graph of its own."""
        if isinstance(value, Tensor) and value.requires_grad and not value.is_leaf:
            key = number, self.values.handle(value)
            if key not in self._cut:  # one that is given twice is one leaf
                self._cut[key] = value.detach().requires_grad_()
            return self._cut[key]
        if type(value) in (list, tuple):
            parts = [self.leaves(part, number) for part in value]
            same = all(a is b for a, b in zip(parts, value, strict=True))
            return value if same else type(value)(parts)
        if type(value) is dict:
            made = {key: self.leaves(part, number) for key, part in value.items()}
            return value if all(made[key] is value[key] for key in value) else made
        return value

    def slopes(self, number: int, outputs: list[int], grads: list[Any], inputs: list[int]) -> Any:
        """The gradients of what a call has given; handles are those of the one who asks."""
        pairs = zip(outputs, grads, strict=True)
        ends = [(self._ends[number, handle], grad) for handle, grad in pairs if grad is not None]
        leaves = [self._leaf(number, -handle) for handle in inputs]
        wanted = [leaf for leaf in leaves if leaf is not None and leaf.requires_grad]
        found: dict[int, Any] = {}
        if wanted and ends:
            slopes = torch.autograd.grad(
                [end for end, _ in ends],
                wanted,
                [grad for _, grad in ends],
                allow_unused=True,
                retain_graph=True,
            )
            found = dict(zip(map(id, wanted), slopes, strict=True))
        return [None if leaf is None else found.get(id(leaf)) for leaf in leaves]

    def _leaf(self, number: int, handle: int) -> Tensor | None:
        cut = self._cut.get((number, handle))
        found = self.values.known(-handle) if cut is None else cut
        return found if isinstance(found, Tensor) and found.is_leaf else None


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
