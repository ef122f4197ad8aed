"""A closed list of types between two processes.

Numbers, text, arrays, tensors, random generators, lists, tuples, sets, dicts, callables, modules
and optimisers cross. Of anything else its type's name crosses.
"""

import itertools
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from autograde.marking.asking.identity import Buffers, CannotCross, Identity, Tree
from autograde.marking.asking.wire import KINDS, BadMessage

PLAIN = (type(None), bool, int, str)
MOST_DEPTH = 60
MOST_PARTS = 6_000_000
MOST_BITS = 4_000  # of a whole number; Python writes out none of more than 4,300 digits
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


class Endless(Iterator[Any]):
    """Stands for an iterator without an end, of which the other side gives one part at a time."""

    def __init__(self, step: Callable[[], Any]) -> None:
        self.step = step

    def __next__(self) -> Any:
        return self.step()


class Elsewhere:
    """Stands for an object that stayed in the other process; only its type's name is known."""


def elsewhere(name: str) -> Elsewhere:
    """A stand-in whose type has this name."""
    name = name[:80] if name.isidentifier() else "object"
    made: Elsewhere = type(name, (Elsewhere,), {})()
    return made


class Values(Identity):
    """What has crossed so far, in both directions, and the way to write and read more of it.

    Parameters
    ----------
    callable_there : makes what stands here for a callable of the other side, from handle and name
    strict : whether an unknown type is an error (the course's side) or a name (the student's)

    Attributes
    ----------
    live : modules and optimisers that were written or read, by their handles
    """

    def __init__(self, callable_there: Callable[[int, str], Any], strict: bool) -> None:
        super().__init__(strict)
        self.callable_there = callable_there
        self.live: dict[int, Any] = {}

    def write(self, value: Any, buffers: Buffers, depth: int = 0) -> Tree:
        """The JSON tree of a value; its arrays are added to the buffers."""
        kind = type(value)
        if kind is int and value.bit_length() > MOST_BITS:
            return (1 << MOST_BITS) * (1 if value > 0 else -1)
        if kind in PLAIN or kind is float:
            return value
        if depth > MOST_DEPTH:
            raise CannotCross("lists in lists in lists, without an end")
        if kind is list:
            return [self.write(part, buffers, depth + 1) for part in value]
        found = self._identified(value, buffers)
        if found is not None:
            return found
        if isinstance(value, tuple | set | frozenset):
            name = "tuple" if isinstance(value, tuple) else kind.__name__
            return {"t": name, "v": [self.write(part, buffers, depth + 1) for part in value]}
        if isinstance(value, Mapping):
            rows = [[self.write(part, buffers, depth + 1) for part in row] for row in value.items()]
            return {"t": "dict", "v": rows}
        if isinstance(value, torch.dtype | torch.device) and str(value) in NAMED:
            return {"t": "named", "v": str(value)}
        if isinstance(value, itertools.cycle | itertools.count | Endless):
            step = value.step if isinstance(value, Endless) else value.__next__
            return {"t": "endless", "v": self.write(step, buffers, depth + 1)}
        if isinstance(value, Iterator):
            parts = list(itertools.islice(value, MOST_PARTS))
            return {"t": "iterator", "v": [self.write(part, buffers, depth + 1) for part in parts]}
        bases: tuple[Any, ...] = (int, float, str, list)
        for base in bases:
            if isinstance(value, base):  # of a class of the student's: what it is made of
                return self.write(base(value), buffers, depth + 1)
        if callable(value):
            return {"t": "F", "h": self.handle(value), "n": _name(value)}
        if self.strict:
            raise CannotCross(f"{kind.__module__}.{kind.__qualname__}")
        return {"t": "O", "n": kind.__name__}

    def _identified(self, value: Any, buffers: Buffers) -> Tree:
        if isinstance(value, Tensor):
            return self.write_tensor(value, buffers)
        if isinstance(value, np.generic | np.ndarray) and value.dtype.kind in KINDS:
            return self.write_array(value, buffers)
        if isinstance(value, np.random.Generator):
            return self.write_generator(value)
        if isinstance(value, torch.Generator):
            return self.write_torch_generator(value, buffers)
        optimiser = isinstance(value, torch.optim.Optimizer)
        if isinstance(value, nn.Module) or (optimiser and (self.strict or self.is_theirs(value))):
            handle = self.handle(value)
            self.live.setdefault(handle, value)
            return {"t": "L", "h": handle}
        return None

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
            return self.read_tensor(tree, buffers)
        if kind == "A":
            return self.read_array(tree, buffers)
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
            return self.read_generator(tree)
        if kind == "G":
            return self.read_torch_generator(tree, buffers)
        if kind == "F":
            return self.read_callable(tree, self.callable_there)
        if kind == "L":
            return self.live[-tree["h"]]
        if kind == "endless":
            return Endless(self.read(tree["v"], buffers, depth + 1))
        if kind == "O":
            return elsewhere(str(tree["n"]))
        raise BadMessage("a type that does not cross")


def _name(value: Any) -> str:
    name = getattr(value, "__name__", None)
    return name if isinstance(name, str) else type(value).__name__
