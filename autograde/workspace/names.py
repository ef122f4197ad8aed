"""Which global names a piece of source uses, and when it needs them."""

import ast
import re
import symtable
from collections.abc import Callable
from dataclasses import dataclass

from autograde.workspace.annotations import Unquoted

_COMPREHENSIONS = ("listcomp", "setcomp", "dictcomp", "genexpr")


@dataclass(frozen=True)
class Names:
    """Names of the notebook in a definition, in the order in which they stand there.

    Attributes
    ----------
    at_once : needed when the definition runs: decorators, defaults, bases, what stands in a class.
    later : needed when the function is called.
    in_annotations : in type annotations alone; nothing runs on them.
    """

    at_once: tuple[str, ...]
    later: tuple[str, ...]
    in_annotations: tuple[str, ...]


def names_in(text: str) -> Names:
    """The global names that a definition uses."""
    at_once, later = _globals(ast.unparse(_WithoutAnnotations().visit(ast.parse(text))))
    annotated = set().union(*_globals(ast.unparse(Unquoted().visit(ast.parse(text)))))
    found = [at_once, later - at_once, annotated - at_once - later]
    return Names(*(tuple(sorted(names, key=_first(text))) for names in found))


def _first(text: str) -> Callable[[str], tuple[int, str]]:
    """Where a name stands first."""

    def place(name: str) -> tuple[int, str]:
        found = re.search(rf"\b{name}\b", text)
        return (found.start() if found else len(text)), name

    return place


def modules_in(text: str, package: str) -> list[str]:
    """What stands in the source after ``package.``: "torch.nn.functional.relu" for ``torch``."""
    dotted = [
        ast.unparse(node) for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Attribute)
    ]
    return [name for name in dotted if name.startswith(f"{package}.")]


def _globals(text: str) -> tuple[set[str], set[str]]:
    at_once: set[str] = set()
    later: set[str] = set()

    def look(table: symtable.SymbolTable, runs_now: bool) -> None:
        outermost = table.get_type() == "module"
        for symbol in table.get_symbols():
            if symbol.is_referenced() and (outermost or symbol.is_global()):
                (at_once if runs_now else later).add(symbol.get_name())
        for child in table.get_children():
            is_class = child.get_type() == "class"
            look(child, runs_now and (is_class or child.get_name().strip("<>") in _COMPREHENSIONS))

    look(symtable.symtable(text, "<part>", "exec"), True)
    return at_once, later


class _WithoutAnnotations(ast.NodeTransformer):
    def visit_arg(self, node: ast.arg) -> ast.arg:
        node.annotation = None
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.returns = None
        return self.generic_visit(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AST:
        node.returns = None
        return self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        node.annotation = ast.Constant(None)
        return self.generic_visit(node)
