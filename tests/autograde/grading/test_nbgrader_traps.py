"""What nbgrader does with strange submissions under this course's settings, good and bad.

The tests whose names begin with ``test_raw_nbgrader`` document a weakness that the settings
alone cannot mend: instructors must know it.
"""

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import nbformat
import pytest
from nbformat.notebooknode import NotebookNode
from traitlets.config import PyFileConfigLoader

from autograde.building.build import BUDGET_SECONDS
from autograde.grading.nbgrader_settings import SECONDS_PER_CELL
from tests.autograde.grading.nbgrader_course import Course, with_answers, words_of

pytestmark = pytest.mark.slow

LESSON = "00_traps"
SOURCE = '''
# %%
class Score(float):
    def _repr_mimebundle_(self, **_):
        return {"text/plain": float.__repr__(self), "text/html": "<b>a report</b>"}


def check(name, answer):
    """A check that captures nothing, as plain nbgrader tests are."""
    return Score(sum(answer(x) == 2 * x for x in (0, 1, 2, -3)))


# %% [markdown] exercise="double"
# ### Double

# %% exercise="double"
def double(x):
    ### BEGIN SOLUTION
    return 2 * x
    ### END SOLUTION

# %% check="double"
check("double", double)

# %% [markdown] hints="double"
# nudge: a
#
# idea: b
#
# outline: c

# %% [markdown]
# Why?

# %% [markdown] discussion="why" points=2
# One point for a cause.

# %% [markdown] model_answer="why"
# Because.

# %% [markdown] exercise="relative_frequency"
# ### Share

# %% exercise="relative_frequency"
def relative_frequency(tokens, word):
    ### BEGIN SOLUTION
    return tokens.count(word) / len(tokens) if tokens else 0.0
    ### END SOLUTION

# %% check="relative_frequency"
from autograde import check

check("relative_frequency", relative_frequency)

# %% [markdown] hints="relative_frequency"
# nudge: a
#
# idea: b
#
# outline: c
'''
DOUBLE = "def double(x):\n    return 2 * x"
SHARE = (
    "def relative_frequency(tokens, word):\n"
    "    return tokens.count(word) / len(tokens) if tokens else 0.0"
)
SLOW = f"import time\n\ntime.sleep(6)\n{DOUBLE}"
RIGHT = {"double": DOUBLE, "relative_frequency": SHARE}


def _find(name: str) -> SimpleNamespace:
    points = {"double": 4, "relative_frequency": 1}[name]
    return SimpleNamespace(lesson=LESSON, points=points, difficulty=1, importance=1, minutes=1)


def _new_course(folder: Path) -> Course:
    course = Course.with_lesson(folder, SOURCE, LESSON, _find)
    course.run("generate_assignment", LESSON, "--force")
    return course


def _other_kernel(notebook: NotebookNode) -> None:
    with_answers(RIGHT)(notebook)
    notebook.metadata.kernelspec = {
        "display_name": "Mine",
        "language": "python",
        "name": "conda-env-mine-py",
    }


def _without(grade_id: str) -> Callable[[NotebookNode], None]:
    def change(notebook: NotebookNode) -> None:
        with_answers(RIGHT)(notebook)
        notebook.cells = [
            cell
            for cell in notebook.cells
            if cell.metadata.get("nbgrader", {}).get("grade_id") != grade_id
        ]

    return change


def _edited_check(notebook: NotebookNode) -> None:
    for cell in notebook.cells:
        if cell.metadata.get("nbgrader", {}).get("grade_id") == "check_double":
            cell.source = "4.0"


def _copied_check(notebook: NotebookNode) -> None:
    with_answers(RIGHT)(notebook)
    position = next(
        position
        for position, cell in enumerate(notebook.cells)
        if cell.metadata.get("nbgrader", {}).get("grade_id") == "check_double"
    )
    copy = nbformat.from_dict(notebook.cells[position])
    copy["id"] = "a-copy"
    notebook.cells.insert(position + 1, copy)


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Course:
    """One batch: every submission that nbgrader can get through."""
    course = _new_course(tmp_path_factory.mktemp("traps"))
    loud = "    import sys, warnings\n    warnings.warn('slow path')\n"
    course.hand_in(
        "warns",
        with_answers(
            {
                "double": DOUBLE.replace("\n", f"\n{loud}", 1),
                "relative_frequency": SHARE.replace("\n", f"\n{loud}", 1),
            }
        ),
    )
    course.hand_in("partly", with_answers({**RIGHT, "double": "def double(x):\n    return x * x"}))
    course.hand_in("other_kernel", _other_kernel)
    course.hand_in("check_deleted", _without("check_double"))
    course.hand_in("check_edited", _edited_check)
    shadow = course.hand_in("shadow", with_answers(RIGHT)).parent
    (shadow / "autograde.py").write_text("def check(name, answer):\n    return 0.0\n")
    script = (
        "from IPython.display import HTML, display\n"
        "display(HTML('''<script>steal()</script><b>bold</b>'''))\n"
    )
    course.hand_in("script", with_answers({**RIGHT, "double": script + DOUBLE, "why": script}))
    course.run("autograde", LESSON)
    course.run("generate_feedback", LESSON)
    return course


