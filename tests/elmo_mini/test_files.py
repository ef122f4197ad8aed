"""Files that are there, and files that appear whole or not at all."""

from pathlib import Path

import pytest

from elmo_mini.files import existing_file, make_folder, write_text, written_whole


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


def test_a_folder_that_cannot_be_made_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("of value")
    for folder in (tmp_path / "file", tmp_path / "file" / "deeper"):
        with pytest.raises(OSError, match=f"^the folder {folder} cannot be made: a file is in its"):
            make_folder(folder)
    with pytest.raises(OSError, match="cannot be made: file name too long"):
        make_folder(tmp_path / ("x" * 300))
    with pytest.raises(IsADirectoryError, match="is a folder; name a file to write"):
        write_text(tmp_path, "x")
