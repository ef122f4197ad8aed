"""Every deck on the wall: it fits, can be read, asks nobody else, and every slide has a note."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from autograde.building.lesson_source import Lesson, read_lesson
from autograde.slides.deck import deck, stored_notebook
from autograde.slides.printing import print_decks

ROOT = Path(__file__).resolve().parents[2]
LESSONS = [
    lesson for path in sorted(ROOT.glob("solutions/*/*.py")) if (lesson := read_lesson(path)).deck
]
MEASURE = (Path(__file__).parent / "measure_deck.js").read_text(encoding="utf-8")
PLAIN = (
    '<section><div class="stage">{}</div><aside class="notes">Minutes 0 to 1 of 1</aside></section>'
)


@pytest.fixture(scope="module")
def wall(browser: Browser) -> Iterator[Page]:
    """One page of 1280 x 720 for all decks."""
    context = browser.new_context(viewport={"width": 1280, "height": 720})
    yield context.new_page()
    context.close()


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.name)
def test_a_deck_fits_the_wall_and_can_be_read(wall: Page, lesson: Lesson, tmp_path: Path) -> None:
    asked: list[str] = []
    wall.on("request", lambda request: asked.append(request.url))
    page = tmp_path / "deck.html"
    page.write_text(deck(lesson, stored_notebook(lesson)), encoding="utf-8")
    wall.goto(page.as_uri())
    wall.wait_for_function("Reveal.isReady() && document.fonts.status === 'loaded'")
    assert wall.evaluate(MEASURE) == []
    assert [url for url in asked if not url.startswith(("file:", "data:"))] == []


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        ("<p style='height:800px'>tall</p>", "reaches to"),
        ("<p style='width:1400px'>wide</p>", "reaches to"),
        ("<p style='font-size:17px'>small</p>", "17px"),
        ("<p style='color:#999'>pale</p>", "contrast 2.8"),
    ],
)
def test_what_does_not_fit_or_cannot_be_read_is_seen(wall: Page, content: str, fault: str) -> None:
    wall.set_content(f"<div class='slides'>{PLAIN.format(content)}</div>")
    wall.evaluate("window.Reveal = {slide: () => {}}")
    assert any(fault in found for found in wall.evaluate(MEASURE))


def test_a_slide_without_a_note_is_seen(wall: Page) -> None:
    wall.set_content("<div class='slides'><section><div class='stage'>x</div></section></div>")
    wall.evaluate("window.Reveal = {slide: () => {}}")
    assert any("no note" in found for found in wall.evaluate(MEASURE))
