"""Digests of the code and the data that a command reaches: its dependencies.

The command's module is read, not run. From its ``main`` names lead on, to functions, classes and
constants of this module and of those that it imports from. What no name leads to does not count:
the figures of a lesson, the other experiments of the same module. Nor do docstrings, comments,
annotations of functions, what is printed, the words of an error, or what asks and stores.
"""

import ast
import hashlib
import shlex
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

PACKAGES = ("course", "elmo_mini", "benchmarks")
SILENT = (
    "course.command",
    "course.figures",
    "course.results.reached_code",
    "course.results.stored",
    *(f"elmo_mini.{name}" for name in ("arguments", "errors", "extras", "files", "progress")),
    "elmo_mini.records",
)
"""What asks, shows and stores: no number hangs on it."""
TABLE = "EXPERIMENTS"
FEWEST_LETTERS = 4  # that an f-string gives of a file's name: `f"{name}.json"` names none


@dataclass(frozen=True)
class Command:
    """``python -m course.taglm.experiments broken --seeds 5`` in its parts."""

    module: str
    arguments: tuple[str, ...]

    @classmethod
    def parse(cls, command: str) -> "Command":
        """Read a command as it is stored.

        Raises
        ------
        ValueError
            If it does not start a module of the project.
        """
        words = shlex.split(command)
        if words[:2] != ["python", "-m"] or words[2:3] == [] or not _owned(words[2]):
            raise ValueError(f"{command!r} does not start a module of the project")
        return cls(words[2], tuple(words[3:]))

    @property
    def experiment(self) -> str:
        """The name that comes first, or ""."""
        first = self.arguments[0] if self.arguments else "-"
        return "" if first.startswith("-") else first


@dataclass(frozen=True, eq=False)
class Statement:
    """A statement of a module: what it binds and names, and a digest of what it does."""

    node: ast.AST
    binds: frozenset[str] = frozenset()
    imports: dict[str, str] = field(default_factory=dict)

    @cached_property
    def names(self) -> frozenset[str]:
        """The names in it, dotted ones as far as they go: ``corpora.load``."""
        if _is_guard(self.node):
            return frozenset(n.id for n in ast.walk(self.node) if isinstance(n, ast.Name))
        return frozenset(_names(self.node))

    @cached_property
    def strings(self) -> frozenset[tuple[str, bool]]:
        """The strings in it, each with whether it is a part of an f-string only."""
        return frozenset(_strings(self.node, False))

    @cached_property
    def digest(self) -> str:
        """Of what it does, however it is laid out."""
        return hashlib.sha256(repr(_shape(self.node)).encode()).hexdigest()


@dataclass(frozen=True, eq=False)
class Module:
    """The statements of a module, and those of them that are run without being named."""

    statements: tuple[Statement, ...]
    started: tuple[Statement, ...]

    def binding(self, name: str) -> list[Statement]:
        """The statements that bind this name."""
        return [statement for statement in self.statements if name in statement.binds]


@dataclass
class Reached:
    """What a command reaches: statements by module, and files of data."""

    statements: dict[str, set[Statement]] = field(default_factory=dict)
    files: set[Path] = field(default_factory=set)
    digests: dict[str, str] = field(default_factory=dict)
    """A short word for what is reached of each module, and for each file or folder of data."""

    def says(self, words: Iterable[str], aside: str) -> list[str]:
        """Which of these words are strings in its code, one module aside."""
        strings = {
            text
            for module, statements in self.statements.items()
            for statement in statements
            for text, part in statement.strings
            if module != aside and not part
        }
        return [word for word in words if word in strings]


