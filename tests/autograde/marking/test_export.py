"""Marks leave for the platforms: nobody's missing mark is a zero, and feedback finds its way."""

import csv
import json
import zipfile
from pathlib import Path

import pytest

from autograde.__main__ import main
from autograde.marking.course_folder import CourseFolder
from tests.autograde.marking.class_of import hand_in, mark, verdict
from tests.autograde.marking.small_lesson import LESSON
from tests.autograde.marking.test_collect import (
    CANVAS,
    MOODLE,
    OLD,
    WORKSHEET,
    collect,
    version,
    zipped,
)

FULL = {"check_double": 4.0, "check_share": 1.0, "why": 2.0, "what": 1.5}
NOTHING = {"check_double": 0.0, "check_share": 0.0, "why": 0.0, "what": 0.0}


def export(course: CourseFolder, *arguments: str) -> int:
    return main(["export", "--course", str(course.root), *arguments])


def rows(course: CourseFolder, name: str) -> list[dict[str, str]]:
    with (course.root / "exported" / name).open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def give_feedback(course: CourseFolder, student: str) -> None:
    page = course.root / "feedback" / student / LESSON / "small.html"
    page.parent.mkdir(parents=True)
    page.write_text(f"feedback for {student}")


@pytest.fixture
def marked(course: CourseFolder) -> CourseFolder:
    """One student of every status."""
    for student in ("full", "waits", "zero", "again", "plain"):
        digest = hand_in(course, student)
        if student != "plain":
            verdict(course, student, submission=digest)
    hand_in(course, "again", b'{"cells": [{"cell_type": "code", "source": "new"}]}')
    broken = hand_in(course, "broken", b"")
    verdict(course, "broken", submission=broken, status="unreadable", reason="is empty")
    failed = hand_in(course, "failed")
    verdict(course, "failed", submission=failed, status="failed", reason="no memory was left")
    hand_in(course, "unmarked")
    waits = {**FULL, "why": None}
    marks = {"full": FULL, "waits": waits, "zero": NOTHING, "again": FULL, "plain": FULL}
    mark(course, {**marks, "broken": NOTHING})
    names = ["full", "waits", "zero", "again", "plain", "broken", "failed", "unmarked", "absent"]
    table = "Username,Name,Email\n" + "".join(f"{n},Name {n},{n}@example.org\n" for n in names)
    (course.root / "roster.csv").write_text(table)
    return course


def test_every_status_is_told_apart_and_only_what_is_known_is_a_number(
    marked: CourseFolder,
) -> None:
    assert export(marked) == 0
    found = {row["Student"]: row for row in rows(marked, f"{LESSON}.csv")}
    assert {name: (row["Status"], row["Points"]) for name, row in found.items()} == {
        "full": ("complete", "8.5"),
        "waits": ("essay unmarked", "6.5"),
        "zero": ("complete", "0"),
        "again": ("not marked yet", ""),
        "plain": ("complete", "8.5"),
        "broken": ("unreadable", ""),
        "failed": ("not marked yet", ""),
        "unmarked": ("not marked yet", ""),
        "absent": ("nothing handed in", ""),
    }
    assert found["broken"]["Why"] == "is empty"
    assert found["waits"]["Why"] == "why"
    assert found["failed"]["Why"] == "no memory was left"
    assert found["again"]["Why"] == "handed in again since it was marked"
    waits = found["waits"]
    assert [waits[e] for e in ("double", "share", "why", "what")] == ["4", "1", "", "1.5"]
    assert found["full"]["Of"] == "9"
    overview = {row["Student"]: row for row in rows(marked, "class.csv")}
    assert overview["zero"][f"{LESSON} points"] == "0"
    assert overview["absent"][f"{LESSON} status"] == "nothing handed in"
    assert overview["absent"]["Name"] == "Name absent"


def test_json_for_scripts(marked: CourseFolder, capsys: pytest.CaptureFixture[str]) -> None:
    assert export(marked, "--json") == 0
    said = json.loads(capsys.readouterr().out)
    assert said["lessons"][LESSON]["waits"]["status"] == "essay unmarked"
    assert said["lessons"][LESSON]["absent"]["points"] is None


def test_a_page_of_an_earlier_hand_in_goes_to_nobody(
    marked: CourseFolder, capsys: pytest.CaptureFixture[str]
) -> None:
    export(marked, "--for", "moodle")
    assert f"no feedback pages: run `feedback {LESSON}` first" in capsys.readouterr().out
    give_feedback(marked, "again")
    give_feedback(marked, "full")
    export(marked, "--for", "moodle")
    said = capsys.readouterr().out
    assert "the page of again is of an earlier hand-in and was left out" in said
    assert "full did not hand in through moodle" in said
    assert "again did not hand in through" not in said


