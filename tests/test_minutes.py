"""The minutes that a lesson announces cover its exercises, its reading and its predictions."""

import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from autograde.building.lesson_source import read_lesson
from autograde.checking.catalogue import find
from tests.lesson_text import for_learners

ROOT = Path(__file__).resolve().parent.parent
SOURCES = sorted(ROOT.glob("solutions/*/*.py"))[1:]  # lesson 00 says what each section takes
every_source = pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.stem)

WORDS_A_MINUTE = 130  # a slow reader: formulas, figures and printed numbers are read, too
PREDICTION = 1
SPINE = 100
PLAN = re.compile(r"^# Plan (\d+) minutes", re.MULTILINE)
SHORT = re.compile(
    r"Short of time\? Exercises ((?:\d+(?:, | and | to ))*\d+) are the spine, (\d+) minutes\."
)


@dataclass
class MainLine:
    """What stands before the optional sections."""

    exercises: list[int]
    reading: float

    @classmethod
    def of(cls, source: Path) -> "MainLine":
        line, words, predictions = cls([], 0), 0, 0
        for cell in read_lesson(source).cells:
            if cell.kind == "code":
                predictions += cell.source.count("predict(")
                continue
            if "## If you have time" in cell.source:
                break
            if cell.role in (None, "exercise"):
                words += len(cell.source.split())
            if cell.role == "exercise":
                line.exercises.append(find(cell.name).minutes)
        line.reading = words / WORDS_A_MINUTE + PREDICTION * predictions
        return line


def numbers_of(phrase: str) -> set[int]:
    """The numbers of a phrase such as "1, 3 and 5 to 7", those between the ends too."""
    ends = [(int(a), int(b or a)) for a, b in re.findall(r"(\d+)(?: to (\d+))?", phrase)]
    return {number for first, last in ends for number in range(first, last + 1)}


@every_source
def test_the_plan_has_room_for_the_main_line(source: Path) -> None:
    line = MainLine.of(source)
    (plan,) = PLAN.findall(for_learners(source))
    needed = sum(line.exercises) + line.reading
    assert needed <= int(plan) <= 1.3 * needed  # machines and second thoughts take time, too


@every_source
def test_who_is_short_of_time_finds_a_spine(source: Path) -> None:
    line, text = MainLine.of(source), for_learners(source)
    said = SHORT.search(text)
    if said is None:
        assert sum(line.exercises) + line.reading <= SPINE
        return
    chosen = numbers_of(said[1])
    assert max(chosen) <= len(line.exercises)
    needed = sum(line.exercises[number - 1] for number in chosen) + line.reading
    assert needed <= int(said[2]) <= SPINE


def test_the_first_page_gives_the_plans_and_their_sum() -> None:
    page = (ROOT / "README.md").read_text("utf-8")
    shown = re.findall(r"^\| \[(\d\d)\]\([^|]+ \| \[[^|]+ \| (\d+) min \|", page, re.MULTILINE)
    minutes = {number: int(time) for number, time in shown}
    for source in SOURCES:
        (plan,) = PLAN.findall(for_learners(source))
        assert minutes[source.parent.name[:2]] == int(plan)
    (hours,) = re.findall(r"About (\d+) hours in all", page)
    assert round(sum(minutes.values()) / 60) == int(hours)