class Project:
    """The code of the project as it stands now; every file of it is read once."""

    def __init__(self) -> None:
        self._sources: dict[str, Path | None] = {}
        self._modules: dict[str, Module] = {}
        self._leads: dict[tuple[str, str], list[tuple[str, Statement]]] = {}
        self._cuts: dict[ast.AST, Statement] = {}
        self._data_digests: dict[Path, str] = {}

    def reached(self, command: Command) -> Reached:
        """What a command reaches.

        Raises
        ------
        LookupError
            Its module is not here.
        """
        if self.source(command.module) is None:
            raise LookupError(f"there is no module {command.module} here")
        found = Reached()
        waiting = [(command.module, one) for one in self._module(command.module).started]
        while waiting:
            module, statement = waiting.pop()
            if module == command.module and TABLE in statement.binds:
                statement = self._entry(statement, command.experiment)
            here = found.statements.setdefault(module, set())
            if statement in here:
                continue
            here.add(statement)
            for name in statement.names:
                for there, one in self._led_to(module, name, statement.imports):
                    if there not in found.statements:
                        others = self._module(there).started
                        waiting += [(there, other) for other in others if not _is_guard(other.node)]
                    waiting.append((there, one))
        self._digest(found)
        return found

    def _digest(self, found: Reached) -> None:
        for module, statements in sorted(found.statements.items()):
            digests = sorted(statement.digest for statement in statements)
            found.digests[module] = _word("".join(digests).encode())
            found.files |= {self.source(module) or Path()}
        strings = {s for of in found.statements.values() for one in of for s in one.strings}
        for path in self._data:
            if any(_is_named(path.name, text, part) for text, part in strings):
                inside = (p for p in path.rglob("*") if p.is_file() and p.suffix != ".md")
                files = sorted(inside) or [path]
                if path not in self._data_digests:
                    each = (hashlib.sha256(file.read_bytes()).digest() for file in files)
                    self._data_digests[path] = _word(b"".join(each))
                found.digests[f"elmo_mini/data/{path.name}"] = self._data_digests[path]
                found.files |= set(files)

    @cached_property
    def _data(self) -> list[Path]:
        package = self.source("elmo_mini")
        folder = package.parent / "data" if package else Path()
        return sorted(p for p in folder.glob("*") if package and p.suffix != ".md")

    def _entry(self, table: Statement, experiment: str) -> Statement:
        """The entry of one experiment in the table of all, or the table."""
        value = getattr(table.node, "value", None)
        if isinstance(value, ast.Dict):
            for key, one in zip(value.keys, value.values, strict=True):
                if isinstance(key, ast.Constant) and key.value == experiment:
                    return self._cuts.setdefault(one, Statement(one))
        return table

    def _led_to(
        self, module: str, name: str, inner: dict[str, str] | None = None
    ) -> list[tuple[str, Statement]]:
        """The statements that bind a dotted name, seen from a module, through its imports."""
        first, _, rest = name.partition(".")
        if inner and first in inner:
            return self._from_outside(inner[first], rest)
        if (module, name) not in self._leads:
            found = self._leads[module, name] = []
            for statement in self._module(module).binding(first):
                if first in statement.imports:
                    found += self._from_outside(statement.imports[first], rest)
                else:
                    found.append((module, statement))
        return self._leads[module, name]

    def _from_outside(self, target: str, rest: str) -> list[tuple[str, Statement]]:
        """What a full name such as ``elmo_mini.corpora.load`` stands for."""
        if not _owned(target):
            return []
        module, *parts = filter(None, f"{target}.{rest}".split("."))
        while (
            parts
            and not self._module(module).binding(parts[0])
            and self.source(f"{module}.{parts[0]}")
        ):
            module = f"{module}.{parts.pop(0)}"
        if any(f"{module}.".startswith(f"{silent}.") for silent in SILENT):
            return []
        if parts and self._module(module).binding(parts[0]):
            return self._led_to(module, ".".join(parts))
        # The module itself is handed on, or gives its names on demand.
        return [
            (module, one)
            for one in self._module(module).statements
            if not isinstance(one.node, ast.Import | ast.ImportFrom)
        ]

    def source(self, module: str) -> Path | None:
        """The file of a module of the project where Python would find it, or None."""
        if module not in self._sources:
            package, *rest = module.split(".")
            roots = (Path(entry, package) for entry in sys.path)
            root = next((each for each in roots if (each / "__init__.py").is_file()), None)
            place = root.joinpath(*rest) if root else Path(module)
            files = (place / "__init__.py", place.with_name(f"{place.name}.py"))
            self._sources[module] = next((each for each in files if each.is_file()), None)
        return self._sources[module]

    def _module(self, name: str) -> Module:
        """The statements of a module; none if it is not here."""
        if name not in self._modules:
            path = self.source(name)
            text = path.read_text("utf-8") if path else ""
            package = name if path and path.stem == "__init__" else name.rpartition(".")[0]
            statements = [
                Statement(node, frozenset(_binds(node)), _imports(node, package))
                for node in _flat(ast.parse(text).body)
            ]
            started = tuple(one for one in statements if not one.binds)
            self._modules[name] = Module(tuple(statements), started)
        return self._modules[name]


