"""A learner's workspace: the folder of `make lab`, and answers written in notebooks."""

import ast
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from autograde.building.cell_code import tree
from autograde.building.lesson_source import read_lesson
from autograde.workspace.place import KEPT_IN


@contextmanager
def at_a_workspace(folder: Path, patch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Work in the notebook of a lesson in ``folder/work``; what was taken up is forgotten then."""
    (folder / "work/.course").mkdir(parents=True)
    (folder / "work/00_test").mkdir()
    patch.chdir(folder / "work/00_test")
    yield folder / "work"
    for name in [name for name in sys.modules if name.partition(".")[0] in KEPT_IN]:
        del sys.modules[name]


def written(text: str, name: str, file: Path, namespace: dict[str, Any]) -> Callable[..., Any]:
    """What a cell of this text, kept in ``file`` as a kernel keeps it, calls ``name``."""
    file.write_text(text, encoding="utf-8")
    exec(compile(text, str(file), "exec"), namespace)
    return namespace[name]


def answers(source: Path, folder: Path) -> Iterator[tuple[str, Callable[..., Any]]]:
    """The answers of a lesson, one after the other, as in its notebook.

    With the imports of all its cells, and with the parts that it takes up by `mine`.
    """
    cells = [cell for cell in read_lesson(source).cells if cell.kind == "code"]
    namespace: dict[str, Any] = {}
    before = [node for cell in cells for node in tree(cell.source).body if _comes_first(node)]
    before.sort(key=lambda node: isinstance(node, ast.Assign))
    exec(compile(ast.Module(before, []), "<before>", "exec"), namespace)
    for cell in cells:
        if cell.role == "exercise":
            file = folder / f"{cell.name}_cell.py"
            yield cell.name, written(cell.source, cell.name, file, namespace)


def _comes_first(node: ast.stmt) -> bool:
    if not isinstance(node, ast.Assign):
        return isinstance(node, ast.Import | ast.ImportFrom)
    calls = node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]
    return all(isinstance(c, ast.Call) and ast.unparse(c.func) == "mine" for c in calls)
