"""What is written around the parts comes and goes; what a learner edited stays."""

from datetime import datetime
from pathlib import Path

import pytest

from autograde.desk import own_package, parts

NOW = datetime(2026, 5, 3, 12)
FILES = {"__init__.py": b"import torch\n", "weights.hdf5": b"\x89HDF", "course/BiLM.py": b"x = 1\n"}


def contents(desk: Path) -> dict[str, bytes]:
    package = desk / "my_elmo"
    files = [path for path in package.rglob("*") if path.is_file()]
    return {path.relative_to(package).as_posix(): path.read_bytes() for path in files}


def test_what_is_written_again_is_not_touched(desk: Path) -> None:
    assert own_package.write(desk, FILES, NOW) == []
    assert contents(desk) == FILES
    before = (desk / "my_elmo/weights.hdf5").stat().st_mtime_ns
    assert own_package.write(desk, FILES, NOW) == []
    assert (desk / "my_elmo/weights.hdf5").stat().st_mtime_ns == before


def test_the_first_line_of_the_folder_gives_way(desk: Path) -> None:
    """Keeping a part has written it; a learner has not."""
    parts.write(parts.file_of(desk, "BiLM"), "class BiLM: ...\n")
    assert own_package.write(desk, FILES, NOW) == []
    assert contents(desk) == FILES | {"BiLM.py": b"class BiLM: ...\n"}


def test_a_stand_in_goes_when_it_is_needed_no_longer(desk: Path) -> None:
    own_package.write(desk, FILES, NOW)
    without = {name: FILES[name] for name in ("__init__.py", "weights.hdf5")}
    assert own_package.write(desk, without, NOW) == []
    assert not (desk / "my_elmo/course").exists()
    own_package.write(desk, FILES, NOW)
    (desk / "my_elmo/course/BiLM.py").write_bytes(b"x = 2\n")
    own_package.write(desk, without, NOW)
    assert contents(desk)["course/BiLM.py"] == b"x = 2\n"


@pytest.mark.parametrize("lost", ["", "not json", "[]"])
def test_an_edited_file_and_one_of_unknown_origin_get_another_name(desk: Path, lost: str) -> None:
    own_package.write(desk, FILES, NOW)
    (desk / "my_elmo/weights.hdf5").write_bytes(b"another model")
    if lost:
        (desk / own_package.RECORD).write_text(lost)
        (desk / "my_elmo/course/BiLM.py").write_bytes(b"x = 2\n")
    names = own_package.write(desk, FILES, NOW)
    assert "weights (before 2026-05-03 12.00.00).hdf5" in names
    assert ("BiLM (before 2026-05-03 12.00.00).py" in names) == bool(lost)
    found = contents(desk)
    assert found.items() >= FILES.items()
    assert found["weights (before 2026-05-03 12.00.00).hdf5"] == b"another model"


def test_the_face_says_whose_the_parts_are_and_takes_them_from_there() -> None:
    files = own_package.code({"BiLM": "class BiLM: ...\n"}, ["CharCNN", "ScalarMix", "embed"])
    face = files["__init__.py"].decode()
    assert "Yours: CharCNN, ScalarMix, embed.\nThe course's, in course/: BiLM." in face
    assert "from my_elmo.course.BiLM import BiLM\n" in face
    assert "from my_elmo.CharCNN import CharCNN\n" in face
    assert files["course/BiLM.py"] == b"class BiLM: ...\n"
    assert sorted(own_package.code({}, ["BiLM"])) == [
        "__init__.py",
        "__main__.py",
        "one_layer.py",
        "weights.py",
    ]
    assert b"All its parts are yours." in own_package.code({}, ["BiLM"])["__init__.py"]
