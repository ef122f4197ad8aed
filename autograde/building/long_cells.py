"""Cells that take long say so: the seconds of their last run stand in the text above them."""

import math
import re
from collections import defaultdict

from nbformat.notebooknode import NotebookNode

from autograde.grading.instructor_notes import TAG, TIMES

LONG = 5  # processor seconds after which a reader, or a room, wants to know
ROUND = (5, 10, 15, 20, 30, 40, 60, 90, 120, 180, 240)
SAYS = re.compile(r"\b(\d+) s\b")


def long_cells(notebook: NotebookNode) -> dict[str, float]:
    """The processor seconds that the last run took in its long cells, by their ids."""
    taken = notebook.metadata.get(TIMES, {}).get("slowest cells", {})
    return {name: seconds for name, seconds in taken.items() if seconds > LONG}


def about(seconds: float) -> str:
    """Seconds as one says them, ``about 20 s``: of few numbers, so that two runs say the same."""
    return f"about {min(ROUND, key=lambda number: abs(math.log(number / seconds)))} s"


def say_seconds(notebook: NotebookNode, run: NotebookNode) -> None:
    """Add to texts of ``notebook`` how long the cells below took in ``run``, if they do not say."""
    taken = long_cells(run)
    below: defaultdict[int, float] = defaultdict(float)
    text = None
    for position, cell in enumerate(notebook.cells):
        if _is_text(cell):
            text = position
        elif cell["id"] in taken and text is not None:
            below[text] += taken[cell["id"]]
    for position, seconds in below.items():
        cell = notebook.cells[position]
        if not SAYS.search(cell.source):
            cell.source += f"\n\n*⏱ {about(seconds).capitalize()}.*"


def _is_text(cell: NotebookNode) -> bool:
    """Whether everybody reads this cell: no note to instructors, no room for an answer."""
    metadata = cell.metadata
    return (
        cell.cell_type == "markdown"
        and TAG not in metadata.get("tags", [])
        and not metadata.get("nbgrader", {}).get("solution", False)
    )
