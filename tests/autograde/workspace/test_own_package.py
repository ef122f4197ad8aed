"""What is written around the parts comes and goes; what a learner edited stays."""

import platform
from datetime import datetime
from importlib.metadata import version
from pathlib import Path

import pytest

from autograde.workspace import own_package, parts

NOW = datetime(2026, 5, 3, 12)
FILES = {"__init__.py": b"import torch\n", "weights.hdf5": b"\x89HDF", "course/BiLM.py": b"x = 1\n"}


def contents(workspace: Path) -> dict[str, bytes]:
    package = workspace / "my_elmo"
    files = [path for path in package.rglob("*") if path.is_file()]
    return {path.relative_to(package).as_posix(): path.read_bytes() for path in files}


def test_what_is_written_again_is_not_touched(workspace: Path) -> None:
    assert own_package.write(workspace, FILES, NOW) == []
    assert contents(workspace) == FILES
    before = (workspace / "my_elmo/weights.hdf5").stat().st_mtime_ns
    assert own_package.write(workspace, FILES, NOW) == []
    assert (workspace / "my_elmo/weights.hdf5").stat().st_mtime_ns == before


def test_the_first_line_of_the_folder_gives_way(workspace: Path) -> None:
    """Keeping a part has written it; a learner has not."""
    parts.write(parts.file_of(workspace, "BiLM"), "class BiLM: ...\n")
    assert own_package.write(workspace, FILES, NOW) == []
    assert contents(workspace) == FILES | {"BiLM.py": b"class BiLM: ...\n"}


def test_a_stand_in_goes_when_it_is_needed_no_longer(workspace: Path) -> None:
    own_package.write(workspace, FILES, NOW)
    without = {name: FILES[name] for name in ("__init__.py", "weights.hdf5")}
    assert own_package.write(workspace, without, NOW) == []
    assert not (workspace / "my_elmo/course").exists()
    own_package.write(workspace, FILES, NOW)
    (workspace / "my_elmo/course/BiLM.py").write_bytes(b"x = 2\n")
    own_package.write(workspace, without, NOW)
    assert contents(workspace)["course/BiLM.py"] == b"x = 2\n"


@pytest.mark.parametrize("lost", ["", "not json", "[]"])
def test_an_edited_file_and_one_of_unknown_origin_get_another_name(
    workspace: Path, lost: str
) -> None:
    own_package.write(workspace, FILES, NOW)
    (workspace / "my_elmo/weights.hdf5").write_bytes(b"another model")
    if lost:
        (workspace / own_package.RECORD).write_text(lost)
        (workspace / "my_elmo/course/BiLM.py").write_bytes(b"x = 2\n")
    names = own_package.write(workspace, FILES, NOW)
    assert "weights (before 2026-05-03 12.00.00).hdf5" in names
    assert ("BiLM (before 2026-05-03 12.00.00).py" in names) == bool(lost)
    found = contents(workspace)
    assert found.items() >= FILES.items()
    assert found["weights (before 2026-05-03 12.00.00).hdf5"] == b"another model"


def test_the_readme_says_whose_the_parts_are_and_the_package_looks_there_first() -> None:
    files = own_package.code({"BiLM": "class BiLM: ...\n"}, ["CharCNN", "ScalarMix", "embed"])
    readme = files["README.md"].decode()
    assert "Mine: CharCNN, ScalarMix, embed.\n\nThe course's, in `course/`: BiLM." in readme
    assert f"written with Python {platform.python_version()}, torch {version('torch')}, " in readme
    assert "{" not in readme
    look, blank, imported, *_ = files["__init__.py"].decode().splitlines()[2:]
    assert look.startswith('__path__ = [f"{__path__[0]}/course", *__path__]')
    assert (blank, imported) == ("", "from my_elmo.elmo import ELMo")
    assert files["course/BiLM.py"] == b"class BiLM: ...\n"
    alone = own_package.code({}, ["BiLM"])
    assert sorted(alone) == own_package.files_of_ours()
    assert b"__path__" not in alone["__init__.py"]
    assert b"Mine, all of them: BiLM." in alone["README.md"]
