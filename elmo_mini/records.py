"""Measured numbers written as JSON, with the command, date, machine and versions."""

import datetime
import json
import os
import platform
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import torch

from elmo_mini.files import write_text

CIRCUMSTANCES = ("command", "date", "machine", "versions")
PACKAGES = ("torch", "numpy", "scipy", "scikit-learn", "gensim")


def write_record(path: Path, title: str, numbers: dict[str, Any], *, command: str) -> Path:
    """Write measured numbers as JSON, with title, command, date, machine and versions.

    Parameters
    ----------
    path : the file; what stands there is replaced
    title : one line that says what was measured
    numbers : what was measured, with seeds and settings; arrays become lists
    command : how to measure it again, from the project's folder

    Returns
    -------
    The file

    Raises
    ------
    ValueError
        Title or command is empty, or a key of `numbers` is one of title, command, date, machine,
        versions.
    """
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
        "versions": {"python": platform.python_version(), **_versions()},
        **numbers,
    }
    text = json.dumps(record, indent=1, ensure_ascii=False, default=_plain)
    write_text(path, f"{text}\n")
    return path


def is_record(path: Path) -> bool:
    """Whether a file was written by `write_record`."""
    try:
        return {"title", *CIRCUMSTANCES} <= json.loads(path.read_text(encoding="utf-8")).keys()
    except (OSError, ValueError, AttributeError):
        return False


def _versions() -> dict[str, str]:
    """Of the packages that are installed."""
    found = {}
    for package in PACKAGES:
        with suppress(PackageNotFoundError):
            found[package] = version(package)
    return found


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
