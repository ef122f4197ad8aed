"""python -m autograde rehearse LESSON: before release, the whole cycle on made submissions."""

import argparse
import contextlib
import csv
import io
import shutil
import sys
import tempfile
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from autograde.building.student_version import generate
from autograde.grading.nbgrader_settings import settings_of
from autograde.marking.collect import Collector, roster_of
from autograde.marking.course_folder import CourseFolder, Refused, add_course_argument
from autograde.marking.engine import Engine, add_engine_arguments, engine_of
from autograde.marking.export import Export
from autograde.marking.feedback_pages import write_pages
from autograde.marking.grade import grade, secret_of
from autograde.marking.gradebook import Gradebook
from autograde.marking.graded_course import SETTINGS
from autograde.marking.limits import FILE as LIMITS
from autograde.marking.limits import Limits, limits_of
from autograde.marking.rehearsal import made
from autograde.marking.rehearsal.made import Made
from autograde.marking.standing import Standing, Standings
from autograde.marking.verdict import Verdict

SEEDED = "rehearsal"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What it is told."""
    parser.epilog = (
        "Nothing in the course folder changes: the lesson is released, handed in, marked and "
        "exported in a temporary one. Exit status: 0 every mark is what it must be; 1 one differs, "
        "and is named."
    )
    parser.add_argument("lesson", metavar="LESSON", help="for example 01_word2vec")
    add_course_argument(parser)
    add_engine_arguments(parser)
    parser.add_argument(
        "--only",
        default="",
        metavar="TEXT",
        help="only made submissions whose name holds this text",
    )
    parser.add_argument(
        "--keep", type=Path, metavar="FOLDER", help="a new folder for the rehearsed course"
    )


def run(args: argparse.Namespace) -> int:
    """Rehearse a lesson; 1 if a mark is not what it must be."""
    course = CourseFolder.at(args.course)
    if args.keep and args.keep.exists():
        raise Refused(f"{args.keep} is there already: name a new folder.")
    with contextlib.ExitStack() as stack:
        root = args.keep or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        engine = stack.enter_context(engine_of(args))
        rehearsal = Rehearsal(course, args.lesson, root.resolve())
        found = rehearsal.run(engine, args.only)
    print("\n".join(found))
    return int(rehearsal.differs)


class Rehearsal:
    """A course in a folder of its own, with one lesson."""

    def __init__(self, course: CourseFolder, lesson: str, root: Path) -> None:
        self.lesson, self.differs = lesson, False
        solved = sorted((course.root / "solutions" / lesson).glob("*.ipynb"))
        if not solved:
            known = sorted(path.name for path in (course.root / "solutions").glob("*_*"))
            raise Refused(f"There is no solved lesson {lesson}. There are: {', '.join(known)}.")
        root.mkdir(parents=True, exist_ok=True)
        (root / "nbgrader_config.py").write_text(SETTINGS, "utf-8")
        if (course.root / LIMITS).exists():
            shutil.copy(course.root / LIMITS, root)
        shutil.copytree(
            solved[0].parent, root / "solutions" / lesson, ignore=shutil.ignore_patterns("*.py")
        )
        generate(root, lesson, settings_of(root))
        self.course = CourseFolder.at(root)
        released = self.course.released(lesson)
        self.name = released.name
        texts = released.read_text("utf-8"), solved[0].read_text("utf-8")
        self.made = made.read(*texts, secret_of(root), SEEDED)

    def run(self, engine: Engine, only: str = "") -> list[str]:
        """Hand in, collect, mark, hand in again, mark, write feedback, export; what came."""
        print(f"{self.lesson}: making submissions", file=sys.stderr)
        first = list(self.made.made(only))
        if not first:
            raise Refused(f"No made submission is called like {only!r}.")
        limits = limits_of(self.course.root)
        verdicts = self._cycle(first, limits, engine)
        must = {m.student: m for m in first}
        if "nothing_done" in must:
            said = list(self._compared(must, verdicts, {"nothing_done"}))
            again = self.made.second_hand_in()
            verdicts = self._cycle([again], limits, engine)
            must[again.student] = again
        else:
            said = []
        return [*said, *self._compared(must, verdicts, set(must)), *self._end(len(must))]

    def _cycle(
        self, handed_in: Iterable[Made], limits: Limits, engine: Engine
    ) -> dict[str, Verdict]:
        download = self.course.root / "download.zip"
        download.write_bytes(_download(handed_in, self.name))
        students = {m.student for m in handed_in}
        roster = self.course.root / "roster.csv"
        known = roster.read_text("utf-8") if roster.exists() else "Username,Name,Email\n"
        new = [s for s in sorted(students) if f"{s}," not in known]
        rows = "".join(f"{s},{_person(s)},{s}@example.org\n" for s in new)
        roster.write_text(known + rows, "utf-8")
        Collector(self.course, self.lesson, roster_of(self.course, None)).collect(download)
        found = grade(self.course, self.lesson, limits, engine, seeded=SEEDED)
        write_pages(self.course, self.lesson, Gradebook.read(self.course.database))
        return {verdict.student: verdict for verdict in found}

    def _compared(
        self, must: dict[str, Made], verdicts: dict[str, Verdict], students: set[str]
    ) -> Iterator[str]:
        """A line for each submission, from the far end: what `export` writes."""
        standings = Standings(self.course, roster_of(self.course, None), [self.lesson])
        export = Export(standings, roster_of(self.course, None), self.course.root / "exported")
        export.tables()
        found = {standing.student.id: standing for standing in standings}
        with (self.course.root / "exported" / f"{self.lesson}.csv").open(encoding="utf-8") as file:
            rows = {row["Student"]: row for row in csv.DictReader(file)}
        for student in sorted(students):
            wrong = list(_wrong(must[student], found[student], rows[student], verdicts[student]))
            wrong += self._feedback(student)
            self.differs = self.differs or bool(wrong)
            standing = found[student]
            marks = "no mark" if standing.points is None else f"{standing.points:g}"
            yield f"{'DIFFERS' if wrong else 'ok':8}{student}: {standing.status}, {marks}"
            yield from (f"        {line}" for line in wrong)

    def _feedback(self, student: str) -> list[str]:
        folder = self.course.root / self.course.feedback / student / self.lesson
        return [] if list(folder.glob("*.html")) else ["has no feedback"]

    def _end(self, number: int) -> Iterator[str]:
        for mistake in self.made.not_written:
            self.differs = True
            yield f"DIFFERS {mistake}: no cell could be written for it"
        of = sum(len(exercise.mistakes) for exercise in self.made.exercises)
        what = "A mark differs from" if self.differs else "All marks are"
        yield f"{number} made submissions, {of} named mistakes. {what} what it must be."


def _wrong(must: Made, found: Standing, row: dict[str, str], verdict: Verdict) -> Iterator[str]:
    wanted = must.must
    if found.status != wanted.status or row["Status"] != wanted.status:
        why = f": {found.reason}" if found.reason else ""
        yield f"is {row['Status']!r}, and must be {wanted.status!r}{why}"
        return
    said = {exercise.id: exercise for exercise in verdict.exercises}
    for name, points in wanted.points.items():
        text = row[name]
        came = float(text) if text else None
        if came != points or found.exercises.get(name) != points:
            told = f" ({said[name].message})" if name in said else ""
            yield f"{name}: {_shown(came)}, and must be {_shown(points)}{told}"
    for name, mistake in wanted.mistakes.items():
        if said[name].mistake != mistake:
            yield f"{name}: named {said[name].mistake!r}, and must be named {mistake!r}"


def _shown(points: float | None) -> str:
    return "unmarked" if points is None else f"{points:g}"


def _person(student: str) -> str:
    return student.replace("_", " ").title() + " Rehearsed"


def _download(handed_in: Iterable[Made], name: str) -> bytes:
    """An archive as Moodle lets one download it."""
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
        for number, made_one in enumerate(handed_in, 1000):
            folder = f"{_person(made_one.student)}_{number}_assignsubmission_file_"
            file.writestr(f"{folder}/{made_one.file or name}", made_one.data)
    return archive.getvalue()
