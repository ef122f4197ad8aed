"""Kept parts on disk, two packages of plain modules: ``my_elmo/NAME.py`` and ``my_parts/NAME.py``.

Earlier releases kept every part in ``my_elmo``. So a part is looked for in both.
"""

import hashlib
import importlib
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from importlib.machinery import ModuleSpec
from importlib.util import module_from_spec
from pathlib import Path
from types import MappingProxyType, ModuleType
from typing import Any

from autograde.workspace.place import ELMO_PARTS, KEPT_IN, OTHERS, PACKAGE
from elmo_mini.files import write_text

ABOUT = '"""Your own parts of the course, kept when they passed their checks. They are yours."""\n'
_loaded: dict[str, bytes] = {}


def file_of(workspace: Path, name: str) -> Path:
    """Where the part of this name is kept; where there is none, the place it belongs to."""
    order = KEPT_IN if name in ELMO_PARTS else KEPT_IN[::-1]
    places = [workspace / package / f"{name}.py" for package in order]
    return next((place for place in places if place.exists()), places[0])


def shown(path: Path) -> str:
    """A kept file as a learner knows it: ``work/my_elmo/CharCNN.py``."""
    return "/".join(path.parts[-3:])


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
    """The SHA-256 of a part's source, by which an edit is noticed.

    In which of the two packages the parts lie that it imports is no edit.
    """
    body = body_of(text).replace(f"{OTHERS}.", f"{PACKAGE}.")
    return hashlib.sha256(body.encode()).hexdigest()


def put_aside(path: Path, now: datetime, folder: Path | None = None) -> Path:
    """Give a file that the learner edited a name of its own beside the new one; return it."""
    label = f"before {now:%Y-%m-%d %H.%M.%S}"
    beside = (folder or path.parent) / f"{path.stem} ({label}){path.suffix}"
    number = 1
    while beside.exists():
        number += 1
        beside = beside.with_name(f"{path.stem} ({label}, {number}){path.suffix}")
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


def load(
    workspace: Path,
    name: str,
    *,
    draft: Path | None = None,
    instead: Mapping[str, Any] = MappingProxyType({}),
    stays: bool = False,
) -> Any:
    """Import a kept part, and return what it calls by its name.

    It may import other parts. Where it ``stays``, it is loaded anew only when a file that was
    loaded has changed, so that one class is one class. A package of the same name from elsewhere
    is put back in its place.

    Parameters
    ----------
    draft : a folder whose files come before those of the workspace
    instead : by their names, what other parts find in the place of a part of ``my_elmo``

    Raises
    ------
    BaseException
        Whatever the file raises; AttributeError if it does not define the name.
    """
    package = PACKAGE if draft else file_of(workspace, name).parent.name
    first = [str(draft)] if draft else []
    paths = {
        one: [*first, str(workspace / one), str(workspace / other)]
        for one, other in (KEPT_IN, KEPT_IN[::-1])
    }
    with _packages(paths, stays):
        for part, value in instead.items():
            module = ModuleType(f"{PACKAGE}.{part}")
            module.__file__ = str(
                workspace / PACKAGE / f"{part}.py"
            )  # when it comes, this one goes
            setattr(module, part, value)
            sys.modules.setdefault(module.__name__, module)
        return getattr(importlib.import_module(f"{package}.{name}"), name)


@contextmanager
def _packages(paths: Mapping[str, list[str]], stays: bool) -> Iterator[None]:
    before = _kept_modules()
    ours = all(list(getattr(before.get(p), "__path__", ())) == path for p, path in paths.items())
    if not (ours and stays) or any(map(_changed, before.values())):
        _forget(before)
        for package, path in paths.items():
            spec = ModuleSpec(package, None, is_package=True)
            spec.submodule_search_locations = path
            sys.modules[package] = module_from_spec(spec)
    writes_bytecode, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    importlib.invalidate_caches()
    done = False
    try:
        yield
        done = stays and (ours or not before)
    finally:
        sys.dont_write_bytecode = writes_bytecode
        if done:
            _loaded.update({name: _content(m) for name, m in _kept_modules().items()})
        else:
            _forget(_kept_modules())
            sys.modules.update(before)


def _kept_modules() -> dict[str, ModuleType]:
    modules = sys.modules.items()
    return {name: m for name, m in [*modules] if name.partition(".")[0] in KEPT_IN}


def _forget(modules: Mapping[str, ModuleType]) -> None:
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
