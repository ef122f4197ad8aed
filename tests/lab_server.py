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
    for package in ("autograde", "elmo_mini"):
        shutil.copytree(ROOT / package, folder / package, ignore=skip)
    shutil.copy(ROOT / "pyproject.toml", folder)
    for lesson in lessons:
        shutil.copytree(ROOT / "lessons" / lesson, folder / "lessons" / lesson, ignore=skip)
    return folder


@contextmanager
def running_lab(course: Path, **environment: str) -> Iterator[str]:
    """The command in a process of its own; gives the address that it prints.

    The settings of whoever runs the tests are out of the way: Jupyter gets empty folders.
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
            yield _printed_address(process)
        finally:
            process.send_signal(signal.SIGTERM)
            try:
                process.communicate(timeout=60)
            except subprocess.TimeoutExpired:
                process.kill()
                process.communicate()


def _printed_address(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    said = ""
    for line in process.stdout:
        said += line
        address = re.search(r"http://127\.0\.0\.1:\d+\S*token=\S+", line)
        if address:
            return address[0]
    raise AssertionError(f"no address was printed:\n{said}")
