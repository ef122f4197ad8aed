"""Files that are there, and files that appear whole or not at all."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from elmo_mini.files import existing_file, make_folder, unfinished, write_text, written_whole


def test_a_file_that_must_be_there(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("here")
    assert existing_file(str(tmp_path / "a.txt")) == tmp_path / "a.txt"
    with pytest.raises(FileNotFoundError, match=r"there is no text file .*b\.txt$"):
        existing_file(tmp_path / "b.txt", "text file")
    with pytest.raises(IsADirectoryError, match="is a folder; name one text file"):
        existing_file(tmp_path, "text file")


def test_text_is_replaced_whole_and_its_folder_is_made(tmp_path: Path) -> None:
    target = tmp_path / "not" / "yet" / "a.json"
    write_text(target, "old")
    write_text(target, "new")
    assert target.read_text() == "new"
    assert [p.name for p in target.parent.iterdir()] == ["a.json"]


def test_what_goes_wrong_leaves_the_old_file_and_no_other(tmp_path: Path) -> None:
    target = tmp_path / "a.json"
    write_text(target, "old")

    def dies() -> None:
        with written_whole(target) as part:
            part.write_text("half a fi")
            raise RuntimeError("power cut")

    with pytest.raises(RuntimeError, match="power cut"):
        dies()
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]


def test_writers_at_once_do_not_meet(tmp_path: Path) -> None:
    target = tmp_path / "a.json"
    with written_whole(target) as first:
        first.write_text("first")
        with written_whole(target) as second:
            second.write_text("second")
        assert target.read_text() == "second"
        assert first.read_text() == "first"
    assert target.read_text() == "first"
    assert list(tmp_path.iterdir()) == [target]


def test_what_a_killed_writer_left_is_removed(tmp_path: Path) -> None:
    target = tmp_path / "a.json"
    with written_whole(target) as part:
        part.touch()
        own = f"+{os.getpid()}+"
        assert unfinished(target) == [part]
    killed = subprocess.Popen([sys.executable, "-c", ""])
    killed.wait()
    dead = part.with_name(part.name.replace(own, f"+{killed.pid}+"))
    running = part.with_name(part.name.replace(own, f"+{os.getppid()}+"))
    elsewhere = part.with_name(dead.name.replace(".part-", ".part-another"))
    stranger = tmp_path / "a.json.part-time"
    for left in (dead, running, elsewhere, stranger):
        left.touch()
    write_text(target, "new")
    assert set(tmp_path.iterdir()) == {target, running, elsewhere, stranger}


def test_a_folder_that_cannot_be_made_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("of value")
    for folder in (tmp_path / "file", tmp_path / "file" / "deeper"):
        with pytest.raises(OSError, match=f"^the folder {folder} cannot be made: a file is in its"):
            make_folder(folder)
    with pytest.raises(OSError, match="cannot be made: file name too long"):
        make_folder(tmp_path / ("x" * 300))
    with pytest.raises(IsADirectoryError, match="is a folder; name a file to write"):
        write_text(tmp_path, "x")
