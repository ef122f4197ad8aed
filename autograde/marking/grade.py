"""python -m autograde grade LESSON: mark what was handed in, in parallel, and write the marks."""

import argparse
import hashlib
import json
import os
import secrets
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import cast

import nbformat
from tqdm.auto import tqdm

from autograde.marking import verdict as verdicts
from autograde.marking.course_folder import CourseFolder, Refused, add_course_argument, notebook_at
from autograde.marking.engine import Engine, add_engine_arguments, engine_of
from autograde.marking.graded_page import SubmissionVerdict, graded_notebook
from autograde.marking.limits import Limits, limits_of
from autograde.marking.marks import Marks, write_graded
from autograde.marking.sandbox.start import WARNING, has_bubblewrap
from autograde.marking.summary import summary
from autograde.marking.verdict import Verdict
from autograde.marking.worker import Task, gone_for

SECRET = ".marking_secret"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What it is told."""
    parser.add_argument("lesson", help="the lesson's folder, such as 01_word2vec")
    add_course_argument(parser)
    add_engine_arguments(parser)
    parser.add_argument("--student", action="append", metavar="ID", help="only this one")
    parser.add_argument("--again", action="store_true", help="mark anew what has been marked")
    parser.add_argument("--json", action="store_true", help="print the verdicts as JSON lines")


def run(args: argparse.Namespace) -> int:
    """Mark a lesson; 1 if a submission could not be read or marked."""
    course = CourseFolder.at(args.course)
    try:
        limits = limits_of(course.root)
    except ValueError as error:
        raise Refused(str(error)) from None
    if not has_bubblewrap():
        print(f"Warning: {WARNING}", file=sys.stderr)
    with engine_of(args) as engine:
        found = grade(course, args.lesson, limits, engine, args.student, args.again)
    if args.json:
        for verdict in found:
            print(json.dumps(verdict.to_json(), ensure_ascii=False))
    else:
        print(summary(course, args.lesson, found))
    return int(any(verdict.status != "marked" for verdict in found))


def grade(
    course: CourseFolder,
    lesson: str,
    limits: Limits,
    engine: Engine,
    students: Sequence[str] | None = None,
    again: bool = False,
    seeded: str = "",
) -> list[Verdict]:
    """Mark what is new, and write marks, graded notebooks and verdicts.

    Whoever is marked has a verdict, which is written last: where the process was killed, the next
    one goes on. The same submission has the same verdict, whenever it is marked.

    Parameters
    ----------
    seeded : whose cases all are given; each student's own, unless it is said
    """
    release = course.released(lesson)
    released = notebook_at(release)
    names = sorted(path.parent.parent.name for path in _hand_ins(course, lesson, release.name))
    missing = [name for name in students or () if name not in names]
    if missing:
        raise Refused(
            f"There is no hand-in of {', '.join(missing)} in {course.root / course.submitted} for "
            f"{lesson}; a student's name is that of their folder there."
        )
    if not names:
        raise Refused(
            f"Nobody has handed in {lesson} yet. Take what came with "
            f"python -m autograde collect {lesson} FOLDER_OR_ZIP."
        )
    names = [name for name in names if students is None or name in students]
    known = {name: _known(course, lesson, name) for name in names}
    waiting = [name for name in names if again or _is_new(course, lesson, name, known[name])]
    done = {name: v for name, v in known.items() if v is not None and name not in waiting}
    if not waiting:
        return [done[name] for name in names]
    tasks = [_task(course, lesson, name, limits) for name in waiting]
    shared = gone_for(released)
    release_text = release.read_text("utf-8")
    secret = secret_of(course.root)
    ready = [
        Task(lesson, name, data, release_text, secret, limits, shared, seeded=seeded)
        for name, data in tasks
    ]
    marks = Marks(course.database, lesson, release.stem, released)
    solution = _solution(course, lesson, release.name)
    try:
        for marked in tqdm(engine.marked(ready), total=len(ready), desc=lesson, unit=""):
            verdict = marked.verdict
            read = cast(SubmissionVerdict, verdict)
            old = known[verdict.student]
            if old is not None and old.submission != verdict.submission:
                marks.forget(verdict.student)
            if marked.notebook:
                notebook = nbformat.reads(marked.notebook, 4)
                folder = course.root / course.submitted / verdict.student / lesson
                stamp = folder / "timestamp.txt"
                when = stamp.read_text("utf-8", "replace").strip() if stamp.is_file() else None
                marks.write(verdict, notebook, when)
                file = course.root / course.autograded / verdict.student / lesson / release.name
                write_graded(graded_notebook(notebook, read, solution), file, stamp)
            verdict.write(verdicts.path_of(course.root, lesson, verdict.student))
            done[verdict.student] = verdict
    finally:
        marks.close()
    return [done[name] for name in names if name in done]


def _hand_ins(course: CourseFolder, lesson: str, name: str) -> list[Path]:
    found = (course.root / course.submitted).glob(f"*/{lesson}/{name}")
    return [path for path in found if path.is_file()]


def _task(course: CourseFolder, lesson: str, student: str, limits: Limits) -> tuple[str, bytes]:
    return student, course.hand_in(student, lesson).read_bytes()


def _known(course: CourseFolder, lesson: str, student: str) -> Verdict | None:
    try:
        return verdicts.read(verdicts.path_of(course.root, lesson, student))
    except (OSError, ValueError, TypeError, KeyError):
        return None


def _is_new(course: CourseFolder, lesson: str, student: str, known: Verdict | None) -> bool:
    if known is None or known.status == "failed":
        return True
    data = course.hand_in(student, lesson).read_bytes()
    return hashlib.sha256(data).hexdigest() != known.submission


def secret_of(course: Path) -> bytes:
    """The course's secret, made when it is first needed; only its owner can read it."""
    file = course / SECRET
    try:
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w") as opened:
            opened.write(secrets.token_hex(32))
    except FileExistsError:
        pass
    return bytes.fromhex(file.read_text("ascii"))


def _solution(course: CourseFolder, lesson: str, name: str) -> nbformat.NotebookNode | None:
    file = course.root / "solutions" / lesson / name
    return notebook_at(file) if file.exists() else None
