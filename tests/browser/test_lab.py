"""The learner's way in Chromium: `python -m autograde lab`, first lessons, from one to the next."""

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.lab_server import copy_of_course, running_lab

START_HERE = "00_start_here/start_here.ipynb"
WORD2VEC = "01_word2vec/word2vec.ipynb"
CONTEXT = "03_context_enters/context_enters.ipynb"
STARTING = "04_starting_from_a_language_model/starting_from_a_language_model.ipynb"
COUNTED = """\
def relative_frequency(tokens, word):
    return float(tokens.count(word))
"""
ANSWER = """\
def relative_frequency(tokens, word):
    return tokens.count(word) / len(tokens) if tokens else 0.0
"""
UNWEIGHTED = """\
def perplexity(losses, tokens):
    return float(np.exp(np.mean(losses)))
"""
WEIGHTED = """\
def perplexity(losses, tokens):
    return float(np.exp(np.average(losses, weights=tokens)))
"""


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("course")
    lessons = (START_HERE, WORD2VEC, CONTEXT, STARTING)
    return copy_of_course(folder, *(Path(lesson).parent.name for lesson in lessons))


@pytest.fixture(scope="module")
def address(course: Path) -> Iterator[str]:
    """The printed address, on a machine without the NLTK corpora."""
    nowhere = course / "no_corpora"
    with running_lab(course, NLTK_DATA=str(nowhere)) as address:
        yield address


def open_lesson(page: Page, address: str, lesson: str) -> None:
    """Open a lesson in a workspace of its own, so that no other tab is restored beside it."""
    own = f"/lab/workspaces/{Path(lesson).stem}/tree/{lesson}"
    page.goto(address.replace(f"/lab/tree/{START_HERE}", own))
    page.locator(".jp-Notebook .jp-Cell").first.wait_for()
    expect(page.get_by_text("Python 3 (ipykernel) | Idle")).to_be_visible()


def run_all(page: Page) -> None:
    """Run all cells; wait until the last code cell in view has its number."""
    page.get_by_role("menuitem", name="Run", exact=True).click()
    page.get_by_role("menuitem", name="Run All Cells", exact=True).click()
    last = page.locator(".jp-CodeCell .jp-InputPrompt:not(.jp-Placeholder-prompt)").last
    expect(last).to_have_text("[*]:")
    expect(last).not_to_have_text("[*]:")


def write_cell(cell: Locator, code: str) -> None:
    """Replace a cell's text with the keyboard, as a person does, and run it."""
    cell.locator(".cm-content").click()
    keyboard = cell.page.keyboard
    keyboard.press("ControlOrMeta+a")
    keyboard.insert_text(code)
    keyboard.press("Control+Enter")


def run_cell(cell: Locator) -> None:
    cell.locator(".cm-content").click()
    cell.page.keyboard.press("Control+Enter")


def by_its_place(cell: Locator) -> Locator:
    """The same cell: one that was found by its text would not be found by it after typing."""
    number = cell.evaluate("cell => [...cell.parentElement.children].indexOf(cell)")
    return cell.page.locator(".jp-Cell").nth(number)


def choose_theme(page: Page, name: str) -> None:
    page.get_by_role("menuitem", name="Settings", exact=True).click()
    page.locator(".lm-Menu-item").filter(has_text="Theme").first.hover()
    page.locator(".lm-Menu-item").get_by_text(name, exact=True).click()


def restart_kernel(page: Page) -> None:
    page.get_by_role("menuitem", name="Kernel", exact=True).click()
    page.get_by_role("menuitem", name=re.compile("^Restart Kernel…")).click()
    page.locator(".jp-Dialog .jp-mod-accept").click()
    expect(page.locator(".jp-Dialog")).to_have_count(0)
    expect(page.get_by_text("Python 3 (ipykernel) | Idle")).to_be_visible()


def assert_nothing_went_wrong(page: Page) -> None:
    assert page.locator(".jp-Dialog").count() == 0
    errors = page.locator('[data-mime-type="application/vnd.jupyter.error"]')
    assert errors.all_inner_texts() == []


