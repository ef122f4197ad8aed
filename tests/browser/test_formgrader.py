"""nbgrader inside JupyterLab: formgrader shows the marks, the Validate button judges."""

import re

import pytest
from playwright.sync_api import Page, expect

from autograde.checking.catalogue import find
from tests.autograde.grading.nbgrader_course import REPOSITORY, Course, answers_of, with_answers
from tests.browser.conftest import StartLab

LESSON = "00_start_here"
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Course:
    """Lesson 00 released; one right and one empty submission marked."""
    source = (REPOSITORY / "solutions" / LESSON / "start_here.py").read_text(encoding="utf-8")
    course = Course.with_lesson(tmp_path_factory.mktemp("course"), source, LESSON, find)
    course.run("generate_assignment", LESSON, "--force")
    course.hand_in("ada", with_answers(answers_of(course.solution)))
    course.hand_in("bob", with_answers({}))
    course.run("autograde", LESSON)
    return course


def test_formgrader_leads_from_the_lesson_to_a_submission(
    course: Course, jupyterlab: StartLab, page: Page
) -> None:
    page.goto(jupyterlab(course.root))
    page.get_by_role("menuitem", name="Nbgrader").click()
    page.get_by_role("menuitem", name="Formgrader", exact=True).click()
    grader = page.frame_locator("iframe").first
    lesson = grader.get_by_role("row").filter(has_text=LESSON)
    lesson.get_by_role("link", name="2", exact=True).click()
    expect(grader.get_by_role("row").filter(has_text="ada")).to_contain_text("2 / 3")
    expect(grader.get_by_role("row").filter(has_text="bob")).to_contain_text("0 / 3")

    grader.get_by_role("link", name="Manual Grading").click()
    grader.get_by_role("link", name=LESSON).click()
    grader.get_by_role("link", name="start_here").click()
    grader.get_by_role("link", name="Submission #1").click()
    report = grader.get_by_role("table").filter(has_text="a text without tokens").last
    report.scroll_into_view_if_needed()
    expect(report).to_be_visible()
    expect(grader.get_by_role("img").first).to_have_attribute("alt", re.compile("The road"))
    expect(grader.get_by_text("<p>")).to_have_count(0)


@pytest.mark.parametrize(
    ("student", "verdict"),
    [
        ("ada", "Success!"),
        ("bob", "The following cell failed"),
    ],
)
def test_validate_button_tells_right_from_wrong(
    course: Course, jupyterlab: StartLab, page: Page, student: str, verdict: str
) -> None:
    url = jupyterlab(course.root / "submitted" / student)
    page.goto(url.replace("/lab?", f"/lab/tree/{LESSON}/{course.notebook}?"))
    page.get_by_role("button", name="Validate").click()
    expect(page.get_by_role("dialog")).to_contain_text(verdict)
