"""A lesson in RISE, as `make lab` shows it: large text, tall slides scroll, no other host."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page

from tests.lab_server import copy_of_course, running_lab

LESSONS = ("00_start_here/start_here", "01_word2vec/word2vec", "13_attention/attention")
PRESENT = ".reveal .slides section.present:not(:has(section))"
SLIDE = """(slide) => ({
    tall: slide.getBoundingClientRect().top + slide.scrollHeight > innerHeight,
    overflow: getComputedStyle(slide).overflowY,
    smallest: Math.min(99, ...[...slide.querySelectorAll(
        '.jp-RenderedMarkdown :is(p, li, td), .jp-RenderedText pre, .cm-line'
    )].map((text) => parseFloat(getComputedStyle(text).fontSize))),
})"""


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The printed address of a lab with the three lessons."""
    folder = tmp_path_factory.mktemp("course")
    course = copy_of_course(folder, *(Path(lesson).parent.name for lesson in LESSONS))
    with running_lab(course) as address:
        yield address


@pytest.mark.parametrize("lesson", LESSONS)
def test_a_lesson_in_rise_can_be_read_and_reached(address: str, page: Page, lesson: str) -> None:
    page.set_viewport_size({"width": 1280, "height": 720})
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    before, _, token = address.partition("/lab")
    page.goto(f"{before}/rise/{lesson}.ipynb?{token.partition('?')[2]}")
    page.locator(".reveal .slides section.present .jp-Cell").first.wait_for()
    page.wait_for_function("document.querySelector('.reveal.ready')")
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
        page.wait_for_timeout(300)  # RISE selects a cell 450 ms later; the slide is there at once
        if page.url == address_of_slide:
            break
    assert len(slides) > 5
    assert [slide for slide in slides if slide["smallest"] < 18] == []
    assert [slide for slide in slides if slide["tall"] and slide["overflow"] == "visible"] == []
    assert [url for url in asked if not url.startswith((before, "data:", "blob:", "ws:"))] == []
    assert scrolled > 0
