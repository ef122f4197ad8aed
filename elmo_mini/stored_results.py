"""Results of full-size experiments, stored with the command that made them.

An experiment of minutes or hours is a command of this project. What it measured lies as JSON in
``elmo_mini/results``: the numbers with their seeds and intervals, and the circumstances.
"""

import html
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "results"
CIRCUMSTANCES = ("command", "date", "machine", "versions")


@dataclass(frozen=True)
class StoredResult:
    """One stored experiment.

    Attributes:
        name: the name of its file.
        title: one line that says what was measured.
        command, date, machine, versions: how, when and where.
        numbers: everything else in the file.
    """

    name: str
    title: str
    command: str
    date: str
    machine: str
    versions: dict[str, str]
    numbers: dict[str, Any]

    def __str__(self) -> str:
        versions = ", ".join(f"{package} {number}" for package, number in self.versions.items())
        return (
            f"{self.title}\n  stored result of {self.date}, made with: {self.command}\n"
            f"  on {self.machine}; {versions}"
        )

    def _repr_html_(self) -> str:
        first, *rest = str(self).split("\n")
        lines = "<br>".join(html.escape(line.strip()) for line in rest)
        return f"<p><strong>{html.escape(first)}</strong><br><small>{lines}</small></p>"


def stored_result(name: str, folder: Path = FOLDER) -> StoredResult:
    """Read one stored experiment.

    Raises:
        LookupError: there is none of this name; the message lists those there are.
        ValueError: the file lacks one of title, command, date, machine, versions.
    """
    path = folder / f"{name}.json"
    if not path.exists():
        there = ", ".join(sorted(p.stem for p in folder.glob("*.json"))) or "none"
        raise LookupError(f"no stored result {name!r}; there are: {there}")
    content = json.loads(path.read_text("utf-8"))
    missing = [key for key in ("title", *CIRCUMSTANCES) if not content.get(key)]
    if missing:
        raise ValueError(f"{path.name} does not say its {', '.join(missing)}")
    named = {key: content.pop(key) for key in ("title", *CIRCUMSTANCES)}
    return StoredResult(name=name, **named, numbers=content)
