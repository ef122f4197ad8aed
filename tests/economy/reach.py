"""Static reach of a file: the import closure, and the data files that the closure names.

Rather too much than too little. Imports count wherever they stand, in functions and under
``if TYPE_CHECKING`` as well; so does a module whose dotted name stands in a string. A package whose
``__init__`` loads names on demand from its table ``_HOMES`` gives those that are asked for.
"""

import ast
import hashlib
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path

from tests.economy.record import RECORD

HOMES = "_HOMES"
# Folders of many files that have nothing to do with one another: each is found by its own name.
SHELVES = {"data", "results"}
OWN = {"reasons"}  # and there by the name of what is proved alone
DOTTED = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+")
FEWEST_LETTERS = 4  # that an f-string gives of a file's name: `f"{name}.json"` names every one


@dataclass(frozen=True)
class Source:
    """What one Python file says: modules it imports, and strings that may name files."""

    imports: frozenset[str]
    strings: frozenset[str]
    patterns: frozenset[str]
    homes: dict[str, str] = field(default_factory=dict, hash=False)


@cache
def read(text: str, package: str) -> Source:
    """Read a source; ``package`` is where its relative imports begin."""
    tree = ast.parse(text)
    homes = _homes(tree)
    if homes:  # the imports for type checkers name all that is loaded on demand
        tree.body = [node for node in tree.body if not isinstance(node, ast.If)]
    imports, strings, patterns = set[str](), set[str](), set[str]()
    told = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            imports |= {
                alias.name if "." in alias.name else f"{alias.name}.*" for alias in node.names
            }
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) - node.level + 1]
            base = ".".join(
                [*(above if node.level else []), *([node.module] if node.module else [])]
            )
            imports |= {f"{base}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.JoinedStr):
            given = [str(p.value) if isinstance(p, ast.Constant) else "\0" for p in node.values]
            for place in "".join(given).split("/"):
                if len(re.findall(r"\w", place.partition(".")[0])) >= FEWEST_LETTERS:
                    patterns.add(re.escape(place).replace("\0", ".*"))
        elif (
            isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in told
        ):
            strings |= set(node.value.split("/"))
            imports |= set(DOTTED.findall(node.value))
    return Source(frozenset(imports), frozenset(strings), frozenset(patterns), homes)


def _homes(tree: ast.Module) -> dict[str, str]:
    for node in tree.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == HOMES:
            found: dict[str, str] = ast.literal_eval(node.value)
            return found
    return {}


class Repository:
    """The files of a repository as they are now, and what each of them reaches."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._read: dict[Path, Source] = {}
        self._next: dict[Path, set[Path]] = {}
        self._hashes: dict[Path, str] = {}

    @cached_property
    def packages(self) -> list[Path]:
        """The packages at the top."""
        return sorted(file.parent for file in self.root.glob("[!.]*/__init__.py"))

    @cached_property
    def modules(self) -> dict[str, Path]:
        """Every module by its dotted name."""
        found = {}
        for package in self.packages:
            for path in package.rglob("*.py"):
                parts = path.relative_to(self.root).with_suffix("").parts
                found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
        return found

    @cached_property
    def data(self) -> dict[str, set[Path]]:
        """What is no Python in the packages, by its names; pages are for people.

        The record of what was green is none: with every item that it notes all would be stale.
        """
        found: dict[str, set[Path]] = defaultdict(set)
        for package in self.packages:
            for path in {*package.rglob("*")} - {self.root / RECORD}:
                if path.suffix not in {".py", ".pyc", ".md"} and path.is_file():
                    for place in {path.name, path.stem, *({path.parent.name} - SHELVES)}:
                        found[place].add(path)
        return found

    def source(self, path: Path) -> Source:
        """What this file says."""
        if path not in self._read:
            package = ".".join(path.relative_to(self.root).parts[:-1])
            self._read[path] = read(path.read_text("utf-8"), package)
        return self._read[path]

    def of(self, starts: Iterable[Path], own: str = "") -> set[Path]:
        """All that these files reach, themselves among them, and the data of this name."""
        reached, waiting = set[Path](), set(starts)
        while waiting:
            path = waiting.pop()
            reached.add(path)
            if path.suffix == ".py" and path.is_relative_to(self.root):
                waiting |= self._leads_to(path) - reached
        return reached | {path for path in self.data.get(own, ()) if path.stem == own}

    def _leads_to(self, path: Path) -> set[Path]:
        """The files that this one imports, those that these stand in, and the data it names."""
        if path not in self._next:
            modules = {file for name in self.source(path).imports for file in self._loaded(name)}
            self._next[path] = modules.union(self._named(self.source(path)))
        return self._next[path]

    def _loaded(self, name: str) -> Iterator[Path]:
        """A module with the packages that it stands in, or that one of its names comes from."""
        parts = name.split(".")
        known = 0
        for length in range(1, len(parts) + 1):
            if (module := ".".join(parts[:length])) not in self.modules:
                break
            known = length
            yield self.modules[module]
        if known == len(parts) or not known:
            return
        package = ".".join(parts[:known])
        homes = self.source(self.modules[package]).homes
        for home in homes.values() if parts[known] == "*" else {homes.get(parts[known])} - {None}:
            yield from self._loaded(f"{package}.{home}")

    def _named(self, source: Source) -> Iterator[Path]:
        pattern = re.compile("|".join(source.patterns) or "(?!)")
        for place in self.data:
            if place in source.strings or (source.patterns and pattern.fullmatch(place)):
                yield from (path for path in self.data[place] if path.parent.name not in OWN)

    def digest(self, paths: Iterable[Path]) -> str:
        """One short word for the names and contents of files."""
        whole = hashlib.sha256()
        for path in sorted(paths):
            inside = path.is_relative_to(self.root)
            name = path.relative_to(self.root).as_posix() if inside else path.name
            whole.update(f"{name} {self._hash(path)}\n".encode())
        return whole.hexdigest()[:16]

    def _hash(self, path: Path) -> str:
        if path not in self._hashes:
            self._hashes[path] = hashlib.sha256(path.read_bytes()).hexdigest()
        return self._hashes[path]
