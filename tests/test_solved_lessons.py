"""The solved lessons as stored: every figure can be read, and no cell is silent for long."""

import ast
import base64
from pathlib import Path

import nbformat
import pytest
from nbformat.notebooknode import NotebookNode

from autograde.building.executed_notebook import LONGEST_SILENCE, UNREADABLE
from autograde.building.long_cells import SAYS, long_cells
from autograde.grading.instructor_notes import TIMES
from course.figures import picture
from course.figures.png import MAX_BYTES
from course.figures.stored import PNG, drawn

ROOT = Path(__file__).resolve().parent.parent
SOLVED = sorted(ROOT.glob("solutions/*/*.ipynb"))
IMPORTS = (ast.Import, ast.ImportFrom)
every_lesson = pytest.mark.parametrize("path", SOLVED, ids=lambda path: path.stem)


def outputs(path: Path) -> list[NotebookNode]:
    cells = nbformat.read(path, as_version=4).cells
    return [output for cell in cells for output in cell.get("outputs", [])]


@every_lesson
def test_every_figure_was_judged_when_it_was_drawn_and_can_be_read(path: Path) -> None:
    assert UNREADABLE == picture.UNREADABLE
    figures = [o for o in outputs(path) if PNG in o.get("data", {})]
    assert figures
    assert not any("<img" in o.get("data", {}).get("text/html", "") for o in outputs(path))
    for figure in figures:
        assert len(base64.b64decode(figure.data[PNG])) < MAX_BYTES
        found = drawn(figure)
        assert found is not None
        assert found[1] == figure.data["text/plain"]
    assert [o.metadata.get(UNREADABLE) for o in figures] == [[]] * len(figures)


@every_lesson
def test_no_cell_is_silent_for_long_and_no_bar_is_left(path: Path) -> None:
    silences = nbformat.read(path, as_version=4).metadata[TIMES]["longest silences"]
    assert 0 < max(silences.values()) <= LONGEST_SILENCE
    printed = "".join(o.text for o in outputs(path) if o.output_type == "stream")
    assert "\r" not in printed
    assert "%|" not in printed


@every_lesson
def test_a_lesson_begins_with_at_most_eight_lines_of_imports(path: Path) -> None:
    cells = nbformat.read(path, as_version=4).cells
    first, second, *_ = (cell.source for cell in cells if cell.cell_type == "code")
    for source in (first, second):
        trees = [node for node in ast.parse(source).body if isinstance(node, IMPORTS)]
        assert sum(node.end_lineno - node.lineno + 1 for node in trees if node.end_lineno) <= 8


@every_lesson
def test_a_long_cell_is_announced_in_the_text_above_it(path: Path) -> None:
    taken = long_cells(nbformat.read(path, as_version=4))
    student = nbformat.read(ROOT / "lessons" / path.relative_to(ROOT / "solutions"), as_version=4)
    said: list[str] = []
    for cell in student.cells:
        if cell.cell_type == "markdown" and not cell.metadata.get("nbgrader", {}).get("solution"):
            said = SAYS.findall(cell.source)
        elif cell["id"] in taken:
            assert said, f"nothing above cell {cell['id']} says that it takes {taken[cell['id']]} s"
            # Of another day and another machine, so no better than twofold.
            assert taken[cell["id"]] <= 2 * max(map(int, said)), cell["id"]
