"""Modules and optimisers that both sides hold: before a message, what has changed is written.

Each lives on one side and has a stand-in on the other. What either side does to weights, gradients,
modes, parts and learning rates is done on the other one, too.
"""

from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import Parameter

from autograde.marking.asking.changes import overwrite, same_numbers
from autograde.marking.asking.identity import Buffers, Tree, read_numbers, write_numbers
from autograde.marking.asking.stand_ins import (
    Asked,
    OptimiserThere,
    described,
    put,
    stand_in,
    weights_of,
)
from autograde.marking.asking.values import Values
from autograde.marking.asking.wire import BadMessage

KINDS = ("parameters", "buffers", "modules")
MOST_LIVE = 2_000
NUMBERS = (bool, int, float)


class Live:
    """The live objects of one side.

    Parameters
    ----------
    there : what their stand-ins ask the other side with
    """

    def __init__(self, values: Values, there: Asked) -> None:
        self.values, self.there = values, there
        self.objects = values.live
        self._told: dict[int, Tree] = {}
        self._learns: dict[int, bool] = {}
        self._slopes: dict[int, Tensor | None] = {}

    def weights(self) -> list[Tensor]:
        """Parameters that learn, of the modules and optimisers that both sides know."""
        found = {}
        for owner in self.objects.values():
            for weight in _weights(owner):
                if weight.requires_grad and weight.is_leaf:
                    found[id(weight)] = weight
        return list(found.values())

    def changes(self, buffers: Buffers) -> Tree:
        """What has changed since it was last told, here or there."""
        owners: list[Tree] = []
        tensors: dict[int, Tree] = {}
        rest = [*self.objects]
        while rest:
            handle = rest.pop(0)
            owner = self.objects[handle]
            for weight in _weights(owner):
                self._weight(weight, tensors, buffers)
            before = len(self.objects)
            now = self._tree(owner)
            rest += [*self.objects][before:]
            if self._told.get(handle) != now:
                self._told[handle] = now
                owners.append({"h": handle, **now})
        rows = [tree for tree in tensors.values() if tree]
        return {"weights": rows, "owners": owners} if rows or owners else None

    def _weight(self, weight: Tensor, tensors: dict[int, Tree], buffers: Buffers) -> None:
        handle = self.values.handle(weight)
        if handle in tensors:
            return
        tree = self.values.write_tensor(weight, buffers) | {"p": isinstance(weight, Parameter)}
        slope, before = weight.grad if weight.is_leaf else None, self._slopes.get(handle)
        changed = (slope is None) is not (before is None)
        if slope is not None and before is not None:
            changed = not same_numbers(slope, before)
        if changed:
            self._slopes[handle] = None if slope is None else slope.detach().clone()
            tree["slope"] = None if slope is None else write_numbers(slope.detach().cpu(), buffers)
        same = self._learns.get(handle) == tree["g"] and "b" not in tree and "slope" not in tree
        self._learns[handle] = tree["g"]
        tensors[handle] = {} if same else tree

    def _tree(self, owner: Any) -> Tree:
        if isinstance(owner, torch.optim.Optimizer):
            return {"groups": [self._group(group) for group in owner.param_groups]}
        tree = {"n": type(owner).__name__, "d": described(owner), "training": bool(owner.training)}
        for kind in KINDS:
            parts = getattr(owner, f"_{kind}")
            tree[kind] = [[name, self._handle(part)] for name, part in parts.items()]
        return tree

    def _group(self, group: dict[str, Any]) -> Tree:
        numbers = {
            name: value if type(value) in NUMBERS else float(value)
            for name, value in group.items()
            if isinstance(value, (*NUMBERS, np.number))
        }
        return [[self.values.handle(weight) for weight in group["params"]], numbers]

    def _handle(self, part: Any) -> int | None:
        if part is None:
            return None
        handle = self.values.handle(part)
        if isinstance(part, nn.Module):
            self.objects.setdefault(handle, part)
        return handle

    def apply(self, tree: Tree, buffers: Buffers) -> None:
        """Do here what the other side has done.

        Raises
        ------
        BadMessage
            If it cannot be read.
        """
        try:
            for row in tree["weights"]:
                self._apply_weight(row, buffers)
            for row in tree["owners"]:
                self._begin(row)
            for row in tree["owners"]:
                self._finish(row)
        except (
            *(KeyError, IndexError, TypeError, ValueError, RuntimeError, AttributeError),
            *(OverflowError, RecursionError),
        ) as error:
            raise BadMessage(f"no module ({type(error).__name__})") from None

    def _apply_weight(self, row: Tree, buffers: Buffers) -> None:
        weight = self.values.read_tensor(row, buffers, bool(row["p"]))
        self.values.touched.pop()  # it is no argument
        handle = -row["h"]
        self._learns[handle] = bool(row["g"])
        if "slope" in row:
            came = None if row["slope"] is None else read_numbers(row["slope"], buffers)
            self._slopes[handle] = came
            if came is None or weight.grad is None or weight.grad.shape != came.shape:
                weight.grad = None if came is None else came.clone()
            else:
                overwrite(weight.grad, came)

    def _begin(self, row: Tree) -> None:
        if self.values.known(row["h"]) is not None:
            return
        if len(self.objects) >= MOST_LIVE:
            raise BadMessage("more modules than one case may hold")
        if "groups" not in row:
            made: Any = stand_in(self.there, str(row["n"]), row["d"])
        elif self.values.strict:
            raise BadMessage("an optimiser")
        else:
            made = OptimiserThere(self.there, [{"params": []} for _ in row["groups"]])
        self.objects[-row["h"]] = self.values.adopt(row["h"], made)

    def _finish(self, row: Tree) -> None:
        owner = self.objects[-row["h"]]
        if isinstance(owner, torch.optim.Optimizer):
            for group, (weights, numbers) in zip(owner.param_groups, row["groups"], strict=True):
                if not self.values.strict:
                    group["params"] = [self.values.known(handle) for handle in weights]
                for name, number in numbers.items():
                    if type(number) in NUMBERS and (not self.values.strict or name in group):
                        group[str(name)] = number
        else:
            owner.training = bool(row["training"])
            for kind in KINDS:
                self._fill(owner, kind, row[kind])
        self._told[-row["h"]] = self._tree(owner)

    def _fill(self, owner: nn.Module, kind: str, rows: Tree) -> None:
        parts = getattr(owner, f"_{kind}")
        wanted = {str(name): self._part(handle, kind) for name, handle in rows}
        if [*parts] != [*wanted]:  # their order counts, too
            kept = dict(parts)
            parts.clear()
            parts.update({name: kept.get(name) for name in wanted})
        for name, part in wanted.items():
            if parts[name] is not part:
                put(owner, kind, name, part)

    def _part(self, handle: Any, kind: str) -> Any:
        if handle is None:
            return None
        part = self.values.known(handle)
        if not isinstance(part, nn.Module if kind == "modules" else Tensor):
            raise BadMessage("no part")
        return part


def _weights(owner: Any) -> list[Tensor]:
    if isinstance(owner, torch.optim.Optimizer):
        return [weight for group in owner.param_groups for weight in group["params"]]
    return weights_of(owner)
