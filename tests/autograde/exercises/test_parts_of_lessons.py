"""Every answer of every lesson can be kept, and each kept file is taken up by itself.

But for what opens hidden texts: it ends the course, and leans on the cells of its lesson.
"""

import ast
import importlib
from functools import cache
from pathlib import Path

import pytest

from autograde.building.lesson_source import read_lesson
from autograde.checking.catalogue import find
from autograde.checking.check import check
from autograde.checking.mine import mine
from autograde.marking.names import pieces
from autograde.workspace.place import ELMO_PARTS
from tests.autograde.learners_workspace import answers

SOURCES = sorted((Path(__file__).parents[3] / "solutions").glob("*/*.py"))


@pytest.mark.by_reach("answers kept", seconds=3)
@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.stem)
def test_the_answers_of_a_lesson_travel(
    source: Path, workspace: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    checked = {}
    for name, answer in answers(source, tmp_path):
        if find(name).opens:
            continue
        note = check(name, answer).report.note
        package = "my_elmo" if name in ELMO_PARTS else "my_parts"
        assert note == f"Kept for later lessons: `work/{package}/{name}.py`."
        checked[name] = answer
    capsys.readouterr()
    for name, answer in checked.items():
        assert mine(name) is not answer
        assert f"`{name}` is yours, kept on " in capsys.readouterr().out


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.stem)
def test_the_course_takes_nothing_but_the_answer_from_an_answers_cell(source: Path) -> None:
    """Who writes the cell anew, or without its imports and helpers, can run what comes after."""
    code = [cell for cell in read_lesson(source).cells if cell.kind == "code"]
    exercises = {cell.name for cell in code if cell.role == "exercise"}
    beside: set[str] = set()
    bound: set[str] = set()
    for cell in code:
        for part in pieces(cell.source):
            if cell.role == "exercise":
                beside |= part.binds - exercises
            else:
                assert part.reads & beside - bound == set(), part.text
                bound |= part.binds


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.stem)
def test_what_is_imported_under_an_exercises_name_is_known_as_the_courses(source: Path) -> None:
    """Otherwise a check without its answer would give points for what the lesson imported."""
    for name, imported in imported_answers(source):
        assert imported is find(name).reference, name


@cache
def imported_answers(source: Path) -> list[tuple[str, object]]:
    found: list[tuple[str, object]] = []
    cells = read_lesson(source).cells
    exercises = {cell.name for cell in cells if cell.role == "exercise"}
    for cell in cells:
        if cell.kind != "code" or "import " not in cell.source:
            continue
        for node in ast.walk(ast.parse(cell.source)):
            if isinstance(node, ast.ImportFrom) and node.module:
                for alias in node.names:
                    if (name := alias.asname or alias.name) in exercises:
                        module = importlib.import_module(node.module)
                        found.append((name, getattr(module, alias.name)))
    return found


def test_lessons_do_import_answers_that_come_later() -> None:
    assert {name for source in SOURCES for name, _ in imported_answers(source)} > {"split"}
