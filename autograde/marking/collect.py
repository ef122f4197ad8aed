"""``collect``: a learning platform's download becomes nbgrader's submissions, nothing is lost.

Every notebook of a download is kept as it came under ``downloaded/LESSON/originals``; the newest
of each student is put where nbgrader looks. ``downloaded/LESSON/collected.json`` remembers from
which file of the platform it came, so that feedback finds its way back.
"""

import argparse
import json
import re
from collections import defaultdict
from datetime import datetime
from pathlib import Path, PurePosixPath

from nbformat.notebooknode import NotebookNode

from autograde.marking.archive import Damaged, Entry, entries
from autograde.marking.collected import Attempt, Collected
from autograde.marking.course_folder import CourseFolder, Refused, add_course_argument, notebook_at
from autograde.marking.platform_names import CANVAS, MOODLE, Sender, sender_of, stem_and_attempt
from autograde.marking.printed import printed
from autograde.marking.reading import Unreadable, read_submission
from autograde.marking.repair import repaired
from autograde.marking.roster import Roster, folder_name, name_key, read_roster

_DATES = "%Y-%m-%d %H:%M", "%Y-%m-%dT%H:%M", "%Y-%m-%d"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = (
        "Exit status: 0 everything was matched and can be read; 1 something is left for you, and "
        "is listed; 2 nothing was done, and why is said."
    )
    parser.add_argument("lesson", metavar="LESSON", help="for example 01_word2vec")
    parser.add_argument(
        "source",
        type=Path,
        metavar="FOLDER_OR_ZIP",
        help="what Moodle or Canvas lets you download, or a folder with a folder for each student",
    )
    add_course_argument(parser)
    parser.add_argument(
        "--roster",
        type=Path,
        metavar="CSV",
        help="the class list as Moodle or Canvas exports it (default: the course's roster.csv)",
    )
    parser.add_argument(
        "--who",
        action="append",
        default=[],
        metavar="SENDER=STUDENT",
        help="settle what was ambiguous: the platform's number or name, and whose it is",
    )
    parser.add_argument("--due", metavar="DATE", help='such as "2026-11-27 23:59", for lateness')
    parser.add_argument("--json", action="store_true", help="print the report as JSON")


def run(args: argparse.Namespace) -> int:
    course = CourseFolder.at(args.course)
    roster = roster_of(course, args.roster)
    who = dict(pair.partition("=")[::2] for pair in args.who)
    collector = Collector(course, args.lesson, roster, who, date_of(args.due) if args.due else None)
    collected = collector.collect(args.source)
    if args.json:
        print(json.dumps(collected.as_dict(), ensure_ascii=False, indent=1))
    else:
        print(printed(collected.report()))
    return 1 if collected.open_questions() else 0


def roster_of(course: CourseFolder, path: Path | None) -> Roster | None:
    """The list that was named, or the course's own, or none."""
    if path is None and not (course.root / "roster.csv").is_file():
        return None
    return read_roster(path or course.root / "roster.csv")


def date_of(text: str) -> datetime:
    """The date and hour that was meant."""
    for form in _DATES:
        try:
            date = datetime.strptime(text, form)
        except ValueError:
            continue
        return date.replace(hour=23, minute=59, second=59) if form == _DATES[-1] else date
    raise Refused(f'{text!r} is no date; write it like "2026-11-27 23:59".')


