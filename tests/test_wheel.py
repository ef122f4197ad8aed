"""A wheel of the course, installed where nothing else is: elmo_mini works without Jupyter."""

import json
import os
import re
import shutil
import subprocess
import sys
import venv
import zipfile
from datetime import datetime
from pathlib import Path

import pytest

from autograde.running.lab import FETCH_RECORD
from elmo_mini import corpora
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
    told = re.search(r"The wheel takes (\d+) MB", (ROOT / "CONTRIBUTING.md").read_text("utf-8"))
    assert told is not None
    assert abs(wheel.stat().st_size / 1e6 - int(told[1])) < 1.5
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


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory, wheel: Path) -> Path:
    """A Python with the wheel and its base dependencies."""
    place = tmp_path_factory.mktemp("empty") / "venv"
    venv.create(place, with_pip=True)
    python = place / ("Scripts" if os.name == "nt" else "bin") / "python"
    pip(python, "install", "-q", "-c", ROOT / "constraints.txt", wheel)
    return python


def test_the_base_is_enough(python: Path, tmp_path: Path) -> None:
    """Nothing is there but the wheel and its base dependencies: no Jupyter, no nbgrader."""
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


UP_TO_THE_FIRST_ANSWER = """
import json, sys
for path in sys.argv[1:]:
    names = {"__name__": "__main__"}
    for cell in json.load(open(path, encoding="utf-8"))["cells"]:
        if cell["cell_type"] == "code":
            source = "".join(cell["source"])
            if "YOUR CODE HERE" in source:
                break
            exec(source, names)
    print("ran", path)
"""


def test_the_first_cell_brings_the_course_and_the_lesson_goes_on(
    wheel: Path, python: Path, tmp_path: Path
) -> None:
    """As in Kaggle: the wheel lies beside the notebooks, and the course is not installed."""
    pip(python, "uninstall", "-q", "-y", "before-bert")
    shutil.copy(wheel, tmp_path)
    notebooks = sorted(ROOT.glob("lessons/0[01]_*/*.ipynb"))
    clean = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    # The corpora were tried in vain today: a test fetches no hundred megabytes.
    record = tmp_path / "before_bert" / FETCH_RECORD
    record.parent.mkdir(parents=True)
    tried = {"tried": datetime.now().isoformat(), "missing": list(corpora.available())}
    record.write_text(json.dumps(tried))
    away = {
        "KAGGLE_KERNEL_RUN_TYPE": "Interactive",
        "PIP_CONSTRAINT": str(ROOT / "constraints.txt"),
        "NLTK_DATA": str(tmp_path / "no_corpora"),
    }
    done = subprocess.run(
        [python, "-I", "-c", UP_TO_THE_FIRST_ANSWER, *notebooks],
        cwd=tmp_path,
        env={**clean, **away},
        capture_output=True,
        text=True,
        check=False,
    )
    if any(sign in done.stderr for sign in NO_INDEX):
        pytest.skip("no package index answered, so the packages could not be installed")
    assert done.stdout.count("ran ") == 2, done.stderr
    assert "What you do is kept in" in done.stdout
    assert (tmp_path / "before_bert/01_word2vec").is_dir()
