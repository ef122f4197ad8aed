"""A graded course with one small released lesson."""

from pathlib import Path

import nbformat
import pytest

from autograde.marking.course_folder import CourseFolder
from tests.autograde.marking.small_lesson import LESSON, released

SETTINGS = """\
from autograde.grading.nbgrader_settings import configure

c = get_config()
configure(c)
"""


@pytest.fixture
def course(tmp_path: Path) -> CourseFolder:
    """The folder, with nbgrader's settings and the lesson released."""
    root = tmp_path / "course"
    release = root / "lessons" / LESSON
    release.mkdir(parents=True)
    (root / "nbgrader_config.py").write_text(SETTINGS)
    nbformat.write(released(), release / "small.ipynb")
    return CourseFolder.at(root)
