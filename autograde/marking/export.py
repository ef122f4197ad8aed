"""``export``: marks as tables for people and for the import of Moodle or Canvas, and feedback."""

import argparse
import csv
import json
import re
import zipfile
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path, PurePosixPath

from autograde.marking.collect import roster_of
from autograde.marking.collected import Attempt
from autograde.marking.course_folder import CourseFolder, Refused, add_course_argument
from autograde.marking.printed import printed
from autograde.marking.roster import Roster, Student
from autograde.marking.standing import AGAIN, Standing, Standings

# What each platform's import knows a student by.
MOODLE_KEYS = ("Username", "ID number", "Email address")
CANVAS_KEYS = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = (
        "An essay that nobody has marked is no 0: its lesson stays empty in the columns for a "
        "platform, unless you say --so-far."
    )
    parser.add_argument(
        "lessons", nargs="*", metavar="LESSON", help="default: all that are released"
    )
    parser.add_argument(
        "--for",
        dest="platform",
        choices=("canvas", "moodle"),
        help="the columns that this platform imports, and feedback under the names it expects",
    )
    parser.add_argument("--to", type=Path, metavar="FOLDER", help="default: COURSE/exported")
    parser.add_argument(
        "--roster", type=Path, metavar="CSV", help="default: the course's roster.csv"
    )
    parser.add_argument(
        "--so-far", action="store_true", help="also give points of lessons with unmarked essays"
    )
    parser.add_argument("--json", action="store_true", help="print the statuses as JSON")
    add_course_argument(parser)


def run(args: argparse.Namespace) -> int:
    course = CourseFolder.at(args.course)
    known = course.lessons()
    for lesson in args.lessons:
        course.released(lesson)
    roster = roster_of(course, args.roster)
    standings = Standings(course, roster, args.lessons or known)
    if not standings.students:
        raise Refused(f"Nobody has handed in anything in {course.root}, and there is no list.")
    folder = args.to or course.root / "exported"
    export = Export(standings, roster, folder, so_far=args.so_far)
    export.tables()
    if args.platform == "canvas":
        export.for_canvas()
    if args.platform == "moodle":
        export.for_moodle()
    if args.platform:
        export.feedback(args.platform)
    if args.json:
        print(json.dumps(export.as_dict(), ensure_ascii=False, indent=1))
    else:
        print(printed(export.summary()))
    return 0


