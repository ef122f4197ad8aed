"""The desk is found from a lesson in it, and from nowhere else."""

from pathlib import Path

import pytest

from autograde.desk.place import find_desk


def test_the_desk_is_found_from_a_lesson_and_not_from_elsewhere(
    desk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert find_desk() == desk
    monkeypatch.setenv("NBGRADER_EXECUTION", "validate")
    assert find_desk() is None
    monkeypatch.delenv("NBGRADER_EXECUTION")
    monkeypatch.chdir(desk.parent)
    assert find_desk() is None
    gone = desk.parent / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert find_desk() is None
