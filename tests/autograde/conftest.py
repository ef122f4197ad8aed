"""A learner's desk, as `make lab` leaves it."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The learner's folder, seen from the notebook of a lesson in it."""
    lesson = tmp_path / "work/00_test"
    (tmp_path / "work/.course").mkdir(parents=True)
    lesson.mkdir()
    monkeypatch.chdir(lesson)
    yield tmp_path / "work"
    for name in [name for name in sys.modules if name.partition(".")[0] == "my_elmo"]:
        del sys.modules[name]