def assert_figures_are_seen_and_described(page: Page, at_least: int) -> None:
    figures = page.locator(".jp-OutputArea img")
    assert figures.count() >= at_least
    for figure in figures.all():
        figure.scroll_into_view_if_needed()
        expect(figure).to_be_in_viewport()
        assert len(figure.get_attribute("alt") or "") > 40
        assert figure.evaluate("image => image.complete && image.naturalWidth > 100")


def code_cell(page: Page, text: str) -> Locator:
    return page.locator(".jp-CodeCell").filter(has_text=text).first


def test_the_first_lesson_from_the_first_cell_to_full_points(
    course: Path, address: str, page: Page
) -> None:
    assert START_HERE in address
    open_lesson(page, address, START_HERE)

    # A guess counts before its outcome only, so the lesson is run as far as the question first.
    form = code_cell(page, 'predict("share_of_the"')
    form.locator(".cm-content").click()
    page.get_by_role("menuitem", name="Run", exact=True).click()
    page.get_by_role("menuitem", name="Run All Above Selected Cell", exact=True).click()
    page.keyboard.press("Control+Enter")
    form.locator("input[type=number]").fill("5")
    form.locator("input[type=number]").press("Tab")
    form.get_by_role("button", name="Record").click()
    expect(form).to_contain_text("Recorded: 5 %")
    assert "share_of_the" in (course / "work" / "00_start_here" / "predictions.json").read_text()

    run_all(page)
    assert_nothing_went_wrong(page)
    assert_figures_are_seen_and_described(page, at_least=2)
    outcome = code_cell(page, 'outcome("share_of_the"')
    expect(outcome).to_contain_text("You predicted: 5 %")

    report = page.get_by_role("table", name="Everything that the course needs is here.")
    expect(report.get_by_role("rowheader", name="torch", exact=True)).to_be_visible()
    corpora = report.get_by_role("row").filter(has_text="corpora found")
    expect(corpora).to_contain_text("note")
    expect(corpora).to_contain_text("python -m elmo_mini corpora --download")

    answer = code_cell(page, "# YOUR CODE HERE")
    check = code_cell(page, 'check("relative_frequency", relative_frequency)')
    expect(check).to_contain_text("Not started yet")
    answer = by_its_place(answer)
    for code, said in ((COUNTED, "the count, not the share"), (ANSWER, "1 of 1 points")):
        write_cell(answer, code)
        run_cell(check)
        expect(check).to_contain_text(said)
    assert_nothing_went_wrong(page)

    model_answer = code_cell(page, "The model answer of relative_frequency opens when")
    number = model_answer.evaluate("cell => [...cell.parentElement.children].indexOf(cell)")
    model_answer = page.locator(".jp-Cell").nth(number)
    model_answer.locator(".jp-OutputArea-output").click()
    page.keyboard.press("Control+Enter")
    model_answer.get_by_text("yours has passed, so compare the two").click()
    expect(model_answer.locator("details pre")).to_contain_text("tokens.count(word)")

    page.keyboard.press("Control+s")
    mine = course / "work" / START_HERE
    page.wait_for_function("() => !document.querySelector('.jp-mod-dirty')")
    cells = json.loads(mine.read_text(encoding="utf-8"))["cells"]
    assert any("".join(cell["source"]).strip() == ANSWER.strip() for cell in cells)


def test_the_first_page_is_shown_as_a_page_and_leads_to_the_first_lesson(
    address: str, page: Page
) -> None:
    page.goto(address.replace(f"/lab/tree/{START_HERE}", "/lab/workspaces/first_page"))
    page.locator(".jp-DirListing-item").filter(has_text="START_HERE.md").dblclick()
    page.locator(".jp-MarkdownViewer").get_by_role("link", name="lesson 00").click()
    page.locator(".jp-Notebook .jp-Cell").first.wait_for()
    assert_nothing_went_wrong(page)


