"""The class list, from the CSV that Moodle or Canvas exports."""

import csv
import hashlib
import io
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from autograde.marking.course_folder import Refused

# What a column may be called, in lower case: Canvas's gradebook, Moodle's participants, grades
# and grading worksheet, and a list written by hand.
COLUMNS = {
    "canvas_id": ("id",),
    "login": ("sis login id", "username", "user name", "login"),
    "number": ("sis user id", "id number", "student number"),
    "email": ("email address", "email", "e-mail", "e-mail address"),
    "full": ("student", "full name", "name", "student name"),
    "first": ("first name", "firstname", "given name"),
    "last": ("surname", "last name", "lastname", "family name"),
    "participant": ("identifier",),
}
_FORBIDDEN = re.compile(r'[<>:"/\\|?*+\x00-\x1f]')
LONGEST = 150  # bytes; a system allows 255, and nbgrader adds to it
_DEVICES = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)


@dataclass(frozen=True)
class Student:
    """A person on the list; `id` names their folder."""

    id: str
    name: str
    email: str = ""
    login: str = ""
    number: str = ""
    canvas_id: str = ""
    participant: str = ""
    row: dict[str, str] = field(default_factory=dict, compare=False)

    @property
    def ids(self) -> set[str]:
        """Everything that stands for this person and for nobody else."""
        local = self.email.partition("@")[0]
        return {i.casefold() for i in (self.id, self.email, self.login, self.number, local) if i}


@dataclass(frozen=True)
class Roster:
    """The students of a list, in its order, and the list's own columns."""

    students: list[Student]
    columns: list[str]
    canvas: bool = False

    def by_id(self, student: str) -> Student | None:
        """The student whose folder has this name."""
        return next((s for s in self.students if s.id == student), None)

    def of_number(self, number: str, platform: str) -> list[Student]:
        """Whom the platform calls by this number."""
        key = "canvas_id" if platform == "canvas" else "participant"
        return [s for s in self.students if number and getattr(s, key) == number]

    def named(self, name: str) -> list[Student]:
        """Everybody with this name, in any order of its parts, or with this id."""
        same = [s for s in self.students if name.casefold() in s.ids]
        if same:
            return same
        wanted = name_key(name)
        return [s for s in self.students if wanted and wanted == name_key(s.name)]

    def squeezed(self, name: str) -> list[Student]:
        """Everybody whose name is this without spaces, as Canvas writes it in file names."""
        found = defaultdict(list)
        for student in self.students:
            parts = _words(student.name)
            for turn in range(len(parts)):
                found["".join(parts[turn:] + parts[:turn])].append(student)
        return found["".join(_words(name))]


def read_roster(path: Path) -> Roster:
    """Read a class list.

    Raises
    ------
    Refused
        There is no such file, it names no students, or two of them would share a folder.
    """
    if not path.is_file():
        raise Refused(f"There is no class list {path}.")
    rows = list(csv.reader(io.StringIO(_text(path)), _dialect(path)))
    if not rows:
        raise Refused(f"The class list {path} is empty.")
    columns = [column.strip() for column in rows[0]]
    where = {}
    for key, names in COLUMNS.items():
        found = [i for name in names for i, c in enumerate(columns) if c.casefold() == name]
        if found:
            where[key] = found[0]
    canvas = {"full", "canvas_id"} <= where.keys() and "section" in map(str.casefold, columns)
    if not canvas and "canvas_id" in where:
        where.setdefault("login", where.pop("canvas_id"))
    students = []
    for cells in rows[1:]:
        row = dict(zip(columns, cells, strict=False))
        value = {k: cells[i].strip() if i < len(cells) else "" for k, i in where.items()}
        student = _student(value, row, canvas=canvas)
        if student:
            students.append(student)
    if not students:
        known = ", ".join(columns)
        raise Refused(
            f"No students were found in {path}. It needs a column of names and one of ids, as "
            f"Moodle or Canvas export them in English; its columns are: {known}."
        )
    _unique(students, path)
    return Roster(students, columns, canvas)


def _student(value: dict[str, str], row: dict[str, str], *, canvas: bool) -> Student | None:
    if canvas and not value["canvas_id"]:
        return None  # the rows of points possible and of posting policies
    name = value.get("full", "")
    if "," in name:
        last, _, first = name.partition(",")
        name = f"{first.strip()} {last.strip()}"
    name = f"{value.get('first', '')} {value.get('last', '')}".strip() or name
    participant = "".join(re.findall(r"\d+$", value.get("participant", "")))
    keys = ("login", "email", "number", "canvas_id")
    chosen = next((value[key] for key in keys if value.get(key)), participant)
    if not (chosen or name):
        return None
    return Student(
        folder_name(chosen or name),
        name or chosen,
        value.get("email", ""),
        value.get("login", ""),
        value.get("number", ""),
        value.get("canvas_id", ""),
        participant,
        row,
    )


def folder_name(text: str) -> str:
    """The text as the name of a folder that every system and nbgrader allow."""
    text = _FORBIDDEN.sub("-", unicodedata.normalize("NFC", text)).strip(" .") or "-"
    if len(text.encode()) > LONGEST:
        digest = hashlib.sha256(text.encode()).hexdigest()[:8]
        text = f"{text.encode()[:LONGEST].decode(errors='ignore')}-{digest}"
    return f"{text}-" if _DEVICES.fullmatch(text) else text


def name_key(name: str) -> tuple[str, ...]:
    """The parts of a name without accents, case and order: two spellings of one name agree."""
    return tuple(sorted(_words(name)))


def _words(name: str) -> list[str]:
    plain = unicodedata.normalize("NFKD", name).casefold()
    return re.findall(r"[^\W_]+", "".join(c for c in plain if not unicodedata.combining(c)))


def _unique(students: Iterable[Student], path: Path) -> None:
    counts = Counter(student.id.casefold() for student in students)
    twice = [name for name, count in counts.items() if count > 1]
    if twice:
        raise Refused(f"Two rows of {path} have the same id: {', '.join(twice)}.")


def _text(path: Path) -> str:
    data = path.read_bytes()
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("cp1252", errors="replace")


def _dialect(path: Path) -> type[csv.Dialect]:
    first = _text(path).partition("\n")[0]

    class Found(csv.excel):
        delimiter = max(",;\t", key=first.count)

    return Found
