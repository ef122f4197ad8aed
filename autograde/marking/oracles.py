"""A build of the course's packages without what would answer an assignment: a dependency walk.

Left out is the reference of each exercise of the lesson, and every statement that uses it, however
far away: a model that calls the function inside answers for it. What is left out for one exercise
can be given back when its verdict is sealed.
"""

import ast
import importlib.util
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

from autograde.checking.exercise import Exercise
from autograde.marking.names import Piece, pieces

Symbol = tuple[str, str]
PACKAGES = ("elmo_mini", "course")
HIDDEN = ("autograde.exercises",)
HERE = Path(__file__).parents[2]


@dataclass(frozen=True)
class Module:
    """The statements of a module of the course."""

    name: str
    path: Path
    source: str
    parts: tuple[Piece, ...]
    imported: Mapping[str, str]

    @cached_property
    def own(self) -> frozenset[str]:
        """The names that are bound in it."""
        return frozenset(name for part in self.parts for name in part.binds)

    def uses(self, part: Piece) -> set[Symbol]:
        """The symbols of the course that a statement reads, in whichever module they are bound."""
        found = {(self.name, name) for name in part.reads & self.own}
        for chain in part.chains:
            head, *rest = chain.split(".")
            if head in self.imported and rest:
                module, at = self.imported[head], 0
                while at < len(rest) - 1 and f"{module}.{rest[at]}" in files():
                    module, at = f"{module}.{rest[at]}", at + 1
                if module in files():
                    found.add((module, rest[at]))
        return found | self._taken_over(part)

    def _taken_over(self, part: Piece) -> set[Symbol]:
        return {
            (self._absolute(node), alias.name)
            for node in part.imports
            if isinstance(node, ast.ImportFrom) and self._absolute(node) in files()
            for alias in node.names
        }

    def _absolute(self, node: ast.ImportFrom) -> str:
        return absolute(self.name, self.path, node)


def absolute(name: str, path: Path, node: ast.ImportFrom) -> str:
    """The module that an import names, also where it names it relatively."""
    if not node.level:
        return node.module or ""
    parts = name.split(".") if path.name == "__init__.py" else name.split(".")[:-1]
    parts = parts[: len(parts) - node.level + 1]
    return ".".join([*parts, *filter(None, [node.module])])


def folder_of(package: str) -> Path | None:
    """Where a package of the course lies; None where there is none of that name."""
    found = importlib.util.find_spec(package)
    if found is None or not found.submodule_search_locations:
        return None
    folder = Path(next(iter(found.submodule_search_locations)))
    return folder if folder.parent == HERE or package in HIDDEN else None


@cache
def files() -> dict[str, Path]:
    """All modules of the course's packages and of the exercises, and where they lie."""
    found = {}
    for package in (*PACKAGES, *HIDDEN):
        folder = folder_of(package)
        for path in sorted(folder.rglob("*.py")) if folder else []:
            inner = path.relative_to(folder).with_suffix("").parts  # type: ignore[arg-type]
            found[".".join([package, *inner]).removesuffix(".__init__")] = path
    return found


@cache
def module_of(name: str) -> Module:
    """A module, read and cut into statements."""
    path = files()[name]
    source = path.read_text("utf-8")
    return module_from(name, path, source, tuple(pieces(source)))


def module_from(name: str, path: Path, source: str, parts: tuple[Piece, ...]) -> Module:
    """A module of these statements."""
    return Module(name, path, source, parts, _modules_imported(name, path, parts))


@cache
def _texts() -> dict[str, str]:
    """The sources of the course's packages."""
    return {name: path.read_text("utf-8") for name, path in files().items() if not is_hidden(name)}


def users_of(symbol: Symbol) -> set[Symbol]:
    """The symbols whose statements use this one.

    A text need not be parsed, which takes seconds for all, where the name of the symbol does not
    stand in it, nor where that of its module does not: an import says that, unless it is relative.
    """
    home, found = symbol[0].rpartition(".")[2], set[Symbol]()
    for name, text in _texts().items():
        if symbol[1] in text and (name == symbol[0] or home in text or "from ." in text):
            found |= _users_in(name).get(symbol, set())
    return found


