"""Tensors, arrays, random generators and callables that keep their identity on both sides.

What crosses has a handle. One that goes there and back is the same object again, with what was
written into it there. The numbers of a tensor cross only where the other side has others.
"""

import itertools
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import Parameter

from autograde.marking.asking.changes import differs, overwrite, same_numbers
from autograde.marking.asking.wire import BadMessage

Tree = Any
Buffers = list[np.ndarray]
BIT_GENERATORS = {"PCG64": np.random.PCG64, "PCG64DXSM": np.random.PCG64DXSM}
MOST_HELD = 1_000_000_000  # bytes that one case may leave here


class CannotCross(TypeError):
    """A value of the course's own that this protocol has no form for."""


class Identity:
    """The objects that both sides know, by handles: positive for one's own, negative for theirs.

    In a message a handle is the sender's: one's own is a negative one there.
    """

    def __init__(self, strict: bool) -> None:
        self.strict = strict
        self.mine: dict[int, Any] = {}
        self.theirs: dict[int, Any] = {}
        self.touched: list[tuple[Any, Any]] = []
        self._handles: dict[int, int] = {}
        self._next = itertools.count(1)
        self._held: dict[int, Tensor] = {}
        self._left: list[Any] = []
        self._room = MOST_HELD

    def handle(self, value: Any) -> int:
        """Positive for an object of this side, negative for one of the other's."""
        known = self._handles.get(id(value))
        if known is None:
            known = next(self._next)
            self.mine[known] = value
            self._handles[id(value)] = known
        return known

    def adopt(self, handle: int, value: Any) -> Any:
        """Let this stand here for the handle of a message, and for nothing else from now on."""
        objects, number = (self.theirs, handle) if handle > 0 else (self.mine, -handle)
        self._left.append(objects.get(number))  # whose id must not be given anew
        objects[number] = value
        self._handles[id(value)] = -handle
        return value

    def keep(self, handle: int, came: Tensor) -> None:
        """Remember the numbers that both sides hold under the handle of a message."""
        self._held[-handle] = came.detach()

    def known(self, handle: Any) -> Any:
        """What stands here for the handle of a message; None for one that is new."""
        if type(handle) is not int or not handle:
            raise BadMessage("no handle")
        return self.mine[-handle] if handle < 0 else self.theirs.get(handle)

    def is_theirs(self, value: Any) -> bool:
        """Whether this stands here for an object of the other side."""
        return self._handles.get(id(value), 0) < 0

    def changed(self, since: int) -> bool:
        """Whether anything that was read since then, counted in `touched`, is another now."""
        return any(differs(value, before) for value, before in self.touched[since:])

    def write_tensor(self, value: Tensor, buffers: Buffers) -> Tree:
        """The tree of a tensor."""
        handle, shown = self.handle(value), value.detach().cpu()
        tree = {"t": "T", "h": handle, "g": bool(value.requires_grad)}
        if not shown.is_contiguous():
            tree["w"] = True
        held = self._held.get(handle)
        if held is not None and same_numbers(held, shown):
            return tree
        self._held[handle] = shown.clone()
        return tree | write_numbers(shown, buffers)

    def read_tensor(self, tree: Tree, buffers: Buffers, parameter: bool = False) -> Tensor:
        """The tensor of a tree."""
        known, gradient = self.known(tree["h"]), bool(tree["g"])
        if "b" in tree:
            came = read_numbers(tree, buffers)
            self._room -= came.nbytes
            if self.strict and self._room < 0:
                raise BadMessage("more than one case may hold")
            self._held[-tree["h"]] = came
        elif not isinstance(known, Tensor):
            raise BadMessage("no tensor")
        else:
            came = self._held[-tree["h"]]
        if known is None:
            made = _window(came) if tree.get("w") else came.clone()
            made = Parameter(made, False) if parameter else made
            known = self.adopt(tree["h"], made)
            if gradient:
                known.requires_grad_()
        elif not isinstance(known, Tensor):
            raise BadMessage("a handle of something else")
        else:
            if "b" in tree:
                overwrite(known, came)
            if known.is_leaf and known.requires_grad != gradient:
                known.requires_grad_(gradient)
        self.touched.append((known, (came, gradient)))
        return known

    def write_array(self, value: Any, buffers: Buffers) -> Tree:
        """The tree of an array, or of one of its numbers."""
        buffers.append(np.array(value))
        if isinstance(value, np.generic):
            return {"t": "scalar", "b": len(buffers) - 1}
        return {"t": "A", "b": len(buffers) - 1, "h": self.handle(value)}

    def read_array(self, tree: Tree, buffers: Buffers) -> np.ndarray:
        """The array of a tree."""
        came, known = buffers[tree["b"]], self.known(tree["h"])
        if known is None:
            known = self.adopt(tree["h"], came.copy())
        elif not isinstance(known, np.ndarray):
            raise BadMessage("a handle of something else")
        elif known.shape == came.shape and known.dtype == came.dtype:
            known[...] = came
        self.touched.append((known, came))
        return known

    def write_generator(self, value: np.random.Generator) -> Tree:
        """The tree of NumPy's generator."""
        state = value.bit_generator.state
        if state["bit_generator"] not in BIT_GENERATORS:
            raise CannotCross(state["bit_generator"])
        return {"t": "R", "h": self.handle(value), "v": _state_written(state)}

    def read_generator(self, tree: Tree) -> np.random.Generator:
        """NumPy's generator of a tree."""
        state, known = _state_read(tree["v"]), self.known(tree["h"])
        if known is None:
            made = BIT_GENERATORS[state["bit_generator"]](0)
            known = self.adopt(tree["h"], np.random.Generator(made))
        elif not isinstance(known, np.random.Generator):
            raise BadMessage("a handle of something else")
        known.bit_generator.state = state
        self.touched.append((known, state))
        return known

    def write_torch_generator(self, value: torch.Generator, buffers: Buffers) -> Tree:
        """The tree of PyTorch's generator."""
        return {"t": "G", "h": self.handle(value)} | write_numbers(value.get_state(), buffers)

    def read_torch_generator(self, tree: Tree, buffers: Buffers) -> torch.Generator:
        """PyTorch's generator of a tree."""
        state, known = read_numbers(tree, buffers), self.known(tree["h"])
        if known is None:
            known = self.adopt(tree["h"], torch.Generator())
        elif not isinstance(known, torch.Generator):
            raise BadMessage("a handle of something else")
        known.set_state(state)
        self.touched.append((known, state))
        return known

    def read_callable(self, tree: Tree, made: Callable[[int, str], Any]) -> Any:
        """What is called here for a callable of the other side, or one's own."""
        found = self.known(tree["h"])
        return found or self.adopt(tree["h"], made(tree["h"], str(tree["n"])[:80]))


