"""The catalogue and the exercise folders agree."""

from pathlib import Path

import pytest

import autograde.exercises
from autograde.building.lesson_source import read_lesson
from autograde.checking.catalogue import catalogue, find, places

FOLDER = Path(str(autograde.exercises.__file__)).parent
SOURCES = sorted((Path(__file__).parents[3] / "solutions").glob("*/*.py"))


def test_every_exercise_has_the_file_of_its_name_in_the_folder_of_its_lesson() -> None:
    for name, exercise in catalogue().items():
        assert exercise.id == name
        (module,) = FOLDER.glob(f"*/{name}.py")
        assert exercise.lesson.partition("_")[2] == module.parent.name


def test_every_file_that_declares_an_exercise_is_named_by_its_lesson() -> None:
    declared = {
        path.stem
        for path in FOLDER.glob("*/*.py")
        if "\nEXERCISE = " in path.read_text(encoding="utf-8")
    }
    assert declared == set(places())


def test_the_order_is_that_of_the_lessons() -> None:
    lessons = [exercise.lesson for exercise in catalogue().values()]
    assert lessons == sorted(lessons)


def test_within_a_lesson_the_order_is_that_of_the_page() -> None:
    cells = [cell for source in SOURCES for cell in read_lesson(source).cells]
    asked = [cell.name for cell in cells if cell.has_role("exercise", "code")]
    assert list(catalogue()) == asked


def test_an_unknown_name_gets_those_there_are() -> None:
    with pytest.raises(KeyError, match=r"no exercise .sgns_los.; there are: .*sgns_loss"):
        find("sgns_los")
