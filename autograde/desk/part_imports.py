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
    own = (PACKAGE, *MAY_NEED, *sys.stdlib_module_names)
    return {
        module: part
        for part, modules in reversed(imports_of(folder, name).items())
        for module in modules
        if module.partition(".")[0] not in own
    }


def imports_of(folder: Path, name: str) -> dict[str, list[str]]:
    """The modules that a part imports, and those of each part that it uses, itself first."""
    found: dict[str, list[str]] = {}
    ahead = [name]
    while ahead:
        part = ahead.pop(0)
        if part not in found:
            found[part] = list(_imported(read(folder / f"{part}.py") or ""))
            beside = [module.split(".") for module in found[part]]
            ahead += [names[1] for names in beside if names[0] == PACKAGE and len(names) > 1]
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