@cache
def _users_in(name: str) -> dict[Symbol, set[Symbol]]:
    """By symbol: the symbols of this module whose statements use it."""
    found: dict[Symbol, set[Symbol]] = defaultdict(set)
    module = module_of(name)
    for part in module.parts:
        for used in module.uses(part):
            found[used] |= {(name, bound) for bound in part.binds}
    return dict(found)


def _modules_imported(name: str, path: Path, parts: Iterable[Piece]) -> dict[str, str]:
    """By the name under which a module is known here: a module that is imported."""
    found = {}
    for node in (node for part in parts for node in part.imports):
        if isinstance(node, ast.Import):
            for alias in node.names:
                found[alias.asname or alias.name.split(".")[0]] = (
                    alias.name if alias.asname else alias.name.split(".")[0]
                )
        elif isinstance(node, ast.ImportFrom):
            home = absolute(name, path, node)
            for alias in node.names:
                found[alias.asname or alias.name] = f"{home}.{alias.name}"
    return found


def symbol_of(exercise: Exercise) -> Symbol:
    """Where an exercise's reference is defined."""
    reference = exercise.reference
    name = getattr(reference, "__qualname__", type(reference).__name__).split(".")[0]
    return reference.__module__, name


def is_hidden(module: str) -> bool:
    """Whether no statement of this module is in a student's build."""
    return any(module == name or module.startswith(f"{name}.") for name in HIDDEN)


def oracles(start: Iterable[Symbol]) -> set[Symbol]:
    """These symbols, and all that use them, directly or not."""
    found: set[Symbol] = set()
    rest = [symbol for symbol in start if symbol[0].split(".")[0] in PACKAGES]
    while rest:
        symbol = rest.pop()
        if symbol not in found:
            found.add(symbol)
            rest += users_of(symbol)
    return found


def without(module: Module, gone: set[Symbol]) -> str:
    """The source of a module without the statements that bind or use what is gone."""
    lines = module.source.splitlines()
    for part in reversed(module.parts):
        end = part.node.end_lineno or part.line
        bound = {name for name in part.binds if (module.name, name) in gone}
        if isinstance(part.node, ast.Import | ast.ImportFrom):
            home = part.node if isinstance(part.node, ast.ImportFrom) else None
            kept = [
                alias
                for alias in part.node.names
                if (alias.asname or alias.name.split(".")[0]) not in bound
                and not (home and (module._absolute(home), alias.name) in gone)
            ]
            if len(kept) < len(part.node.names):
                lines[part.line - 1 : end] = [_import(part.node, kept)] if kept else []
        elif bound or module.uses(part) & gone:
            lines[part.line - 1 : end] = []
    return "\n".join(lines) + "\n"


def _import(node: ast.Import | ast.ImportFrom, kept: list[ast.alias]) -> str:
    if isinstance(node, ast.Import):
        return ast.unparse(ast.Import(kept))
    return ast.unparse(ast.ImportFrom(node.module, kept, node.level))


@dataclass(frozen=True)
class Restored:
    """Statements to give back: the module, and their source in the order in which they run."""

    module: str
    source: str


def given_back(symbol: Symbol, gone: set[Symbol]) -> tuple[list[Restored], set[Symbol]]:
    """What makes a symbol exist again in a build without `gone`; and what comes with it."""
    order: list[tuple[str, Piece]] = []
    seen: set[tuple[str, int]] = set()
    came: set[Symbol] = set()

    def take(symbol: Symbol) -> None:
        if symbol[0] not in files():
            return
        module = module_of(symbol[0])
        for part in module.parts:
            if symbol[1] not in part.binds:
                continue
            came.add(symbol)
            if (module.name, part.line) in seen:
                continue
            seen.add((module.name, part.line))
            for used in sorted(module.uses(part) | {(module.name, n) for n in part.reads}):
                if used != symbol and (used in gone or is_hidden(used[0])):
                    take(used)
            order.append((module.name, part))

    take(symbol)
    return [Restored(name, part.text) for name, part in order], came
