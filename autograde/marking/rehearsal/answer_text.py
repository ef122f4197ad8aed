"""The course's own answers, right and wrong, as text that stands in a cell of a notebook.

An answer of the course leans on the module that it is written in. What of that the notebook would
lack while the lesson is marked, the cell brings along, as a learner would paste it.
"""

import ast
import inspect
import textwrap
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from types import FunctionType
from typing import Any

from autograde.checking.exercise import Answer, Exercise
from autograde.checking.slips import Slip
from autograde.marking.names import Piece, imports_of, pieces
from autograde.marking.oracles import (
    Module,
    Symbol,
    files,
    given_back,
    is_hidden,
    module_of,
)
from autograde.marking.sandbox import course_modules
from autograde.workspace.definitions import definition_of
from autograde.workspace.literals import CannotBeWritten

# The module is part of the build that a submission sees. What a module has is left as it is: plain
# nbgrader marks beside the whole course.
BRING = (
    f"from {course_modules.__name__} import module_of as _module_of\n"
    """\
for _module, _source, _names in {rows!r}:
    if not _names <= vars(_module_of(_module)).keys():
        exec(compile(_source, f"<{{_module}}>", "exec"), vars(_module_of(_module)))
"""
)


@dataclass(frozen=True)
class Written:
    """The text of an answer, the name that it binds, and the modules whose names it reads."""

    text: str
    name: str
    modules: tuple[str, ...]


def written(exercise: Exercise, answer: Answer, slip: Slip | None = None) -> Written:
    """An answer as text.

    Raises
    ------
    CannotBeWritten
        It is made of what no text says.
    """
    if slip is not None:
        homes = [_module(part) for part in (slip.source.answer, *slip.source.calls)]
        return Written(slip.text, slip.source.name, tuple(dict.fromkeys(homes)))
    inner = inspect.unwrap(answer)
    if not exercise.parameters():
        value = answer()
        if _is_literal(value):
            return Written(f"def {exercise.id}():\n    return {value!r}", exercise.id, ())
    if isinstance(inner, FunctionType) and inner.__closure__ and inner.__name__ != "<lambda>":
        return _with_its_values(inner)
    found = definition_of(exercise.id, answer)
    return Written(found.text, found.name, (_module(answer),))


def _module(answer: Any) -> str:
    return str(inspect.unwrap(answer).__module__)


def _is_literal(value: object) -> bool:
    try:
        return bool(ast.literal_eval(repr(value)) == value)
    except (ValueError, SyntaxError):
        return False


def _with_its_values(inner: FunctionType) -> Written:
    """A function that was made in a call, with what it keeps of that call in front."""
    lines = []
    for name, cell in zip(inner.__code__.co_freevars, inner.__closure__ or (), strict=True):
        value = cell.cell_contents
        if not _is_literal(value):
            raise CannotBeWritten(f"keeps {name}, an object of type {type(value).__name__}")
        lines.append(f"{name} = {value!r}")
    text = textwrap.dedent(inspect.getsource(inner))
    return Written("\n".join([*lines, text]), inner.__name__, (inner.__module__,))


def cell_of(exercise: Exercise, answer: Written, gone: set[Symbol], there: Iterable[Piece]) -> str:
    """A cell that defines the answer under its exercise's name.

    Parameters
    ----------
    gone : what the packages are without while the lesson is marked
    there : the import statements that stand above it, which need no repetition
    """
    parts = pieces(answer.text)
    bound = {name for part in parts for name in part.binds}
    modules = [module_of(name) for name in answer.modules if name in files()]
    imported = {ast.unparse(line) for part in there for line in _single(part)}
    front: list[str] = []
    rows: dict[tuple[str, str], None] = {}
    behind: list[str] = []
    for module in modules:
        own = {(module.name, name) for name in bound}
        for used in sorted({used for part in parts for used in module.uses(part)} - own):
            rows |= _rows(used, gone) if used in gone or is_hidden(used[0]) else {}
    for name in sorted({name for part in parts for name in part.reads} - bound):
        for module in modules:
            if name not in module.own:
                continue
            line, symbol = _import_of(module, name)
            if line and symbol not in gone and not (symbol and is_hidden(symbol[0])):
                front += [] if line in imported else [line]
            else:
                rows |= _rows((module.name, name), gone)
                behind.append(f"{name} = _module_of({module.name!r}).{name}")
            break
    lacking = [(*row, {name for part in pieces(row[1]) for name in part.binds}) for row in rows]
    brought = [BRING.format(rows=lacking)] if rows or behind else []
    last = [] if answer.name == exercise.id else [f"{exercise.id} = {answer.name}"]
    return "\n".join([*front, *brought, *behind, answer.text, *last])


def _rows(symbol: Symbol, gone: set[Symbol]) -> dict[tuple[str, str], None]:
    parts, _ = given_back(symbol, gone)
    return {(part.module, part.source): None for part in parts}


def _import_of(module: Module, name: str) -> tuple[str, Symbol | None]:
    """The statement by which a module imports this name, and what of the course that is."""
    for part in module.parts:
        if name in part.binds and isinstance(part.node, ast.Import | ast.ImportFrom):
            symbols = {s for s in module.uses(part) if _binds(part.node, s[1], name)}
            return imports_of(part, {name}), next(iter(symbols), None)
    return "", None


def _binds(node: ast.Import | ast.ImportFrom, original: str, name: str) -> bool:
    return any(a.name == original and (a.asname or a.name) == name for a in node.names)


def _single(part: Piece) -> Iterator[ast.stmt]:
    node = part.node
    if isinstance(node, ast.Import):
        yield from (ast.Import([alias]) for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        yield from (ast.ImportFrom(node.module, [alias], node.level) for alias in node.names)
