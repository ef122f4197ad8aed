"""Make a lesson's student version with nbgrader's own GenerateAssignment."""

import logging
import shutil
import tempfile
from pathlib import Path

import nbformat
from nbformat.notebooknode import NotebookNode
from nbgrader.converters import GenerateAssignment
from nbgrader.coursedir import CourseDirectory
from traitlets.config import Config

from autograde.building.elsewhere import repository, with_head_cell
from autograde.building.lesson_source import Lesson
from autograde.grading.nbgrader_settings import settings_of

LOG = logging.getLogger("autograde.nbgrader")
LOG.setLevel(logging.ERROR)


def student_version(lesson: Lesson, solution: NotebookNode) -> dict[Path, bytes]:
    """The files of ``lessons/NN_topic``: path inside the folder to content.

    Runs in a temporary course and writes no gradebook.

    Parameters
    ----------
    lesson : its source folder may hold data files; they are part of the version
    solution : the notebook with answers

    Raises
    ------
    nbgrader.converters.base.NbGraderException
        nbgrader refuses the notebook.
    """
    with tempfile.TemporaryDirectory(prefix="lesson_") as root:
        source = Path(root, "solutions", lesson.name)
        copy_data_files(lesson, source)
        nbformat.write(solution, source / lesson.notebook_name)
        release = generate(Path(root), lesson.name, settings_of(lesson.course))
        files = {
            file.relative_to(release): file.read_bytes()
            for file in sorted(release.rglob("*"))
            if file.is_file()
        }
    notebook, address = Path(lesson.notebook_name), repository(lesson.course)
    return files | {notebook: with_head_cell(files[notebook], lesson.name, address)}


def generate(root: Path, lesson: str, config: Config) -> Path:
    """Release a lesson of the course in this folder, with no gradebook; where it is then.

    Raises
    ------
    nbgrader.converters.base.NbGraderException
        nbgrader refuses the notebook.
    """
    config.CourseDirectory.root = str(root)
    config.CourseDirectory.assignment_id = lesson
    config.GenerateAssignment.no_database = True
    config.SaveCells.enabled = False
    course = CourseDirectory(config=config)
    GenerateAssignment(coursedir=course, config=config, log=LOG).start()
    return root / course.release_directory / lesson


def copy_data_files(lesson: Lesson, target: Path) -> None:
    """Copy what lies beside the source, apart from code and notebooks, into ``target``."""
    shutil.copytree(
        lesson.path.parent,
        target,
        ignore=shutil.ignore_patterns("*.py", "*.ipynb", "__pycache__", ".*"),
        dirs_exist_ok=True,
    )
