"""nbgrader's zip_collect with the names that docs/instructors.md gives it."""

import re
import shlex
import shutil
import zipfile
from pathlib import Path

from tests.autograde.grading.nbgrader_course import REPOSITORY, Course

LESSON = "01_word2vec"
PAGE = REPOSITORY / "docs" / "instructors.md"


def _collected(tmp_path: Path, *names: str) -> tuple[list[str], str]:
    """Who is in submitted/ after the page's command, and what the command said."""
    (command,) = re.findall(r"^ *nbgrader (zip_collect .*)$", PAGE.read_text("utf-8"), re.M)
    shutil.copy(REPOSITORY / "nbgrader_config.py", tmp_path)
    course = Course(tmp_path, LESSON, "word2vec.ipynb")
    archive = tmp_path / "downloaded" / LESSON / "archive"
    archive.mkdir(parents=True)
    with zipfile.ZipFile(archive / "all.zip", "w") as file:
        for name in names:
            file.writestr(name, name)
    said = course.run(*shlex.split(command))
    for collected in (tmp_path / "submitted").glob(f"*/{LESSON}/*"):
        assert collected.name == course.notebook
        assert collected.read_text() in names
    return sorted(p.name for p in (tmp_path / "submitted").glob("*")), said


def test_a_platforms_archive_becomes_submissions(tmp_path: Path) -> None:
    names = ("ada_4711_word2vec.ipynb", "Bob Dylan_9_LATE_word2vec.ipynb", "notes.txt")
    found, said = _collected(tmp_path, *names)
    assert found == ["Bob Dylan", "ada"]
    assert "2 files collected, 1 files skipped" in said
    mine = tmp_path / "submitted" / "ada" / LESSON / "word2vec.ipynb"
    assert mine.read_text() == "ada_4711_word2vec.ipynb"


def test_a_renamed_notebook_is_named_and_nobodys(tmp_path: Path) -> None:
    names = ("ada_1_word2vec.ipynb", "bob_2_my_work.ipynb", "cem_3.ipynb", "dee_4_Word2vec.IPYNB")
    found, said = _collected(tmp_path, *names)
    assert found == ["ada"]
    for name in names[1:]:
        assert name in said


def test_a_login_may_hold_a_line(tmp_path: Path) -> None:
    names = ("j_smith_1_word2vec.ipynb", "j_doe_2_word2vec.ipynb", "s_2024_3_word2vec.ipynb")
    assert _collected(tmp_path, *names)[0] == ["j_doe", "j_smith", "s_2024"]


def test_two_files_of_one_student_are_named_and_all_others_collected(tmp_path: Path) -> None:
    names = ("ada_1_word2vec.ipynb", "ada_1_word2vec (1).ipynb", "ada_2_word2vec.ipynb")
    found, said = _collected(tmp_path, *names, "bob_3_word2vec.ipynb", "cem_4_word2vec.ipynb")
    assert found == ["bob", "cem"]
    assert "not clear which file is ada's word2vec" in said
    for name in names:
        assert name in said
