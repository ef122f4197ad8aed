"""Run a solution notebook, keep the outputs of earlier runs, and judge what a run left."""

import os
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path

import nbformat
from nbclient.exceptions import CellExecutionError, CellTimeoutError
from nbconvert.preprocessors.coalescestreams import CoalesceStreamsPreprocessor
from nbformat.notebooknode import NotebookNode

from autograde.building.alt_text import undescribed_in_outputs
from autograde.building.lesson_source import Lesson
from autograde.building.long_cells import LONG
from autograde.building.student_version import copy_data_files
from autograde.building.timed_client import CellTime, TimedClient
from autograde.checking.predictions import ASKED
from autograde.grading.instructor_notes import TIMES
from course.figures.picture import UNREADABLE
from course.figures.stored import STORING

MAX_KILOBYTES = 500
WIDGET = "application/vnd.jupyter.widget-view+json"
ERASED = re.compile(r" *\r(?=\n|\Z)")
SLOWEST = 5
# Processor seconds after which a learner wonders whether a cell still runs.
LONGEST_SILENCE = 10
# By the clock, for a cell that never ends; how long a lesson may take is counted otherwise.
HANGS_AFTER = 1800


class RunFailed(RuntimeError):
    """A cell of the solution raised an error or never ended; ``position`` is its place."""

    def __init__(self, position: int, reason: str) -> None:
        super().__init__(reason)
        self.position = position


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
    with tempfile.TemporaryDirectory(prefix="run_") as folder:
        copy_data_files(lesson, Path(folder))
        client = TimedClient(
            notebook,
            timeout=timeout,
            kernel_name="python3",
            resources={"metadata": {"path": folder}},
            record_timing=False,
            store_widget_state=False,
        )
        try:
            # One thread, as `make lab` gives a learner's kernel.
            client.execute(env={**os.environ, "OMP_NUM_THREADS": "1", STORING: "1"})
        except CellExecutionError as error:
            raise RunFailed(client.running, f"{error.ename}: {error.evalue}") from error
        except CellTimeoutError as error:
            raise RunFailed(client.running, f"no end after {timeout} s") from error
    notebook.metadata = metadata
    times = client.times
    names = {time.position: notebook.cells[time.position]["id"] for time in times}
    quiet = sorted(times, key=lambda time: -time.silence)[:SLOWEST]
    notebook.metadata[TIMES] = {
        "lesson": round(sum(time.seconds for time in times), 1),
        "slowest cells": {names[time.position]: round(time.seconds, 1) for time in slowest(times)},
        "longest silences": {names[time.position]: round(time.silence, 1) for time in quiet},
    }
    _as_left_on_the_screen(notebook)
    return times


def _as_left_on_the_screen(notebook: NotebookNode) -> None:
    """Drop what a reader of the stored notebook cannot see: overwritten lines, widgets' views."""
    CoalesceStreamsPreprocessor().preprocess(notebook, {})
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            # A widget's state is not stored, so its view would be an empty box.
            for form in (WIDGET, ASKED):
                output.get("data", {}).pop(form, None)
            if output.output_type == "stream":
                output.text = ERASED.sub("", output.text)
        if "outputs" in cell:
            cell.outputs = [o for o in cell.outputs if o.output_type != "stream" or o.text.strip()]


def slowest(times: list[CellTime]) -> list[CellTime]:
    """The few cells that took longest and all that are long, the longest first."""
    long = sum(time.seconds > LONG for time in times)
    return sorted(times, key=lambda time: -time.seconds)[: max(SLOWEST, long)]


def faults(
    notebook: NotebookNode, longest_silence: float = LONGEST_SILENCE
) -> list[tuple[int, str]]:
    """What an executed notebook must not hold: (position of the cell, what is wrong)."""
    found: list[tuple[int, str]] = []
    not_run = []
    silences = notebook.metadata.get(TIMES, {}).get("longest silences", {})
    for position, cell in enumerate(notebook.cells):
        if cell.cell_type != "code" or not cell.source.strip():
            continue
        if cell.execution_count is None:
            not_run.append(position)
            continue
        graded = cell.metadata.get("nbgrader", {}).get("grade", False)
        if graded and not any(o.output_type == "execute_result" for o in cell.outputs):
            found.append((position, "is a check cell without a result"))
        found.extend((position, said) for said in (_lost_points(cell) if graded else ()))
        for output in cell.outputs:
            if output.output_type == "error" and "raises-exception" not in cell.metadata.get(
                "tags", []
            ):
                found.append((position, f"ends in {output.ename}: {output.evalue}"))
            if graded and output.output_type == "stream" and output.name == "stderr":
                found.append(
                    (position, "writes to stderr in a check cell, which nbgrader marks with 0")
                )
            for what in output.get("metadata", {}).get(UNREADABLE, []):
                found.append((position, f"draws a figure in which {what}"))
        found.extend((position, f"shows {what}") for what in undescribed_in_outputs(cell.outputs))
        silence = silences.get(cell["id"], 0)
        if silence > longest_silence:
            found.append(
                (
                    position,
                    f"shows nothing for {silence:.0f} s of processor time, more than "
                    f"{longest_silence:g}: give its work a bar (elmo_mini.progress)",
                )
            )
    if not_run:
        more = f", and {len(not_run) - 1} more cells" if len(not_run) > 1 else ""
        found.append((not_run[0], f"has not been run since it was changed{more}"))
    return sorted(found)


def _lost_points(cell: NotebookNode) -> Iterator[str]:
    """What a check took off the solution, say because a busy machine ended it too early."""
    most = float(cell.metadata["nbgrader"]["points"])
    for output in cell.outputs:
        if output.output_type == "execute_result":
            try:
                earned = float(output.data.get("text/plain", ""))
            except ValueError:
                yield "is a check cell whose result is no number"
                continue
            if earned < most:
                yield f"earns {earned:g} of {most:g} points: the solution must earn all"


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