def test_canvas_there_and_back(course: CourseFolder, tmp_path: Path) -> None:
    names = {
        "lovelaceada_101_9001_small-1.ipynb": (version(1), OLD),
        "leeparkkim_LATE_102_9002_small (1).ipynb": (version(2), OLD),
        "twinsam_105_9005_small.ipynb": (version(5), OLD),
    }
    collect(course, zipped(tmp_path / "c.zip", names), CANVAS)
    mark(course, {"ada": FULL, "kim": {**FULL, "why": None}, "sam2": NOTHING})
    for student in ("ada", "kim", "sam2"):
        give_feedback(course, student)
    assert export(course, "--for", "canvas") == 0

    table = rows(course, "canvas.csv")
    column = "00 small (4711)"
    assert table[0]["Student"] == "    Points Possible"
    assert table[0][column] == "9"
    by_id = {row["ID"]: row for row in table[1:]}
    assert by_id["101"]["Student"] == "Lovelace, Ada"
    assert {number: row[column] for number, row in by_id.items()} == {
        "101": "8.5",
        "102": "",
        "103": "",
        "104": "",
        "105": "0",
    }
    with zipfile.ZipFile(course.root / "exported" / f"{LESSON}_feedback_for_canvas.zip") as pages:
        assert {name: pages.read(name).decode() for name in pages.namelist()} == {
            "lovelaceada_101_9001_small-1.html": "feedback for ada",
            "leeparkkim_LATE_102_9002_small (1).html": "feedback for kim",
            "twinsam_105_9005_small.html": "feedback for sam2",
        }
    assert export(course, "--for", "canvas", "--so-far") == 0
    assert {row["ID"]: row[column] for row in rows(course, "canvas.csv")}["102"] == "6.5"


def test_moodle_there_and_back(course: CourseFolder, tmp_path: Path) -> None:
    names = {
        "Ada Lovelace_7_assignsubmission_file_/small.ipynb": (version(1), OLD),
        "Kim Lee_Park_8_assignsubmission_file_/small.ipynb": (version(2), OLD),
    }
    collect(course, zipped(tmp_path / "m.zip", names), MOODLE)
    mark(course, {"ada": FULL, "kim": FULL})
    for student in ("ada", "kim"):
        give_feedback(course, student)
    assert export(course, "--for", "moodle") == 0
    table = {row["Username"]: row for row in rows(course, "moodle.csv")}
    assert table["ada"] == {
        "Username": "ada",
        "ID number": "1",
        "Email address": "ada@example.org",
        LESSON: "8.5",
    }
    assert table["jorg"][LESSON] == ""
    worksheet = {row["Identifier"]: row["Grade"] for row in rows(course, f"{LESSON}_worksheet.csv")}
    assert worksheet == {"Participant 7": "8.5", "Participant 8": "8.5"}
    with zipfile.ZipFile(course.root / "exported" / f"{LESSON}_feedback_for_moodle.zip") as pages:
        assert set(pages.namelist()) == {
            "Ada Lovelace_7_assignfeedback_file_/small.html",
            # Moodle takes what stands between the first two "_" for the number.
            "Kim Lee Park_8_assignfeedback_file_/small.html",
        }


def test_a_name_is_no_formula_and_a_file_reaches_nobody_else(
    course: CourseFolder, tmp_path: Path
) -> None:
    """A hand-in for Moodle can be named as Canvas names those of another student."""
    files = {"Eve_9_assignsubmission_file_/x_8_1_small.ipynb": (version(1), OLD)}
    names = "First name,Surname,Username\nEve,,eve\n=1+2,,formula\n"
    collect(course, zipped(tmp_path / "m.zip", files), names)
    mark(course, {"eve": FULL})
    give_feedback(course, "eve")
    assert export(course, "--for", "moodle") == 0
    assert [row["Name"] for row in rows(course, "class.csv")] == ["Eve", "'=1+2"]
    with zipfile.ZipFile(course.root / "exported" / f"{LESSON}_feedback_for_moodle.zip") as pages:
        assert pages.namelist() == ["Eve_9_assignfeedback_file_/small.html"]


def test_a_worksheet_alone_is_enough_for_moodle(course: CourseFolder, tmp_path: Path) -> None:
    name = "Sam Twin_{}_assignsubmission_file_/small.ipynb"
    files = {name.format(11): (version(1), OLD), name.format(12): (version(2), OLD)}
    collect(course, zipped(tmp_path / "m.zip", files), WORKSHEET)
    mark(course, {"sam1@example.org": FULL, "sam2@example.org": NOTHING})
    assert export(course, "--for", "moodle") == 0
    worksheet = {row["Identifier"]: row["Grade"] for row in rows(course, f"{LESSON}_worksheet.csv")}
    assert worksheet == {"Participant 11": "8.5", "Participant 12": "0"}


@pytest.mark.parametrize(("platform", "list_of"), [("canvas", MOODLE), ("moodle", CANVAS)])
def test_the_other_platforms_list_is_refused_with_the_way_out(
    course: CourseFolder, platform: str, list_of: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (course.root / "roster.csv").write_text(list_of)
    assert export(course, "--for", platform) == 2
    assert "save that as roster.csv" in capsys.readouterr().err


def test_an_empty_course_is_said(course: CourseFolder, capsys: pytest.CaptureFixture[str]) -> None:
    assert export(course) == 2
    assert "Nobody has handed in" in capsys.readouterr().err
