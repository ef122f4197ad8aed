"""Every stored result says how it was made."""

import datetime
import json
from pathlib import Path

import numpy as np
import pytest
import torch

from course.results.intervals import interval
from course.results.stored import FOLDER, stored_result, write_result
from elmo_mini import records
from elmo_mini.records import write_record


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.json")), ids=lambda p: p.stem)
def test_every_stored_result_says_how_it_was_made(path: Path) -> None:
    result = stored_result(path.stem)
    assert "python -m" in result.command
    assert result.numbers
    assert result.title in str(result)


def test_an_unknown_result_and_one_without_circumstances_are_refused(tmp_path: Path) -> None:
    with pytest.raises(LookupError, match="no stored result 'none'"):
        stored_result("none", tmp_path)
    (tmp_path / "bare.json").write_text(json.dumps({"title": "Bare", "ratio": 2}))
    with pytest.raises(ValueError, match="does not say its command, date"):
        stored_result("bare", tmp_path)


def test_what_is_written_is_read_back(tmp_path: Path) -> None:
    numbers = {"seeds": [1, 2], "打": interval([0.5, 0.7]), "array": np.arange(3), "n": np.int64(4)}
    path = write_result(
        "dice", "Two dice", numbers, command="python -m dice", folder=tmp_path / "new"
    )
    assert path == tmp_path / "new" / "dice.json"
    result = stored_result("dice", path.parent)
    assert (result.title, result.command) == ("Two dice", "python -m dice")
    assert result.date == datetime.datetime.now(datetime.UTC).date().isoformat()
    assert result.versions["torch"] == torch.__version__
    assert result.machine.endswith("cores")
    assert result.numbers == {**numbers, "array": [0, 1, 2], "n": 4}
    assert (result.seconds or {}).keys() == {"wall", "processor"}
    assert result.code is None  # of a command that is none of the project's
    assert "打" in path.read_text("utf-8")
    assert [p.name for p in path.parent.iterdir()] == ["dice.json"]


def test_the_code_is_stored_and_no_number_may_be_called_so(tmp_path: Path) -> None:
    command = "python -m course.static_limits.experiments variance --seeds 5"
    path = write_result("spread", "Spread", {"n": 1}, command=command, folder=tmp_path)
    result = stored_result("spread", tmp_path)
    assert "course.static_limits.experiments" in (result.code or {})
    assert result.numbers == {"n": 1}
    with pytest.raises(ValueError, match=r"spread.json: the numbers may not be called code"):
        write_result("spread", "Spread", {"code": 1}, command=command, folder=tmp_path)
    assert stored_result("spread", path.parent) == result


def test_a_record_that_could_not_be_read_is_not_written(tmp_path: Path) -> None:
    path = tmp_path / "mine.txt"
    write_record(path, "Mine", {"n": 1}, command="python -m mine")
    before = path.read_text("utf-8")
    with pytest.raises(ValueError, match=r"mine.txt: the numbers may not be called date, machine"):
        write_record(path, "Mine", {"machine": 1, "date": 2}, command="python -m mine")
    with pytest.raises(ValueError, match=r"mine.txt: .* needs a title and a command"):
        write_record(path, "Mine", {"n": 1}, command="")
    with pytest.raises(TypeError, match="cannot hold a set"):
        write_record(path, "Mine", {"n": {1}}, command="python -m mine")
    assert path.read_text("utf-8") == before


def test_a_package_that_is_not_installed_has_no_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(records, "PACKAGES", ("torch", "no-such-package"))
    path = write_record(tmp_path / "one.json", "a title", {}, command="a command")
    assert list(json.loads(path.read_text())["versions"]) == ["python", "torch"]
