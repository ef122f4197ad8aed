"""Which names a piece of code binds, and which it takes from outside: static slicing of source.

A piece is a statement of a module or of a notebook's cell. Methods and inner functions count with
the statement that they stand in: what they read when they are called, the statement needs.
"""

import ast
import builtins
import symtable
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

BUILT_IN = frozenset(dir(builtins))
Import = ast.Import | ast.ImportFrom
FIXED = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef)


@dataclass(frozen=True)
class Piece:
    """A top-level statement: its text, what it binds, what it changes in place, what it reads.

    ``chains`` holds the dotted names that it reads, such as ``course.sgns_loss``; ``imports`` the
    import statements in it, also those in functions.
    """

    text: str
    line: int
    node: ast.stmt
    binds: frozenset[str]
    changes: frozenset[str]
    reads: frozenset[str]
    chains: frozenset[str] = field(default=frozenset())
    imports: tuple[Import, ...] = ()


def pieces(source: str) -> list[Piece]:
    """The statements of a source.

    Raises
    ------
    SyntaxError
        If it is none.
    """
    lines = source.splitlines()
    body = ast.parse(source).body
    starts = [min([n.lineno, *(d.lineno for d in getattr(n, "decorator_list", []))]) for n in body]
    ends = [node.end_lineno or node.lineno for node in body]
    found = []
    for place, (node, first, last) in enumerate(zip(body, starts, ends, strict=True)):
        text = "\n".join(lines[first - 1 : last])
        shared = first in ends[max(place - 1, 0) : place] or last in starts[place + 1 : place + 2]
        found.append(piece(text, first, node, ast.unparse(node) if shared else text))
    return found


def piece(text: str, line: int, node: ast.stmt, alone: str) -> Piece:
    """A statement with its names; ``alone`` is its text without others in the same line."""
    binds: set[str] = set()
    changes: set[str] = set()
    reads: set[str] = set()
    chains: set[str] = set()
    imports: list[Import] = []
    for part in _outside_functions(node):
        if isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            binds.add(part.name)
        elif isinstance(part, ast.Import | ast.ImportFrom):
            binds |= {(alias.asname or alias.name.split(".")[0]) for alias in part.names}
        elif isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
            binds.add(part.id)
        elif isinstance(part, ast.Attribute | ast.Subscript) and isinstance(part.ctx, ast.Store):
            changes |= {root} if (root := root_of(part)) else set()
        elif isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute):
            changes |= {root} if (root := root_of(part.func)) else set()
    for part in ast.walk(node):
        if isinstance(part, ast.Attribute) and (dotted := _dotted(part)):
            chains.add(dotted)
        elif isinstance(part, Import):
            imports.append(part)
        elif isinstance(part, ast.AugAssign) and isinstance(part.target, ast.Name):
            reads.add(part.target.id)
    reads |= _read_outside(symtable.symtable(alone, "piece", "exec"))
    names = frozenset(reads - BUILT_IN | (reads & binds))
    sets = frozenset(binds), frozenset(changes), names, frozenset(chains)
    return Piece(text, line, node, *sets, tuple(imports))


def _read_outside(table: symtable.SymbolTable) -> set[str]:
    """The names that are read and are nobody's own: those of a function's locals are left out."""
    top = table.get_type() == "module"
    symbols = [s for s in table.get_symbols() if s.is_referenced() and (top or s.is_global())]
    inner = (_read_outside(child) for child in table.get_children())
    return {symbol.get_name() for symbol in symbols}.union(*inner)


def root_of(node: ast.expr) -> str:
    """The name that a chain of attributes and subscripts begins with; "" for another thing."""
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def _dotted(node: ast.expr) -> str:
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        before = _dotted(node.value)
        return f"{before}.{node.attr}" if before else ""
    return ""


def _outside_functions(node: ast.AST) -> Iterable[ast.AST]:
    """A statement's parts, without what has names of its own: bodies, and what `for x in` binds."""
    yield node
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
        return
    own = node.target if isinstance(node, ast.comprehension) else None
    for child in ast.iter_child_nodes(node):
        if child is own:
            continue
        yield from _outside_functions(child)


def needed(
    given: Sequence[Piece], names: Iterable[str], answers: Sequence[Piece] = ()
) -> tuple[set[int], set[str]]:
    """Which of the pieces it takes for these names to be there, by their places; and all names.

    A piece that binds one of the names or changes it in place is taken, and then what that piece
    reads is needed, too. Calling a function of something that was imported or defined (here, or in
    one of the ``answers``) does not count as changing it; nor does a change of what nobody binds,
    such as a module whose import a student has left out.
    """
    wanted = set(names)
    taken: set[int] = set()
    every = (*given, *answers)
    fixed = {name for part in every if isinstance(part.node, FIXED) for name in part.binds}
    changing = {name for part in every for name in part.binds} - fixed
    while True:
        more = {
            place
            for place, part in enumerate(given)
            if place not in taken and (part.binds & wanted or part.changes & wanted & changing)
        }
        if not more:
            return taken, wanted
        taken |= more
        for place in more:
            if not isinstance(given[place].node, ast.Import | ast.ImportFrom):
                wanted |= given[place].reads


def imports_of(part: Piece, wanted: Iterable[str]) -> str:
    """An import statement with those of its names that are wanted; "" if none is."""
    node, wanted = part.node, set(wanted)
    assert isinstance(node, ast.Import | ast.ImportFrom)
    kept = [a for a in node.names if (a.asname or a.name.split(".")[0]) in wanted]
    if not kept:
        return ""
    if isinstance(node, ast.Import):
        return ast.unparse(ast.Import(kept))
    return ast.unparse(ast.ImportFrom(node.module, kept, node.level))
