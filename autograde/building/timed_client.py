"""Runs a notebook and counts, in processor seconds, what each cell takes and is silent for.

Processor seconds do not depend on what else the machine does.
"""

from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import psutil
from nbclient import NotebookClient
from nbformat.notebooknode import NotebookNode

SIGNS_OF_LIFE = {
    "stream",
    "display_data",
    "update_display_data",
    "execute_result",
    "clear_output",
    "comm_msg",
    "error",
}


@dataclass(frozen=True)
class CellTime:
    """Processor seconds of one code cell; ``position`` is its place in the notebook.

    Attributes
    ----------
    silence : the longest stretch in which nothing was shown
    """

    position: int
    seconds: float
    silence: float


class TimedClient(NotebookClient):
    """nbclient's `NotebookClient` that keeps a `CellTime` of every code cell it ran."""

    def __init__(self, notebook: NotebookNode, **options: Any) -> None:
        self.times: list[CellTime] = []
        self.running = -1
        self._started = self._heard = self._silence = 0.0
        options |= {"on_cell_execute": self._on_start, "on_cell_executed": self._on_end}
        super().__init__(notebook, **options)

    def process_message(
        self, msg: dict[str, Any], cell: NotebookNode, cell_index: int
    ) -> NotebookNode | None:
        """Note when the cell showed something, then do as nbclient does."""
        if msg["msg_type"] in SIGNS_OF_LIFE:
            self._hear()
        return super().process_message(msg, cell, cell_index)

    def _on_start(self, cell: NotebookNode, cell_index: int) -> None:
        self.running = cell_index
        self._started = self._heard = self._processor_seconds()
        self._silence = 0.0

    def _on_end(self, cell: NotebookNode, cell_index: int, **_: object) -> None:
        self._hear()
        self.times.append(CellTime(cell_index, self._heard - self._started, self._silence))

    def _hear(self) -> None:
        now = self._processor_seconds()
        self._silence, self._heard = max(self._silence, now - self._heard), now

    def _processor_seconds(self) -> float:
        """What the kernel has taken so far, with its children, those that ended too."""
        manager: Any = self.km
        kernel = psutil.Process(manager.provisioner.pid)
        taken = 0.0
        for process in (kernel, *kernel.children(recursive=True)):
            with suppress(psutil.NoSuchProcess):
                times = process.cpu_times()
                taken += times.user + times.system + times.children_user + times.children_system
        return taken
