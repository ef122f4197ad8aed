"""Results of full-size experiments, stored with the command that made them.

An experiment of minutes or hours is a command of this project. What it measured lies as JSON in
``course/results``: the numbers with their seeds and intervals, and the circumstances.
"""

import html
import json
import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from course.results.reached_code import Command, Project
from elmo_mini.records import CIRCUMSTANCES, write_record

FOLDER = Path(__file__).parent
MEASURED = ("seconds", "code")
LOADED = time.time()
_spent = {"wall": LOADED, "processor": 0.0}
"""What had passed when this process last stored a result."""


@dataclass(frozen=True, repr=False)
class StoredResult:
    """One stored experiment.

    Attributes
    ----------
    name : the name of its file.
    title : one line that says what was measured.
    command, date, machine, versions : how, when and where.
    numbers : everything else in the file.
    seconds : how long it took, ``wall`` and ``processor``; None if that was not stored.
    code : digests of what the command reached, as `Project.reached` has them; None likewise.
    """

    name: str
    title: str
    command: str
    date: str
    machine: str
    versions: dict[str, str]
    numbers: dict[str, Any]
    seconds: dict[str, float] | None = None
    code: dict[str, str] | None = None

    def __repr__(self) -> str:
        versions = ", ".join(f"{package} {number}" for package, number in self.versions.items())
        lines = [
            self.title,
            f"stored result of {self.date}, made with: {self.command}",
            f"on {self.machine}; {versions}",
            *(f"{key}: {self.numbers[key]}" for key in ("training", "test") if key in self.numbers),
        ]
        return "\n  ".join(lines)

    def _repr_html_(self) -> str:
        first, *rest = str(self).split("\n")
        small = "".join(
            f"<div style='font-size:smaller'>{html.escape(line.strip())}</div>" for line in rest
        )
        return f"<div><strong>{html.escape(first)}</strong></div>{small}"


def stored_result(name: str, folder: Path = FOLDER) -> StoredResult:
    """Read one stored experiment.

    Raises
    ------
    LookupError
        There is none of this name; the message lists those there are.
    ValueError
        The file lacks one of title, command, date, machine, versions.
    """
    path = folder / f"{name}.json"
    if not path.exists():
        there = ", ".join(sorted(p.stem for p in folder.glob("*.json"))) or "none"
        raise LookupError(f"no stored result {name!r}; there are: {there}")
    content = json.loads(path.read_text("utf-8"))
    missing = [key for key in ("title", *CIRCUMSTANCES) if not content.get(key)]
    if missing:
        raise ValueError(f"{path.name} does not say its {', '.join(missing)}")
    named = {key: content.pop(key) for key in ("title", *CIRCUMSTANCES)}
    named |= {key: content.pop(key, None) for key in MEASURED}
    return StoredResult(name=name, **named, numbers=content)


def write_result(
    name: str, title: str, numbers: dict[str, Any], *, command: str, folder: Path = FOLDER
) -> Path:
    """Store one experiment as `stored_result` reads it, with date, machine and versions.

    Stored, too, is how long it took, from the start of the process or the result before, and what
    of the project's code it hangs on: unless that code was changed while the process ran.

    Parameters
    ----------
    name : of the file, without ``.json``. A result of this name is replaced.
    title : one line that says what was measured.
    numbers : what was measured, with seeds and settings. Arrays become lists.
    command : how to measure it again, from the project's folder.

    Returns
    -------
    The file.

    Raises
    ------
    ValueError
        Title or command is empty, or a key of ``numbers`` is one of title, command,
        date, machine, versions, seconds, code.
    """
    if taken := [key for key in MEASURED if key in numbers]:
        raise ValueError(f"{name}.json: the numbers may not be called {', '.join(taken)}")
    code = _code(command)
    measured = {"seconds": _seconds()} | ({"code": code} if code else {})
    return write_record(folder / f"{name}.json", title, measured | numbers, command=command)


def _code(command: str) -> dict[str, str] | None:
    """Digests of the code that this process has run; None if it is not known."""
    try:
        reached = Project().reached(Command.parse(command))
    except (ValueError, LookupError):
        return None
    edited = any(path.stat().st_mtime > LOADED for path in reached.files)
    return None if edited else reached.digests


def _seconds() -> dict[str, float]:
    """What has passed since the process stored a result before."""
    now = {"wall": time.time(), "processor": sum(os.times()[:4])}
    passed = {clock: round(now[clock] - _spent[clock], 1) for clock in now}
    _spent.update(now)
    return passed
