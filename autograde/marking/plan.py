"""What is executed to mark a notebook, and what is not: a slice of its given cells.

The student's own cells are run, in their order, and of the given ones only the statements that an
answer leans on: imports, functions and data whose names it uses, and what those use. Training and
figures that no answer reads are left out.
"""

import ast
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from pathlib import Path

from IPython.core.inputtransformer2 import TransformerManager
from nbformat.notebooknode import NotebookNode

from autograde.marking.names import Piece, imports_of, needed, pieces
from autograde.marking.oracles import Symbol, is_hidden, module_from

NOT_PARSED = (SyntaxError, ValueError, RecursionError, MemoryError)
FOR_THE_COURSE = ("or_reference", "mine")


@dataclass(frozen=True)
class Step:
    """One thing to do.

    ``kind`` is "given" (a statement of the lesson), "own" (a cell of the student's) or "check".
    ``uses`` holds the exercises whose functions a statement asks for, and what it offers for them.
    ``late`` holds what a statement takes of the course that would answer an exercise: the symbols,
    and the imports that bring them.
    """

    kind: str
    source: str
    label: str
    exercise: str = ""
    uses: tuple[tuple[str, str], ...] = ()
    matters: bool = True
    late: tuple[tuple[Symbol, str], ...] = ()
    binds: frozenset[str] = frozenset()
    reads: frozenset[str] = frozenset()


@dataclass(frozen=True)
class _Cell:
    label: str
    kind: str
    source: str
    parts: tuple[Piece, ...]
    exercise: str = ""


def plan(
    notebook: NotebookNode,
    released: NotebookNode,
    everything: bool = False,
    gone: Set[Symbol] = frozenset(),
) -> list[Step]:
    """The steps for a notebook whose check cells are those of the release.

    Parameters
    ----------
    everything : run all given cells, also those that no answer leans on
    gone : what the packages are without; with everything, what takes these comes late
    """
    given = {_bare(cell.source) for cell in released.cells if cell.cell_type == "code"}
    answers = {_grade_id(cell) for cell in released.cells if _nbgrader(cell).get("solution")}
    originals = {cell.get("id"): cell.source for cell in released.cells}
    cells = [*_cells(notebook, given, answers, originals)]
    loose = [
        (number, place, part)
        for number, cell in enumerate(cells)
        if cell.kind in ("given", "own")
        for place, part in enumerate(cell.parts)
    ]
    wanted = {
        name
        for cell in cells
        if cell.kind in ("answer", "check")
        for part in cell.parts
        for name in part.reads
    }
    written = [part for cell in cells if cell.kind == "answer" for part in cell.parts]
    taken, names = needed([part for _, _, part in loose], wanted, written)
    kept = {(loose[index][0], loose[index][1]) for index in taken}
    whole = Rest(cells_parts(cells), gone) if everything else None
    steps = []
    for number, cell in enumerate(cells):
        if cell.kind == "check":
            steps.append(Step("check", cell.source, cell.label, cell.exercise))
        elif cell.kind == "given":
            for place, part in enumerate(cell.parts):
                if whole is not None:
                    steps += whole.steps(part, cell.label)
                elif (number, place) in kept:
                    steps += _given(part, names, cell.label)
        else:
            matters = cell.kind == "answer" or any(at == number for at, _ in kept)
            uses = tuple(use for part in cell.parts for use in _uses(part))
            steps.append(Step("own", cell.source, cell.label, "", uses, matters))
    return steps


def _given(part: Piece, names: set[str], label: str) -> Iterator[Step]:
    is_import = isinstance(part.node, ast.Import | ast.ImportFrom)
    if text := imports_of(part, names) if is_import else part.text:
        yield Step("given", text, label, "", tuple(_uses(part)))


