"""A result is out of date when something has changed that its numbers can hang on."""

from pathlib import Path

import pytest

from course.results.reached_code import Command, Project

TREE = {
    "benchmarks/__init__.py": "",
    "benchmarks/rolls.py": '''"""Rolls."""
import argparse
from functools import partial

import benchmarks.table
from benchmarks import dice, room
from benchmarks.dice import SIDES as MOST

if MOST > 4:
    EXTRA = 1
else:
    EXTRA = 0

def once(n: int) -> int:
    """Once."""
    if n < 1:
        raise ValueError("too few")
    from benchmarks.late import late
    return dice.roll(n) + late()

def twice(n):
    return benchmarks.table.ROWS * n + EXTRA

def draw():
    return dice.unused()

EXPERIMENTS = {"once": once, "twice": partial(twice, 2), "shown": room.one}

def main():
    print("rolling")
    return EXPERIMENTS

if __name__ == "__main__":
    raise SystemExit(main())
''',
    "benchmarks/dice.py": "import warnings\n\nSIDES = 6\nwarnings.simplefilter('ignore')\n\n"
    "def roll(n):\n    return n * SIDES\n\ndef unused():\n    return 1\n",
    "benchmarks/late.py": "class Late(Exception):\n    pass\n\ndef late():\n    return 1\n",
    "benchmarks/table.py": "ROWS = 2\nCOLUMNS = 3\n",
    "benchmarks/room/__init__.py": "from benchmarks.room.inner import one\n",
    "benchmarks/room/inner.py": "def one():\n    return open('data/word_classes.txt')\n",
    "benchmarks/beside.py": "BESIDE = 1\n",
}
ONCE, TWICE = "python -m benchmarks.rolls once --seeds 5", "python -m benchmarks.rolls twice"
SHOWN = "python -m benchmarks.rolls shown"


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in TREE.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    return tmp_path / "benchmarks"


def digests(command: str) -> dict[str, str]:
    return Project().reached(Command.parse(command)).digests


def edit(path: Path, old: str, new: str) -> None:
    assert old in path.read_text("utf-8")
    path.write_text(path.read_text("utf-8").replace(old, new), "utf-8")


@pytest.mark.parametrize(
    ("command", "reaches"),
    [
        (ONCE, {"dice", "late"}),
        (TWICE, {"dice", "table"}),
        (SHOWN, {"room.inner", "elmo_mini/data/word_classes.txt", "dice"}),
    ],
)
def test_a_command_reaches_what_the_names_of_its_experiment_lead_to(
    made: Path, command: str, reaches: set[str]
) -> None:
    found = {name.removeprefix("benchmarks.") for name in digests(command)}
    assert found == {"rolls", *reaches}


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("dice", "SIDES = 6", "SIDES = 8"),
        ("dice", "n * SIDES", "SIDES + n"),
        ("dice", "'ignore'", "'error'"),
        ("late", "return 1", "return 2"),
        ("rolls", "n < 1", "n < 2"),
        ("rolls", "MOST > 4", "MOST > 5"),
        ("rolls", '"once": once', '"once": partial(once)'),
    ],
)
def test_what_numbers_can_hang_on_is_seen(made: Path, file: str, old: str, new: str) -> None:
    before = digests(ONCE)
    edit(made / f"{file}.py", old, new)
    after = digests(ONCE)
    assert {name for name in before if before[name] != after.get(name)} == {f"benchmarks.{file}"}


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("beside", "1", "2"),
        ("table", "ROWS = 2", "ROWS = 4"),
        ("dice", "return 1", "return 2"),
        ("dice", "SIDES = 6", "SIDES = (\n    6  # as ever\n)"),
        ("rolls", "Once.", "One time."),
        ("rolls", "n: int", "n: float"),
        ("rolls", "too few", "fewer than one"),
        ("rolls", "rolling", "rolling now"),
        ("rolls", "* n + EXTRA", "+ n"),
        ("rolls", "partial(twice, 2)", "partial(twice, 3)"),
        ("late", "pass", "'''Too late.'''"),
    ],
)
def test_what_no_number_hangs_on_is_not(made: Path, file: str, old: str, new: str) -> None:
    before = digests(ONCE)
    edit(made / f"{file}.py", old, new)
    assert digests(ONCE) == before


@pytest.mark.parametrize(
    "command", ["python -m pytest", "make test", "python -m", "python course/measure.py", ""]
)
def test_a_command_of_something_else_is_refused(command: str) -> None:
    with pytest.raises(ValueError, match="does not start a module of the project"):
        Command.parse(command)


def test_a_module_that_is_not_here_is_named() -> None:
    with pytest.raises(LookupError, match=r"no module course\.gone"):
        Project().reached(Command.parse("python -m course.gone once"))


def test_no_result_hangs_on_the_figures_of_its_lesson() -> None:
    project = Project()
    broken = project.reached(Command.parse("python -m course.taglm.experiments broken --seeds 5"))
    assert {"course.taglm.broken_crfs", "elmo_mini.models.crf"} <= broken.digests.keys()
    assert {"elmo_mini/data/course_bilm"} <= broken.digests.keys()
    assert not [name for name in broken.digests if "figure" in name or "report" in name]
    share = project.reached(Command.parse("python -m course.taglm.experiments ten-percent"))
    assert "course.taglm.broken_crfs" not in share.digests
    assert broken.says(["conll2000", "treebank"], aside="elmo_mini.corpora.catalogue") == [
        "conll2000"
    ]
