"""Kept parts on disk: ``my_elmo/NAME.py`` in the learner's folder, a package of plain modules."""

import hashlib
import importlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from importlib.machinery import ModuleSpec
from importlib.util import module_from_spec
from pathlib import Path
from types import ModuleType
from typing import Any

from autograde.desk.place import PACKAGE
from elmo_mini.files import write_text

ABOUT = '"""Your own parts of the course, kept when they passed their checks. They are yours."""\n'
_loaded: dict[str, bytes] = {}


def file_of(desk: Path, name: str) -> Path:
    """Where the part of this name is kept."""
    return desk / PACKAGE / f"{name}.py"


def read(path: Path) -> str | None:
    """The text of a kept part; None where there is none. What is not UTF-8 is replaced."""
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None


def with_head(name: str, lesson: str, body: str, now: datetime) -> str:
    """The file's text: whose it is, when it was kept, and the source."""
    return (
        f"# {name}, an exercise of lesson {lesson}, kept on {day(now)} {now.year}.\n"
        f'# It is yours: edit as you like. `mine("{name}")` brings it into later lessons.\n\n{body}'
    )


def day(when: datetime) -> str:
    """A date as one says it: 3 May."""
    return f"{when.day} {when:%B}"


def body_of(text: str) -> str:
    """A part's source without the comments at its head, which hold a date."""
    lines = text.splitlines(keepends=True)
    while lines and (lines[0].startswith("#") or not lines[0].strip()):
        del lines[0]
    return "".join(lines)


def digest(text: str) -> str:
    """The SHA-256 of a part's source, by which an edit is noticed."""
    return hashlib.sha256(body_of(text).encode()).hexdigest()


def put_aside(path: Path, now: datetime) -> Path:
    """Give a file that the learner edited a name of its own beside the new one; return it."""
    label = f"before {now:%Y-%m-%d %H.%M.%S}"
    beside = path.with_name(f"{path.stem} ({label}){path.suffix}")
    number = 1
    while beside.exists():
        number += 1
        beside = path.with_name(f"{path.stem} ({label}, {number}){path.suffix}")
    path.rename(beside)
    return beside


def write(path: Path, text: str) -> None:
    """Write a part in one step, and the package's own file where it is missing.

    Raises
    ------
    OSError
        The folder cannot be written.
    """
    write_text(path, text)
    face = path.with_name("__init__.py")
    if not face.exists():
        write_text(face, ABOUT)


def load(name: str, *folders: Path, stays: bool = False) -> Any:
    """Import ``my_elmo.NAME`` from these folders, the first first, and return what it calls NAME.

    It may import other parts. Where it ``stays``, it is loaded anew only when a file of the package
    has changed, so that one class is one class. A package of the same name from elsewhere is put
    back in its place.

    Raises
    ------
    BaseException
        Whatever the file raises; AttributeError if it does not define the name.
    """
    with _package([*map(str, folders)], stays):
        module = importlib.import_module(f"{PACKAGE}.{name}")
        return getattr(module, name)


@contextmanager
def _package(path: list[str], stays: bool) -> Iterator[None]:
    before = _of_the_package()
    ours = PACKAGE in before and list(getattr(before[PACKAGE], "__path__", ())) == path
    if not (ours and stays) or any(map(_changed, before.values())):
        _forget(before)
        spec = ModuleSpec(PACKAGE, None, is_package=True)
        spec.submodule_search_locations = path
        sys.modules[PACKAGE] = module_from_spec(spec)
    writes_bytecode, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    importlib.invalidate_caches()
    done = False
    try:
        yield
        done = stays and (ours or not before)
    finally:
        sys.dont_write_bytecode = writes_bytecode
        if done:
            _loaded.update({name: _content(m) for name, m in _of_the_package().items()})
        else:
            _forget(_of_the_package())
            sys.modules.update(before)


def _of_the_package() -> dict[str, ModuleType]:
    modules = sys.modules.items()
    return {name: m for name, m in [*modules] if name.partition(".")[0] == PACKAGE}


def _forget(modules: dict[str, ModuleType]) -> None:
    for name in modules:
        sys.modules.pop(name, None)


def _changed(module: ModuleType) -> bool:
    return _loaded.get(module.__name__) != _content(module)


def _content(module: ModuleType) -> bytes:
    file = getattr(module, "__file__", None)
    try:
        return Path(file).read_bytes() if file else b""
    except OSError:
        return b""
