"""The plans for lecturers name decks and slides that are there, with their minutes."""

import re
from pathlib import Path

import pytest

from autograde.building.deck_source import Slide, slides_of
from autograde.building.lesson_source import read_lesson

ROOT = Path(__file__).resolve().parents[3]
PAGE = (ROOT / "docs" / "lecturers.md").read_text(encoding="utf-8")
DECKS = {
    path.parent.name[:2]: slides_of(lesson)
    for path in sorted(ROOT.glob("solutions/*/*.py"))
    if (lesson := read_lesson(path)).deck
}


def section(title: str) -> list[list[str]]:
    """The rows of the table in a section, below its head."""
    text = PAGE.split(f"## {title}\n")[1].split("\n## ")[0]
    rows = [line.strip("|").split("|") for line in text.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in row] for row in rows[2:]]


def numbers(cell: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", cell)]


def test_the_page_names_every_deck_and_no_other() -> None:
    named = re.search(r"Lessons? ((?:\d\d(?:, | and )?)+) ha(?:s|ve) a deck", PAGE)
    assert named is not None
    assert re.findall(r"\d\d", named[1]) == list(DECKS)
    weeks = [deck for row in section("Twelve weeks") for deck in re.findall(r"\d\d", row[2])]
    assert weeks == list(DECKS)


def test_the_short_plan_adds_up() -> None:
    total = 0.0
    for lesson, slides, minutes in section("A plan for 90 minutes"):
        chosen = [DECKS[lesson][number - 1] for number in numbers(slides)]
        assert sum(slide.minutes for slide in chosen) == float(minutes), lesson
        total += float(minutes)
    assert 70 <= total <= 80


def test_the_longer_plan_leaves_out_what_is_there() -> None:
    for _, lesson, slides, *_ in section("Three weeks"):
        assert max(numbers(slides)) <= len(DECKS[lesson])


def test_what_is_shown_live_stands_on_that_slide() -> None:
    for lesson, number, cell, _ in section("Live"):
        slide = DECKS[lesson][int(number) - 1]
        source = read_lesson(next(ROOT.glob(f"solutions/{lesson}_*/*.py")))
        shown = source.cells[slide.position : slide.position + 3]
        assert any(one.source.startswith(cell.strip("`").split("...")[0]) for one in shown), lesson


@pytest.mark.parametrize("lesson", DECKS)
def test_a_deck_is_for_three_quarters_of_an_hour(lesson: str) -> None:
    slides: list[Slide] = DECKS[lesson]
    shortest, longest = (20, 30) if lesson == "00" else (35, 48)  # 00 goes before another one
    assert 15 <= len(slides) <= 26
    assert shortest <= sum(slide.minutes for slide in slides) <= longest
