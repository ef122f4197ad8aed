"""A rehearsal: what is made, what it must come to, and that a difference is named."""

import os
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbformat import v4

from autograde.__main__ import main
from autograde.checking import catalogue
from autograde.checking.slips import Slip
from autograde.marking.rehearsal import made
from autograde.marking.rehearsal.answer_text import cell_of, written
from autograde.marking.rehearsal.made import Must
from autograde.marking.repair import read_submission, repaired
from autograde.marking.sandbox.student_build import student_build
from autograde.marking.worker import gone_for
from elmo_mini.models import elmo
from tests.autograde.marking.graded_classes import SMALL, made_submissions
from tests.autograde.marking.submissions import ROOT, release_of

SOURCES = sorted(ROOT.glob("solutions/*/*.py"))
FEW = ("01_word2vec", "13_attention")


def test_a_mistake_as_a_cell_is_the_mistake() -> None:
    """It stands in a notebook that has nothing but the lesson's own imports."""
    gone = set(gone_for(nbformat.reads(release_of("01_word2vec"), 4)))
    exercise = catalogue.find("shifted_pmi")
    mistake = next(m for m in exercise.mistakes if m.name == "log k is missing")
    assert isinstance(mistake, Slip)
    cell = cell_of(exercise, written(exercise, mistake.answer, mistake), gone, [])
    names: dict[str, object] = {}
    exec(cell, names)
    answer = names["shifted_pmi"]
    assert callable(answer)
    inputs = exercise.inputs(0, 7)
    assert (answer(**inputs) == mistake.answer(**inputs)).all()


def test_in_the_whole_course_a_cell_leaves_its_modules_as_they_are() -> None:
    """As under plain nbgrader: a check would not find the source of a function made by a cell."""
    gone = set(gone_for(nbformat.reads(release_of("08_scalar_mix_and_elmo"), 4)))
    exercise = catalogue.find("ScalarMix")
    mistakes = [m for m in exercise.mistakes if isinstance(m, Slip)]
    cells = [cell_of(exercise, written(exercise, m.answer, m), gone, []) for m in mistakes]
    assert any("elmo_mini.models.elmo" in cell for cell in cells)
    before = vars(elmo).copy()
    for cell in cells:
        exec(cell, {})
    assert {name for name in before if before[name] is not vars(elmo)[name]} == set()


def test_an_import_below_a_cell_is_none_of_it() -> None:
    answer = v4.new_code_cell("def f(): ...", metadata={"nbgrader": {"grade_id": "f"}})
    given = v4.new_code_cell("import numpy as np")
    for cells, above in (([given, answer], ["import numpy as np"]), ([answer, given], [])):
        found = made._imports_above(v4.new_notebook(cells=cells), "f")
        assert [part.text for part in found] == above


@pytest.mark.slow
def test_what_a_cell_brings_along_is_enough_where_no_exercise_is(tmp_path: Path) -> None:
    """In a student's build: helpers of the exercise, and a module of its package."""
    lesson = "15_a_hundred_labels"
    gone = set(gone_for(nbformat.reads(release_of(lesson), 4)))
    data = student_build(tmp_path, gone)
    for source, target in data:
        target.rmdir()
        target.symlink_to(source)
    exercise = catalogue.find("hand_in")
    mistakes = [m for m in exercise.mistakes if isinstance(m, Slip)]
    cells = [cell_of(exercise, written(exercise, m.answer, m), gone, []) for m in mistakes]
    assert any(" hidden" in cell for cell in cells)
    code = "\n".join(f"exec({cell!r}, {{}})" for cell in cells)
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    command = [sys.executable, "-P", "-c", code]
    done = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]


@pytest.mark.parametrize(
    "lesson",
    [
        pytest.param(
            source.parent.name,
            id=source.stem,
            marks=[] if source.parent.name in FEW else [pytest.mark.slow],
        )
        for source in SOURCES
    ],
)
def test_every_named_mistake_of_a_lesson_can_be_written_as_a_cell(lesson: str) -> None:
    gone = set(gone_for(nbformat.reads(release_of(lesson), 4)))
    for exercise in catalogue.catalogue().values():
        if exercise.lesson != lesson:
            continue
        for mistake in exercise.mistakes:
            slip = mistake if isinstance(mistake, Slip) else None
            text = cell_of(exercise, written(exercise, mistake.answer, slip), gone, [])
            compile(text, f"{exercise.id}: {mistake.name}", "exec")


def test_what_is_made_can_be_repaired_and_nothing_is_made_twice() -> None:
    released = nbformat.reads(release_of(SMALL), 4)
    submissions = made_submissions(SMALL)
    names = [m.student for m in submissions]
    assert len(set(names)) == len(names) > 50
    for m in submissions:
        if m.must.status != "unreadable":
            repaired(read_submission(m.data), released)


@pytest.mark.slow
def test_a_mark_that_differs_is_named_and_the_command_fails(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    must = made.Lesson._must

    def raised(*given: object) -> Must:
        found = must(*given)  # type: ignore[arg-type]
        return Must(found.status, {**found.points, "share_once": 99.0})

    monkeypatch.setattr(made.Lesson, "_must", raised)
    command = ["rehearse", SMALL, "--course", str(ROOT), "--only", "as_it_should_be"]
    kept = tmp_path / "kept"
    assert main([*command, "--workers", "1", "--keep", str(kept)]) == 1
    said = capsys.readouterr().out
    assert "DIFFERS as_it_should_be" in said
    assert "share_once: " in said
    assert "must be 99" in said
    assert (kept / "exported" / f"{SMALL}.csv").is_file()
    assert main([*command, "--keep", str(kept)]) == 2
    assert main(["rehearse", "99_none", "--course", str(ROOT)]) == 2


@pytest.mark.slow
@pytest.mark.timeout(7200)
@pytest.mark.by_reach("rehearsals", seconds=400)
@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.stem)
def test_a_lesson_is_rehearsed(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status = main(["rehearse", source.parent.name, "--course", str(ROOT), "--workers", "1"])
    said = capsys.readouterr().out
    assert status == 0, said
