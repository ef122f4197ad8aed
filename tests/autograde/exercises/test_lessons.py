"""The lessons as they are released: stubs earn nothing, solutions run and earn everything."""

import os
from collections import Counter
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbformat.notebooknode import NotebookNode

from autograde.building import executed_notebook
from autograde.building.build import BUDGET_SECONDS
from autograde.building.lesson_source import Lesson, read_lesson
from autograde.building.notebooks import solution_notebook
from autograde.checking.catalogue import catalogue, find
from autograde.checking.check import examine
from tests.autograde.exercises.claims import STEMS, claims_hold
from tests.lesson_text import for_learners

ROOT = Path(__file__).parents[3]
SOURCES = sorted(ROOT.glob("solutions/*/*.py"))
RELEASED = sorted(ROOT.glob("lessons/*/*.ipynb"))
every_source = pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.stem)
ELEMENTS = (
    "What you will be able to do",
    "The paper",
    "predict(",
    "Myth or measured",
    "Recap",
    "calibration()",
    "progress()",
    "Discuss",
    "Rubric",
    "Further reading",
    "**Instructor",
    "plots.road(",
)


@pytest.mark.parametrize("stem", STEMS)
def test_a_lesson_keeps_its_claims_as_stored(stem: str) -> None:
    (stored,) = ROOT.glob(f"solutions/*/{stem}.ipynb")
    claims_hold(stem, nbformat.read(stored, as_version=4), corpora=True)
    with pytest.raises((AssertionError, KeyError, ValueError)):
        claims_hold(stem, nbformat.v4.new_notebook(), corpora=True)


def graded(notebook: NotebookNode) -> list[NotebookNode]:
    return [c for c in notebook.cells if c.metadata.get("nbgrader", {}).get("grade")]


def test_every_exercise_is_asked_and_checked_in_its_lesson() -> None:
    asked = {
        cell.metadata.nbgrader.grade_id: path.parent.name
        for path in RELEASED
        for cell in nbformat.read(path, as_version=4).cells
        if cell.metadata.get("nbgrader", {}).get("solution") and cell.cell_type == "code"
    }
    assert asked == {exercise.id: exercise.lesson for exercise in catalogue().values()}


@every_source
def test_every_element_of_a_lesson_is_there(source: Path) -> None:
    text = for_learners(source)
    assert [element for element in ELEMENTS if element not in text] == []


@pytest.mark.parametrize("path", RELEASED, ids=lambda path: path.stem)
def test_the_stubs_as_released_earn_nothing_and_are_told_so(path: Path) -> None:
    stubs = {
        cell.metadata.nbgrader.grade_id: cell.source
        for cell in nbformat.read(path, as_version=4).cells
        if cell.metadata.get("nbgrader", {}).get("solution") and cell.cell_type == "code"
    }
    assert stubs
    namespace: dict[str, object] = {}  # of the notebook: a class may be built on an earlier one
    for exercise_id, source in stubs.items():
        exec(source, namespace)
        report = examine(find(exercise_id), namespace[exercise_id])
        assert report.points == 0
        assert "Not started yet" in report.message


@pytest.mark.parametrize("path", RELEASED, ids=lambda path: path.stem)
def test_no_answer_and_no_instructor_note_is_released(path: Path) -> None:
    text = path.read_text("utf-8")
    assert "SOLUTION" not in text
    assert "Rubric" not in text
    assert "**Instructor" not in text


@every_source
@pytest.mark.by_reach("lessons offline", seconds=60)
@pytest.mark.timeout(3600)
def test_the_solved_lesson_runs_offline_and_earns_everything(
    source: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("NLTK_DATA", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    assert_it_runs_and_earns_everything(source, corpora=False)


@pytest.mark.slow
@pytest.mark.by_reach("lessons with corpora", seconds=65)
@every_source
@pytest.mark.timeout(3600)
def test_the_solved_lesson_runs_with_corpora_and_earns_everything(source: Path) -> None:
    if not os.environ.get("NLTK_DATA"):
        pytest.skip("no NLTK corpora here; the offline run proves the lesson")
    assert_it_runs_and_earns_everything(source, corpora=True)


def rounds_of_right_answers() -> list[Any]:
    """Each lesson as often as the richest of its exercises has other right answers."""
    most: Counter[str] = Counter()
    for exercise in catalogue().values():
        most[exercise.lesson] = max(most[exercise.lesson], len(exercise.right_answers))
    return [
        pytest.param(source, number, id=f"{source.stem}-{number}")
        for source in SOURCES
        for number in range(most[source.parent.name])
    ]


@pytest.mark.longest
@pytest.mark.by_reach("lessons with other right answers", seconds=60)
@pytest.mark.parametrize(("source", "number"), rounds_of_right_answers())
@pytest.mark.timeout(3600)
def test_the_cells_that_follow_run_with_every_right_answer(
    source: Path, number: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("NLTK_DATA", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))

    def with_another_answer(cell: NotebookNode) -> None:
        name = cell.metadata.get("nbgrader", {}).get("grade_id", "")
        if cell.cell_type == "code" and name in catalogue():
            cell.source += (
                "\n\nfrom autograde.checking.catalogue import find as _find\n\n"
                f"_right = list(_find({name!r}).right_answers.values())\n"
                f"{name} = _right[{number} % len(_right)]\n"
            )

    lesson = read_lesson(source)
    notebook = solution_notebook(lesson, find)
    for cell in notebook.cells:
        with_another_answer(cell)
    executed_notebook.execute(notebook, lesson)  # an answer in loops may take its time
    assert earned(notebook) == everything(lesson)


def assert_it_runs_and_earns_everything(source: Path, *, corpora: bool) -> None:
    lesson = read_lesson(source)
    notebook = solution_notebook(lesson, find)
    times = executed_notebook.execute(notebook, lesson)
    # Three times what the builder allows, since a busy machine takes more processor time, too.
    assert executed_notebook.faults(notebook, 3 * executed_notebook.LONGEST_SILENCE) == []
    assert earned(notebook) == everything(lesson)
    claims_hold(source.stem, notebook, corpora=corpora)
    # The budget is kept when a lesson is built. Processors differ, also when they are shared.
    assert sum(time.seconds for time in times) < 3 * BUDGET_SECONDS


def earned(notebook: NotebookNode) -> dict[str, float]:
    return {
        cell.metadata.nbgrader.grade_id: float(cell.outputs[-1].data["text/plain"])
        for cell in graded(notebook)
        if cell.cell_type == "code"
    }


def everything(lesson: Lesson) -> dict[str, float]:
    return {
        f"check_{exercise.id}": exercise.points
        for exercise in catalogue().values()
        if exercise.lesson == lesson.name
    }