class Export:
    """The files of one export."""

    def __init__(
        self, standings: Standings, roster: Roster | None, folder: Path, *, so_far: bool = False
    ) -> None:
        self.standings, self.roster, self.folder, self.so_far = standings, roster, folder, so_far
        self.found = {(s.lesson, s.student.id): s for s in standings}
        self.files: list[Path] = []
        self.said: list[str] = []
        folder.mkdir(parents=True, exist_ok=True)

    def tables(self) -> None:
        """``class.csv``, a row a student; and for each lesson, the points by exercise."""
        lessons = self.standings.lessons
        header = ["Student", "Name", "Email"]
        header += [f"{lesson} {what}" for lesson in lessons for what in ("points", "status")]
        rows = []
        for student in self.standings.students:
            row = _person(student)
            for lesson in lessons:
                standing = self.found[lesson, student.id]
                row += [_number(standing.points), standing.status]
            rows.append(row)
        self._write("class.csv", header, rows)
        for lesson in lessons:
            exercises = self.standings.exercises(lesson)
            header = ["Student", "Name", "Email", "Status", "Why", "Handed in", "Late"]
            rows = [self._row(self.found[lesson, s.id], exercises) for s in self.standings.students]
            self._write(f"{lesson}.csv", [*header, "Points", "Of", *exercises], rows)

    def _row(self, standing: Standing, exercises: Sequence[str]) -> list[str]:
        student, attempt = standing.student, standing.attempt
        return [
            *(*_person(student), standing.status, _as_text(standing.reason)),
            attempt.handed_in if attempt else "",
            "late" if standing.late else "",
            *(_number(standing.points), _number(standing.of)),
            *(_number(standing.exercises.get(exercise)) for exercise in exercises),
        ]

    def for_canvas(self) -> None:
        """One file for *Grades → Import*; Canvas's own columns where the list has them."""
        roster = self._roster("canvas", "Grades → Export")
        columns = {lesson: self._canvas_column(lesson) for lesson in self.standings.lessons}
        header = [*CANVAS_KEYS, *columns.values()]
        of = [_number(self.standings.of(lesson)) for lesson in columns]
        rows = [["    Points Possible", "", "", "", "", *of]]
        for student in roster.students:
            name, *keys = (student.row.get(key, "") for key in CANVAS_KEYS)
            rows.append(
                [_as_text(name), *keys, *(self._points(lesson, student) for lesson in columns)]
            )
        self._write("canvas.csv", header, rows)

    def _canvas_column(self, lesson: str) -> str:
        """The assignment of this lesson in Canvas's export, or a new one's title."""
        words = lesson.casefold().split("_")
        for column in self.roster.columns if self.roster else ():
            title = re.fullmatch(r"(.+?) \(\d+\)", column)
            if title and words == re.findall(r"[^\W_]+", title[1].casefold()):
                return column
        return lesson

    def for_moodle(self) -> None:
        """One file for *Grades → Import*, and a grading worksheet for each assignment."""
        roster = self._roster("moodle", "the list of participants")
        keys = [key for key in MOODLE_KEYS if key in roster.columns]
        lessons = self.standings.lessons
        if keys:
            rows = [
                [
                    *(s.row.get(key, "") for key in keys),
                    *(self._points(lesson, s) for lesson in lessons),
                ]
                for s in roster.students
            ]
            self._write("moodle.csv", [*keys, *lessons], rows)
        header = ["Identifier", "Full name", "Email address", "Grade", "Last modified (grade)"]
        for lesson in lessons:
            rows = []
            for student in self.standings.students:
                attempt = self.found[lesson, student.id].attempt
                number = attempt.number if attempt and attempt.platform == "moodle" else ""
                number = number or student.participant
                points = self._points(lesson, student)
                if number and points:
                    who = [f"Participant {number}", *_person(student)[1:]]
                    rows.append([*who, points, "-"])
            if rows:
                self._write(f"{lesson}_worksheet.csv", header, rows)

    def feedback(self, platform: str) -> None:
        """A zip for each lesson that the platform spreads over its students."""
        course = self.standings.course
        for lesson in self.standings.lessons:
            pages = []
            for student in self.standings.students:
                standing = self.found[lesson, student.id]
                attempt = standing.attempt
                folder = course.root / course.feedback / student.id / lesson
                for page in sorted(folder.glob("*.html")):
                    if standing.reason == AGAIN:
                        self.said.append(
                            f"{lesson}: the page of {student.id} is of an earlier hand-in and was "
                            f"left out: run `grade {lesson}` and `feedback {lesson}`."
                        )
                        continue
                    if attempt and attempt.platform == platform:
                        pages.append((_name_back(attempt, page), page))
                    else:
                        self.said.append(
                            f"{lesson}: {student.id} did not hand in through {platform}; "
                            f"their feedback is {page}."
                        )
            if pages:
                path = self.folder / f"{lesson}_feedback_for_{platform}.zip"
                with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
                    for name, page in pages:
                        archive.write(page, name)
                self.files.append(path)
            elif any(s.status != "nothing handed in" for s in self._of(lesson)):
                self.said.append(f"{lesson}: no feedback pages: run `feedback {lesson}` first.")

    def _of(self, lesson: str) -> list[Standing]:
        return [standing for (of, _), standing in self.found.items() if of == lesson]

    def _points(self, lesson: str, student: Student) -> str:
        standing = self.found[lesson, student.id]
        give = standing.status == "complete" or (self.so_far and standing.points is not None)
        return _number(standing.points) if give else ""

    def _roster(self, platform: str, where: str) -> Roster:
        if self.roster is None or self.roster.canvas != (platform == "canvas"):
            raise Refused(
                f"{platform.title()} imports marks by its own ids, which stand in {where}: save "
                "that as roster.csv in the course folder, or name it with --roster."
            )
        return self.roster

    def _write(self, name: str, header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
        path = self.folder / name
        with path.open("w", newline="", encoding="utf-8") as file:
            csv.writer(file, quoting=csv.QUOTE_ALL).writerows([header, *rows])
        self.files.append(path)

    def summary(self) -> list[str]:
        """By lesson, how many stand how; then what was written."""
        lines = []
        for lesson in self.standings.lessons:
            counts = Counter(s.status for (of, _), s in self.found.items() if of == lesson)
            parts = [f"{count} {status}" for status, count in counts.most_common()]
            lines.append(f"{lesson}: {', '.join(parts)}")
        return [*lines, *self.said, *(f"wrote {path}" for path in self.files)]

    def as_dict(self) -> dict[str, object]:
        """Statuses and points by lesson and student, and the files."""
        lessons: dict[str, dict[str, object]] = {}
        for (lesson, student), s in self.found.items():
            entry = {"status": s.status, "reason": s.reason, "points": s.points, "of": s.of}
            lessons.setdefault(lesson, {})[student] = {**entry, "exercises": s.exercises}
        return {"lessons": lessons, "files": [str(path) for path in self.files]}


def _name_back(attempt: Attempt, page: Path) -> str:
    """The name under which the platform takes a feedback file for this hand-in."""
    if attempt.platform == "canvas":
        return str(PurePosixPath(attempt.file).with_suffix(".html").name)
    # Moodle reads the number behind the first "_".
    name = re.sub(r"[_/\\]", " ", attempt.name)
    return f"{name}_{attempt.number}_assignfeedback_file_/{page.name}"


def _person(student: Student) -> list[str]:
    return [_as_text(text) for text in (student.id, student.name, student.email)]


def _as_text(value: str) -> str:
    """A cell that no spreadsheet takes for a formula: it may come from a student."""
    return f"'{value}" if value.startswith(tuple("=+-@\t\r")) else value


def _number(value: float | None) -> str:
    return "" if value is None else f"{round(value, 4):.12g}"
