"""Five essays are marked in formgrader by keyboard, on a machine without a network."""

from types import SimpleNamespace

import nbformat
import pytest
from playwright.sync_api import Page, Route, expect

from autograde.checking.catalogue import find
from autograde.marking.graded_page import graded_notebook
from autograde.marking.repair import read_submission, repaired
from tests.autograde.grading.nbgrader_course import REPOSITORY, Course, with_answers
from tests.browser.conftest import StartLab

LESSON = "00_start_here"
STUDENTS = [f"student{number}" for number in range(5)]
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Course:
    """Lesson 00, an essay with a formula from everybody, and the short graded notebooks."""
    source = (REPOSITORY / "solutions" / LESSON / "start_here.py").read_text(encoding="utf-8")
    course = Course.with_lesson(tmp_path_factory.mktemp("course"), source, LESSON, find)
    course.run("generate_assignment", LESSON, "--force")
    for student in STUDENTS:
        course.hand_in(student, with_answers({"one_example": f"{student} means $x^2$."}))
    course.run("autograde", LESSON)
    verdict = SimpleNamespace(lesson=LESSON, sandbox="", repaired=[], notes=[], exercises=[])
    for student in STUDENTS:
        path = course.root / "autograded" / student / LESSON / course.notebook
        notebook, _ = repaired(read_submission(path.read_bytes()), course.released)
        path.chmod(0o644)
        nbformat.write(graded_notebook(notebook, verdict, course.solution), path)
    return course


def test_five_essays_are_marked_by_keyboard_offline(
    course: Course, jupyterlab: StartLab, page: Page
) -> None:
    asked_elsewhere = []

    def only_here(route: Route) -> None:
        if route.request.url.startswith(("http://127.0.0.1", "data:", "blob:")):
            route.continue_()
        else:
            asked_elsewhere.append(route.request.url)
            route.abort()

    page.route("**/*", only_here)
    url = jupyterlab(course.root)
    page.goto(url)  # the token becomes a cookie, which formgrader's own requests carry
    page.goto(url.replace("/lab?", f"/formgrader/gradebook/{LESSON}/start_here/?"))
    page.get_by_role("link", name="Submission #1").click()
    for number in range(len(STUDENTS)):
        expect(page.get_by_text(f"Submission {number + 1} / 5")).to_be_visible()
        expect(page.locator(".MathJax, .mjx-chtml, .MathJax_CHTML").first).to_be_attached()
        expect(page.get_by_text("Rubric", exact=False).first).to_be_visible()
        essay = page.locator("input.score").first
        assert essay.bounding_box()["y"] < 2 * 900  # type: ignore[index]
        if number == 0:
            page.keyboard.press("Tab")
        expect(essay).to_be_focused()
        page.keyboard.type("1")
        page.keyboard.press("Tab")
        expect(essay).to_have_value("1")
        page.wait_for_load_state("networkidle")
        page.keyboard.press("Shift+Tab")
        if number < len(STUDENTS) - 1:
            page.keyboard.press("Control+.")
    expect(page.locator("input.score").first).to_have_value("1")
    page.wait_for_load_state("networkidle")

    from nbgrader.api import Gradebook

    with Gradebook(f"sqlite:///{course.root}/gradebook.db") as book:
        for student in STUDENTS:
            grade = book.find_grade("one_example", "start_here", LESSON, student)
            assert (grade.manual_score, grade.needs_manual_grade) == (1, False)
    assert [url for url in asked_elsewhere if "mathjax" in url.lower()] == []
