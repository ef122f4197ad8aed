"""The plans for lecturers name decks and slides that are there, with their minutes."""

import re
from pathlib import Path

import nbformat
import pytest

from autograde.building.deck_source import Slide, slides_of
from autograde.building.lesson_source import read_lesson
from autograde.building.long_cells import LONG
from autograde.grading.instructor_notes import TIMES

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


def begins(source: str, line: str) -> bool:
    """Whether a line of a cell begins as the table says; imports may stand above it."""
    return f"\n{line.strip('`').split('...')[0]}" in f"\n{source}"


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
    for _, _, decks, slides in section("Twelve weeks"):
        left_out = re.split(r"(?:; )?of \d\d: ", slides)[-decks.count(",") - 1 :]
        for deck, some in zip(re.findall(r"\d\d", decks), left_out, strict=True):
            assert all(1 < number < len(DECKS[deck]) for number in numbers(some))


def test_what_is_shown_live_stands_on_that_slide() -> None:
    for lesson, number, cell, _ in section("Live"):
        slide = DECKS[lesson][int(number) - 1]
        source = read_lesson(next(ROOT.glob(f"solutions/{lesson}_*/*.py")))
        shown = source.cells[slide.position : slide.position + 3]
        assert any(begins(one.source, cell) for one in shown), lesson


def test_what_is_shown_live_ends_soon_or_says_how_long() -> None:
    for lesson, number, cell, takes in section("Live"):
        source = read_lesson(next(ROOT.glob(f"solutions/{lesson}_*/*.py")))
        notebook = nbformat.read(source.path.with_suffix(".ipynb"), as_version=4)
        first = DECKS[lesson][int(number) - 1].position
        place = next(n for n in range(first, first + 3) if begins(source.cells[n].source, cell))
        seconds = notebook.metadata[TIMES]["slowest cells"].get(notebook.cells[place]["id"], 0)
        if seconds > LONG:
            assert abs(float(re.findall(r"(\d+) s\b", takes)[0]) - seconds) < 1, lesson
            assert re.search(r"\d+ s\b", source.cells[place - 1].source), lesson


@pytest.mark.parametrize("lesson", DECKS)
def test_a_deck_is_for_three_quarters_of_an_hour(lesson: str) -> None:
    slides: list[Slide] = DECKS[lesson]
    shortest, longest = (20, 30) if lesson == "00" else (35, 45)  # 00 goes before another one
    assert 15 <= len(slides) <= 26
    assert shortest <= sum(slide.minutes for slide in slides) <= longest
