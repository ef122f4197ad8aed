"""Whole classes: two hundred at once, beside plain nbgrader, and where there is no bubblewrap."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from autograde.checking.check import seed_of
from autograde.marking.course_folder import CourseFolder
from autograde.marking.engine import Processes
from autograde.marking.export import Export
from autograde.marking.feedback_pages import write_pages
from autograde.marking.grade import grade
from autograde.marking.gradebook import Gradebook
from autograde.marking.limits import Limits
from autograde.marking.rehearsal import made
from autograde.marking.sandbox.start import UNSANDBOXED, WARNING
from autograde.marking.standing import Standings
from tests.autograde.grading.nbgrader_course import NBGRADER
from tests.autograde.marking.graded_classes import (
    SMALL,
    class_of,
    course_at,
    gradebook_of,
    hand_in,
    rehearsed,
)
from tests.autograde.marking.submissions import ROOT

SOURCES = sorted(ROOT.glob("solutions/*/*.py"))
STUDENTS = 200


@pytest.mark.slow
@pytest.mark.timeout(7200)
@pytest.mark.by_reach("a class of two hundred", seconds=400)
def test_in_a_class_of_two_hundred_nobody_is_lost(tmp_path: Path) -> None:
    """One in ten hands in what nobody can read; all others have the marks that are due."""
    submissions = class_of(STUDENTS, broken=0.1)
    course = course_at(tmp_path / "course", SMALL)
    hand_in(course, SMALL, [(student, m.data) for student, m in submissions.items()])
    with Processes(2) as processes:
        found = grade(course, SMALL, Limits(cell_seconds=3), processes, seeded="rehearsal")
    assert [verdict.student for verdict in found] == sorted(submissions)
    assert [v.student for v in found if v.status == "unreadable"] == [
        s for s, m in submissions.items() if m.must.status == "unreadable"
    ]
    write_pages(course, SMALL, Gradebook.read(course.database))
    standings = Standings(course, None, [SMALL])
    export = Export(standings, None, tmp_path / "exported")
    export.tables()
    came = {standing.student.id: standing for standing in standings}
    for student, m in submissions.items():
        assert came[student].status == m.must.status, (student, m.student)
        assert came[student].exercises.items() == m.must.points.items(), (student, m.student)
        assert list((course.root / "feedback" / student / SMALL).glob("*.html"))
    assert len((tmp_path / "exported" / f"{SMALL}.csv").read_text().splitlines()) == STUDENTS + 1


@pytest.mark.slow
@pytest.mark.timeout(7200)
@pytest.mark.by_reach("plain nbgrader", seconds=250)
@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.stem)
def test_plain_nbgrader_and_grade_give_honest_notebooks_what_is_due(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is right, what is not begun, and a row of named mistakes, another one each turn.

    The two judge on other cases: a mistake may be worth a part of the points on one of them alone.
    """
    lesson = source.parent.name
    turn = int(os.environ.get("TEST_TURN", "0"))
    every = rehearsed(lesson, "ben")
    right = every.second_hand_in()
    (wrong,) = every.mistaken(turn)
    with monkeypatch.context() as public:
        public.setattr(made, "seed_for", lambda _secret, _student, exercise: seed_of(exercise))
        (wrong_there,) = every.mistaken(turn)
    courses = [course_at(tmp_path / name, lesson) for name in ("plain", "ours")]
    for course in courses:
        hand_in(course, lesson, [("anna", right.data), ("ben", wrong.data)])
    plain, ours = courses
    solved = plain.root / "solutions" / lesson / ours.released(lesson).name
    solved.parent.mkdir(parents=True)
    solved.write_bytes(source.with_suffix(".ipynb").read_bytes())
    for command in ("generate_assignment", "autograde"):
        _nbgrader(plain, command, lesson, "--force")
    with Processes(1) as processes:
        grade(ours, lesson, Limits(), processes)
    for course, ben in ((plain, wrong_there), (ours, wrong)):
        marks = {(who, cell): auto for who, cell, auto, *_ in gradebook_of(course)}
        due = {
            (who, f"check_{exercise.id}"): m.must.points[exercise.id]
            for who, m in (("anna", right), ("ben", ben))
            for exercise in every.exercises
        }
        assert {cell: marks[cell] for cell in due} == due


def _nbgrader(course: CourseFolder, *words: str) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [str(NBGRADER), *words], cwd=course.root, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
def test_without_bubblewrap_the_marks_are_the_same_and_stamped(tmp_path: Path) -> None:
    """As on macOS: a warning, and a stamp on each verdict."""
    submissions = class_of(6, broken=0.2)
    courses = [course_at(tmp_path / name, SMALL) for name in ("walls", "open")]
    for course in courses:
        hand_in(course, SMALL, [(student, m.data) for student, m in submissions.items()])
    said = []
    for course, path in zip(courses, (os.environ["PATH"], "/nowhere"), strict=True):
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "PATH": path}
        command = [sys.executable, "-m", "autograde", "grade", SMALL, "--workers", "1"]
        done = subprocess.run(
            command, cwd=course.root, env=environment, capture_output=True, text=True
        )
        assert done.returncode == 1, done.stderr  # one that cannot be read
        assert "Traceback" not in done.stderr
        assert "SAWarning" not in done.stderr
        assert "wait for a person" in done.stdout
        said.append(done.stderr)
    assert WARNING not in said[0]
    assert WARNING in said[1]
    assert gradebook_of(courses[0]) == gradebook_of(courses[1]) != []
    verdicts = [json.loads(p.read_text()) for p in courses[1].root.glob("verdicts/*/*.json")]
    stamps = {verdict["sandbox"] for verdict in verdicts if verdict["status"] == "marked"}
    assert stamps == {UNSANDBOXED}
