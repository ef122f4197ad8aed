"""A lesson in RISE, as `make lab` shows it: large text, tall slides scroll, no other host.

A slide begins where the deck's begins, and a prediction is recorded.
"""

import json
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest
from playwright.sync_api import Locator, Page

from autograde.building.lesson_source import read_lesson
from tests.lab_server import copy_of_course, running_lab

ROOT = Path(__file__).resolve().parents[2]

LESSONS = ("00_start_here/start_here", "01_word2vec/word2vec", "13_attention/attention")
PRESENT = ".reveal .slides section.present:not(:has(section))"
SLIDE = """(slide) => ({
    tall: slide.getBoundingClientRect().top + slide.scrollHeight > innerHeight,
    overflow: getComputedStyle(slide).overflowY,
    smallest: Math.min(99, ...[...slide.querySelectorAll(
        '.jp-RenderedMarkdown :is(p, li, td), .jp-RenderedText pre, .cm-line'
    )].map((text) => parseFloat(getComputedStyle(text).fontSize))),
    shouted: [...slide.querySelectorAll('h1, h2, h3')].some(
        (heading) => getComputedStyle(heading).textTransform !== 'none'
    ),
})"""
BEGINS = """() => [...document.querySelectorAll('.reveal .slides .jp-Cell')].map(
    (cell) => cell === cell.closest('section').querySelector('.jp-Cell')
)"""
SLIDE_OF = """(code) => [...document.querySelectorAll('.reveal .slides section section')].find(
    (slide) => [...slide.querySelectorAll('.cm-content')].some((c) => c.innerText.includes(code))
).id"""


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course folder with the three lessons."""
    folder = tmp_path_factory.mktemp("course")
    return copy_of_course(folder, *(Path(lesson).parent.name for lesson in LESSONS))


@pytest.fixture(scope="module")
def address(course: Path) -> Iterator[str]:
    """The printed address of a lab in that folder."""
    with running_lab(course) as address:
        yield address


def open_in_rise(page: Page, address: str, lesson: str) -> str:
    """Show a lesson as slides; gives the server's own address."""
    page.set_viewport_size({"width": 1280, "height": 720})
    before, _, token = address.partition("/lab")
    page.goto(f"{before}/rise/{lesson}.ipynb?{token.partition('?')[2]}")
    page.locator(".reveal .slides section.present .jp-Cell").first.wait_for()
    page.wait_for_function("document.querySelector('.reveal.ready')")
    return before


def run_cell(page: Page, code: str) -> Locator:
    """Go to the slide of the cell with this code, and run it."""
    slide = page.evaluate(SLIDE_OF, code)
    page.evaluate("(slide) => { location.hash = `#/${slide}` }", slide)
    page.wait_for_function(
        "(slide) => document.getElementById(slide).matches('.present')", arg=slide
    )
    page.wait_for_timeout(600)  # RISE selects a cell 450 ms later
    cell = page.locator(f".reveal .slides #{slide} .jp-CodeCell").filter(has_text=code)
    cell.locator(".cm-content").click()
    page.keyboard.press("Shift+Enter")
    return cell


def cells_of_the_deck(lesson: str) -> list[int]:
    """The cells that the deck shows, by their place in the student's notebook."""
    source = read_lesson(ROOT / "solutions" / f"{lesson}.py")
    solved = nbformat.read(source.path.with_suffix(".ipynb"), as_version=4).cells
    own = nbformat.read(ROOT / "lessons" / f"{lesson}.ipynb", as_version=4).cells
    place = {cell["id"]: number for number, cell in enumerate(own)}
    shown = [solved[position]["id"] for position, _ in source.deck if position < len(solved)]
    return [place[name] for name in shown if name in place]


@pytest.mark.parametrize(
    "lesson", [LESSONS[0], *(pytest.param(each, marks=pytest.mark.slow) for each in LESSONS[1:])]
)
def test_a_lesson_in_rise_can_be_read_and_reached(address: str, page: Page, lesson: str) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    before = open_in_rise(page, address, lesson)
    slides, scrolled = [], 0
    page.mouse.move(1270, 360)  # beside the cells
    while True:
        slide = page.locator(PRESENT).last.element_handle()
        slides.append(slide.evaluate(SLIDE))
        if slides[-1]["tall"] and not scrolled:
            page.mouse.wheel(0, 300)
            page.wait_for_timeout(300)
            scrolled = slide.evaluate("(slide) => slide.scrollTop")
        address_of_slide = page.url
        page.keyboard.press("Space")
        page.wait_for_timeout(200)  # RISE selects a cell 450 ms later; the slide is there at once
        if page.url == address_of_slide:
            break
    assert len(slides) > 5
    begins = page.evaluate(BEGINS)
    assert [number for number in cells_of_the_deck(lesson) if not begins[number]] == []
    assert not page.locator(".jp-Notebook-footer").is_visible()
    assert not any(slide["shouted"] for slide in slides)
    assert [slide for slide in slides if slide["smallest"] < 18] == []
    assert [slide for slide in slides if slide["tall"] and slide["overflow"] == "visible"] == []
    assert [url for url in asked if not url.startswith((before, "data:", "blob:", "ws:"))] == []
    assert scrolled > 0


def test_a_number_is_predicted_in_rise(address: str, page: Page, course: Path) -> None:
    open_in_rise(page, address, LESSONS[0])
    form = run_cell(page, 'predict("share_of_the"').locator("form")
    form.get_by_role("textbox").fill("6")
    form.get_by_role("button", name="Record").click()
    form.get_by_text("Recorded: 6 %").wait_for()
    assert recorded(course, LESSONS[0])["share_of_the"]["guess"] == 6


@pytest.mark.slow
def test_an_option_is_predicted_in_rise(address: str, page: Page, course: Path) -> None:
    open_in_rise(page, address, LESSONS[2])
    run_cell(page, "from autograde import calibration")
    form = run_cell(page, 'predict("order"').locator("form")
    form.get_by_role("button", name="Record").click()
    form.get_by_text("Choose or write an answer first").wait_for()
    form.get_by_role("radio", name="no").check()
    form.get_by_role("button", name="Record").click()
    form.get_by_text("Recorded: no").wait_for()
    assert recorded(course, LESSONS[2])["order"]["guess"] == "no"


def recorded(course: Path, lesson: str) -> dict[str, dict[str, object]]:
    """The predictions of a lesson."""
    file = course / "work" / Path(lesson).parent / "predictions.json"
    found: dict[str, dict[str, object]] = json.loads(file.read_text(encoding="utf-8"))
    return found
