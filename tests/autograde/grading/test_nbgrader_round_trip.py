"""Four students hand in a lesson; nbgrader's own commands mark it, tell them why, and export."""

import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from autograde.building.elsewhere import repository, with_head_cell
from autograde.checking.catalogue import find
from autograde.checking.check import examine
from autograde.checking.exercise import Exercise
from autograde.checking.markup import prose
from tests.autograde.grading.nbgrader_course import (
    REPOSITORY,
    Course,
    answers_of,
    checked_names,
    with_answers,
    words_of,
)

pytestmark = pytest.mark.slow

LESSONS = [
    "00_start_here",
    pytest.param("05_taglm", marks=pytest.mark.timeout(3600)),
]

STUDENTS = ("right", "half", "empty", "wrong")


@dataclass
class MarkedCourse:
    """A course after autograde, feedback and export, with what it should have given."""

    course: Course
    exercises: list[Exercise]
    exported: dict[str, dict[str, str]]

    @property
    def possible(self) -> float:
        """Points of all checks; the discussions are marked by hand."""
        return sum(exercise.points for exercise in self.exercises)


@pytest.fixture(scope="module", params=LESSONS)
def marked(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> MarkedCourse:
    lesson = request.param
    source = next((REPOSITORY / "solutions" / lesson).glob("*.py")).read_text(encoding="utf-8")
    course = Course.with_lesson(tmp_path_factory.mktemp("course"), source, lesson, find)
    notebook = course.root / "lessons" / lesson / course.notebook
    built = notebook.read_bytes()
    course.run("generate_assignment", lesson, "--force")
    released = with_head_cell(notebook.read_bytes(), lesson, repository(course.root))
    assert released == built, "nbgrader's command gives the builder's notebook, but for its head"

    right = answers_of(course.solution)
    names = checked_names(course.solution)
    exercises = [find(name) for name in names]
    wrong = {e.id: _mistaken(names[e.id], e, 0) for e in exercises}
    # Half right: full answers first, then one that earns a part, the rest as released.
    full, partly = exercises[: len(exercises) // 2], exercises[len(exercises) // 2]
    half = {e.id: right[e.id] for e in full}
    half[partly.id] = _mistaken(names[partly.id], partly, _dearest_mistake(partly)[0])
    course.hand_in("right", with_answers(right))
    course.hand_in("half", with_answers(half))
    course.hand_in("empty", with_answers({}))
    course.hand_in("wrong", with_answers(wrong))
    course.run("autograde", lesson)
    course.run("generate_feedback", lesson)
    return MarkedCourse(course, exercises, course.exported())


def _mistaken(answer: str, exercise: Exercise, number: int) -> str:
    """An answer cell that holds a named mistake of the exercise."""
    return (
        "from autograde.checking.catalogue import find\n\n"
        f"{answer} = find({exercise.id!r}).mistakes[{number}].answer"
    )


def _dearest_mistake(exercise: Exercise) -> tuple[int, float]:
    """Number and points of the named mistake that still earns the most."""
    points = [examine(exercise, mistake.answer).points for mistake in exercise.mistakes]
    return max(enumerate(points), key=lambda numbered: numbered[1])


def _checks(scores: dict[str, float | None]) -> dict[str, float | None]:
    prefix = "check_"
    return {k.removeprefix(prefix): v for k, v in scores.items() if k.startswith(prefix)}


def test_right_answers_get_every_point(marked: MarkedCourse) -> None:
    scores = _checks(marked.course.scores("right"))
    assert scores == {exercise.id: exercise.points for exercise in marked.exercises}
    assert float(marked.exported["right"]["score"]) == marked.possible


def test_half_right_gets_full_points_partial_credit_and_nothing(marked: MarkedCourse) -> None:
    middle = len(marked.exercises) // 2
    expected = {
        exercise.id: exercise.points if position < middle else 0
        for position, exercise in enumerate(marked.exercises)
    }
    partly = marked.exercises[middle]
    expected[partly.id] = _dearest_mistake(partly)[1]
    assert 0 < expected[partly.id] < partly.points
    assert _checks(marked.course.scores("half")) == pytest.approx(expected)
    assert float(marked.exported["half"]["score"]) == pytest.approx(sum(expected.values()))


def test_the_notebook_as_released_gets_nothing(marked: MarkedCourse) -> None:
    assert set(marked.course.scores("empty").values()) == {0}
    assert float(marked.exported["empty"]["score"]) == 0


def test_named_mistakes_get_what_the_check_gives_them(marked: MarkedCourse) -> None:
    expected = {
        exercise.id: examine(exercise, exercise.mistakes[0].answer).points
        for exercise in marked.exercises
    }
    scores = _checks(marked.course.scores("wrong"))
    assert scores == pytest.approx(expected)
    assert all(scores[exercise.id] < exercise.points for exercise in marked.exercises)


def test_feedback_says_the_sentence_of_each_mistake(marked: MarkedCourse) -> None:
    wrong = words_of(marked.course.feedback_html("wrong"))
    right = words_of(marked.course.feedback_html("right"))
    for exercise in marked.exercises:
        sentence = words_of(prose(exercise.mistakes[0].says))
        # A lesson may show a mistake on purpose, also to those who do not make it.
        assert wrong.count(sentence) > right.count(sentence)


def test_feedback_names_exercises_and_discussions(marked: MarkedCourse) -> None:
    page = marked.course.feedback_html("wrong")
    contents = words_of(page.partition('id="toc"')[2].partition("</ol>")[0])
    headings = [
        re.findall("^#+ (.+)$", cell.source, re.MULTILINE)[-1]
        for cell in marked.course.released.cells
        if cell["id"].endswith("-statement")
    ]
    assert [heading for heading in headings if heading not in contents] == []
    assert "Discuss" in contents
    assert "Test cell" not in page
    assert "No prediction was recorded" not in words_of(page)


def test_feedback_shows_reports_and_figures(marked: MarkedCourse) -> None:
    page = marked.course.feedback_html("wrong")
    assert page.count("✗ not yet") >= len(marked.exercises)
    (figure, *_) = re.findall(r'<img [^>]*src="data:image/[^>]*>', page)
    assert re.search(r'alt="[^"]+"', figure)
    for broken in ("&lt;table", "&lt;details", "&lt;p&gt;", "&lt;img", 'style=""'):
        assert broken not in page


def test_every_graded_cell_ends_in_a_number(marked: MarkedCourse) -> None:
    for student in STUDENTS:
        for cell in marked.course.graded(student).cells:
            if cell.cell_type == "code" and cell.metadata.get("nbgrader", {}).get("grade"):
                assert [output.output_type for output in cell.outputs] == ["execute_result"]
                float(cell.outputs[0].data["text/plain"])


def test_the_students_files_hold_no_answers_and_no_notes(marked: MarkedCourse) -> None:
    lesson: Path = marked.course.root / "lessons" / marked.course.lesson
    assert [path.suffix for path in lesson.iterdir()] == [".ipynb"]
    text = (lesson / marked.course.notebook).read_text(encoding="utf-8")
    assert "BEGIN SOLUTION" not in text
    assert "model_answer" not in text
    assert "Rubric" not in text
    assert '"instructor"' not in text