def test_a_narrow_window_leaves_its_width_to_the_lesson(address: str, page: Page) -> None:
    files = page.locator("#filebrowser")
    open_lesson(page, address, START_HERE)
    expect(files).to_be_visible()

    page.set_viewport_size({"width": 800, "height": 900})
    open_lesson(page, address, WORD2VEC)
    expect(files).not_to_be_visible()
    page.get_by_role("tab", name="File Browser").click()
    expect(files).to_be_visible()


@pytest.mark.slow
def test_lesson_one_runs_unsolved_and_offline(address: str, page: Page) -> None:
    """Nothing is answered yet: every check says so kindly, and the lesson goes on to its end."""
    open_lesson(page, address, WORD2VEC)
    run_all(page)
    assert_nothing_went_wrong(page)
    assert_figures_are_seen_and_described(page, at_least=5)
    checks = page.locator(".jp-CodeCell .jp-OutputArea").filter(has_text="Not started yet")
    assert checks.count() >= 5
    expect(page.get_by_text("Validate", exact=True)).to_be_visible()
    for menu in ("Nbgrader", "Formgrader"):
        assert page.get_by_role("menuitem", name=menu).count() == 0


@pytest.mark.slow
def test_a_passed_answer_goes_from_one_lesson_to_the_next(
    course: Path, address: str, page: Page
) -> None:
    open_lesson(page, address, CONTEXT)
    answer = by_its_place(code_cell(page, "def perplexity(losses, tokens)"))
    check = code_cell(page, 'check("perplexity", perplexity)')
    run_cell(code_cell(page, "from autograde import calibration, check, mine"))

    write_cell(answer, UNWEIGHTED)
    run_cell(check)
    expect(check).to_contain_text("this is: batches weigh the same")

    hints = page.locator(".jp-RenderedMarkdown").filter(has_text="Should they weigh the same?")
    hints.locator("summary").first.click()
    expect(hints.get_by_text("Should they weigh the same?")).to_be_visible()

    write_cell(answer, WEIGHTED)
    run_cell(check)
    expect(check).to_contain_text("Kept for later lessons: work/my_parts/perplexity.py.")
    kept = (course / "work/my_parts/perplexity.py").read_text(encoding="utf-8")
    assert kept.endswith(f"import numpy as np\n\n\n{WEIGHTED}")

    # Its source is folded, so it is found by its place, the first one after the check.
    below = check.locator("xpath=following-sibling::*")
    model_answer = below.filter(has_text="Model answer: run").first
    model_answer.locator(".jp-InputPlaceholder").click()
    page.keyboard.press("Control+Enter")
    fold = model_answer.locator("details", has_text="yours has passed")
    expect(fold.locator("code").last).not_to_be_visible()
    fold.locator("summary").click()
    expect(fold.locator("code").last).to_be_visible()

    restart_kernel(page)
    progress = code_cell(page, "from autograde import progress")
    run_cell(progress)
    expect(progress).to_contain_text("You have passed")
    road = progress.locator(".jp-OutputArea img")
    expect(road).to_have_attribute("alt", re.compile(r"03 context enters \(1 of 11 exercises"))

    choose_theme(page, "JupyterLab Dark")
    expect(page.locator("body")).to_have_attribute("data-jp-theme-light", "false")
    assert road.evaluate("image => getComputedStyle(image).colorScheme") == "dark"
    choose_theme(page, "JupyterLab Light")

    open_lesson(page, address, STARTING)
    start = code_cell(page, "from autograde import calibration, check, mine")
    run_cell(start)
    expect(start).to_contain_text("`stream_rows` is the course's: you have not passed it yet.")
    write_cell(start, 'from autograde import calibration, check, mine\n\nmine("perplexity")')
    run_cell(start)
    expect(start).to_contain_text("`perplexity` is yours, kept on")
    assert_nothing_went_wrong(page)


@pytest.fixture(autouse=True)
def picture(page: Page, request: pytest.FixtureRequest) -> Iterator[None]:
    """A screenshot at the end of each test where COURSE_SCREENSHOTS names a folder."""
    yield
    folder = os.environ.get("COURSE_SCREENSHOTS")
    if folder:
        page.screenshot(path=str(Path(folder) / f"{request.node.name}.png"))
