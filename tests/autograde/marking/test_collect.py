"""Downloads of both platforms become submissions; what is doubtful is asked, nothing is lost."""

import hashlib
import json
import os
import stat
import zipfile
from datetime import datetime
from pathlib import Path

import pytest

from autograde.__main__ import main
from autograde.marking.archive import entries
from autograde.marking.collect import Collector
from autograde.marking.collected import Collected
from autograde.marking.course_folder import CourseFolder, Refused
from autograde.marking.platform_names import stem_and_attempt
from autograde.marking.roster import read_roster
from autograde.marking.standing import Standings
from tests.autograde.marking.small_lesson import DOUBLE, LESSON, right, saved

CANVAS = """\
Student,ID,SIS User ID,SIS Login ID,Section,00 small (4711),Current Score
"    Points Possible",,,,,5,(read only)
"Lovelace, Ada",101,S1,ada,A,,
"Lee_Park, Kim",102,S2,kim,A,,
"Müller, Jörg",103,S3,jorg,A,,
"Twin, Sam",104,S4,sam1,A,,
"Twin, Sam",105,S5,sam2,A,,
"Student, Test",,,,A,,
"""
MOODLE = """\
First name,Surname,Username,ID number,Email address
Ada,Lovelace,ada,1,ada@example.org
Kim,Lee_Park,kim,2,kim@example.org
Jörg,Müller,jorg,3,jorg@example.org
Sam,Twin,sam1,4,sam1@example.org
Sam,Twin,sam2,5,sam2@example.org
"""
WORKSHEET = """\
Identifier,Full name,Email address,Status,Grade,Last modified (grade)
Participant 11,Sam Twin,sam1@example.org,Submitted,,
Participant 12,Sam Twin,sam2@example.org,Submitted,,
"""
OLD, NEW = (2026, 11, 20, 10, 0, 0), (2026, 11, 21, 10, 0, 0)


def version(number: int) -> bytes:
    """Right hand-ins that differ."""
    notebook = right()
    notebook.cells[0].source = f"version {number}"
    return saved(notebook)


