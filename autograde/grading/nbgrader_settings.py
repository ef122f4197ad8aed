"""The course's nbgrader settings, used by ``nbgrader_config.py`` and by the builder."""

import os
import sysconfig
from pathlib import Path

from nbconvert.preprocessors import CSSHTMLHeaderPreprocessor
from nbgrader.converters import GenerateAssignment
from traitlets.config import Config, PyFileConfigLoader

from autograde.grading.clean_html import clean_html, clean_markdown
from autograde.grading.hand_ins_by_name import HandInsByName
from autograde.grading.instructor_notes import RemoveInstructorNotes
from autograde.grading.model_answers import ReleaseModelAnswers
from autograde.grading.waiting_marks import GetGradesAndWaiting

COURSE_ID = "before-bert"
SECONDS_PER_CELL = 300


def settings_of(root: Path) -> Config:
    """What the course's ``nbgrader_config.py`` says; the settings below where there is none."""
    file = root / "nbgrader_config.py"
    if file.exists():
        config: Config = PyFileConfigLoader(file.name, path=str(root)).load_config()
        return config
    config = Config()
    configure(config)
    return config


def configure(c: Config) -> None:
    """Write the settings into a traitlets configuration and make nbgrader find alembic."""
    c.CourseDirectory.course_id = COURSE_ID
    c.CourseDirectory.source_directory = "solutions"
    c.CourseDirectory.release_directory = "lessons"
    # A .py beside a submitted notebook could stand in for torch or elmo_mini.
    c.CourseDirectory.ignore = [
        *(".ipynb_checkpoints", "__pycache__", "*.pyc", "*.py", "*.so", "*.pyd"),
        *("*.pth", ".DS_Store", "Thumbs.db", "feedback"),
    ]
    c.GenerateAssignment.preprocessors = [
        ReleaseModelAnswers,
        RemoveInstructorNotes,
        *GenerateAssignment.class_traits()["preprocessors"].default(),
    ]
    # nbgrader's own default of 30 s turns a slow laptop into lost points.
    c.Execute.timeout = SECONDS_PER_CELL
    # On a busy machine outputs may lag behind; after 4 s nbgrader would drop the submission.
    c.Execute.iopub_timeout = 60

    c.ZipCollectApp.collector_plugin = HandInsByName
    # By name: the room of marks stands above this one.
    c.GenerateFeedback.exporter_class = "autograde.marking.feedback_exporter.ShortFeedback"
    c.GenerateFeedback.preprocessors = [GetGradesAndWaiting, CSSHTMLHeaderPreprocessor]
    c.Validator.failed_warning = "{num_failed} of the graded cells do not earn full points yet.\n"

    # What students wrote must not act on the screen of those who mark it or read it.
    c.HTMLExporter.sanitize_html = True
    c.HTMLExporter.filters = {"clean_html": clean_html, "markdown2html": clean_markdown}
    put_scripts_on_path()
    put_templates_on_path()


def put_templates_on_path() -> None:
    """Let nbconvert find the course's templates: formgrader's MathJax, from this machine."""
    data = str(Path(__file__).parent / "jupyter_data")
    folders = [folder for folder in os.environ.get("JUPYTER_PATH", "").split(os.pathsep) if folder]
    if data not in folders:
        os.environ["JUPYTER_PATH"] = os.pathsep.join([*folders, data])


def put_scripts_on_path() -> None:
    """Put this interpreter's scripts folder first on PATH: nbgrader runs ``alembic`` by name."""
    scripts = sysconfig.get_path("scripts")
    folders = os.environ.get("PATH", "").split(os.pathsep)
    if folders[0] != scripts:
        os.environ["PATH"] = os.pathsep.join([scripts, *folders])
