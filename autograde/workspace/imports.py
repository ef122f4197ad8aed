"""The import statement that brings a thing of an installed package under its name."""

import sys
from collections.abc import Iterator
from pathlib import Path
from types import BuiltinFunctionType, ModuleType
from typing import Any

from autograde.workspace.literals import CannotBeWritten
from autograde.workspace.place import KEPT_IN


def import_of(name: str, value: Any, own: Path) -> str:
    """``import numpy as np``, ``from torch import Tensor``: whatever makes ``name`` mean ``value``.

    Parameters
    ----------
    own : the learner's folder; a module in it is found from one lesson only.

    Returns
    -------
    The statement; "" where no installed module holds the value.

    Raises
    ------
    CannotBeWritten
        For a module of the learner's own.
    """
    if isinstance(value, ModuleType):
        if _stands_in(own, value):
            raise CannotBeWritten("is a module of your own, which other lessons do not find")
        return f"import {value.__name__}" + (f" as {name}" if name != value.__name__ else "")
    for module, attribute in _homes(name, value):
        holder = sys.modules.get(module)
        held = getattr(holder, "__dict__", {}).get(attribute)
        if isinstance(holder, ModuleType) and held is value and not _stands_in(own, holder):
            under = f" as {name}" if name != attribute else ""
            return f"from {module} import {attribute}{under}"
    return ""


def _homes(name: str, value: Any) -> Iterator[tuple[str, str]]:
    """Where the value may be found: the shortest public name of its own module first."""
    attributes = dict.fromkeys((getattr(value, "__name__", name), name))
    for module in (getattr(value, "__module__", None), type(value).__module__):
        if isinstance(module, str) and module not in ("__main__", "builtins"):
            parts = module.split(".")
            for length in range(1, len(parts) + 1):
                yield from ((".".join(parts[:length]), str(a)) for a in attributes)
    if isinstance(value, BuiltinFunctionType):  # they often do not say where they live
        public = [module for module in sys.modules if "._" not in f".{module}"]
        for module in sorted(public, key=lambda m: (m.count("."), m)):
            yield from ((module, str(a)) for a in attributes)


def _stands_in(own: Path, module: ModuleType) -> bool:
    """Whether it is a module of the learner's, and none of the kept parts."""
    file = getattr(module, "__file__", None)
    kept = module.__name__.partition(".")[0] in KEPT_IN
    return isinstance(file, str) and Path(file).is_relative_to(own) and not kept
