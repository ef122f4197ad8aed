"""What checks have found, kept in the learner's folder as a journal: one line a check.

A line is added in one write and never changed, so two notebooks that check at once lose nothing. A
damaged line is left where it is and counts for nothing; the lines around it stay good.
"""

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path

FILE = Path(".course/results.jsonl")


@dataclass(frozen=True)
class Entry:
    """One check: the points out of those there were, and which source was kept, if one was.

    ``when`` is local time, to the second, in ISO format; ``kept`` is the SHA-256 of a kept part.
    """

    exercise: str
    points: float
    out_of: float
    when: str
    kept: str = ""


@dataclass(frozen=True)
class Result:
    """What a learner has reached in one exercise."""

    best: float
    latest: float
    tries: int
    passed: bool
    when: str


def add(
    workspace: Path,
    exercise: str,
    points: float,
    out_of: float,
    kept: str = "",
    now: datetime | None = None,
) -> None:
    """Keep one result.

    Raises
    ------
    OSError
        The folder cannot be written.
    """
    when = (now or datetime.now()).isoformat(timespec="seconds")
    line = json.dumps(asdict(Entry(exercise, float(points), float(out_of), when, kept)))
    with (workspace / FILE).open("ab", buffering=0) as journal:
        # The break before it keeps this line whole after one that a power cut has cut short.
        journal.write(f"\n{line}\n".encode())


def entries(workspace: Path) -> Iterator[Entry]:
    """All results that can be read, the oldest first."""
    try:
        text = (workspace / FILE).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return
    for line in text.splitlines():
        try:
            entry = Entry(**json.loads(line))
            datetime.fromisoformat(entry.when)
            whole = 0 <= entry.points <= entry.out_of and isinstance(entry.exercise, str)
        except (ValueError, TypeError):
            continue
        if whole:
            yield entry


def results(workspace: Path) -> dict[str, Result]:
    """By exercise, in the order in which they were last checked."""
    found: dict[str, Result] = {}
    for entry in entries(workspace):
        before = found.pop(entry.exercise, Result(0.0, 0.0, 0, False, ""))
        found[entry.exercise] = Result(
            best=max(before.best, entry.points),
            latest=entry.points,
            tries=before.tries + 1,
            passed=before.passed or entry.points == entry.out_of,
            when=entry.when,
        )
    return found


def kept(workspace: Path, exercise: str) -> list[Entry]:
    """The checks by which a source of this exercise was kept, the newest last."""
    return [entry for entry in entries(workspace) if entry.exercise == exercise and entry.kept]