def _word(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:12]


def _is_named(name: str, text: str, part: bool) -> bool:
    """Whether a string, or one that an f-string begins with, is the name of this file."""
    return name == text or (part and len(text) >= FEWEST_LETTERS and name.startswith(text))


def _flat(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """Statements, and those inside of `if`, `try` and `with` one by one; no docstrings."""
    for node in body:
        if isinstance(node, ast.Try):
            yield from _flat([*node.body, *(s for h in node.handlers for s in h.body)])
            yield from _flat([*node.orelse, *node.finalbody])
        elif isinstance(node, ast.If) and not _is_guard(node):
            if ast.unparse(node.test) != "TYPE_CHECKING":
                yield ast.Expr(node.test)
                yield from _flat([*node.body, *node.orelse])
        elif isinstance(node, ast.With):
            yield from _flat(node.body)
        elif not _is_text(node):
            yield node


def _binds(node: ast.stmt) -> Iterator[str]:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield node.name
    elif isinstance(node, ast.Import | ast.ImportFrom):
        yield from (alias.asname or alias.name.split(".")[0] for alias in node.names)
    elif not _is_guard(node):
        for part in ast.walk(node):
            if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
                yield part.id


def _imports(node: ast.stmt, package: str) -> dict[str, str]:
    """The full names of what a statement imports, also inside of a function."""
    found = {}
    for part in ast.walk(node):
        if isinstance(part, ast.Import):
            for alias in part.names:
                first = alias.name.split(".")[0]
                found[alias.asname or first] = alias.name if alias.asname else first
        elif isinstance(part, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) - part.level + 1]
            base = [*(above if part.level else []), *([part.module] if part.module else [])]
            for alias in part.names:
                found[alias.asname or alias.name] = ".".join([*base, alias.name])
    return found


def _names(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Name) or (isinstance(node, ast.Attribute) and _is_chain(node)):
        yield ast.unparse(node)
        return
    for child in _parts(node):
        yield from _names(child)


def _is_chain(node: ast.expr) -> bool:
    """A name, or attributes of a name."""
    return isinstance(node, ast.Name) or (isinstance(node, ast.Attribute) and _is_chain(node.value))


def _strings(node: ast.AST, formatted: bool) -> Iterator[tuple[str, bool]]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield from ((text, formatted) for text in node.value.split("/"))
    for child in _parts(node):
        yield from _strings(child, formatted or isinstance(node, ast.JoinedStr))


def _shape(node: object) -> object:
    """A tree as nested tuples that are the same in every release of Python."""
    if isinstance(node, ast.AST):
        return (type(node).__name__, *(_shape(child) for child in _counted(node)))
    if isinstance(node, list):
        return tuple(_shape(child) for child in node)
    return (type(node).__name__, repr(node))


def _parts(node: ast.AST) -> Iterator[ast.AST]:
    for value in _counted(node):
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield child


def _counted(node: ast.AST) -> Iterator[object]:
    """What numbers can hang on in a node: its fields that are there, without words for people."""
    if isinstance(node, ast.Raise):
        return
    for name, value in ast.iter_fields(node):
        annotates = name == "returns" or (name == "annotation" and isinstance(node, ast.arg))
        if annotates or value is None or value == [] or name in ("ctx", "kind", "type_comment"):
            continue
        if isinstance(value, list):
            yield [one for one in value if not (_is_text(one) or _is_print(one))]
        else:
            yield value


def _is_text(node: object) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def _is_print(node: object) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Call)
        and isinstance(node.value.func, ast.Name)
        and node.value.func.id == "print"
    )


def _is_guard(node: object) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test) == "__name__ == '__main__'"


def _owned(module: str) -> bool:
    return module.split(".")[0] in PACKAGES