def write_numbers(value: Tensor, buffers: Buffers) -> Tree:
    """Add the numbers of a tensor to the buffers; which they are, and whether of half size."""
    half = value.dtype is torch.bfloat16
    buffers.append(
        (value.view(torch.int16) if half else value).resolve_conj().resolve_neg().numpy().copy()
    )
    return {"b": len(buffers) - 1, "half": half}


def read_numbers(tree: Tree, buffers: Buffers) -> Tensor:
    """The numbers of `write_numbers`."""
    came = torch.from_numpy(buffers[tree["b"]])
    return came.view(torch.bfloat16) if tree["half"] else came


def _state_written(state: Mapping[str, Any]) -> Tree:
    inner = {key: str(int(number)) for key, number in state["state"].items()}
    rest = {key: int(state[key]) for key in ("has_uint32", "uinteger")}
    return {"bit_generator": state["bit_generator"], "state": inner} | rest


def _state_read(tree: Tree) -> dict[str, Any]:
    if tree["bit_generator"] not in BIT_GENERATORS:
        raise BadMessage("a random generator that does not cross")
    inner = {key: int(tree["state"][key]) % 2**128 for key in ("state", "inc")}
    rest = {key: int(tree[key]) % 2**32 for key in ("has_uint32", "uinteger")}
    return {"bit_generator": tree["bit_generator"], "state": inner} | rest


def _window(numbers: Tensor) -> Tensor:
    """The same numbers as a window of longer rows, which no `view` lays side by side."""
    if numbers.dim() < 2:
        return torch.stack([numbers, numbers], -1)[..., 0]
    return torch.cat([numbers, numbers[..., :1]], -1)[..., :-1]
