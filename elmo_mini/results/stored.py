"""Results of full-size experiments, stored with the command that made them.

An experiment of minutes or hours is a command of this project. What it measured lies as JSON in
``elmo_mini/results``: the numbers with their seeds and intervals, and the circumstances.
"""

import datetime
import html
import json
import os
import platform
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import torch

from elmo_mini.files import write_text

FOLDER = Path(__file__).parent
CIRCUMSTANCES = ("command", "date", "machine", "versions")
PACKAGES = ("torch", "numpy", "scipy", "scikit-learn", "gensim")


@dataclass(frozen=True)
class StoredResult:
    """One stored experiment.

    Attributes
    ----------
    name : the name of its file.
    title : one line that says what was measured.
    command, date, machine, versions : how, when and where.
    numbers : everything else in the file.
    """

    name: str
    title: str
    command: str
    date: str
    machine: str
    versions: dict[str, str]
    numbers: dict[str, Any]

    def __str__(self) -> str:
        versions = ", ".join(f"{package} {number}" for package, number in self.versions.items())
        lines = [
            self.title,
            f"stored result of {self.date}, made with: {self.command}",
            f"on {self.machine}; {versions}",
        ]
        return "\n  ".join(lines)

    def _repr_html_(self) -> str:
        first, *rest = str(self).split("\n")
        lines = "<br>".join(html.escape(line.strip()) for line in rest)
        return f"<p><strong>{html.escape(first)}</strong><br><small>{lines}</small></p>"


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
    return StoredResult(name=name, **named, numbers=content)


def write_result(
    name: str, title: str, numbers: dict[str, Any], *, command: str, folder: Path = FOLDER
) -> Path:
    """Store one experiment as `stored_result` reads it, with date, machine and versions.

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
        date, machine, versions.
    """
    return write_record(folder / f"{name}.json", title, numbers, command=command)


def write_record(path: Path, title: str, numbers: dict[str, Any], *, command: str) -> Path:
    """Store one experiment in a file of the user's choice; otherwise as `write_result`."""
    if not title or not command:
        raise ValueError(f"{path.name}: a stored result needs a title and a command")
    taken = [key for key in ("title", *CIRCUMSTANCES) if key in numbers]
    if taken:
        raise ValueError(f"{path.name}: the numbers may not be called {', '.join(taken)}")
    record = {
        "title": title,
        "command": command,
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "machine": machine(),
        "versions": {"python": platform.python_version(), **{p: version(p) for p in PACKAGES}},
        **numbers,
    }
    text = json.dumps(record, indent=1, ensure_ascii=False, default=_plain)
    write_text(path, f"{text}\n")
    return path


def machine() -> str:
    """System, processor and number of cores; the GPU too, if this process used one."""
    parts = [f"{platform.system()} {platform.machine()}", _processor()]
    parts.append(f"{os.cpu_count()} cores")
    if torch.cuda.is_initialized():
        parts.append(torch.cuda.get_device_name())
    return ", ".join(filter(None, parts))


def _processor() -> str:
    """The model's name as Linux gives it, or what Python knows."""
    information = Path("/proc/cpuinfo")
    if information.exists():
        for line in information.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor()


def _plain(value: Any) -> Any:
    """Arrays and array scalars as lists and numbers."""
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"a stored result cannot hold a {type(value).__name__}")
