"""Every exercise and discussion has a model answer; a graded release holds none of it."""

import json
import re
import shutil
from pathlib import Path

import nbformat
import pytest

from autograde.building.build import Builder
from autograde.building.lesson_source import Lesson, read_lesson
from autograde.checking.catalogue import find
from autograde.checking.model_answer import FILE
from tests.autograde.grading.nbgrader_course import REPOSITORY, SWITCH

SOURCES = sorted(REPOSITORY.glob("solutions/[0-9][0-9]_*/*.py"))


def released(root: Path, source: Path, *, graded: bool) -> Path:
    """The folder that students get of one lesson."""
    settings = (REPOSITORY / "nbgrader_config.py").read_text(encoding="utf-8")
    if graded:
        settings = settings.replace(SWITCH, SWITCH.replace("True", "False"))
    (root / "nbgrader_config.py").write_text(settings)
    lesson = root / "solutions" / source.parent.name
    lesson.mkdir(parents=True)
    shutil.copy(source, lesson)
    builder = Builder(root, find)
    builder.build(lesson / source.name)
    assert builder.problems == []
    return root / "lessons" / source.parent.name


def answer_lines(lesson: Lesson) -> set[str]:
    """The lines of the solutions, and the sentences of the model answers and rubrics."""
    lines: set[str] = set()
    for cell in lesson.cells:
        if cell.has_role("exercise", "code"):
            for region in re.findall(r"BEGIN SOLUTION\n(.*?)\n *### END", cell.source, re.DOTALL):
                lines |= {line.strip() for line in region.splitlines()}
        elif cell.role in ("model_answer", "discussion"):
            lines |= {sentence.strip() for sentence in re.split(r"(?<=[.?!]) ", cell.source)}
    return {line for line in lines if len(line) > 12}


def lines_given_away(notebook: Path, lesson: Lesson) -> list[str]:
    """Lines of answers that a released notebook shows."""
    # What the lesson itself says, in its hints or in later code, is no secret.
    said = "\n".join(
        cell.source
        for cell in lesson.cells
        if cell.role not in ("exercise", "model_answer", "discussion", "instructor")
    )
    lines = {line for line in answer_lines(lesson) if line not in said}
    assert len(lines) > 3
    shown = "\n".join(cell.source for cell in nbformat.read(notebook, as_version=4).cells)
    return [line for line in lines if line in shown]


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.stem)
def test_a_graded_release_holds_no_line_of_an_answer(source: Path, tmp_path: Path) -> None:
    folder = released(tmp_path, source, graded=True)
    (notebook,) = folder.rglob("*")
    assert lines_given_away(notebook, read_lesson(source)) == []
    assert "model_answer" not in notebook.read_text(encoding="utf-8")


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.stem)
def test_in_self_study_each_has_one_and_a_cell_that_shows_it(source: Path, tmp_path: Path) -> None:
    folder = released(tmp_path, source, graded=False)
    answers = json.loads((folder / FILE).read_text(encoding="utf-8"))
    asked = {
        cell.name: cell.role
        for cell in read_lesson(source).cells
        if cell.has_role("exercise", "code") or cell.role == "discussion"
    }
    assert {key: answer["of"] for key, answer in answers.items()} == asked
    assert all(len(answer["answer"]) > 40 for answer in answers.values())
    (path,) = folder.glob("*.ipynb")
    cells = nbformat.read(path, as_version=4).cells
    offered = [cell["id"] for cell in cells if cell["id"].startswith("model_answer_")]
    assert offered == [f"model_answer_{key}" for key in answers]
    assert lines_given_away(path, read_lesson(source)) == []
