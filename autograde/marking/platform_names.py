"""Who handed in a file, by the names that Moodle and Canvas give files in a download."""

import re
from dataclasses import dataclass
from pathlib import PurePosixPath

MOODLE = re.compile(
    r"(?P<name>.+?)_(?P<number>\d+)_assignsubmission_(?P<plugin>file|onlinetext)(?:_(?P<file>.*))?"
)
CANVAS = re.compile(
    r"(?P<name>[^_]+)_(?:(?P<late>LATE)_)?(?P<number>\d+)_(?P<attachment>\d+)_(?P<file>.+)"
)
NOTEBOOK = re.compile(r"(?P<stem>.+)\.ipynb(?:\.json|\.txt)?", re.IGNORECASE | re.DOTALL)
_AGAIN = re.compile(
    r"(?: ?\((?P<browser>\d+)\)|-(?P<canvas>\d+)|(?: - |[ _-])copy)$", re.IGNORECASE
)


@dataclass(frozen=True)
class Sender:
    """What a path of a download says.

    Attributes
    ----------
    platform : "moodle", "canvas" or "" for a plain folder
    name : as the platform writes it; of a plain folder its name
    number : the platform's own number for the student, or ""
    file : the file's name without what the platform put before it
    late : the platform marked it as late
    """

    platform: str
    name: str
    number: str
    file: str
    late: bool = False

    @property
    def key(self) -> str:
        """Tells two senders apart, also two of the same name."""
        return self.number or self.name


def sender_of(path: PurePosixPath) -> Sender | None:
    """Who sent the file at this path; None where the path does not say."""
    for position, part in enumerate(path.parts):
        if found := MOODLE.fullmatch(part):
            rest = path.parts[position + 1 :]
            file = "/".join(rest) if rest else found["file"] or ""
            return Sender("moodle", found["name"], found["number"], file)
    zips = [part for part in path.parts[:-1] if part.casefold().endswith(".zip")]
    for part in (path.name, *zips):
        if found := CANVAS.fullmatch(part):
            late = found["late"] is not None
            file = found["file"] if part == path.name else path.name
            return Sender("canvas", found["name"], found["number"], file, late)
    if len(path.parts) > 1:
        return Sender("", path.parts[0], "", path.name)
    return None


def stem_and_attempt(file: str) -> tuple[str, int]:
    """A notebook's name as it was released, and which download or upload of it this is.

    ``word2vec (1).ipynb`` and Canvas's ``word2vec-1.ipynb`` are later than ``word2vec.ipynb``.
    ("", 0) for what is no notebook.
    """
    found = NOTEBOOK.fullmatch(PurePosixPath(file).name)
    if not found:
        return "", 0
    stem, attempt = found["stem"].strip(), 0
    while again := _AGAIN.search(stem):
        attempt = max(attempt, int(again["browser"] or again["canvas"] or 1))
        stem = stem[: again.start()].strip()
    return stem, attempt
