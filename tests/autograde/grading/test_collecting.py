"""nbgrader's zip_collect with the names that docs/instructors.md gives it."""

import re
import shlex
import shutil
import zipfile
from pathlib import Path

from tests.autograde.grading.nbgrader_course import REPOSITORY, Course

LESSON = "01_word2vec"
PAGE = REPOSITORY / "docs" / "instructors.md"


def test_a_platforms_archive_becomes_submissions(tmp_path: Path) -> None:
    (command,) = re.findall(r"^ *nbgrader (zip_collect .*)$", PAGE.read_text("utf-8"), re.M)
    shutil.copy(REPOSITORY / "nbgrader_config.py", tmp_path)
    course = Course(tmp_path, LESSON, "word2vec.ipynb")
    archive = tmp_path / "downloaded" / LESSON / "archive"
    archive.mkdir(parents=True)
    notebook = (REPOSITORY / "lessons" / LESSON / course.notebook).read_bytes()
    with zipfile.ZipFile(archive / "all.zip", "w") as file:
        for name in ("ada_4711_word2vec.ipynb", "Bob Dylan_9_LATE_word2vec.ipynb", "notes.txt"):
            file.writestr(name, notebook)

    said = course.run(*shlex.split(command))

    assert "2 files collected, 1 files skipped" in said
    for student in ("ada", "Bob Dylan"):
        collected = tmp_path / "submitted" / student / LESSON / course.notebook
        assert collected.read_bytes() == notebook
