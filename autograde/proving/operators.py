"""The ways people slip, as changes of one place in a syntax tree.

Each operator is a function from a node to what may stand there instead. `slips` goes through a
function and gives every change once, with the operator's name and what it reads like.
"""

import ast
import copy
from collections.abc import Iterator
from dataclasses import dataclass

from autograde.proving.expressions import EXPRESSIONS
from autograde.proving.sources import Place, Tree
from autograde.proving.statements import STATEMENTS


@dataclass(frozen=True)
class Slip:
    """One change: the operator that made it, how it reads, and the tree that came of it."""

    operator: str
    change: str
    tree: Tree


def slips(place: Place) -> Iterator[Slip]:
    """Every change of a function, in the order of its nodes; each result once."""
    tree = place.tree
    seen = {ast.unparse(tree)}
    guarded = set(_guards(tree))
    for number, node in enumerate(ast.walk(tree)):
        if node in guarded:
            continue
        for name, replacement in _replacements(place, node):
            mutated = copy.deepcopy(tree)
            _replace(mutated, number, copy.deepcopy(replacement))
            ast.fix_missing_locations(mutated)
            text = ast.unparse(mutated)
            if text not in seen:
                seen.add(text)
                yield Slip(name, _change(tree, mutated), mutated)


def _replacements(place: Place, node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    operators = STATEMENTS if isinstance(node, ast.stmt | ast.Lambda) else EXPRESSIONS
    for name, operator in operators.items():
        for replacement in operator(node, place):
            yield name, replacement


def _guards(tree: Tree) -> Iterator[ast.AST]:
    """What is no part of the answer: annotations, defaults, and lines that guard against misuse."""
    for node in ast.walk(tree):
        outside: list[ast.AST | None] = []
        if isinstance(node, ast.stmt) and _only_guards(node):
            outside = [node]
        elif isinstance(node, ast.If) and all(map(_only_guards, node.body)):
            outside = [node.test, *node.body]
        elif isinstance(node, ast.FunctionDef):
            outside = [node.args, node.returns, *node.decorator_list]
        elif isinstance(node, ast.AnnAssign):
            outside = [node.annotation]
        for part in filter(None, outside):
            yield from ast.walk(part)


def _only_guards(line: ast.stmt) -> bool:
    """Whether a line raises, calls a guard, or does nothing but lead to such lines."""
    if isinstance(line, ast.If):
        return not line.orelse and all(map(_only_guards, line.body))
    if isinstance(line, ast.For):
        rest = [inner for inner in line.body if not isinstance(inner, ast.Assign)]
        return bool(rest) and all(map(_only_guards, rest))
    return isinstance(line, ast.Raise) or _is_check(line)


def _is_check(node: ast.AST) -> bool:
    """Whether this line calls a guard of ours, such as `_check(emissions, mask)`."""
    called = getattr(node, "value", None) if isinstance(node, ast.Expr) else None
    return isinstance(called, ast.Call) and getattr(called.func, "id", "").startswith("_check")


def _replace(tree: Tree, number: int, replacement: ast.AST) -> None:
    """Put ``replacement`` where `ast.walk` finds its ``number``-th node."""
    old = next(node for count, node in enumerate(ast.walk(tree)) if count == number)
    for parent in ast.walk(tree):
        for field, value in ast.iter_fields(parent):
            if value is old:
                setattr(parent, field, replacement)
            elif isinstance(value, list) and any(item is old for item in value):
                setattr(parent, field, [replacement if item is old else item for item in value])


def _change(before: Tree, after: Tree) -> str:
    """The lines that differ, as the old ones and the new ones."""
    old, new = (ast.unparse(tree).splitlines() for tree in (before, after))
    while old and new and old[0] == new[0]:
        del old[0], new[0]
    while old and new and old[-1] == new[-1]:
        del old[-1], new[-1]
    return " → ".join(
        "; ".join(line.strip() for line in lines) or "nothing" for lines in (old, new)
    )
