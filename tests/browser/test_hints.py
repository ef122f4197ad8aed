"""Hints in JupyterLab: folded at first, and Markdown inside is rendered when they open."""

from pathlib import Path
from types import SimpleNamespace

from playwright.sync_api import Page, expect

from tests.autograde.building.test_build_refusals import COMPLETE, LESSON
from tests.autograde.grading.nbgrader_course import Course
from tests.browser.conftest import StartLab


def _find(name: str) -> SimpleNamespace:
    return {
        "double": SimpleNamespace(lesson=LESSON, points=2, difficulty=1, importance=4, minutes=3)
    }[name]


def test_hints_unfold_one_at_a_time(tmp_path: Path, jupyterlab: StartLab, page: Page) -> None:
    course = Course.with_lesson(tmp_path, COMPLETE, LESSON, _find, graded=False)
    url = jupyterlab(course.root / "lessons")
    page.goto(url.replace("/lab?", f"/lab/tree/{LESSON}/{course.notebook}?"))
    hints = page.locator(".jp-RenderedMarkdown details")
    expect(hints).to_have_count(3)
    expect(hints.get_by_text("twice.")).not_to_be_visible()
    code = hints.nth(1).locator("code", has_text="2 * x")
    expect(code).not_to_be_visible()
    hints.nth(1).locator("summary", has_text="Hint 2: the idea").click()
    expect(code).to_be_visible()
    expect(hints.get_by_text("twice.")).not_to_be_visible()
