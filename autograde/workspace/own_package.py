"""The learner's parts as a package that runs without the course: what is written around them.

``my_elmo/`` here holds its face, its command, its README and its test, as they are written. The
course's parts, where they stand in, go into ``my_elmo/course/``, so that no file of the learner's
is in their way: there the package looks first. A record of what was written tells which files the
learner has edited since.
"""

import hashlib
import json
import platform
from collections.abc import Collection, Mapping
from contextlib import suppress
from datetime import datetime
from importlib.metadata import version
from pathlib import Path

from autograde.workspace import parts
from autograde.workspace.part_imports import MAY_NEED
from autograde.workspace.place import MARK, PACKAGE
from elmo_mini.files import write_text, written_whole

RECORD = Path(MARK) / f"{PACKAGE}.json"
TEMPLATE = Path(__file__).with_name(PACKAGE)
COURSE = "course"
LOOK_THERE = f"""__path__ = [f"{{__path__[0]}}/{COURSE}", *__path__]  # the course's parts stand in

"""
IMPORT = "from my_elmo.elmo import ELMo"


def code(stand_ins: Mapping[str, str], own: Collection[str]) -> dict[str, bytes]:
    """The files of the package by name, without its weights and the learner's parts.

    Parameters
    ----------
    stand_ins : the course's source of each part that is not the learner's
    own : the parts that are
    """
    files = {f"{COURSE}/{name}.py": text for name, text in stand_ins.items()}
    for name in files_of_ours():
        files[name] = (TEMPLATE / name).read_text(encoding="utf-8")
    if stand_ins:
        files["__init__.py"] = files["__init__.py"].replace(IMPORT, LOOK_THERE + IMPORT)
    about = {"{whose}": _whose(own, stand_ins), "{with}": _written_with()}
    for mark, words in about.items():
        files["README.md"] = files["README.md"].replace(mark, words)
    return {name: text.encode() for name, text in files.items()}


def files_of_ours() -> list[str]:
    """The names of what is always written around the parts."""
    return sorted(path.name for path in TEMPLATE.iterdir() if path.suffix in (".py", ".md"))


def _whose(own: Collection[str], stand_ins: Collection[str]) -> str:
    if not stand_ins:
        return f"Mine, all of them: {', '.join(own)}."
    if not own:
        return f"All its parts are the course's, in `{COURSE}/`."
    return f"Mine: {', '.join(own)}.\n\nThe course's, in `{COURSE}/`: {', '.join(stand_ins)}."


def _written_with() -> str:
    """The versions at hand, as one says them."""
    found = [f"Python {platform.python_version()}"]
    found += [f"{package} {version(package)}" for package in MAY_NEED]
    return f"{', '.join(found[:-1])} and {found[-1]}"


def write(workspace: Path, files: Mapping[str, bytes], now: datetime) -> list[str]:
    """Write these files, and take away those of an earlier time that are needed no longer.

    A file that the learner has edited, or put there, gets another name and stays.

    Returns
    -------
    The other names.

    Raises
    ------
    OSError
        The folder cannot be written. What was there is there, under one name or the other.
    """
    record = _record(workspace)
    beside: list[str] = []
    for name in [*files, *record]:
        path = workspace / PACKAGE / name
        new, old = files.get(name), _bytes(path)
        if new == old:
            continue
        ours = old is not None and (_digest(old) == record.get(name) or old == parts.ABOUT.encode())
        if new is None:
            if ours:
                path.unlink()
            continue
        if old is not None and not ours:
            beside.append(parts.put_aside(path, now).name)
        with written_whole(path) as unfinished:
            unfinished.write_bytes(new)
    with suppress(OSError):  # it is not there, or holds something of the learner's
        (workspace / PACKAGE / COURSE).rmdir()
    written = {name: _digest(content) for name, content in files.items()}
    write_text(workspace / RECORD, json.dumps(written, indent=1) + "\n")
    return beside


def _bytes(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _record(workspace: Path) -> dict[str, str]:
    """What was written last; nothing where that is not known, so every file counts as edited."""
    try:
        record = json.loads((workspace / RECORD).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return record if isinstance(record, dict) else {}
