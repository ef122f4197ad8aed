"""The workspace is found from a lesson in it, and from nowhere else."""

from pathlib import Path

import pytest

from autograde.workspace.place import find_workspace


def test_the_workspace_is_found_from_a_lesson_and_not_from_elsewhere(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert find_workspace() == workspace
    monkeypatch.setenv("NBGRADER_EXECUTION", "validate")
    assert find_workspace() is None
    monkeypatch.delenv("NBGRADER_EXECUTION")
    monkeypatch.chdir(workspace.parent)
    assert find_workspace() is None
    gone = workspace.parent / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert find_workspace() is None
