"""A graded course changes nothing in the clone, and a pull works afterwards."""

import subprocess
from pathlib import Path

import nbformat
import pytest

from autograde.__main__ import main
from autograde.marking.course_folder import CourseFolder
from tests.autograde.marking.small_lesson import LESSON, right

IDENTITY = ("-c", "user.name=A", "-c", "user.email=a@example.org")


def git(folder: Path, *arguments: str) -> str:
    command = ["git", "-C", folder, *IDENTITY, *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A clone of a course with one lesson, whose upstream stands beside it."""
    upstream = tmp_path / "upstream"
    lesson = upstream / "solutions" / LESSON
    lesson.mkdir(parents=True)
    nbformat.write(right(), lesson / "small.ipynb")
    (lesson / "small.py").write_text("# the source\n")
    (lesson / "words.txt").write_text("data\n")
    (upstream / ".gitignore").write_text("/work/\n")
    git(tmp_path, "init", "-q", "-b", "main", str(upstream))
    git(upstream, "add", "-A")
    git(upstream, "commit", "-qm", "first")
    git(tmp_path, "clone", "-q", str(upstream), str(tmp_path / "clone"))
    return tmp_path / "clone"


@pytest.mark.parametrize("where", ["../marks", "work/marks"])
def test_no_tracked_file_changes_and_a_pull_works(clone: Path, where: str) -> None:
    folder = clone / where
    assert main(["graded-course", str(folder), "--clone", str(clone)]) == 0
    course = CourseFolder.at(folder)
    assert "enabled = False" in (course.root / "nbgrader_config.py").read_text()
    copied = sorted(path.name for path in (folder / "solutions" / LESSON).iterdir())
    assert copied == ["small.ipynb", "words.txt"]
    for made in ("gradebook.db", "submitted/ada/x", "feedback/ada/x"):
        (folder / made).parent.mkdir(parents=True, exist_ok=True)
        (folder / made).write_text("made by marking")
    assert git(clone, "status", "--porcelain") == ""

    source = clone.parent / "upstream" / "solutions" / LESSON / "words.txt"
    source.write_text("newer data\n")
    git(source.parent, "commit", "-qam", "second")
    git(clone, "pull", "-q", "--ff-only")
    assert (clone / "solutions" / LESSON / "words.txt").read_text() == "newer data\n"

    data = folder / "solutions" / LESSON / "words.txt"
    assert main(["graded-course", str(folder), "--clone", str(clone)]) == 0
    assert data.read_text() == "data\n", "what a class was set stays"
    assert main(["graded-course", str(folder), LESSON, "--clone", str(clone)]) == 0
    assert data.read_text() == "newer data\n"


def test_settings_of_ones_own_are_kept(clone: Path) -> None:
    folder = clone.parent / "marks"
    folder.mkdir()
    (folder / "nbgrader_config.py").write_text("# mine\n")
    assert main(["graded-course", str(folder), "--clone", str(clone)]) == 0
    assert (folder / "nbgrader_config.py").read_text() == "# mine\n"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["."], "is the clone itself"),
        (["marks"], "git does not ignore it"),
        (["../marks", "07_no"], f"no lesson 07_no. There are: {LESSON}"),
    ],
)
def test_a_course_inside_the_tracked_files_is_refused(
    clone: Path,
    arguments: list[str],
    said: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(clone)
    assert main(["graded-course", *arguments]) == 2
    assert said in capsys.readouterr().err
    assert git(clone, "status", "--porcelain") == ""
