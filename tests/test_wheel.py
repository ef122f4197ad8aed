"""A wheel of the course, installed where nothing else is: elmo_mini works without Jupyter."""

import os
import shutil
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

from tests.lab_server import copy_of_course

ROOT = Path(__file__).resolve().parent.parent
NO_INDEX = ("after connection broken by", "Could not find a version that satisfies", "--no-index")

pytestmark = [pytest.mark.slow, pytest.mark.timeout(3600)]


def pip(python: Path | str, *words: Path | str) -> None:
    """Run pip; where no package index answers, the test is skipped."""
    done = subprocess.run(
        [python, "-m", "pip", "--disable-pip-version-check", *words],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode and any(sign in done.stderr for sign in NO_INDEX):
        pytest.skip("no package index answered, so the wheel could not be installed")
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built from a copy, so that no build folder of this clone is in the way."""
    course = copy_of_course(tmp_path_factory.mktemp("course"))
    for name in ("README.md", "LICENSE"):
        shutil.copy(ROOT / name, course)
    folder = tmp_path_factory.mktemp("wheel")
    pip(sys.executable, "wheel", "-q", "--no-deps", "-w", folder, course)
    (built,) = folder.glob("*.whl")
    return built


def test_the_wheel_holds_types_checkpoint_results_and_settings(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    for name in (
        "elmo_mini/py.typed",
        "elmo_mini/data/course_bilm/model.safetensors",
        "elmo_mini/data/course_bilm/softmax.safetensors",
        "elmo_mini/data/senses_english.jsonl",
        "course/results/layers_senses.json",
        "autograde/running/jupyter_config/labconfig/page_config.json",
    ):
        assert name in names
    assert not any(name.startswith(("tests/", "solutions/", "lessons/")) for name in names)


def test_the_base_is_enough(wheel: Path, tmp_path: Path) -> None:
    """Nothing is there but the wheel and its base dependencies: no Jupyter, no nbgrader."""
    venv.create(tmp_path / "venv", with_pip=True)
    folder = "Scripts" if os.name == "nt" else "bin"
    python = tmp_path / "venv" / folder / "python"
    pip(python, "install", "-q", "-c", ROOT / "constraints.txt", wheel)
    clean = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    done = subprocess.run(
        [python, "-I", ROOT / "tests/base_install.py"],
        cwd=tmp_path,
        env=clean,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == "The base is enough.\n", done.stderr