class Collector:
    """One download of one lesson."""

    def __init__(
        self,
        course: CourseFolder,
        lesson: str,
        roster: Roster | None = None,
        who: dict[str, str] | None = None,
        due: datetime | None = None,
    ) -> None:
        self.course, self.lesson, self.roster, self.due = course, lesson, roster, due
        self.who = who or {}
        path = course.released(lesson)
        self.notebook = path.name
        self.released: NotebookNode = notebook_at(path)
        self.collected = Collected.read(course, lesson)

    def collect(self, source: Path) -> Collected:
        """Take what is new in the download; return what is there now."""
        collected = self.collected
        collected.begin(source.name)
        attempts: dict[str, list[Attempt]] = defaultdict(list)
        senders: dict[str, set[str]] = defaultdict(set)
        taken = list(self._notebooks(source))
        for student, sender, attempt in taken:
            attempts[student].append(attempt)
            senders[student].add(sender.key)
        for student, keys in senders.items():
            if len(keys) > 1:
                files = [a.file for a in attempts.pop(student)]
                collected.ask(
                    "ambiguous", files, f"{len(keys)} senders are {student}: {', '.join(keys)}"
                )
        for student, found in attempts.items():
            self._settle(student, found)
        if self.roster:
            there = collected.students.keys() | collected.no_notebook.keys()
            collected.absent = [s.id for s in self.roster.students if s.id not in there]
        collected.write()
        return collected

    def _notebooks(self, source: Path) -> list[tuple[str, Sender, Attempt]]:
        found = []
        notebooks: set[str] = set()
        rest: dict[str, list[tuple[Entry, Sender]]] = defaultdict(list)
        around = self._folder_around([e.path for e in entries(source) if e.path.parts])
        for entry in entries(source):
            path = PurePosixPath(*entry.path.parts[1:]) if around else entry.path
            if entry.refused:
                self.collected.ask("refused", [str(entry.path)], entry.refused)
                continue
            sender = sender_of(path) or self._by_file(path)
            file = sender.file if sender else path.name
            stem, number = stem_and_attempt(file)
            if not stem:
                self.collected.others.append(str(entry.path))
                if sender:
                    rest[sender.key].append((entry, sender))
                continue
            if sender:
                notebooks.add(sender.key)
            try:
                data = entry.load()
            except Damaged as why:
                self.collected.ask("refused", [str(entry.path)], str(why))
                continue
            digest = self.collected.keep(data)
            student = self._student(entry, sender, digest)
            if student is None or sender is None:
                continue
            late = sender.late or self._is_late(entry, sender)
            unreadable, ours = self._look(data)
            attempt = Attempt(
                str(entry.path), digest, entry.time.isoformat(" "), number, late, unreadable
            )
            attempt.platform, attempt.number, attempt.name = (
                sender.platform,
                sender.number,
                sender.name,
            )
            attempt.ours = ours or stem.casefold() == Path(self.notebook).stem.casefold()
            found.append((student, sender, attempt))
        for key in rest.keys() - notebooks:
            self._without_notebook(rest[key])
        return found

    def _is_late(self, entry: Entry, sender: Sender) -> bool:
        """Whether it came after the date; Canvas says so itself, and its archive holds no times."""
        if self.due is None:
            return False
        if sender.platform == "canvas":
            said = "--due was not used: Canvas marks who is late, and its archive holds no times."
            if said not in self.collected.said:
                self.collected.said.append(said)
            return False
        return entry.time > self.due

    def _without_notebook(self, sent: list[tuple[Entry, Sender]]) -> None:
        """Note who handed in, and nothing that can be marked; of whom there is none yet."""
        student = self._student(*sent[0], "")
        if student is not None and student not in self.collected.students:
            files = sorted(str(entry.path) for entry, _ in sent)
            self.collected.no_notebook[student] = files

    def _folder_around(self, paths: list[PurePosixPath]) -> bool:
        """Whether all student folders lie in one folder, as many zips have it."""
        tops = {path.parts[0] for path in paths}
        if len(tops) != 1 or not all(len(path.parts) > 1 for path in paths):
            return False
        (top,) = tops
        if all(path.parts[1] == self.lesson for path in paths):
            return False  # one student's folder, as nbgrader has them
        if (
            MOODLE.fullmatch(top)
            or CANVAS.fullmatch(top)
            or (self.roster and self.roster.named(top))
        ):
            return False
        return all(len(path.parts) > 2 or CANVAS.fullmatch(path.name) for path in paths)

    def _by_file(self, path: PurePosixPath) -> Sender | None:
        """A file by itself whose name holds the id or the name of one student of the list."""
        if self.roster is None:
            return None
        words = re.split(r"[^\w.@-]+|_", path.name.rpartition(".")[0].casefold())
        found = [s for s in self.roster.students if s.ids & set(words)]
        if not found:
            key = set(name_key(path.name.rpartition(".")[0]))
            found = [s for s in self.roster.students if set(name_key(s.name)) <= key]
        if len(found) != 1:
            return None
        return Sender("", found[0].id, "", Path(self.notebook).name)

    def _student(self, entry: Entry, sender: Sender | None, digest: str) -> str | None:
        """The student's folder; None, with a question, where nobody or several could be meant."""
        if sender is None:
            why = "its name does not say who handed it in"
            self.collected.ask("unmatched", [str(entry.path)], why, digest)
            return None
        meant = self.who.get(sender.number) or self.who.get(sender.name)
        if meant:
            return folder_name(meant)
        if self.roster is None:
            return folder_name(f"{sender.name}_{sender.number}" if sender.number else sender.name)
        before = self.collected.known_as(sender.platform, sender.number)
        if before is not None:
            return before
        people = self.roster.of_number(sender.number, sender.platform)
        if not people:
            exact = self.roster.named(sender.name)
            people = exact or self.roster.squeezed(sender.name)
        if len(people) == 1:
            return people[0].id
        who = f"{sender.name} {sender.number}".strip()
        say = f"--who {_quoted(sender.key)}=STUDENT"
        if people:
            ids = ", ".join(p.id for p in people)
            self.collected.ask("ambiguous", [str(entry.path)], f"{who} may be {ids}: {say}", digest)
        else:
            why = f"{who} is not on the list: {say}"
            self.collected.ask("unmatched", [str(entry.path)], why, digest)
        return None

    def _look(self, data: bytes) -> tuple[str, bool]:
        """Why the notebook cannot be marked, or ""; and whether it is of this lesson."""
        try:
            repaired(read_submission(data), self.released)
        except Unreadable as error:
            return error.reason, False
        return "", True

    def _settle(self, student: str, found: list[Attempt]) -> None:
        """Keep the newest attempt, of this download and of those before."""
        ours = [a for a in found if a.ours] or found
        newest = max(a.order for a in ours)
        files = [a.file for a in ours if a.order == newest]
        if len({a.digest for a in ours if a.order == newest}) > 1:
            self.collected.ask("ambiguous", files, f"{student} sent them at one time; see the last")
        if self.roster and (person := self.roster.by_id(student)):
            for attempt in ours:
                attempt.name = person.name
        self.collected.settle(student, ours, self.notebook)


def _quoted(text: str) -> str:
    return f'"{text}"' if " " in text else text
