"""python -m autograde grade LESSON: mark what was handed in, in parallel, and write the marks."""

import argparse
import hashlib
import json
import multiprocessing
import os
import secrets
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import cast

import nbformat
from tqdm.auto import tqdm

from autograde.marking import verdict as verdicts
from autograde.marking.course_folder import CourseFolder, Refused, add_course_argument
from autograde.marking.graded_page import SubmissionVerdict, graded_notebook
from autograde.marking.limits import Limits, limits_of
from autograde.marking.marks import Marks, write_graded
from autograde.marking.sandbox.start import WARNING, has_bubblewrap
from autograde.marking.verdict import Verdict
from autograde.marking.worker import Marked, Task, gone_for, mark

SECRET = ".marking_secret"
TRIES = 3


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What it is told."""
    parser.add_argument("lesson", help="the lesson's folder, such as 01_word2vec")
    add_course_argument(parser)
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1, metavar="N")
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
    with pool(args.workers) as executor:
        found = grade(course, args.lesson, limits, executor, args.student, args.again)
    if args.json:
        for verdict in found:
            print(json.dumps(verdict.to_json(), ensure_ascii=False))
    else:
        print(summary(found))
    return int(any(verdict.status != "marked" for verdict in found))


def pool(workers: int) -> Executor:
    """Processes of this machine; each starts a fork server of its own."""
    context = multiprocessing.get_context("spawn")
    return ProcessPoolExecutor(workers, mp_context=context)


def grade(
    course: CourseFolder,
    lesson: str,
    limits: Limits,
    executor: Executor,
    students: Sequence[str] | None = None,
    again: bool = False,
) -> list[Verdict]:
    """Mark what is new, and write marks, graded notebooks and verdicts.

    Whoever is marked has a verdict, which is written last: where the process was killed, the next
    one goes on. The same submission has the same verdict, whenever it is marked.
    """
    release = course.released(lesson)
    released = nbformat.read(release, 4)
    names = sorted(path.parent.parent.name for path in _hand_ins(course, lesson, release.name))
    names = [name for name in names if students is None or name in students]
    known = {name: _known(course, lesson, name) for name in names}
    waiting = [name for name in names if again or _is_new(course, lesson, name, known[name])]
    done = {name: v for name, v in known.items() if v is not None and name not in waiting}
    if not waiting:
        return [done[name] for name in names]
    tasks = [_task(course, lesson, name, limits) for name in waiting]
    shared = gone_for(released)
    release_text = release.read_text("utf-8")
    secret = _secret(course.root)
    ready = [Task(lesson, name, data, release_text, secret, limits, shared) for name, data in tasks]
    marks = Marks(course.database, lesson, release.stem, released)
    solution = _solution(course, lesson, release.name)
    try:
        for marked in tqdm(_all_marked(executor, ready), total=len(ready), desc=lesson, unit=""):
            verdict = marked.verdict
            read = cast(SubmissionVerdict, verdict)
            old = known[verdict.student]
            if old is not None and old.submission != verdict.submission:
                marks.forget(verdict.student)
            if marked.notebook:
                notebook = nbformat.reads(marked.notebook, 4)
                folder = course.root / course.submitted / verdict.student / lesson
                stamp = folder / "timestamp.txt"
                when = stamp.read_text("utf-8").strip() if stamp.exists() else None
                marks.write(verdict, notebook, when)
                file = course.root / course.autograded / verdict.student / lesson / release.name
                write_graded(graded_notebook(notebook, read, solution), file, stamp)
            verdict.write(verdicts.path_of(course.root, lesson, verdict.student))
            done[verdict.student] = verdict
    finally:
        marks.close()
    return [done[name] for name in names if name in done]


def _all_marked(executor: Executor, tasks: Sequence[Task]) -> Iterator[Marked]:
    """The results as they come; a task whose worker died is given out again, alone at last."""
    waiting = {executor.submit(mark, task): task for task in tasks}
    lost: list[Task] = []
    for future in as_completed(waiting):
        try:
            yield future.result()
        except BrokenProcessPool:
            lost.append(waiting[future])
    for task in lost:
        for left in reversed(range(TRIES)):
            with pool(1) as alone:
                try:
                    yield alone.submit(mark, task).result()
                    break
                except BrokenProcessPool:
                    if not left:
                        raise


def _hand_ins(course: CourseFolder, lesson: str, name: str) -> list[Path]:
    return list((course.root / course.submitted).glob(f"*/{lesson}/{name}"))


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


def _secret(course: Path) -> bytes:
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
    return nbformat.read(file, 4) if file.exists() else None


def summary(found: Sequence[Verdict]) -> str:
    """What an instructor wants to know of a class: marks, repairs, who waits, named mistakes."""
    lines = []
    marked = [verdict for verdict in found if verdict.status == "marked"]
    for verdict in marked:
        most = sum(exercise.of for exercise in verdict.exercises)
        lines.append(f"{verdict.student}: {verdict.points:g} of {most:g}")
        lines += [f"    {note}" for note in (*verdict.repaired, *verdict.notes)]
    for verdict in found:
        if verdict.status != "marked":
            lines.append(f"{verdict.student}: {verdict.status}: {verdict.reason}")
    named: dict[str, Counter[str]] = defaultdict(Counter)
    for verdict in marked:
        for exercise in verdict.exercises:
            if exercise.mistake:
                named[exercise.title][exercise.mistake] += 1
    if named:
        lines.append("Named mistakes:")
        lines += [
            f"    {title}: {name} ({number})"
            for title, counted in named.items()
            for name, number in counted.most_common()
        ]
    lines.append(f"{len(marked)} of {len(found)} hand-ins are marked.")
    return "\n".join(lines)
