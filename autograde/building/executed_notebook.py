"""Run a solution notebook, keep the outputs of earlier runs, and judge what a run left."""

import os
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat
import psutil
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError
from nbconvert.preprocessors.coalescestreams import CoalesceStreamsPreprocessor
from nbformat.notebooknode import NotebookNode

from autograde.building.alt_text import undescribed_in_outputs
from autograde.building.lesson_source import Lesson
from autograde.building.student_version import copy_data_files
from autograde.grading.instructor_notes import TIMES

MAX_KILOBYTES = 450
WIDGET = "application/vnd.jupyter.widget-view+json"
SLOWEST = 5
# By the clock, for a cell that never ends; how long a lesson may take is counted otherwise.
HANGS_AFTER = 1800


class RunFailed(RuntimeError):
    """A cell of the solution raised an error or never ended; ``position`` is its place."""

    def __init__(self, position: int, reason: str) -> None:
        super().__init__(reason)
        self.position = position


@dataclass(frozen=True)
class CellTime:
    """Processor seconds of one code cell; ``position`` is its place in the notebook."""

    position: int
    seconds: float


def keep_outputs(fresh: NotebookNode, earlier: NotebookNode) -> None:
    """Copy the outputs of an earlier run to the cells of ``fresh`` with the same source."""
    ran = {(cell.get("id"), cell.source): cell for cell in earlier.cells}
    for cell in fresh.cells:
        before = ran.get((cell["id"], cell.source))
        if cell.cell_type == "code" and before is not None and before.cell_type == "code":
            cell.outputs = before.outputs
            cell.execution_count = before.execution_count
    if TIMES in earlier.metadata:
        fresh.metadata[TIMES] = earlier.metadata[TIMES]


def execute(notebook: NotebookNode, lesson: Lesson, timeout: int = HANGS_AFTER) -> list[CellTime]:
    """Run every cell on one core, in a temporary folder with the lesson's data files beside.

    Outputs go into ``notebook``, and what the run took into its metadata.

    Parameters
    ----------
    notebook : the solution
    lesson : its source
    timeout : seconds by the clock after which a cell counts as one that never ends

    Returns
    -------
    Processor seconds of each code cell, in order. They do not depend on what else the machine does.

    Raises
    ------
    RunFailed
        A cell raised an error or never ended; with its place.
    """
    metadata = notebook.metadata.copy()
    started: dict[int, float] = {}
    times: list[CellTime] = []

    def on_start(cell: NotebookNode, cell_index: int) -> None:
        started[cell_index] = _processor_seconds(client)

    def on_end(cell: NotebookNode, cell_index: int, **_: object) -> None:
        now = _processor_seconds(client)
        times.append(CellTime(cell_index, now - started[cell_index]))

    with tempfile.TemporaryDirectory(prefix="run_") as folder:
        copy_data_files(lesson, Path(folder))
        client = NotebookClient(
            notebook,
            timeout=timeout,
            kernel_name="python3",
            resources={"metadata": {"path": folder}},
            record_timing=False,
            store_widget_state=False,
            on_cell_execute=on_start,
            on_cell_executed=on_end,
        )
        try:
            # One thread, as `make lab` gives a learner's kernel.
            client.execute(env={**os.environ, "OMP_NUM_THREADS": "1"})
        except CellExecutionError as error:
            raise RunFailed(max(started), f"{error.ename}: {error.evalue}") from error
        except CellTimeoutError as error:
            raise RunFailed(max(started), f"no end after {timeout} s") from error
    notebook.metadata = metadata
    notebook.metadata[TIMES] = {
        "lesson": round(sum(time.seconds for time in times), 1),
        "slowest cells": {
            notebook.cells[time.position]["id"]: round(time.seconds, 1) for time in slowest(times)
        },
    }
    for cell in notebook.cells:
        # A progress bar writes itself anew many times a second: its last line is kept.
        CoalesceStreamsPreprocessor().preprocess_cell(cell, {}, 0)
        for output in cell.get("outputs", []):
            # A widget's state is not stored, so its view would be an empty box.
            output.get("data", {}).pop(WIDGET, None)
    return times


def slowest(times: list[CellTime]) -> list[CellTime]:
    """The few cells that took longest, the longest first."""
    return sorted(times, key=lambda time: -time.seconds)[:SLOWEST]


def _processor_seconds(client: NotebookClient) -> float:
    """What the kernel has taken of processors so far, with its children, those that ended too."""
    manager: Any = client.km
    kernel = psutil.Process(manager.provisioner.pid)
    taken = 0.0
    for process in (kernel, *kernel.children(recursive=True)):
        with suppress(psutil.NoSuchProcess):
            times = process.cpu_times()
            taken += times.user + times.system + times.children_user + times.children_system
    return taken


def faults(notebook: NotebookNode) -> list[tuple[int, str]]:
    """What an executed notebook must not hold: (position of the cell, what is wrong)."""
    found: list[tuple[int, str]] = []
    not_run = []
    for position, cell in enumerate(notebook.cells):
        if cell.cell_type != "code" or not cell.source.strip():
            continue
        if cell.execution_count is None:
            not_run.append(position)
            continue
        graded = cell.metadata.get("nbgrader", {}).get("grade", False)
        if graded and not any(o.output_type == "execute_result" for o in cell.outputs):
            found.append((position, "is a check cell without a result"))
        for output in cell.outputs:
            if output.output_type == "error" and "raises-exception" not in cell.metadata.get(
                "tags", []
            ):
                found.append((position, f"ends in {output.ename}: {output.evalue}"))
            if graded and output.output_type == "stream" and output.name == "stderr":
                found.append(
                    (position, "writes to stderr in a check cell, which nbgrader marks with 0")
                )
        found.extend((position, f"shows {what}") for what in undescribed_in_outputs(cell.outputs))
    if not_run:
        more = f", and {len(not_run) - 1} more cells" if len(not_run) > 1 else ""
        found.append((not_run[0], f"has not been run since it was changed{more}"))
    return sorted(found)


def machine_paths(notebook: NotebookNode, folders: list[Path]) -> list[tuple[int, str]]:
    """Cells whose outputs show a path of this machine: (position, the path)."""
    names = [str(folder) for folder in folders if folder.name]
    return [
        (position, name)
        for position, cell in enumerate(notebook.cells)
        for name in names
        if f"{name}/" in str(cell.get("outputs", ""))
    ]


def too_large(content: bytes) -> str | None:
    """A sentence if a notebook file exceeds the limit for the repository."""
    kilobytes = len(content) / 1000
    if kilobytes <= MAX_KILOBYTES:
        return None
    return (
        f"the executed notebook has {kilobytes:.0f} KB, more than {MAX_KILOBYTES}. "
        "Draw smaller figures or print less."
    )


def as_bytes(notebook: NotebookNode) -> bytes:
    """The notebook file, the same bytes for the same notebook."""
    return (nbformat.writes(notebook).rstrip("\n") + "\n").encode()
