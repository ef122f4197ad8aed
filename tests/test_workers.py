"""The workers of `make test`: what shares fixtures stays on one of them."""

import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest

from tests.conftest import Together

ROOT = Path(__file__).resolve().parent.parent
RUN = "tests/autograde/exercises/test_lessons.py::test_the_solved_lesson_runs_offline[a]"


@pytest.mark.parametrize(
    ("test", "scope"),
    [
        ("tests/test_pins.py::test_a[x::y]", "tests/test_pins.py"),
        ("tests/browser/test_lab.py::test_a", "tests/browser"),
        (RUN, RUN),
    ],
)
def test_what_stays_together(test: str, scope: str) -> None:
    assert Together._split_scope(object.__new__(Together), test) == scope


@pytest.mark.slow
def test_a_file_stays_on_one_worker() -> None:
    """With the real pytest and xdist: they have not always agreed about this."""
    files = ["tests/test_concepts.py", "tests/test_makefile.py"]
    words = ["-m", "pytest", "-v", "-n", "2", "--no-loadscope-reorder", "-p", "no:cacheprovider"]
    done = subprocess.run(
        [sys.executable, *words, *files], cwd=ROOT, capture_output=True, text=True, check=False
    )
    workers = defaultdict(set)
    for worker, file in re.findall(r"^\[(gw\d)\].*? (tests/\w+\.py)::", done.stdout, re.MULTILINE):
        workers[file].add(worker)
    assert [len(workers[file]) for file in files] == [1, 1], done.stdout + done.stderr
