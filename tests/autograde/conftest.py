"""A learner's workspace, as `make lab` leaves it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.autograde.learners_workspace import at_a_workspace


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The learner's folder, seen from the notebook of a lesson in it."""
    with at_a_workspace(tmp_path, monkeypatch) as folder:
        yield folder
