"""What a submission may take: time, memory, processes, output; each default says why."""

import json
from dataclasses import asdict, dataclass, fields
from pathlib import Path

FILE = "marking.json"


@dataclass(frozen=True)
class Limits:
    """The limits of one course; a file ``marking.json`` in its folder changes any of them.

    Attributes
    ----------
    cell_seconds : processor seconds of a cell of the student's own; a lesson's cells take under 10
    lesson_seconds : processor seconds of a statement of the lesson's own, such as a training
    idle_seconds : how long an answer or a cell may wait for nothing, such as in a `sleep`
    memory_mb : what a submission may take beside Python and PyTorch; right answers stay below 300
    processes : processes and threads at once; PyTorch starts as many threads as there are cores
    output_kb : what a cell may print; the rest is dropped
    file_mb : the size of the private /tmp, and of one file
    restarts : how often a submission is begun anew after a cell that ended or blocked its process
    run_everything : run the demonstrations of the lesson, too; the marks are the same, and late
    """

    cell_seconds: float = 30.0
    lesson_seconds: float = 300.0
    idle_seconds: float = 20.0
    memory_mb: int = 2_000
    processes: int = 64
    output_kb: int = 200
    file_mb: int = 100
    restarts: int = 4
    run_everything: bool = False

    def asdict(self) -> dict[str, float]:
        """The limits by their names."""
        return asdict(self)


def limits_of(course: Path) -> Limits:
    """The course's limits.

    Raises
    ------
    ValueError
        If the file names one that does not exist, or holds no number; the text says which exist.
    """
    file = course / FILE
    if not file.exists():
        return Limits()
    known = {field.name for field in fields(Limits)}
    try:
        found = json.loads(file.read_text("utf-8"))
        wrong = sorted(set(found) - known)
    except (ValueError, TypeError):
        raise ValueError(f"{file} is no JSON object of limits") from None
    if wrong:
        raise ValueError(f"{file}: there is no limit {wrong[0]!r}; there are {sorted(known)}")
    if any(not isinstance(value, int | float) for value in found.values()):
        raise ValueError(f"{file}: every limit is a number")
    return Limits(**found)
