"""The course's nbgrader settings, used by ``nbgrader_config.py`` and by the builder."""

import os
import sysconfig

from nbgrader.converters import GenerateAssignment
from traitlets.config import Config

from autograde.instructor_notes import RemoveInstructorNotes

COURSE_ID = "before-bert"
SECONDS_PER_CELL = 300
REPORT_TAGS = [
    *("a", "abbr", "b", "blockquote", "br", "caption", "code", "dd", "details", "div", "dl", "dt"),
    *("em", "figcaption", "figure", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "i", "img", "li"),
    *("ol", "p", "pre", "small", "span", "strong", "sub", "summary", "sup", "table", "tbody"),
    *("td", "tfoot", "th", "thead", "tr", "u", "ul"),
]
REPORT_ATTRIBUTES = {
    "*": ["class", "style", "title", "lang", "role", "aria-label", "scope"],
    "a": ["href"],
    "img": ["src", "alt", "width", "height"],
    "details": ["open"],
    "td": ["colspan", "rowspan"],
    "th": ["colspan", "rowspan"],
}
REPORT_STYLES = [
    *("background", "background-color", "border", "border-bottom", "border-collapse"),
    *("border-left", "border-radius", "border-top", "color", "display", "font-family"),
    *("font-size", "font-style", "font-weight", "line-height", "margin", "margin-bottom"),
    *("margin-top", "max-width", "overflow-x", "padding", "text-align", "vertical-align"),
    *("white-space", "width"),
]


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
        RemoveInstructorNotes,
        *GenerateAssignment.class_traits()["preprocessors"].default(),
    ]
    # nbgrader's own default of 30 s turns a slow laptop into lost points.
    c.Execute.timeout = SECONDS_PER_CELL
    c.ExecutePreprocessor.timeout = SECONDS_PER_CELL

    c.HTMLExporter.sanitize_html = True
    c.SanitizeHTML.tags = REPORT_TAGS
    c.SanitizeHTML.attributes = REPORT_ATTRIBUTES
    c.SanitizeHTML.styles = REPORT_STYLES
    put_scripts_on_path()


def put_scripts_on_path() -> None:
    """Put this interpreter's scripts folder first on PATH: nbgrader runs ``alembic`` by name."""
    scripts = sysconfig.get_path("scripts")
    folders = os.environ.get("PATH", "").split(os.pathsep)
    if folders[0] != scripts:
        os.environ["PATH"] = os.pathsep.join([scripts, *folders])
