"""``feedback``: a page for each student, with what the checks and the marker said."""

import argparse
import json
import shutil
from html import escape
from pathlib import Path
from typing import Any

from nbformat.notebooknode import NotebookNode

from autograde.marking.course_folder import CourseFolder, add_course_argument, notebook_at
from autograde.marking.feedback import STYLE, feedback_page
from autograde.marking.gradebook import Gradebook
from autograde.marking.graded_page import KEY
from autograde.marking.standing import VERDICTS

# By these nbgrader's exchange tells whose a page is, and about which hand-in.
STAMPS = ("timestamp.txt", "submission_secret.txt")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = "Run it again after essays were marked; a page that says the same stays."
    parser.add_argument("lessons", nargs="+", metavar="LESSON")
    parser.add_argument("--student", metavar="STUDENT", help="only this one")
    add_course_argument(parser)


def run(args: argparse.Namespace) -> int:
    course = CourseFolder.at(args.course)
    book = Gradebook.read(course.database)
    for lesson in args.lessons:
        written, plain = write_pages(course, lesson, book, args.student)
        print(f"{lesson}: {len(written)} pages in {course.feedback}/STUDENT/{lesson}")
        if plain:
            print(
                f"  {len(plain)} were marked by plain nbgrader: their pages come from "
                f"nbgrader generate_feedback {lesson}"
            )
    return 0


def write_pages(
    course: CourseFolder, lesson: str, book: Gradebook, student: str | None = None
) -> tuple[list[Path], list[str]]:
    """Write the pages of a lesson; return them, and whom plain nbgrader marked."""
    name = course.released(lesson).name
    written, plain = [], []
    for path in sorted(course.root.glob(f"{course.autograded}/*/{lesson}/{name}")):
        who = path.parts[-3]
        if student not in (None, who):
            continue
        notebook = notebook_at(path)
        if KEY not in notebook.metadata:
            plain.append(who)
            continue
        fill_in(notebook, book, lesson, who)
        written.append(_write(course, lesson, who, name, feedback_page(notebook)))
        for stamp in STAMPS:
            if (there := course.root / course.submitted / who / lesson / stamp).is_file():
                shutil.copy(there, written[-1].parent)
    for path in sorted(course.root.glob(f"{VERDICTS}/{lesson}/*.json")):
        verdict: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        if verdict["status"] == "unreadable" and student in (None, path.stem):
            page = _unreadable(lesson, name, verdict["reason"])
            written.append(_write(course, lesson, path.stem, name, page))
    return written, plain


def fill_in(notebook: NotebookNode, book: Gradebook, lesson: str, student: str) -> None:
    """Put scores and comments of the gradebook into the cells, as nbgrader's GetGrades does."""
    marks = book.marks.get((lesson, student))
    for cell in notebook.cells:
        nbgrader = cell.metadata.get("nbgrader", {})
        name = nbgrader.get("grade_id")
        if nbgrader.get("grade") and marks:
            points = marks.points.get(name)
            nbgrader["score"] = points or 0.0
            nbgrader["points"] = book.of[lesson][name]
            nbgrader["needs_manual_grade"] = name in marks.waiting
        if nbgrader.get("solution"):
            nbgrader["comment"] = book.comments.get((lesson, student, name))


def _unreadable(lesson: str, name: str, reason: str) -> str:
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        f"<title>{escape(lesson)}</title><style>{STYLE}</style></head><body>"
        f"<h1>{escape(lesson)}</h1><p>Your {escape(name)} could not be marked: it "
        f"{escape(reason)}. Hand in the notebook again, or ask your instructor.</p></body></html>\n"
    )


def _write(course: CourseFolder, lesson: str, student: str, name: str, page: str) -> Path:
    path = course.root / course.feedback / student / lesson / Path(name).with_suffix(".html")
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.is_file() or path.read_text(encoding="utf-8") != page:
        path.write_text(page, encoding="utf-8")
    return path
