"""An item: one test marked ``by_reach``, by its name, with the files that its outcome hangs on."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.economy.reach import Repository

MARK = "by_reach"
# What every item hangs on: the pinned packages, and this folder, which says what an item reaches.
PINS = "constraints.txt"
HERE = sorted(Path(__file__).parent.glob("*.py"))
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
    root = repository.root
    around = [folder for folder in test.path.parents if folder.is_relative_to(root)]
    ground = [root / PINS, *(folder / "conftest.py" for folder in around)]
    reached = repository.of({test.path, *HERE, *(file for file in ground if file.exists())})
    mark = test.get_closest_marker(MARK)
    for pattern in mark.kwargs.get("also", ()) if mark else ():
        reached |= repository.of(root.glob(pattern))
    callspec = getattr(test, "callspec", None)
    for given in callspec.params.values() if callspec else ():
        for each in given if isinstance(given, list) else [given]:
            if isinstance(each, Path):
                beside = test.path.parent.glob(f"*/{each.stem}.py")  # what it claims of its run
                reached |= repository.of([*lesson_files(each, root), *beside])
            elif hasattr(each, "mistakes"):
                reached |= repository.of([exercise_file(each.id)], own=each.id)
    return reached


def exercise_file(exercise_id: str) -> Path:
    """The module of an exercise."""
    from autograde.checking.catalogue import places

    return Path(str(sys.modules[places()[exercise_id]].__file__))


def lesson_files(source: Path, root: Path) -> Iterator[Path]:
    """The source of a lesson, the files beside it and its notebook, and its exercises."""
    from autograde.checking.catalogue import places

    lesson = source.parent.name
    for folder in (source.parent, root / "lessons" / lesson):
        yield from (f for f in folder.rglob("*") if f.is_file() and f.suffix not in WRITTEN)
    for package in {place.rpartition(".")[0] for place in places().values()}:
        if lesson == sys.modules[package].LESSON:
            yield from Path(str(sys.modules[package].__file__)).parent.glob("*.py")
