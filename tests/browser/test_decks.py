"""Every deck on the wall: it fits, can be read, asks nobody else, and every slide has a note."""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from autograde.building.lesson_source import Lesson, read_lesson
from autograde.slides.deck import deck, solved_notebook

ROOT = Path(__file__).resolve().parents[2]
LESSONS = [
    lesson for path in sorted(ROOT.glob("solutions/*/*.py")) if (lesson := read_lesson(path)).deck
]
MEASURE = (Path(__file__).parent / "measure_deck.js").read_text(encoding="utf-8")
# In a process of its own: Playwright's loop is taken by the test's browser.
PRINT = (
    "import pathlib, sys; from autograde.slides.printing import print_decks; "
    "print_decks([pathlib.Path(sys.argv[1])])"
)
PLAIN = (
    '<section><div class="stage">{}</div><aside class="notes">Minutes 0 to 1 of 1</aside></section>'
)


@pytest.fixture(scope="module")
def decks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of `made`."""
    return tmp_path_factory.mktemp("decks")


def made(lesson: Lesson, decks: Path) -> Path:
    """The deck of a lesson."""
    page = decks / f"{lesson.name}.html"
    if not page.exists():
        page.write_text(deck(lesson, solved_notebook(lesson)), encoding="utf-8")
    return page


@pytest.fixture(scope="module")
def wall(browser: Browser) -> Iterator[Page]:
    """One page of 1280 x 720 for all decks."""
    context = browser.new_context(viewport={"width": 1280, "height": 720})
    yield context.new_page()
    context.close()


@pytest.mark.parametrize(
    "lesson",
    [
        pytest.param(lesson, marks=pytest.mark.slow if number else (), id=lesson.name)
        for number, lesson in enumerate(LESSONS)
    ],
)
def test_a_deck_fits_the_wall_and_can_be_read(wall: Page, lesson: Lesson, decks: Path) -> None:
    asked: list[str] = []
    wall.on("request", lambda request: asked.append(request.url))
    wall.goto(made(lesson, decks).as_uri())
    wall.wait_for_function("Reveal.isReady() && document.fonts.status === 'loaded'")
    assert wall.evaluate(MEASURE) == []
    assert [url for url in asked if not url.startswith(("file:", "data:"))] == []


def test_the_speaker_sees_note_clock_and_minutes(browser: Browser, decks: Path) -> None:
    context = browser.new_context()
    page = context.new_page()
    page.goto(made(LESSONS[0], decks).as_uri())
    page.wait_for_function("Reveal.isReady()")
    with context.expect_page() as opened:
        page.keyboard.press("s")
    notes = opened.value.locator("#speaker-controls")
    notes.get_by_text(re.compile(r"Minutes [\d.]+ to [\d.]+")).wait_for()
    for part in (".timer", ".clock-value", ".pacing"):
        notes.locator(part).first.wait_for()
    context.close()


def test_a_printed_deck_has_a_page_for_each_slide(decks: Path) -> None:
    page = made(LESSONS[0], decks)
    subprocess.run([sys.executable, "-c", PRINT, str(page)], check=True, timeout=300, cwd=ROOT)
    printed = page.with_suffix(".pdf").read_bytes()
    slides = page.read_text(encoding="utf-8").count("<section ")
    assert len(re.findall(rb"/Type /Page\b(?!s)", printed)) == slides


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
