"""Which packages a kept part needs, by itself and through the parts that it imports."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

from autograde.desk.parts import read
from autograde.desk.place import PACKAGE

MAY_NEED = ("torch", "numpy", "h5py")


def foreign_imports(folder: Path, name: str) -> dict[str, str]:
    """Modules that are not torch's, NumPy's, h5py's or Python's, each with the part that needs it.

    Parameters
    ----------
    folder : the kept parts, ``NAME.py`` each
    name : of the part
    """
    found: dict[str, str] = {}
    seen: set[str] = set()
    ahead = [name]
    while ahead:
        part = ahead.pop()
        seen.add(part)
        for module in _imported(read(folder / f"{part}.py") or ""):
            package, _, inner = module.partition(".")
            if package != PACKAGE:
                if package not in (*MAY_NEED, *sys.stdlib_module_names):
                    found.setdefault(module, part)
            elif (beside := inner.partition(".")[0]) and beside not in seen:
                ahead.append(beside)
    return found


def _imported(text: str) -> Iterator[str]:
    """The full names of the modules that a text imports, wherever it does."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):  # a part that is imported only when a function is called
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            module = node.module or ""
            module = f"{PACKAGE}.{module}".rstrip(".") if node.level else module
            alone = module == PACKAGE
            yield from (f"{module}.{alias.name}" for alias in node.names) if alone else (module,)
