"""A constant as it was written: ``START = [259, 257, 260] + 47 * [261]``, not its fifty numbers."""

import ast
import builtins
import typing
from collections.abc import Iterator, Mapping
from types import ModuleType
from typing import Any

from autograde.workspace.definitions import texts
from autograde.workspace.literals import CannotBeWritten, literal

_HARMLESS = (
    *(abs, bool, bytes, chr, dict, divmod, enumerate, float, frozenset, int, len, list, max, min),
    *(ord, pow, range, reversed, round, set, sorted, str, sum, tuple, zip),
)
_NEVER = (ast.Lambda, ast.NamedExpr, ast.Await, ast.Yield, ast.YieldFrom)


def is_alias(value: Any) -> bool:
    """Whether it is a type with arguments: ``dict[str, Tensor]``, ``int | None``."""
    return typing.get_origin(value) is not None


def as_written(name: str, value: Any, namespace: Mapping[str, Any], cell: str = "") -> str:
    """The latest assignment that gives the name this value; "" where none is found.

    Only what has no side effects is tried: it has run before, in the learner's cell.

    Parameters
    ----------
    cell : searched after the cells that ran
    """
    for text in (*texts(namespace), cell):
        for statement, expression in reversed([*_assignments(text, name)]):
            if _is_harmless(expression, namespace) and _gives(expression, value, namespace):
                return statement
    return ""


def _assignments(text: str, name: str) -> Iterator[tuple[str, ast.expr]]:
    """Each statement of a text that binds the name alone, or among others, and its right side."""
    try:
        body = ast.parse(text).body
    except (SyntaxError, ValueError):
        return
    for node in body:
        if not isinstance(node, ast.Assign | ast.AnnAssign) or node.value is None:
            continue
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        for target in targets:
            for bound, value in _pairs(target, node.value):
                if bound == name:
                    right = ast.get_source_segment(text, value) or ""
                    whole = value is node.value and value.end_lineno == node.end_lineno
                    right = f"({right})" if "\n" in right and right[0] not in "([{" else right
                    yield f"{name} = {right}{_remark(text, node) if whole else ''}", value


def _pairs(target: ast.expr, value: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    if isinstance(target, ast.Name):
        yield target.id, value
    elif isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        for one, its in zip(target.elts, value.elts, strict=False):
            yield from _pairs(one, its)


def _remark(text: str, node: ast.stmt) -> str:
    line = (
        text.split("\n")[(node.end_lineno or 1) - 1].encode()[node.end_col_offset or 0 :].decode()
    )
    return f"  {line.strip()}" if line.lstrip().startswith("#") else ""


def _is_harmless(expression: ast.expr, namespace: Mapping[str, Any]) -> bool:
    def meant(node: ast.expr) -> Any:
        if isinstance(node, ast.Name):
            return namespace.get(node.id, getattr(builtins, node.id, None))
        if not isinstance(node, ast.Attribute):
            return None
        module = meant(node.value)
        return getattr(module, node.attr, None) if isinstance(module, ModuleType) else None

    called = [node.func for node in ast.walk(expression) if isinstance(node, ast.Call)]
    methods = [
        f for f in called if isinstance(f, ast.Attribute) and isinstance(f.value, ast.Constant)
    ]
    return (
        all(f in methods or any(meant(f) is known for known in _HARMLESS) for f in called)
        and all(
            node in methods or isinstance(meant(node.value), ModuleType)
            for node in ast.walk(expression)
            if isinstance(node, ast.Attribute)
        )
        and not any(isinstance(node, _NEVER) for node in ast.walk(expression))
    )


def _gives(expression: ast.expr, value: Any, namespace: Mapping[str, Any]) -> bool:
    try:
        again = eval(compile(ast.Expression(expression), "<constant>", "eval"), dict(namespace))
        return again == value if is_alias(value) else literal(again) == literal(value)
    except Exception:  # a name that is gone, a value that has no text
        return False


def constant(name: str, value: Any, namespace: Mapping[str, Any], cell: str = "") -> str:
    """The statement that gives the name this value: as it was written, or else with its literal.

    Raises
    ------
    CannotBeWritten
        If neither is possible.
    """
    plain = "" if is_alias(value) else f"{name} = {literal(value)}"
    if statement := as_written(name, value, namespace, cell) or plain:
        return statement
    raise CannotBeWritten("has no source that could be found")
