"""Which packages a kept part needs, by itself and through the parts that it imports."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

from autograde.workspace.parts import file_of, read
from autograde.workspace.place import ELMO_PARTS, KEPT_IN, PACKAGE

MAY_NEED = ("torch", "numpy", "h5py")
_FREE = (PACKAGE, *MAY_NEED, *sys.stdlib_module_names)


def foreign(text: str) -> list[str]:
    """Modules that a text imports, but Python's, torch's, NumPy's, h5py's and those of an ELMo."""
    return [module for module in imported(text) if module.partition(".")[0] not in _FREE]


def foreign_imports(workspace: Path, name: str) -> dict[str, str]:
    """The foreign modules that a kept part needs, each with the part that imports it."""
    return {
        module: part
        for part, text in reversed(needed(workspace, name).items())
        for module in foreign(text)
    }


def stand_ins(workspace: Path, name: str, draft: Path | None = None) -> set[str]:
    """The parts of an ELMo that a kept part needs and that are not there."""
    found = needed(workspace, name, draft)
    used = {part for text in found.values() for part in parts_in(text)}
    return {part for part in used - found.keys() if part in ELMO_PARTS}


def needed(workspace: Path, name: str, draft: Path | None = None) -> dict[str, str]:
    """The text of a kept part, and of each part that it needs, itself first.

    Parameters
    ----------
    draft : a folder whose files come before those of the workspace
    """
    found: dict[str, str] = {}
    ahead = [name]
    while ahead:
        part = ahead.pop(0)
        text = read(draft / f"{part}.py") if draft else None
        if text is None:
            text = read(file_of(workspace, part))
        if part not in found and text is not None:
            found[part] = text
            ahead += parts_in(text)
    return found


def parts_in(text: str) -> list[str]:
    """The kept parts that a text imports."""
    names = [module.split(".") for module in imported(text)]
    return [parts[1] for parts in names if parts[0] in KEPT_IN and len(parts) > 1]


def imported(text: str) -> Iterator[str]:
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
            alone = module in KEPT_IN
            yield from (f"{module}.{alias.name}" for alias in node.names) if alone else (module,)
