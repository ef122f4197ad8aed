"""A closed list of types between two processes, in which an object keeps its identity.

Numbers, text, arrays, tensors, random generators, lists, tuples, sets, dicts and callables cross.
Of anything else its type's name crosses. A tensor or an array that goes there and back is the same
object again, with what was written into it there.
"""

import itertools
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
import torch
from torch import Tensor

from autograde.marking.asking.changes import differs, overwrite
from autograde.marking.asking.wire import KINDS, BadMessage

Tree = Any
Buffers = list[np.ndarray]
PLAIN = (type(None), bool, int, str)
MOST_DEPTH = 60
MOST_PARTS = 6_000_000
BIT_GENERATORS = {"PCG64": np.random.PCG64, "PCG64DXSM": np.random.PCG64DXSM}
NAMED = {
    str(kind): kind
    for kind in (
        torch.float32,
        torch.float64,
        torch.float16,
        torch.bfloat16,
        torch.int64,
        torch.int32,
        torch.int16,
        torch.int8,
        torch.uint8,
        torch.bool,
        torch.device("cpu"),
    )
}


class CannotCross(TypeError):
    """A value of the course's own that this protocol has no form for."""


class Elsewhere:
    """Stands for an object that stayed in the other process; only its type's name is known."""


def elsewhere(name: str) -> Elsewhere:
    """A stand-in whose type has this name."""
    name = name[:80] if name.isidentifier() else "object"
    made: Elsewhere = type(name, (Elsewhere,), {})()
    return made


