"""A learner's own copies of the lessons: handed out once, never overwritten.

What was handed out is remembered in ``.course/copies.json`` in the learner's folder, as the
SHA-256 of each release. For a lesson that comes in a newer release:

=====================================  =====================================================
the learner's copy                     what happens
=====================================  =====================================================
is not there                           the new release is copied
is what was handed out, to the byte    it is replaced: nothing of the learner's is in it
was opened and saved, or changed       it stays; the new release is put beside it, once
cannot be told, the record is lost     as if it was changed
=====================================  =====================================================
"""

import hashlib
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Literal

RECORD = Path(".course/copies.json")


@dataclass(frozen=True)
class Change:
    """One file written to the learner's folder.

    ``lesson`` is the released file, relative to ``lessons/``; ``written`` is the file written,
    relative to the learner's folder.
    """

    kind: Literal["copied", "replaced", "beside"]
    lesson: Path
    written: Path

    def __str__(self) -> str:
        """The change as the learner is told it."""
        if self.kind == "copied":
            return f"Copied {self.written.as_posix()}."
        news = f"There is a newer release of {self.lesson.as_posix()}. "
        if self.kind == "replaced":
            return news + "You had not changed your copy, so it is the new one now."
        return news + f'Your work stays as it is; the new one is beside it: "{self.written.name}".'


def hand_out(lessons: Path, work: Path, today: date | None = None) -> list[Change]:
    """Copy what is new in ``lessons`` to ``work`` and say what was written.

    Raises
    ------
    OSError
        ``work`` cannot be written.
    """
    record = _read_record(work)
    changes = []
    for lesson in _released(lessons):
        entry = record.setdefault(lesson.as_posix(), {})
        change = _hand_out_one(lessons / lesson, work, lesson, entry, today or date.today())
        if change is not None:
            changes.append(change)
            _write_record(work, record)
    _write_record(work, record)
    return changes


def _released(lessons: Path) -> Iterator[Path]:
    for path in sorted(lessons.rglob("*")):
        lesson = path.relative_to(lessons)
        if path.is_file() and not any(part.startswith((".", "__")) for part in lesson.parts):
            yield lesson


def _hand_out_one(
    source: Path, work: Path, lesson: Path, entry: dict[str, str], today: date
) -> Change | None:
    content = source.read_bytes()
    release = hashlib.sha256(content).hexdigest()
    target = work / lesson
    if _write_new(target, content):
        entry["copied"] = release
        return Change("copied", lesson, lesson)
    if release in (entry.get("copied"), entry.get("beside")):
        return None
    mine = hashlib.sha256(target.read_bytes()).hexdigest()
    if mine == release:
        entry["copied"] = release
        return None
    if mine == entry.get("copied"):
        _replace(target, content)
        entry["copied"] = release
        return Change("replaced", lesson, lesson)
    for name in _names_beside(target, today):
        if _write_new(name, content):
            break
    entry["beside"] = release
    return Change("beside", lesson, name.relative_to(work))


def _names_beside(target: Path, today: date) -> Iterator[Path]:
    label = f"new release {today.isoformat()}"
    yield target.with_name(f"{target.stem} ({label}){target.suffix}")
    for number in range(2, 1000):
        yield target.with_name(f"{target.stem} ({label}, {number}){target.suffix}")


def _write_new(path: Path, content: bytes) -> bool:
    """Write a file that is not there yet; False, and nothing written, where there is one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        file = path.open("xb")
    except FileExistsError:
        return False
    try:
        with file:
            file.write(content)
    except OSError:
        path.unlink()  # a full disk must not leave half a lesson that looks like the learner's
        raise
    return True


def _replace(path: Path, content: bytes) -> None:
    """Replace a file in one step, so that a power cut leaves the old one or the new one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_name(f".{path.name}.{os.getpid()}")
    fresh.write_bytes(content)
    fresh.replace(path)


def _read_record(work: Path) -> dict[str, dict[str, str]]:
    try:
        record = json.loads((work / RECORD).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    if not isinstance(record, dict):
        return {}
    return {name: entry for name, entry in record.items() if isinstance(entry, dict)}


def _write_record(work: Path, record: dict[str, dict[str, str]]) -> None:
    text = json.dumps(record, indent=1, sort_keys=True) + "\n"
    _replace(work / RECORD, text.encode())
