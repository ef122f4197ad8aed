"""An item: one test marked ``by_reach``, by its name, with the files that its outcome hangs on."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from autograde.checking.catalogue import places
from autograde.checking.exercise import Exercise
from tests.economy.reach import Repository

ROOT = Path(__file__).resolve().parents[2]
MARK = "by_reach"
# What every item hangs on: the pinned packages, and this folder, which says what an item reaches.
GROUND = (ROOT / "constraints.txt", *sorted(Path(__file__).parent.glob("*.py")))
WRITTEN = {".ipynb", ".md", ".pyc"}  # notebooks are made of the sources; pages are for people


def name_of(test: pytest.Item) -> str | None:
    """``family: parameters``, if the test is an item."""
    mark = test.get_closest_marker(MARK)
    if mark is None:
        return None
    callspec = getattr(test, "callspec", None)
    return f"{mark.args[0]}: {callspec.id if callspec else test.name}"


def seconds_of(test: pytest.Item) -> float:
    """Processor seconds that the mark allows where nothing is recorded."""
    mark = test.get_closest_marker(MARK)
    return float(mark.kwargs.get("seconds", 10)) if mark else 0.0


def reach_of(test: pytest.Item, repository: Repository) -> set[Path]:
    """The test's file with its conftests, and what it is given: exercises, or a lesson's source."""
    tests = {file for folder in test.path.parents for file in folder.glob("conftest.py")}
    reached = repository.of({test.path, *(file for file in tests if ROOT in file.parents), *GROUND})
    callspec = getattr(test, "callspec", None)
    for given in callspec.params.values() if callspec else ():
        for each in given if isinstance(given, list) else [given]:
            if isinstance(each, Exercise):
                module = Path(str(sys.modules[places()[each.id]].__file__))
                reached |= repository.of([module], own=each.id)
            elif isinstance(each, Path):
                reached |= repository.of(lesson_files(each))
    return reached


def lesson_files(source: Path) -> Iterator[Path]:
    """The source of a lesson, the files beside it and its notebook, and its exercises."""
    lesson = source.parent.name
    for folder in (source.parent, ROOT / "lessons" / lesson):
        yield from (f for f in folder.rglob("*") if f.is_file() and f.suffix not in WRITTEN)
    modules = {place.rpartition(".")[0] for place in places().values()}
    for package in (sys.modules[module] for module in modules):
        if lesson == package.LESSON:
            yield from Path(str(package.__file__)).parent.glob("*.py")