def zipped(path: Path, files: dict[str, tuple[bytes, tuple[int, ...]]]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, (data, time) in files.items():
            archive.writestr(zipfile.ZipInfo(name, time), data, zipfile.ZIP_DEFLATED)  # type: ignore[arg-type]
    return path


def collect(course: CourseFolder, source: Path, roster: str = "", **options: object) -> Collected:
    listed = None
    if roster:
        (course.root / "roster.csv").write_text(roster, encoding="utf-8")
        listed = read_roster(course.root / "roster.csv")
    return Collector(course, LESSON, listed, **options).collect(source)  # type: ignore[arg-type]


def taken(course: CourseFolder) -> dict[str, bytes]:
    return {p.parts[-3]: p.read_bytes() for p in course.root.glob("submitted/*/*/small.ipynb")}


def originals(course: CourseFolder) -> set[bytes]:
    return {p.read_bytes() for p in course.root.glob(f"downloaded/{LESSON}/originals/*")}


def asked(collected: Collected) -> list[tuple[str, str]]:
    return [(q["kind"], Path(q["files"][0]).name) for q in collected.questions]


def test_canvas(course: CourseFolder, tmp_path: Path) -> None:
    source = zipped(
        tmp_path / "submissions.zip",
        {
            "lovelaceada_101_9001_small-1.ipynb": (version(1), OLD),
            "leeparkkim_LATE_102_9002_small (1).ipynb": (version(2), NEW),
            "mllerjrg_103_9003_small.ipynb": (version(3), OLD),
            "twinsam_105_9005_small.ipynb": (version(5), OLD),
            "lovelaceada_101_9010_notes.pdf": (b"%PDF", OLD),
            "__MACOSX/._lovelaceada_101_9001_small-1.ipynb": (b"x", OLD),
        },
    )
    collected = collect(course, source, CANVAS)
    expected = {"ada": version(1), "kim": version(2), "jorg": version(3), "sam2": version(5)}
    assert taken(course) == expected
    assert not collected.open_questions()
    assert collected.absent == ["sam1"]
    assert collected.others == ["lovelaceada_101_9010_notes.pdf"]
    report = "\n".join(collected.report())
    assert "\nlate: kim\n" in report
    assert "nothing from 1: sam1" in report
    stamp = course.root / "submitted/kim" / LESSON / "timestamp.txt"
    assert stamp.read_text() == "2026-11-21 10:00:00\n"


@pytest.mark.parametrize(
    "form", ["{}_{}_assignsubmission_file_/{}", "{}_{}_assignsubmission_file_{}"]
)
@pytest.mark.parametrize("packed", [True, False])
def test_moodle_with_folders_and_flat(
    course: CourseFolder, tmp_path: Path, form: str, packed: bool
) -> None:
    files = {
        form.format("Ada Lovelace", 7, "small.ipynb"): (version(1), OLD),
        form.format("Kim Lee_Park", 8, "small (1).ipynb"): (version(2), OLD),
        form.format("MÜLLER Jorg", 9, "SMALL.ipynb.txt"): (version(3), OLD),
        form.format("Sam Twin", 12, "small.ipynb"): (version(4), OLD),
        form.format("Grace Hopper", 13, "small.ipynb"): (version(5), OLD),
        "Ada Lovelace_7_assignsubmission_onlinetext_/onlinetext.html": (b"<p>", OLD),
    }
    source = zipped(tmp_path / "moodle.zip", files)
    if not packed:
        with zipfile.ZipFile(source) as archive:
            archive.extractall(tmp_path / "unpacked")
        source = tmp_path / "unpacked"
    collected = collect(course, source, MOODLE)
    assert taken(course) == {"ada": version(1), "kim": version(2), "jorg": version(3)}
    kinds = {kind for kind, _ in asked(collected)}
    assert kinds == {"ambiguous", "unmatched"}
    assert {version(4), version(5)} <= originals(course), "what is asked about is kept"

    who = {"12": "sam2", "13": "grace@example.org"}
    again = collect(course, source, MOODLE, who=who)
    assert not again.open_questions()
    assert taken(course)["sam2"] == version(4)


def test_moodles_grading_worksheet_tells_two_of_one_name_apart(
    course: CourseFolder, tmp_path: Path
) -> None:
    name = "Sam Twin_{}_assignsubmission_file_/small.ipynb"
    files = {name.format(11): (version(1), OLD), name.format(12): (version(2), OLD)}
    collect(course, zipped(tmp_path / "m.zip", files), WORKSHEET)
    assert taken(course) == {"sam1@example.org": version(1), "sam2@example.org": version(2)}


@pytest.mark.parametrize("around", ["", "all of them/"])
@pytest.mark.parametrize("inside", ["small.ipynb", f"{LESSON}/small.ipynb"])
def test_plain_folders_with_and_without_a_list(
    course: CourseFolder, tmp_path: Path, around: str, inside: str
) -> None:
    files = {
        f"{around}ada/{inside}": (version(1), OLD),
        f"{around}kim/{inside}": (version(2), OLD),
    }
    collected = collect(course, zipped(tmp_path / "plain.zip", files))
    assert taken(course) == {"ada": version(1), "kim": version(2)}
    assert not collected.open_questions()


def test_without_a_list_two_of_one_name_stay_two(course: CourseFolder, tmp_path: Path) -> None:
    name = "Sam Twin_{}_assignsubmission_file_/small.ipynb"
    files = {name.format(11): (version(1), OLD), name.format(12): (version(2), OLD)}
    collect(course, zipped(tmp_path / "m.zip", files))
    assert taken(course) == {"Sam Twin_11": version(1), "Sam Twin_12": version(2)}


def test_loose_files_are_known_by_an_id_or_a_name_in_them(
    course: CourseFolder, tmp_path: Path
) -> None:
    files = {
        "small_ada.ipynb": (version(1), OLD),
        "Kim Lee_Park small.ipynb": (version(2), OLD),
        "small.ipynb": (version(3), OLD),
    }
    collected = collect(course, zipped(tmp_path / "loose.zip", files), MOODLE)
    assert taken(course) == {"ada": version(1), "kim": version(2)}
    assert asked(collected) == [("unmatched", "small.ipynb")]


def test_the_newest_attempt_counts_whatever_comes_first(
    course: CourseFolder, tmp_path: Path
) -> None:
    first = zipped(tmp_path / "1.zip", {"ada/small.ipynb": (version(1), OLD)})
    second = zipped(tmp_path / "2.zip", {"ada/small.ipynb": (version(2), NEW)})
    collect(course, first)
    said = collect(course, second).report()
    assert any("ada handed in again" in line for line in said)
    assert taken(course) == {"ada": version(2)}
    collect(course, first)
    assert taken(course) == {"ada": version(2)}, "an older download does not undo a newer one"
    assert originals(course) == {version(1), version(2)}
    attempts = json.loads(course.ledger(LESSON).read_text())["students"]["ada"]
    assert [attempt["time"][8:10] for attempt in attempts] == ["20", "21"]


def test_an_older_download_that_comes_later_is_kept_and_does_not_count(
    course: CourseFolder, tmp_path: Path
) -> None:
    collect(course, zipped(tmp_path / "2.zip", {"ada/small.ipynb": (version(2), NEW)}))
    collect(course, zipped(tmp_path / "1.zip", {"ada/small.ipynb": (version(1), OLD)}))
    assert taken(course) == {"ada": version(2)}
    assert originals(course) == {version(1), version(2)}


def test_several_files_of_one_attempt(course: CourseFolder, tmp_path: Path) -> None:
    other = b'{"cells": [{"cell_type": "code", "source": "1"}]}'
    files = {
        "ada/small.ipynb": (version(1), OLD),
        "ada/small (1).ipynb": (version(2), OLD),
        "ada/scratch.ipynb": (other, NEW),
        "kim/renamed by me.ipynb": (version(3), OLD),
    }
    collect(course, zipped(tmp_path / "a.zip", files))
    assert taken(course) == {"ada": version(2), "kim": version(3)}


def test_what_lay_there_before_is_kept(course: CourseFolder, tmp_path: Path) -> None:
    path = course.hand_in("ada", LESSON)
    path.parent.mkdir(parents=True)
    path.write_bytes(version(0))
    said = collect(course, zipped(tmp_path / "a.zip", {"ada/small.ipynb": (version(1), OLD)}))
    assert any("kept among the originals" in line for line in said.report())
    assert version(0) in originals(course)
    assert taken(course) == {"ada": version(1)}


def test_an_unreadable_file_is_named_and_stays_what_it_was(
    course: CourseFolder, tmp_path: Path
) -> None:
    files = {
        "ada/small.ipynb": (version(1)[:900], NEW),
        "kim/small.ipynb": (b"", OLD),
        "mark/small.ipynb": (b"\xef\xbb\xbf" + version(3), OLD),
    }
    collected = collect(course, zipped(tmp_path / "a.zip", files))
    report = "\n".join(collected.report())
    assert "unreadable: ada: ada/small.ipynb was cut off" in report
    assert "unreadable: kim: kim/small.ipynb is empty" in report
    assert taken(course)["ada"] == version(1)[:900]
    assert taken(course)["mark"] == version(3), "plain nbgrader stumbles over a byte-order mark"
    assert collected.open_questions()


def test_lateness_by_a_date(course: CourseFolder, tmp_path: Path) -> None:
    files = {"ada/small.ipynb": (version(1), OLD), "kim/small.ipynb": (version(2), NEW)}
    source = zipped(tmp_path / "a.zip", files)
    collected = collect(course, source, due=datetime(2026, 11, 20, 23, 59))
    assert [line for line in collected.report() if line.startswith("late")] == [
        "late: kim (2026-11-21 10:00:00)"
    ]


def test_canvas_itself_says_who_is_late(course: CourseFolder, tmp_path: Path) -> None:
    """All files of its archive have the time of the download."""
    files = {
        "lovelaceada_101_9_small.ipynb": (version(1), NEW),
        "leeparkkim_LATE_102_9_small.ipynb": (version(2), NEW),
    }
    source = zipped(tmp_path / "a.zip", files)
    collected = collect(course, source, CANVAS, due=datetime(2026, 11, 20, 23, 59))
    report = collected.report()
    assert [line for line in report if line.startswith("late")] == ["late: kim"]
    assert any(line.startswith("--due was not used") for line in report)


@pytest.mark.parametrize(
    ("file", "roster"),
    [
        ("Ada Lovelace_7_assignsubmission_file_/hand in.zip", MOODLE),
        ("Ada Lovelace_7_assignsubmission_file_hand in.zip", MOODLE),
        ("lovelaceada_101_9_hand in.ZIP", CANVAS),
        ("lovelaceada_LATE_101_9_hw.zip", CANVAS),
        ("ada/hw.zip", MOODLE),
    ],
)
@pytest.mark.parametrize("packed", [True, False])
def test_a_zip_that_a_student_handed_in_is_opened(
    course: CourseFolder, tmp_path: Path, file: str, roster: str, packed: bool
) -> None:
    inner = zipped(
        tmp_path / "inner.zip",
        {
            "proj/small.ipynb": (version(1), OLD),
            "__MACOSX/proj/._small.ipynb": (b"\0\5", OLD),
            "proj/.ipynb_checkpoints/small-checkpoint.ipynb": (version(2), NEW),
            "../../out.ipynb": (version(3), OLD),
        },
    ).read_bytes()
    if packed:
        source = zipped(tmp_path / "a.zip", {file: (inner, NEW)})
    else:
        source = tmp_path / "unpacked"
        (source / file).parent.mkdir(parents=True)
        (source / file).write_bytes(inner)
    collected = collect(course, source, roster)
    assert taken(course) == {"ada": version(1)}
    assert [q["kind"] for q in collected.questions] == ["refused"]
    assert collected.students["ada"][0].late == ("LATE" in file)
    if packed:
        assert collected.students["ada"][0].time == "2026-11-21 10:00:00", "when it was handed in"


def test_who_handed_in_no_notebook_is_named_with_the_files(
    course: CourseFolder, tmp_path: Path
) -> None:
    """They handed in, so nobody may read that they did not."""
    folder = "{}_assignsubmission_file_/"
    files = {
        folder.format("Ada Lovelace_1") + "small.pdf": (b"%PDF", OLD),
        folder.format("Kim Lee_Park_2") + "small.ipynb": (version(1), OLD),
        folder.format("Kim Lee_Park_2") + "notes.txt": (b"", OLD),
        folder.format("Sam Twin_3") + "hw.rar": (b"Rar", OLD),
        folder.format("Jörg Müller_4") + "bad.zip": (b"PK", OLD),
    }
    collected = collect(course, zipped(tmp_path / "a.zip", files), MOODLE)
    report = "\n".join(collected.report())
    ada = folder.format("Ada Lovelace_1") + "small.pdf"
    assert f"no notebook: ada handed in {ada}; ask for the .ipynb." in report
    assert collected.no_notebook.keys() == {"ada", "jorg"}
    assert [q["kind"] for q in collected.questions] == ["ambiguous"]
    assert collected.absent == ["sam1", "sam2"]
    assert collected.open_questions()
    found = {
        s.student.id: s
        for s in Standings(course, read_roster(course.root / "roster.csv"), [LESSON])
    }
    assert found["ada"].status == "unreadable"
    assert found["ada"].reason == f"handed in no notebook, but {ada}"
    assert found["sam1"].status == "nothing handed in"
    later = {folder.format("Kim Lee_Park_2") + "small.ipynb": (version(1), OLD)}
    again = collect(course, zipped(tmp_path / "b.zip", later), MOODLE)
    assert again.no_notebook.keys() == {"ada", "jorg"}, "a part of a download forgets nobody"
    better = {folder.format("Ada Lovelace_1") + "small.ipynb": (version(2), NEW)}
    last = collect(course, zipped(tmp_path / "c.zip", better), MOODLE)
    assert last.no_notebook.keys() == {"jorg"}
    assert taken(course)["ada"] == version(2)


@pytest.mark.parametrize("encoding", ["utf-8", "cp437"])
def test_names_in_zips_that_do_not_say_their_encoding(
    course: CourseFolder, tmp_path: Path, encoding: str
) -> None:
    """macOS writes UTF-8 without the flag for it, Windows the letters of DOS."""
    name = "Jörg Müller_4_assignsubmission_file_/small.ipynb".encode(encoding)
    placeholder = b"x" * len(name)
    source = zipped(tmp_path / "a.zip", {placeholder.decode(): (version(1), OLD)})
    source.write_bytes(source.read_bytes().replace(placeholder, name))
    collected = collect(course, source, MOODLE)
    assert (taken(course), collected.questions) == ({"jorg": version(1)}, [])


def test_a_name_on_the_disk_in_an_old_encoding_stops_nobody(
    course: CourseFolder, tmp_path: Path
) -> None:
    folder = os.fsencode(tmp_path / "all") + b"/J\xf6rg M\xfcller_4_assignsubmission_file_"
    try:
        Path(os.fsdecode(folder)).mkdir(parents=True)
    except OSError:
        pytest.skip("this disk takes names in UTF-8 only")
    Path(os.fsdecode(folder), "small.ipynb").write_bytes(version(1))
    collect(course, tmp_path / "all", MOODLE)
    assert taken(course) == {"jorg": version(1)}


def test_nothing_is_written_outside_and_bombs_stay_shut(
    course: CourseFolder, tmp_path: Path
) -> None:
    link = zipfile.ZipInfo("ada/link.ipynb")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    source = zipped(
        tmp_path / "evil.zip",
        {
            "../../escaped/small.ipynb": (version(1), OLD),
            "/absolute/small.ipynb": (version(1), OLD),
            "C:/windows/small.ipynb": (version(1), OLD),
            "bomb/small.ipynb": (b" " * (70 * 2**20), OLD),
            "kim/small.ipynb": (version(2), OLD),
            ".": (version(1), OLD),
        },
    )
    with zipfile.ZipFile(source, "a") as archive:
        archive.writestr(link, "../../../secret")
    before = {p for p in tmp_path.rglob("*") if course.root not in p.parents}
    collected = collect(course, source)
    assert {p for p in tmp_path.rglob("*") if course.root not in p.parents} == before
    assert taken(course) == {"kim": version(2)}
    assert [q["kind"] for q in collected.questions] == ["refused"] * 6


def test_a_file_named_like_anothers_hand_in_stays_its_senders(
    course: CourseFolder, tmp_path: Path
) -> None:
    files = {
        "Sam Twin_12_assignsubmission_file_Sam Twin_11_assignsubmission_file_small.ipynb": (
            version(2),
            NEW,
        ),
        "Sam Twin_11_assignsubmission_file_small.ipynb": (version(1), OLD),
    }
    collected = collect(course, zipped(tmp_path / "m.zip", files), WORKSHEET)
    found = {"sam1@example.org": version(1), "sam2@example.org": version(2)}
    assert (taken(course), asked(collected)) == (found, [])


def test_who_a_number_was_is_remembered_whatever_name_comes_with_it(
    course: CourseFolder, tmp_path: Path
) -> None:
    first = {"Sam Twin_7_assignsubmission_file_/small.ipynb": (version(1), OLD)}
    collect(course, zipped(tmp_path / "1.zip", first), MOODLE, who={"7": "sam1"})
    renamed = {"Ada Lovelace_7_assignsubmission_file_/small.ipynb": (version(2), NEW)}
    collected = collect(course, zipped(tmp_path / "2.zip", first | renamed), MOODLE)
    assert (taken(course), asked(collected)) == ({"sam1": version(2)}, [])


def test_a_name_of_any_length_has_a_folder_of_its_own(course: CourseFolder, tmp_path: Path) -> None:
    name = "長" * 100 + "_{}_assignsubmission_file_/small.ipynb"
    files = {name.format(number): (version(number), OLD) for number in (1, 2)}
    collect(course, zipped(tmp_path / "m.zip", files))
    assert sorted(taken(course).values()) == sorted([version(1), version(2)])


def test_what_is_printed_moves_no_cursor_and_begins_no_line(
    course: CourseFolder, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name = "Eve_7_assignsubmission_file_/\x1b[2J\nlate kim.ipynb"
    source = zipped(tmp_path / "m.zip", {name: (b"", OLD)})
    main(["collect", LESSON, str(source), "--course", str(course.root)])
    said = capsys.readouterr().out
    assert r"\x1b[2J\nlate kim.ipynb" in said
    assert said.replace("\n", "").isprintable()


def test_a_name_cannot_lead_out_of_the_course(course: CourseFolder, tmp_path: Path) -> None:
    files = {"ada_3_assignsubmission_file_/small.ipynb": (version(1), OLD)}
    source = zipped(tmp_path / "a.zip", files)
    collect(course, source, who={"3": "../../outside"})
    assert not (course.root.parent / "outside").exists()
    assert list(taken(course).values()) == [version(1)]


def test_a_damaged_entry_does_not_stop_the_others(course: CourseFolder, tmp_path: Path) -> None:
    files = {"ada/small.ipynb": (version(1), OLD), "kim/small.ipynb": (version(2), OLD)}
    source = zipped(tmp_path / "a.zip", files)
    data = bytearray(source.read_bytes())
    data[100:110] = b"\xff" * 10
    source.write_bytes(bytes(data))
    collected = collect(course, source)
    assert taken(course) == {"kim": version(2)}
    assert asked(collected) == [("refused", "small.ipynb")]


def test_links_in_a_folder_are_not_followed(course: CourseFolder, tmp_path: Path) -> None:
    secret = tmp_path / "secret.ipynb"
    secret.write_bytes(version(9))
    folder = tmp_path / "unpacked"
    (folder / "ada").mkdir(parents=True)
    (folder / "ada/small.ipynb").symlink_to(secret)
    collected = collect(course, folder)
    assert taken(course) == {}
    assert asked(collected) == [("refused", "small.ipynb")]


def test_no_archive_and_no_course_are_said_with_the_way_out(
    course: CourseFolder, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "x.zip").write_bytes(b"PK")
    with pytest.raises(Refused, match="neither a folder nor a zip"):
        list(entries(tmp_path / "x.zip"))
    assert main(["collect", LESSON, str(tmp_path), "--course", str(tmp_path)]) == 2
    assert "is no course folder" in capsys.readouterr().err
    assert main(["collect", "07_no", str(tmp_path), "--course", str(course.root)]) == 2
    assert "no released lesson 07_no" in capsys.readouterr().err


def test_the_command_says_by_its_status_whether_something_is_left(
    course: CourseFolder, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = zipped(tmp_path / "a.zip", {"ada/small.ipynb": (version(1), OLD)})
    asking = ["collect", LESSON, str(source), "--course", str(course.root), "--json"]
    assert main(asking) == 0
    assert json.loads(capsys.readouterr().out)["students"]["ada"][0]["digest"] == (
        hashlib.sha256(version(1)).hexdigest()
    )
    broken = zipped(tmp_path / "b.zip", {"kim/small.ipynb": (b"", OLD)})
    assert main(["collect", LESSON, str(broken), "--course", str(course.root)]) == 1


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is empty"),
        ("Vorname,Nachname\nAda,L\n", "No students were found"),
        ("Username,Name\nada,Ada\nADA,Ada\n", "have the same id: ada"),
    ],
)
def test_a_list_that_is_none_is_refused(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "roster.csv"
    path.write_text(text)
    with pytest.raises(Refused, match=said):
        read_roster(path)


def test_a_list_in_other_encodings_and_with_semicolons(tmp_path: Path) -> None:
    path = tmp_path / "roster.csv"
    for encoding in ("utf-8-sig", "cp1252", "utf-16"):
        path.write_text(MOODLE.replace(",", ";"), encoding=encoding)
        assert [s.name for s in read_roster(path).students][2] == "Jörg Müller"


@pytest.mark.parametrize(
    ("file", "expected"),
    [
        ("small.ipynb", ("small", 0)),
        ("small (2).ipynb", ("small", 2)),
        ("small-3.ipynb", ("small", 3)),
        ("small (1)-2.ipynb", ("small", 2)),
        ("small - Copy.ipynb", ("small", 1)),
        ("small.ipynb.txt", ("small", 0)),
        ("word2vec.ipynb", ("word2vec", 0)),
        ("small.py", ("", 0)),
    ],
)
def test_the_name_under_a_downloads_additions(file: str, expected: tuple[str, int]) -> None:
    assert stem_and_attempt(file) == expected


def test_the_small_lesson_is_what_the_tests_say() -> None:
    assert DOUBLE in version(1).decode().replace("\\n", "\n")