def _checks(student: str, course: Course) -> dict[str, float | None]:
    return {k: v for k, v in course.scores(student).items() if k.startswith("check_")}


def test_raw_nbgrader_gives_nothing_for_a_warning_but_the_courses_check_does_not_care(
    course: Course,
) -> None:
    assert _checks("warns", course) == {"check_double": 0, "check_relative_frequency": 1}


def test_a_float_is_partial_credit(course: Course) -> None:
    assert _checks("partly", course) == {"check_double": 2, "check_relative_frequency": 1}


def test_a_notebook_from_another_kernel_runs_on_the_courses(course: Course) -> None:
    assert _checks("other_kernel", course) == {"check_double": 4, "check_relative_frequency": 1}
    assert course.graded("other_kernel").metadata.kernelspec.name == "python3"


def test_an_edited_check_is_restored(course: Course) -> None:
    assert course.scores("check_edited")["check_double"] == 0


def test_raw_nbgrader_has_no_score_for_a_deleted_check(course: Course) -> None:
    assert course.scores("check_deleted").get("check_double") is None
    assert course.scores("check_deleted")["check_relative_frequency"] == 1
    assert float(course.exported()["check_deleted"]["score"]) == 1


def test_a_module_beside_the_notebook_does_not_shadow_the_courses(course: Course) -> None:
    assert _checks("shadow", course) == {"check_double": 4, "check_relative_frequency": 1}


def test_feedback_holds_no_script_of_a_student(course: Course) -> None:
    page = course.feedback_html("script")
    assert page.count("<b>bold</b>") == 2
    assert "<script>steal()" not in page


def test_the_students_report_survives_in_feedback(course: Course) -> None:
    assert "<b>a report</b>" in course.feedback_html("partly")


def test_validate_tells_right_from_wrong(course: Course) -> None:
    submitted = course.root / "submitted"
    right = submitted / "script" / LESSON / course.notebook  # it answers the discussion too
    assert "Success!" in course.run("validate", str(right))
    partly = submitted / "partly" / LESSON / course.notebook
    said = course.run("validate", str(partly))
    assert "2 of the graded cells do not earn full points yet." in said
    assert "You did not provide a response." in said


def test_validate_names_exercises_and_calls_a_stub_not_started(course: Course) -> None:
    untouched = course.root / "lessons" / LESSON / course.notebook
    said = " ".join(course.run("validate", str(untouched)).split())
    assert "How often a word occurs (relative_frequency): Not started yet." in said
    assert "Partial credit" not in said


def test_an_answer_without_end_loses_its_own_points_and_no_others(course: Course) -> None:
    endless = "def relative_frequency(tokens, word):\n    while True:\n        pass"
    course.hand_in("endless", with_answers({**RIGHT, "relative_frequency": endless}))
    course.run("autograde", LESSON, "--student", "endless")
    course.run("generate_feedback", LESSON, "--student", "endless")
    scores = course.scores("endless")
    assert (scores["check_double"], scores["check_relative_frequency"]) == (4, 0)
    assert "was still running after 20 seconds" in words_of(course.feedback_html("endless"))


def test_the_time_limit_is_the_courses_not_nbgraders_30_seconds(course: Course) -> None:
    config = course.root / "nbgrader_config.py"
    loaded = PyFileConfigLoader(config.name, path=str(course.root)).load_config()
    assert loaded.Execute.timeout == SECONDS_PER_CELL >= 3 * BUDGET_SECONDS

    course.hand_in("slow", with_answers({**RIGHT, "double": SLOW}))
    settings = config.read_text()
    config.write_text(
        settings + "get_config().Execute.timeout = 2\n"
        "get_config().ExecutePreprocessor.timeout = 100\n"
    )
    course.run("autograde", LESSON)
    assert course.scores("slow")["check_double"] == 0
    config.write_text(settings)
    course.run("autograde", LESSON, "--student", "slow", "--force")
    assert course.scores("slow")["check_double"] == 4


def test_raw_nbgrader_stops_the_batch_at_a_copied_check(course: Course) -> None:
    course.hand_in("y_copies_a_check", _copied_check)
    course.hand_in("z_comes_later", with_answers(RIGHT))
    assert course.nbgrader("autograde", LESSON).returncode != 0
    assert not (course.root / "autograded" / "z_comes_later").exists()
