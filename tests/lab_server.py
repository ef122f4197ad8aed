"""A copy of the course and the real `python -m autograde lab` on it, for tests."""

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def copy_of_course(folder: Path, *lessons: str) -> Path:
    """The packages and the named lessons, in a folder of their own."""
    skip = shutil.ignore_patterns("__pycache__", ".ipynb_checkpoints")
    for package in ("autograde", "course", "elmo_mini"):
        shutil.copytree(ROOT / package, folder / package, ignore=skip)
    shutil.copy(ROOT / "pyproject.toml", folder)
    for lesson in lessons:
        shutil.copytree(ROOT / "lessons" / lesson, folder / "lessons" / lesson, ignore=skip)
    return folder


@contextmanager
def running_lab(course: Path, heard: list[str] | None = None, **environment: str) -> Iterator[str]:
    """The command in a process of its own; gives the address that it prints.

    ``heard`` gets every line that it says until it has stopped. The settings of whoever runs the
    tests are out of the way: Jupyter gets empty folders.
    """
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    words = [sys.executable, "-m", "autograde", "lab", "--no-open", "--no-download"]
    inherited = {key: value for key, value in os.environ.items() if key != "OMP_NUM_THREADS"}
    with tempfile.TemporaryDirectory() as home:
        process = subprocess.Popen(
            [*words, "--port", str(port)],
            cwd=course,
            env={**inherited, "HOME": home, "PYTHONPATH": str(course), **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        try:
            yield _printed_address(process, heard := [] if heard is None else heard)
        finally:
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(timeout=60)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            heard += [line.rstrip() for line in process.stdout or ()]


def _printed_address(process: subprocess.Popen[str], heard: list[str]) -> str:
    assert process.stdout is not None
    for line in process.stdout:
        heard.append(line.rstrip())
        address = re.search(r"http://127\.0\.0\.1:\d+\S*token=\S+", line)
        if address:
            return address[0]
    raise AssertionError("no address was printed:\n" + "\n".join(heard))
