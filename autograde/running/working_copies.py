"""A learner's own copies of the course's files: handed out once, never overwritten.

What was handed out is remembered in ``.course/copies.json`` in the learner's folder: of each file
the SHA-256, and a fingerprint of its text, which for a notebook is what stands in its cells. For a
file that comes in a newer release:

=========================================  =================================================
the learner's copy                         what happens
=========================================  =================================================
is not there                               the new release is copied
has the text that was handed out, even if  it is replaced: nothing of the learner's is in it,
it was opened, run and saved               and its outputs can be made again
has any other text                         it stays; the new release is put beside it, once
cannot be told, the record is lost         as if it was changed
=========================================  =================================================
"""

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Literal

from autograde.running.released import is_a_page
from autograde.workspace.place import HEAD_CELL

RECORD = Path(".course/copies.json")


@dataclass(frozen=True)
class Change:
    """One file written to the learner's folder.

    ``released`` is the file's own place there; ``written`` is the file written.
    """

    kind: Literal["copied", "replaced", "beside"]
    released: Path
    written: Path

    def __str__(self) -> str:
        """The change as the learner is told it."""
        if self.kind == "copied":
            return f"Copied {self.written.as_posix()}."
        news = f"There is a newer release of {self.released.as_posix()}. "
        if self.kind == "replaced":
            return news + "You had written nothing in your copy, so it is the new one now."
        return news + f'Your work stays as it is; the new one is beside it: "{self.written.name}".'


def hand_out(files: Mapping[Path, bytes], work: Path, today: date | None = None) -> list[Change]:
    """Copy what is new to ``work`` and say what was written; pages go without saying.

    Parameters
    ----------
    files : what is released, by its place in ``work``
    work : the learner's folder
    today : the date in the names of releases that are put beside

    Raises
    ------
    OSError
        ``work`` cannot be written.
    """
    record = _read_record(work)
    changes = []
    for released, content in files.items():
        entry = record.setdefault(released.as_posix(), {})
        change = _hand_out_one(content, work, released, entry, today or date.today())
        if change is not None:
            _write_record(work, record)
            if change.kind == "beside" or not is_a_page(released):
                changes.append(change)
    _take_back_pages(work, record, files)
    _write_record(work, record)
    return changes


def _hand_out_one(
    content: bytes, work: Path, released: Path, entry: dict[str, str], today: date
) -> Change | None:
    release = hashlib.sha256(content).hexdigest()
    text = fingerprint(released, content)
    target = work / released
    if _write_new(target, content):
        entry.update(copied=release, text=text)
        return Change("copied", released, released)
    if release in (entry.get("copied"), entry.get("beside")):
        return None
    mine = fingerprint(released, target.read_bytes())
    if mine == entry.get("text"):
        _replace(target, content)
        entry.update(copied=release, text=text)
        return Change("replaced", released, released)
    if text in (mine, entry.get("text")):  # nothing in it is news to the learner
        entry.update(copied=release, text=text)
        return None
    for name in _names_beside(target, today):
        if _write_new(name, content):
            break
    entry["beside"] = release
    return Change("beside", released, name.relative_to(work))


def _take_back_pages(
    work: Path, record: dict[str, dict[str, str]], files: Mapping[Path, bytes]
) -> None:
    """Remove pages that are released no longer, unless somebody wrote in them."""
    for name in [name for name in record if Path(name) not in files and is_a_page(Path(name))]:
        page = work / name
        text = record.pop(name).get("text")
        if page.is_file() and fingerprint(page, page.read_bytes()) == text:
            page.unlink()


def fingerprint(path: Path, content: bytes) -> str:
    """The SHA-256 of what a person can write in a file: of a notebook, its cells alone.

    The cell for Colab and Kaggle is left out: it is nobody's, and does nothing in a workspace.
    """
    if path.suffix == ".ipynb":
        try:
            cells = [
                [cell["cell_type"], "".join(cell["source"]), cell.get("attachments", {})]
                for cell in json.loads(content)["cells"]
                if HEAD_CELL not in cell.get("metadata", {}).get("tags", [])
            ]
        except (ValueError, KeyError, TypeError):
            pass  # no notebook: every byte counts
        else:
            content = json.dumps(cells).encode()
    return hashlib.sha256(content).hexdigest()


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