class Values:
    """What has crossed so far, in both directions, and the way to write and read more of it.

    Parameters
    ----------
    callable_there : makes what stands here for a callable of the other side, from handle and name
    strict : whether an unknown type is an error (the course's side) or a name (the student's)
    """

    def __init__(self, callable_there: Callable[[int, str], Any], strict: bool) -> None:
        self.callable_there, self.strict = callable_there, strict
        self.mine: dict[int, Any] = {}
        self.theirs: dict[int, Any] = {}
        self._handles: dict[int, int] = {}
        self._next = itertools.count(1)
        self.touched: list[tuple[Any, Any]] = []

    def handle(self, value: Any) -> int:
        """Positive for an object of this side, negative for one of the other's."""
        known = self._handles.get(id(value))
        if known is None:
            known = next(self._next)
            self.mine[known] = value
            self._handles[id(value)] = known
        return known

    def adopt(self, handle: int, value: Any) -> Any:
        """Remember what stands here for an object of the other side."""
        self.theirs[handle] = value
        self._handles[id(value)] = -handle
        return value

    def write(self, value: Any, buffers: Buffers, depth: int = 0) -> Tree:
        """The JSON tree of a value; its arrays are added to the buffers."""
        kind = type(value)
        if kind in PLAIN:
            return value
        if kind is float:
            return value
        if depth > MOST_DEPTH:
            raise CannotCross("lists in lists in lists, without an end")
        if kind is list:
            return [self.write(part, buffers, depth + 1) for part in value]
        if isinstance(value, Tensor):
            return self._tensor(value, buffers)
        if isinstance(value, np.generic | np.ndarray) and value.dtype.kind in KINDS:
            return self._array(value, buffers)
        if isinstance(value, np.random.Generator):
            return self._generator(value)
        if isinstance(value, tuple | set | frozenset):
            name = "tuple" if isinstance(value, tuple) else kind.__name__
            return {"t": name, "v": [self.write(part, buffers, depth + 1) for part in value]}
        if isinstance(value, Mapping):
            rows = [[self.write(part, buffers, depth + 1) for part in row] for row in value.items()]
            return {"t": "dict", "v": rows}
        if isinstance(value, torch.dtype | torch.device) and str(value) in NAMED:
            return {"t": "named", "v": str(value)}
        if isinstance(value, Iterator):
            parts = list(itertools.islice(value, MOST_PARTS))
            return {"t": "iterator", "v": [self.write(part, buffers, depth + 1) for part in parts]}
        bases: tuple[Any, ...] = (int, float, str, list)
        for base in bases:
            if isinstance(value, base):  # of a class of the student's: what it is made of
                return self.write(base(value), buffers, depth + 1)
        if callable(value) and not isinstance(value, torch.nn.Module):
            return {"t": "F", "h": self.handle(value), "n": _name(value)}
        if self.strict:
            raise CannotCross(f"{kind.__module__}.{kind.__qualname__}")
        return {"t": "O", "n": kind.__name__}

    def _tensor(self, value: Tensor, buffers: Buffers) -> Tree:
        shown = value.detach().cpu()
        half = shown.dtype is torch.bfloat16
        buffers.append((shown.view(torch.int16) if half else shown).resolve_conj().numpy().copy())
        tree = {"t": "T", "b": len(buffers) - 1, "h": self.handle(value)}
        return tree | {"g": bool(value.requires_grad), "half": half}

    def _array(self, value: Any, buffers: Buffers) -> Tree:
        buffers.append(np.array(value))
        if isinstance(value, np.generic):
            return {"t": "scalar", "b": len(buffers) - 1}
        return {"t": "A", "b": len(buffers) - 1, "h": self.handle(value)}

    def _generator(self, value: np.random.Generator) -> Tree:
        state = value.bit_generator.state
        if state["bit_generator"] not in BIT_GENERATORS:
            raise CannotCross(state["bit_generator"])
        return {"t": "R", "h": self.handle(value), "v": _state_written(state)}

    def read(self, tree: Tree, buffers: Buffers, depth: int = 0) -> Any:
        """The value of a tree.

        Raises
        ------
        BadMessage
            If it is none that `write` makes.
        """
        if type(tree) in PLAIN or type(tree) is float:
            return tree
        if depth > MOST_DEPTH:
            raise BadMessage("lists in lists in lists, without an end")
        if type(tree) is list:
            parts = [self.read(part, buffers, depth + 1) for part in tree]
            self.touched.append((parts, list(parts)))
            return parts
        try:
            return self._read(tree, buffers, depth)
        except (KeyError, IndexError, TypeError, ValueError, OverflowError, RuntimeError) as error:
            raise BadMessage(f"no value ({type(error).__name__})") from None

    def _read(self, tree: Tree, buffers: Buffers, depth: int) -> Any:
        kind = tree["t"]
        if kind == "T":
            return self._read_tensor(tree, buffers)
        if kind == "A":
            return self._read_array(tree, buffers)
        if kind == "scalar":
            return buffers[tree["b"]].reshape(())[()]
        if kind == "dict":
            found = {
                self.read(key, buffers, depth + 1): self.read(part, buffers, depth + 1)
                for key, part in tree["v"]
            }
            self.touched.append((found, dict(found)))
            return found
        if kind in ("tuple", "set", "frozenset", "iterator"):
            parts = [self.read(part, buffers, depth + 1) for part in tree["v"]]
            made: dict[str, Any] = {"tuple": tuple, "set": set}
            made |= {"frozenset": frozenset, "iterator": iter}
            value = made[kind](parts)
            if kind == "set":
                self.touched.append((value, set(parts)))
            return value
        if kind == "named":
            return NAMED[tree["v"]]
        if kind == "R":
            return self._read_generator(tree)
        if kind == "F":
            return self._known(tree["h"]) or self.adopt(
                tree["h"], self.callable_there(tree["h"], str(tree["n"])[:80])
            )
        if kind == "O":
            return elsewhere(str(tree["n"]))
        raise BadMessage("a type that does not cross")

    def _known(self, handle: int) -> Any:
        if type(handle) is not int or not handle:
            raise BadMessage("no handle")
        return self.mine[-handle] if handle < 0 else self.theirs.get(handle)

    def _read_tensor(self, tree: Tree, buffers: Buffers) -> Tensor:
        came = torch.from_numpy(buffers[tree["b"]])
        came = came.view(torch.bfloat16) if tree["half"] else came
        known = self._known(tree["h"])
        if known is None:
            known = self.adopt(tree["h"], came.clone())
            if tree["g"]:
                known.requires_grad_()
        elif not isinstance(known, Tensor):
            raise BadMessage("a handle of something else")
        else:
            overwrite(known, came, bool(tree["g"]))
        self.touched.append((known, (came, bool(tree["g"]))))
        return known

    def _read_array(self, tree: Tree, buffers: Buffers) -> np.ndarray:
        came, known = buffers[tree["b"]], self._known(tree["h"])
        if known is None:
            known = self.adopt(tree["h"], came.copy())
        elif not isinstance(known, np.ndarray):
            raise BadMessage("a handle of something else")
        elif known.shape == came.shape and known.dtype == came.dtype:
            known[...] = came
        self.touched.append((known, came))
        return known

    def _read_generator(self, tree: Tree) -> np.random.Generator:
        state, known = _state_read(tree["v"]), self._known(tree["h"])
        if known is None:
            made = BIT_GENERATORS[state["bit_generator"]](0)
            known = self.adopt(tree["h"], np.random.Generator(made))
        elif not isinstance(known, np.random.Generator):
            raise BadMessage("a handle of something else")
        known.bit_generator.state = state
        self.touched.append((known, state))
        return known

    def changed(self, since: int) -> bool:
        """Whether anything that was read since then, counted in `touched`, is another now."""
        return any(differs(value, before) for value, before in self.touched[since:])


def _name(value: Any) -> str:
    name = getattr(value, "__name__", None)
    return name if isinstance(name, str) else type(value).__name__


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
