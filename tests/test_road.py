"""Numbers of the road: a lesson is called the same everywhere, and what it points at exists."""

import re
from pathlib import Path

import pytest

from autograde.checking.catalogue import catalogue
from course.figures.plots import ROAD
from course.figures.road import UNWRITTEN
from tests.lesson_text import for_learners

ROOT = Path(__file__).resolve().parent.parent
NUMBERS = [number for number, _ in ROAD]
SOURCES = sorted(ROOT.glob("solutions/*/*.py"))
every_source = pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.stem)


def numbers_in(text: str, noun: str) -> set[int]:
    """The numbers in phrases such as "exercise 2" and "exercises 1, 3 and 5"."""
    phrases = re.findall(rf"{noun}s? (\d+(?:(?:, | and | to )\d+)*)", text, re.IGNORECASE)
    return {int(number) for phrase in phrases for number in re.findall(r"\d+", phrase)}


def test_the_road_has_no_gap_and_every_lesson_stands_on_it() -> None:
    assert [int(number) for number in NUMBERS] == list(range(len(NUMBERS)))
    assert [path.parent.name[:2] for path in SOURCES] == NUMBERS[: len(SOURCES)]
    assert list(UNWRITTEN) == NUMBERS[len(SOURCES) :]


@every_source
def test_title_map_and_next_lesson_have_the_number_of_the_folder(source: Path) -> None:
    text, number = for_learners(source), source.parent.name[:2]
    assert re.findall(r"^# # (\d\d) · ", text, re.MULTILINE) == [number]
    assert re.findall(r'plots\.road\("(\d\d)"\)', text) == [number]
    following = [] if number == NUMBERS[-1] else [f"{int(number) + 1:02}"]
    assert re.findall(r"^# Next: \*\*(\d\d) · ", text, re.MULTILINE) == following


@every_source
def test_exercises_are_numbered_from_1_and_only_those_are_named(source: Path) -> None:
    text = for_learners(source)
    headings = [int(n) for n in re.findall(r"^# ### Exercise (\d+)\. ", text, re.MULTILINE)]
    assert headings == list(range(1, len(headings) + 1))
    of = {e.id for e in catalogue().values() if e.lesson == source.parent.name}
    assert len(headings) == len(of) or source.parent.name == "00_start_here"
    reports = ROOT / "autograde" / "exercises" / source.parent.name[3:]
    said = "\n".join([text, *(path.read_text("utf-8") for path in reports.glob("*.py"))])
    assert numbers_in(said, "exercise") <= set(headings)


@pytest.mark.parametrize(
    "page", [ROOT / "README.md", ROOT / "CONCEPTS.md", *SOURCES], ids=lambda path: path.stem
)
def test_a_lesson_that_is_named_stands_on_the_road(page: Path) -> None:
    assert numbers_in(page.read_text("utf-8"), "lesson") <= set(map(int, NUMBERS))


def test_the_readme_links_every_lesson_under_its_number() -> None:
    row = r"\| \[(\d\d)\]\((\S+)\) \| \[[^]]+\]\((\S+)\)"
    linked = re.findall(row, (ROOT / "README.md").read_text("utf-8"))
    for place, folder in ((1, "lessons"), (2, "solutions")):
        there = sorted(path.relative_to(ROOT) for path in ROOT.glob(f"{folder}/*/*.ipynb"))
        assert [Path(row[place]) for row in linked] == there
        assert [row[0] for row in linked] == [path.parent.name[:2] for path in there]
