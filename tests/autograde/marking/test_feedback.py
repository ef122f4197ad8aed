"""The marker's short notebook and the student's page: what is there, and what must not be."""

import base64
import re
from html import escape
from types import SimpleNamespace

import nbformat
import pytest
from nbformat.notebooknode import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_output

from autograde.__main__ import main
from autograde.marking.course_folder import CourseFolder
from autograde.marking.feedback import _cell, feedback_page
from autograde.marking.formulas import html_of, mathml
from autograde.marking.graded_page import FOR_MARKER, graded_notebook
from autograde.marking.repair import read_submission, repaired
from tests.autograde.marking.class_of import hand_in, mark, verdict
from tests.autograde.marking.small_lesson import (
    DOUBLE,
    ESSAYS,
    LESSON,
    copy,
    place,
    released,
    right,
    saved,
)

SCRIPT = "<script>steal()</script>"
PICTURE = base64.b64encode(b"\x89PNG figure").decode()


def solved() -> NotebookNode:
    notebook = right()
    for name in ("why", "what"):
        here = place(notebook, name)
        notebook.cells[here].source = f"**Rubric, 2 points.** One for {name}."
        answer = new_markdown_cell(f"The model answer to {name}.", metadata={"model_answer": name})
        notebook.cells.insert(here + 1, answer)
    return notebook


def found(**fields: object) -> SimpleNamespace:
    exercises = [
        SimpleNamespace(
            id=name, title=title, points=points, of=of, status="judged", headline="", message=""
        )
        for name, title, points, of in (
            ("double", "Twice a number", 4.0, 4.0),
            ("share", f"A share {SCRIPT}", 0.5, 1.0),
        )
    ]
    made = {"lesson": LESSON, "sandbox": "bubblewrap", "notes": [], "exercises": exercises}
    return SimpleNamespace(**{**made, "repaired": ["A check of `double` was edited."], **fields})


def graded(change: object = None) -> NotebookNode:
    notebook = right()
    notebook.cells[
        place(notebook, "why")
    ].source = f"Because $x^2$ {SCRIPT} <img src=x onerror=steal()> [a](javascript:steal())"
    notebook.cells[place(notebook, "double")].outputs = [
        new_output("display_data", {"image/png": PICTURE})
    ]
    notebook.cells.insert(place(notebook, "double") + 1, new_code_cell("helper = 1"))
    notebook.cells.insert(place(notebook, "training") + 1, new_code_cell("scratch = 1"))
    result, _ = repaired(read_submission(saved(notebook)), released())
    report = new_output("display_data", {"text/html": f"<b>4 of 4</b>{SCRIPT}"})
    result.cells[place(result, "check_double")].outputs = [report]
    return graded_notebook(result, found(), solved())


def with_marks(notebook: NotebookNode, why: float | None = None) -> NotebookNode:
    scores = {"check_double": 4.0, "check_share": 0.5, "why": why, "what": 1.0}
    most = {"check_double": 4.0, "check_share": 1.0, "why": 2.0, "what": 2.0}
    for cell in notebook.cells:
        if cell.metadata.get("nbgrader", {}).get("grade"):
            name = cell.metadata.nbgrader.grade_id
            cell.metadata.nbgrader.update(
                score=scores[name] or 0.0,
                points=most[name],
                needs_manual_grade=scores[name] is None,
            )
    notebook.cells[place(notebook, "what")].metadata.nbgrader["comment"] = "Well seen, $y$."
    return notebook


def test_the_marker_reads_essays_first_each_below_its_rubric() -> None:
    notebook = graded()
    nbformat.validate(notebook)
    order = [cell["id"] for cell in notebook.cells]
    assert order == [
        *("summary", "asked-why", "guide-why", "why", "asked-what", "guide-what", "what"),
        *("asked-double", "double", "added-1", "check_double"),
        *("asked-share", "share", "check_share"),
    ]
    guide = notebook.cells[order.index("guide-why")]
    assert guide.metadata.marking.kind == FOR_MARKER
    assert "Rubric, 2 points." in guide.source
    assert "The model answer to why." in guide.source
    assert "Why is it so?" in notebook.cells[order.index("asked-why")].source


