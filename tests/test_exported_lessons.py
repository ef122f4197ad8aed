"""A solved lesson's figures come out of nbconvert's exporters, and its reports can be read."""

import re
from pathlib import Path

import nbformat
import pytest
from nbconvert import HTMLExporter, LatexExporter, MarkdownExporter
from nbformat.notebooknode import NotebookNode

from course.figures.png import MAX_BYTES
from course.figures.stored import PNG

ROOT = Path(__file__).resolve().parent.parent
LESSON = ROOT / "solutions/15_a_hundred_labels/a_hundred_labels.ipynb"
# What the sanitizer writes out as text wherever HTML has a table or a fold.
UNAVOIDABLE = re.compile(r"&lt;/?(tbody|details|summary)( open)?&gt;")


@pytest.fixture
def lesson() -> NotebookNode:
    """Lesson 15's code and outputs; its prose would ask for pandoc on the way to LaTeX."""
    notebook = nbformat.read(
        ROOT / "solutions/15_a_hundred_labels/a_hundred_labels.ipynb", as_version=4
    )
    notebook.cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    return notebook


@pytest.fixture
def figures(lesson: NotebookNode) -> int:
    """How many are stored."""
    outputs = [output for cell in lesson.cells for output in cell.outputs]
    found = sum(PNG in output.get("data", {}) for output in outputs)
    assert found > 4
    return found


def test_the_sanitizer_leaves_every_figure_and_every_report(
    lesson: NotebookNode, figures: int
) -> None:
    page, _ = HTMLExporter(sanitize_html=True).from_notebook_node(lesson)
    assert len(re.findall(r'<img [^>]*src="data:image/png;base64,', page)) == figures
    reports = re.findall(r'data-mime-type="text/html"[^>]*>(.*?)</div>\s*</div>', page, re.DOTALL)
    assert reports
    for report in reports:
        assert "&lt;" not in UNAVOIDABLE.sub("", report)


def test_markdown_has_every_figure(lesson: NotebookNode, figures: int) -> None:
    page, resources = MarkdownExporter().from_notebook_node(lesson)
    assert len(re.findall(r"!\[png\]\(", page)) == figures
    images = [data for name, data in resources["outputs"].items() if name.endswith(".png")]
    assert len(images) == figures
    assert max(map(len, images)) < MAX_BYTES


def test_latex_has_every_figure(lesson: NotebookNode, figures: int) -> None:
    page, _ = LatexExporter().from_notebook_node(lesson)
    assert len(re.findall(r"\\adjustimage\{.*\.png", page)) == figures
