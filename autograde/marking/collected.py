"""What was collected of a lesson: the ledger beside the originals, and the report on it."""

import hashlib
import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from autograde.marking.course_folder import CourseFolder, Refused

VERSION = 1
KINDS = {
    "unmatched": "nobody on the list",
    "ambiguous": "more than one may be meant",
    "refused": "not opened",
}


@dataclass
class Attempt:
    """One notebook that a student handed in.

    Attributes
    ----------
    file : its path in the download
    digest : SHA-256 of its bytes; the original has this name
    time : by the download's clock, ISO
    again : 1 for ``name (1).ipynb`` or Canvas's ``name-1.ipynb``
    late : the platform says so, or it is after ``--due``
    unreadable : why it cannot be marked, or ""
    platform, number, name : what the platform calls the student
    """

    file: str
    digest: str
    time: str
    again: int = 0
    late: bool = False
    unreadable: str = ""
    platform: str = ""
    number: str = ""
    name: str = ""
    ours: bool = True

    @property
    def handed_in(self) -> str:
        """When; "" of what comes from Canvas, whose archive holds the time of the download."""
        return "" if self.platform == "canvas" else self.time

    @property
    def order(self) -> tuple[str, int]:
        """Later is larger."""
        return self.time, self.again


@dataclass
class Collected:
    """The ledger of one lesson.

    Attributes
    ----------
    students : what each has handed in, the newest last
    others : files of the last download that are no notebooks
    no_notebook : by student, what they handed in who have never handed in a notebook
    """

    course: CourseFolder
    lesson: str
    students: dict[str, list[Attempt]] = field(default_factory=dict)
    questions: list[dict[str, Any]] = field(default_factory=list)
    others: list[str] = field(default_factory=list)
    absent: list[str] = field(default_factory=list)
    no_notebook: dict[str, list[str]] = field(default_factory=dict)
    said: list[str] = field(default_factory=list)
    source: str = ""

    @classmethod
    def read(cls, course: CourseFolder, lesson: str) -> "Collected":
        """The ledger as it lies there; an empty one where nothing was collected yet."""
        collected = cls(course, lesson)
        path = course.ledger(lesson)
        if path.is_file():
            known = json.loads(path.read_text(encoding="utf-8"))
            if known["version"] != VERSION:
                raise Refused(f"{path} is of another version of the course; move it away first.")
            for student, attempts in known["students"].items():
                collected.students[student] = [Attempt(**attempt) for attempt in attempts]
            collected.questions = known["questions"]
            collected.no_notebook = known.get("no_notebook", {})
        return collected

    def begin(self, source: str) -> None:
        """A new download: what was asked about the last one is asked again if it still holds."""
        self.source, self.questions = source, []

    def newest(self, student: str) -> Attempt | None:
        """The attempt that counts."""
        return self.students[student][-1] if self.students.get(student) else None

    def known_as(self, platform: str, number: str) -> str | None:
        """Whose hand-ins the platform has sent under this number before; None for nobody's."""
        for student, attempts in self.students.items():
            if any(number and (a.platform, a.number) == (platform, number) for a in attempts):
                return student
        return None

    def keep(self, data: bytes) -> str:
        """Put a file among the originals, once; return its digest."""
        digest = hashlib.sha256(data).hexdigest()
        path = self.original(digest)
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            _write(path, data)
        return digest

    def original(self, digest: str) -> Path:
        """Where the file with this digest is kept as it came."""
        return self.course.downloads(self.lesson) / "originals" / f"{digest}.ipynb"

    def ask(self, kind: str, files: list[str], why: str, digest: str = "") -> None:
        """Something that a person has to look at."""
        self.questions.append({"kind": kind, "files": files, "why": why, "original": digest})

    def open_questions(self) -> bool:
        """Whether something waits for a person."""
        unreadable = any(a and a.unreadable for a in map(self.newest, self.students))
        return bool(self.questions or self.no_notebook) or unreadable

    def settle(self, student: str, found: Iterable[Attempt], notebook: str) -> None:
        """Add a student's attempts and put the newest of all where nbgrader looks."""
        self.no_notebook.pop(student, None)
        known = {attempt.digest: attempt for attempt in self.students.get(student, [])}
        target = self.course.root / self.course.submitted / student / self.lesson / notebook
        if target.is_file():
            self._adopt(student, target, known)
        before = max(known.values(), key=lambda a: a.order, default=None)
        for attempt in found:
            known[attempt.digest] = attempt
        attempts = sorted(known.values(), key=lambda attempt: attempt.order)
        self.students[student] = attempts
        newest = attempts[-1]
        if before is not None and newest.digest != before.digest:
            self.said.append(f"{student} handed in again: {newest.file} replaces {before.file}.")
        data = self.original(newest.digest).read_bytes()
        bare = data.removeprefix(b"\xef\xbb\xbf")
        stamp = target.with_name("timestamp.txt")
        target.parent.mkdir(parents=True, exist_ok=True)
        if not target.exists() or target.read_bytes() != bare:
            _write(target, bare)
        _write(stamp, f"{newest.time}\n".encode())

    def _adopt(self, student: str, target: Path, known: dict[str, Attempt]) -> None:
        """A hand-in that was put there by hand or by nbgrader is kept as an attempt, too."""
        data = target.read_bytes()
        digest = hashlib.sha256(data).hexdigest()
        with_mark = hashlib.sha256(b"\xef\xbb\xbf" + data).hexdigest()
        if digest in known or with_mark in known:
            return
        stamp = target.with_name("timestamp.txt")
        time = stamp.read_text("utf-8", "replace").strip()[:19] if stamp.is_file() else ""
        self.keep(data)
        known[digest] = Attempt(f"{self.course.submitted}/{student}", digest, time)
        self.said.append(f"What lay in {target.parent} was kept among the originals.")

    def as_dict(self) -> dict[str, Any]:
        """The ledger as JSON holds it."""
        return {
            "version": VERSION,
            "lesson": self.lesson,
            "source": self.source,
            "students": {s: [asdict(a) for a in found] for s, found in self.students.items()},
            "questions": self.questions,
            "not_notebooks": self.others,
            "no_notebook": self.no_notebook,
            "absent": self.absent,
        }

    def write(self) -> None:
        """Save the ledger."""
        path = self.course.ledger(self.lesson)
        path.parent.mkdir(parents=True, exist_ok=True)
        text = json.dumps(self.as_dict(), ensure_ascii=False, indent=1)
        _write(path, f"{text}\n".encode())

    def report(self) -> list[str]:
        """What is there now, what is late, and what waits for a person."""
        newest = {s: a for s in sorted(self.students) if (a := self.newest(s))}
        lines = [f"{self.lesson}: {len(newest)} students have handed in."]
        lines += self.said
        lines += [f"late: {s}{_when(a)}" for s, a in newest.items() if a.late]
        for student, attempt in newest.items():
            if attempt.unreadable:
                lines.append(f"unreadable: {student}: {attempt.file} {attempt.unreadable}.")
                if any(not a.unreadable for a in self.students[student]):
                    lines.append("  An earlier attempt can be read; it is among the originals.")
        for student, files in sorted(self.no_notebook.items()):
            lines.append(
                f"no notebook: {student} handed in {', '.join(files)}; ask for the .ipynb."
            )
        for question in self.questions:
            what = KINDS[question["kind"]]
            lines.append(f"{question['kind']} ({what}): {', '.join(question['files'])}")
            lines.append(f"  {question['why']}")
        if self.others:
            lines.append(f"{len(self.others)} files are no notebooks and were left where they are.")
        if self.absent:
            lines.append(f"nothing from {len(self.absent)}: {', '.join(self.absent)}")
        return lines


def _when(attempt: Attempt) -> str:
    return f" ({attempt.handed_in})" if attempt.handed_in else ""


def _write(path: Path, data: bytes) -> None:
    """All or nothing, also when the machine goes down."""
    part = path.with_name(f"{path.name}.part")
    part.write_bytes(data)
    part.replace(path)