def test_every_graded_cell_is_there_once_for_nbgrader() -> None:
    def ids(notebook: NotebookNode) -> list[str]:
        cells = [cell for cell in notebook.cells if "nbgrader" in cell.metadata]
        return sorted(cell.metadata.nbgrader.grade_id for cell in cells)

    assert ids(graded()) == ids(released())


def test_the_students_page_has_points_on_top_and_the_markers_words() -> None:
    page = feedback_page(with_marks(graded()))
    top = page.partition("<section")[0]
    assert "5.5 of 7 points. 2 more points wait for a person." in top
    assert "not marked yet, of 2" in top
    assert "Twice a number" in top
    assert "A check of <code>double</code> was edited." in top
    assert "Well seen" in page
    assert "<b>4 of 4</b>" in page
    assert "helper" in page
    assert f"data:image/png;base64,{PICTURE}" in page
    later = feedback_page(with_marks(graded(), why=2.0))
    assert "7.5 of 9 points." in later
    assert "wait for a person" not in later


def test_the_students_page_holds_no_script_no_rubric_and_nothing_from_elsewhere() -> None:
    page = feedback_page(with_marks(graded()))
    assert not re.search(
        r"<script|onerror|javascript:|src=\"(?:https?:|//)|https?:(?!//www.w3)", page
    )
    assert "Rubric" not in page
    assert "model answer" not in page.lower()
    assert "default-src 'none'" in page


def test_formulas_need_no_script() -> None:
    page = feedback_page(with_marks(graded()))
    assert "<msup><mi>x</mi><mn>2</mn></msup>" in page
    block = html_of("so\n\n$$\\frac{a}{b} \\le \\sum_i x_i$$\n\nand `code`")
    assert block.count("<math") == 1
    assert "<mfrac>" in block
    assert "<code>code</code>" in block


@pytest.mark.parametrize(
    "latex",
    ["\\frac{", "\\", "{", "}" * 50, "\\text{<script>x</script>}", "x" * 5000, "\\begin{x}", ""],
)
def test_a_formula_that_cannot_be_read_is_code(latex: str) -> None:
    assert "<script" not in mathml(latex, block=False)


def test_what_is_very_long_is_shown_as_it_is() -> None:
    """There are short ways to make a parser of Markdown, or of code, stand still."""
    essay, code = "$a <b> " * 10_000, "a = 1\n" * 10_000
    assert html_of(essay) == f"<pre>{escape(essay)}</pre>"
    assert "<span" not in _cell(new_code_cell(code))


def test_a_page_is_small() -> None:
    notebook = with_marks(graded())
    cell = notebook.cells[place(notebook, "double")]
    notebook.cells += [copy(cell, id=f"more{n}", outputs=[]) for n in range(30)]
    assert len(feedback_page(notebook)) < 150_000


def test_the_command_writes_pages_and_says_what_is_not_its_own(
    course: CourseFolder, capsys: pytest.CaptureFixture[str]
) -> None:
    for student in ("ada", "kim", "plain"):
        hand_in(course, student)
    stamps = {"timestamp.txt": "2026-11-27 12:34:06 UTC", "submission_secret.txt": "abc"}
    for name, text in stamps.items():  # nbgrader's exchange puts them there, and wants them back
        course.hand_in("ada", LESSON).with_name(name).write_text(text)
    mark(course, {s: {"check_double": 4.0, "why": None} for s in ("ada", "kim", "plain")})
    verdict(course, "broken", status="unreadable", reason="was cut off")
    for student, notebook in (("ada", graded()), ("kim", graded()), ("plain", right())):
        path = course.root / "autograded" / student / LESSON / "small.ipynb"
        path.parent.mkdir(parents=True)
        nbformat.write(notebook, path)
    assert main(["feedback", LESSON, "--course", str(course.root)]) == 0
    assert "1 were marked by plain nbgrader" in capsys.readouterr().out
    pages = {p.parts[-3]: p.read_text() for p in course.root.glob("feedback/*/*/small.html")}
    assert pages.keys() == {"ada", "kim", "broken"}
    assert "could not be marked: it was cut off" in pages["broken"]
    assert "not marked yet, of 2" in pages["ada"]
    assert DOUBLE.split("(")[0].removeprefix("def ") in pages["ada"]
    assert ESSAYS["what"] in pages["ada"]
    folder = course.root / "feedback" / "ada" / LESSON
    assert {p.name: p.read_text() for p in folder.glob("*.txt")} == stamps
