"""Jupyter's own files where the home folder takes none."""

import os
from pathlib import Path

import pytest

from autograde.running import lab
from autograde.running.environment import environment
from autograde.running.jupyter_folders import VARIABLES, keep_in, not_writable


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in [name for name in os.environ if name.startswith(("JUPYTER_", "XDG_"))]:
        monkeypatch.delenv(name)
    for name in VARIABLES:
        monkeypatch.setenv(name, "to be put back")
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("USERPROFILE", str(tmp_path / "home"))
    return tmp_path / "home"


def test_a_home_that_takes_files_is_left_as_it_is(home: Path) -> None:
    assert not_writable() is None
    assert not home.exists()
    lab._find_room(home.parent / "work")
    assert not (home.parent / "work").exists()


def test_where_home_is_no_folder_the_files_go_to_work(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    home.write_text("in the way")
    folder = not_writable()
    assert folder is not None
    assert home in folder.parents
    assert any(need.name == "home folder" and need.state == "note" for need in environment().needs)
    lab._find_room(home.parent / "work")
    assert "takes no files; JupyterLab keeps its own in" in capsys.readouterr().out
    assert not_writable() is None
    for name in VARIABLES:
        assert Path(os.environ[name]).is_dir()
        assert (home.parent / "work") in Path(os.environ[name]).parents


def test_where_nothing_takes_files_that_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(OSError, match="file"):
        keep_in(tmp_path / "file" / "jupyter", {})