class Rest:
    """All given statements of a notebook, where those that would answer an exercise come late."""

    def __init__(self, parts: Sequence[Piece], gone: Set[Symbol]) -> None:
        self._gone = gone
        self._as_module = module_from("__main__", Path("notebook.py"), "", tuple(parts))
        self._late: dict[str, tuple[Symbol, str]] = {}

    def steps(self, part: Piece, label: str) -> Iterator[Step]:
        """The step of a statement; of an import, those of its names that answer nothing."""
        taken = {s for s in self._as_module.uses(part) if s in self._gone or is_hidden(s[0])}
        text = part.text
        if isinstance(part.node, ast.Import | ast.ImportFrom) and taken:
            late = {
                name: symbol
                for symbol in taken
                for name in part.binds
                if imports_of(part, {name}) in _spellings(symbol, name)
            }
            self._late |= {n: (symbol, imports_of(part, {n})) for n, symbol in late.items()}
            text, taken = imports_of(part, part.binds - late.keys()), set()
        brought = {self._late[name] for name in part.reads if name in self._late}
        brought |= {(symbol, "") for symbol in taken}
        if text:
            names = part.binds | part.changes, part.reads
            yield Step("given", text, label, "", tuple(_uses(part)), True, tuple(brought), *names)


def _spellings(symbol: Symbol, name: str) -> tuple[str, ...]:
    start = f"from {symbol[0]} import {symbol[1]}"
    return (start,) if name == symbol[1] else (f"{start} as {name}",)


def cells_parts(cells: Sequence[_Cell]) -> list[Piece]:
    """The statements of the given cells."""
    return [part for cell in cells if cell.kind == "given" for part in cell.parts]


def _cells(
    notebook: NotebookNode, given: set[str], answers: set[str], originals: dict[str, str]
) -> Iterator[_Cell]:
    number = 0
    for cell in notebook.cells:
        if cell.cell_type != "code":
            continue
        number += 1
        label, source = f"<cell {number}>", _plain_python(cell.source)
        nbgrader = _nbgrader(cell)
        if nbgrader.get("grade") and nbgrader.get("locked"):
            name, expression = checked(cell.source)
            yield _Cell(label, "check", expression, _parts(expression), name)
        elif nbgrader.get("solution") and _grade_id(cell) in answers:
            yield _Cell(label, "answer", source, _parts(source))
        elif _bare(cell.source) in given:
            yield _Cell(label, "given", source, _parts(source))
        elif cell.metadata.get("marking", {}).get("kind") == "given":  # one that they edited
            before = originals.get(cell.get("id"), "")
            yield _Cell(label, "given", "", (*_parts(before), *_parts(source)))
        else:
            yield _Cell(label, "own", source, _parts(source))


def checked(source: str) -> tuple[str, str]:
    """The exercise that a check cell names, and the expression that it checks."""
    for node in ast.walk(ast.parse(source)):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name)):
            continue
        if node.func.id == "check" and len(node.args) == 2:
            first, second = node.args
            if isinstance(first, ast.Constant):
                return str(first.value), ast.unparse(second)
    raise ValueError(f"a check cell without a check: {source[:80]!r}")


def _uses(part: Piece) -> Iterator[tuple[str, str]]:
    for node in ast.walk(part.node):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.args:
            first = node.args[0]
            if node.func.id in FOR_THE_COURSE and isinstance(first, ast.Constant):
                offered = ast.unparse(node.args[1]) if len(node.args) > 1 else ""
                yield str(first.value), offered


def _plain_python(source: str) -> str:
    """A cell without magics and shell commands: they become calls that the sandbox ignores."""
    try:
        ast.parse(source)
    except NOT_PARSED:
        try:
            return TransformerManager().transform_cell(source)
        except Exception:
            return source
    return source


def _parts(source: str) -> tuple[Piece, ...]:
    try:
        return tuple(pieces(source))
    except NOT_PARSED:
        return ()


def _bare(source: str) -> str:
    return "\n".join(line.rstrip() for line in source.strip().splitlines())


def _nbgrader(cell: NotebookNode) -> dict[str, object]:
    found: dict[str, object] = cell.metadata.get("nbgrader", {})
    return found


def _grade_id(cell: NotebookNode) -> str:
    return str(_nbgrader(cell).get("grade_id", ""))


def exercises_of(released: NotebookNode) -> Sequence[str]:
    """The exercises that a lesson's check cells name, in their order."""
    return [
        checked(cell.source)[0]
        for cell in released.cells
        if cell.cell_type == "code"
        and _nbgrader(cell).get("grade")
        and _nbgrader(cell).get("locked")
    ]
