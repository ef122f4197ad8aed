"""The student's side of an exercise whose `run` was sent here."""

import importlib
import sys
import types
from typing import Any

import numpy as np
import torch


def module_of(name: str) -> types.ModuleType:
    """A module of the course, an empty one where this build does not have it."""
    if name not in sys.modules:
        try:
            importlib.import_module(name)
        except ImportError:
            made = types.ModuleType(name)
            made.__file__ = f"/nowhere/{name}.py"
            sys.modules[name] = made
    return sys.modules[name]


def run_inside(module: Any, name: str, answer: Any, inputs: Any) -> list[Any]:
    """What `run` gives, and whether gradients were left off: in the answer's process."""
    with np.errstate(all="ignore"):
        outputs = getattr(module, name)(answer, inputs)
    off = not torch.is_grad_enabled()
    torch.set_grad_enabled(True)
    return [outputs, off]
