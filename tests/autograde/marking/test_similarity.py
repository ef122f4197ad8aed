"""The list of likeness: pasted and renamed answers stand on it, own ways and stubs do not."""

import json

import nbformat
import pytest

from autograde.__main__ import main
from autograde.marking.course_folder import CourseFolder
from autograde.marking.similarity import PUBLISHED
from tests.autograde.marking.class_of import hand_in
from tests.autograde.marking.small_lesson import LESSON, place, released, right, saved

PUBLISHED_ANSWER = """\
def share(words, word):
    total = 0
    found = 0
    for candidate in words:
        total = total + 1
        if candidate == word:
            found = found + 1
    return found / total if total else 0.0
"""
RENAMED = (
    PUBLISHED_ANSWER.replace("total", "n").replace("found", "k").replace("candidate", "w_")
    + "# my own work\n"
)
OWN_WAY = """\
def share(words, word):
    from collections import Counter

    counts = Counter(words)
    every = sum(counts.values())
    return max(counts[word], 0) * 1.0 / (every or 1)
"""


def write(course: CourseFolder, student: str, answer: str) -> None:
    notebook = right()
    notebook.cells[place(notebook, "double")].source = "def double(x):\n    return x"
    notebook.cells[place(notebook, "share")].source = answer
    hand_in(course, student, saved(notebook))


@pytest.fixture
def handed_in(course: CourseFolder) -> CourseFolder:
    solution = course.root / "solutions" / LESSON
    solution.mkdir(parents=True)
    solved = right()
    solved.cells[place(solved, "share")].source = PUBLISHED_ANSWER
    nbformat.write(solved, solution / "small.ipynb")
    write(course, "renamed", RENAMED)
    write(course, "own", OWN_WAY)
    hand_in(course, "empty", saved(released()))
    hand_in(course, "broken", b"")
    return course


def test_a_renamed_copy_is_listed_and_nothing_else(
    handed_in: CourseFolder, capsys: pytest.CaptureFixture[str]
) -> None:
    asking = ["similarity", LESSON, "--course", str(handed_in.root)]
    assert main([*asking, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [(pair["one"], pair["other"]) for pair in found] == [(PUBLISHED, "renamed")]
    assert found[0]["share_of_other"] == pytest.approx(0.78, abs=0.01), "another in each process?"

    assert main(asking) == 0
    page = (handed_in.root / "similarity" / f"{LESSON}.html").read_text()
    assert "<mark>" in page
    assert "Could not be read: broken." in page


def test_what_a_student_wrote_does_not_act_in_the_report(handed_in: CourseFolder) -> None:
    write(handed_in, "script", RENAMED + "# <script>steal()</script>\n'<script>'\n")
    assert main(["similarity", LESSON, "--course", str(handed_in.root)]) == 0
    page = (handed_in.root / "similarity" / f"{LESSON}.html").read_text()
    assert "script and" in page or "and script" in page
    assert "<script" not in page


def test_nothing_to_compare_is_said(
    course: CourseFolder, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["similarity", LESSON, "--course", str(course.root)]) == 2
    assert "nothing to compare" in capsys.readouterr().err
