"""What became of a submission, exercise by exercise: stored beside the gradebook as JSON."""

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from autograde.marking.asking.wire import whole

VERSION = 1
FOLDER = "verdicts"


@dataclass(frozen=True)
class ExerciseVerdict:
    """Points and words for one exercise. ``page`` is the report as HTML, for the notebook."""

    id: str
    title: str
    points: float
    of: float
    status: str
    headline: str
    message: str
    mistake: str = ""
    certain: bool = True
    cases: tuple[Mapping[str, str | None], ...] = ()
    printed: str = ""
    page: str = ""

    def __post_init__(self) -> None:
        _make_writable(self)


@dataclass(frozen=True)
class Verdict:
    """What became of one submission; see docs/instructors.md for its fields."""

    lesson: str
    student: str
    submission: str
    status: str = "marked"
    reason: str = ""
    sandbox: str = ""
    repaired: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    late: str | None = None
    processor_seconds: float = 0.0
    exercises: tuple[ExerciseVerdict, ...] = ()
    version: int = field(default=VERSION)

    def __post_init__(self) -> None:
        _make_writable(self)

    @property
    def points(self) -> float:
        """The points of all exercises."""
        return sum(exercise.points for exercise in self.exercises)

    def to_json(self) -> dict[str, Any]:
        """As plain values."""
        return asdict(self)

    @classmethod
    def from_json(cls, found: Mapping[str, Any]) -> "Verdict":
        """The verdict of plain values.

        Raises
        ------
        ValueError
            If another version of the course wrote it.
        """
        if found.get("version") != VERSION:
            raise ValueError(f"this verdict is of version {found.get('version')}; mark again")
        lists = {name: tuple(found[name]) for name in ("repaired", "notes")}
        exercises = tuple(
            ExerciseVerdict(**{**row, "cases": tuple(row["cases"])}) for row in found["exercises"]
        )
        return cls(**{**found, **lists, "exercises": exercises})

    def write(self, path: Path) -> None:
        """Write it, so that it is there as a whole or not at all."""
        path.parent.mkdir(parents=True, exist_ok=True)
        draft = path.with_suffix(f".{os.getpid()}.new")
        draft.write_text(json.dumps(self.to_json(), ensure_ascii=False, indent=1) + "\n", "utf-8")
        draft.replace(path)


def _make_writable(made: Any) -> None:
    """Its words come from students, too, and one text that no file can hold would stop a class."""
    for name, value in vars(made).items():
        if (text := _writable(value)) != value:
            object.__setattr__(made, name, text)


def _writable(value: Any) -> Any:
    if isinstance(value, str):
        return whole(value)
    if isinstance(value, tuple):
        return tuple(_writable(part) for part in value)
    if isinstance(value, Mapping):
        return {key: _writable(part) for key, part in value.items()}
    return value


def path_of(course: Path, lesson: str, student: str) -> Path:
    """Where the verdict on a submission is stored."""
    return course / FOLDER / lesson / f"{student}.json"


def read(path: Path) -> Verdict:
    """The verdict of a file."""
    return Verdict.from_json(json.loads(path.read_text("utf-8")))
