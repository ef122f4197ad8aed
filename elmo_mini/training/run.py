"""A resumable training run: steps and validations, and checkpoints from which it goes on.

A subclass says what is trained, on what, and with which loss. A run that was stopped or killed goes
on from its checkpoint with the numbers that it would have had.
"""

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from elmo_mini.checkpoints.safetensors_file import (
    CheckpointDamaged,
    optimiser_tensors,
    read_checkpoint,
    restore_optimiser,
    write_checkpoint,
)
from elmo_mini.divergence import check_history
from elmo_mini.training.precision import Precision
from elmo_mini.training.processes import Processes
from elmo_mini.training.same_run import check_same_run

Losses = tuple[float, ...]
Answer = Callable[[Any], object]
"""Called with the run; what it returns stops the run there, if it is true."""


class Run(ABC):
    """A model in training, and how far it has come.

    Parameters
    ----------
    model, optimiser : changed in place
    precision : asked for; see `elmo_mini.training.precision`
    processes : those that share the work; by default this one, on the processor

    Attributes
    ----------
    step : steps done
    seconds : spent on steps and validations, by `clock`
    latest : the losses of the last step, in nats
    validate_every : steps between validations, and one at the end; 0 for none
    """

    steps: int
    """Of the whole run."""
    clock: ClassVar[Callable[[], float]] = time.process_time

    def __init__(
        self,
        model: nn.Module,
        optimiser: torch.optim.Optimizer,
        precision: str = "float32",
        processes: Processes | None = None,
    ) -> None:
        self.model, self.optimiser = model, optimiser
        self.processes = processes or Processes(0, 1, "cpu")
        self.device = self.processes.device
        self.precision = Precision(precision, self.device, speaks=self.processes.first)
        self.step, self.seconds = 0, 0.0
        self.latest: Losses = ()
        self.validate_every = 0
        self._curve: list[float] | None = []  # of a run that was not resumed

    @abstractmethod
    def learn(self) -> Losses:
        """Take one step down the gradient of the loss; its parts, in nats."""

    @abstractmethod
    def validate(self) -> Any:
        """Measure the model on held-out text, and keep what was found in the history."""

    @abstractmethod
    def belongs_to(self) -> dict[str, Any]:
        """Settings and text, as JSON values: a checkpoint of others is refused."""

    @abstractmethod
    def record(self) -> dict[str, Any]:
        """Further JSON values that a checkpoint keeps."""

    @abstractmethod
    def restore(self, tensors: Mapping[str, Tensor], record: Mapping[str, Any]) -> None:
        """Take over what `tensors` and `record` have put into a checkpoint."""

    def tensors(self) -> dict[str, Tensor]:
        """Tensors that a checkpoint keeps beside model and optimiser; all processes call it."""
        return {}

    def note(self, losses: Losses) -> None:  # noqa: B027  (most have nothing to note)
        """Called after each step."""

    def drawing(self) -> AbstractContextManager[object]:
        """Where a run draws from PyTorch's generators, they are its own within."""
        return nullcontext()

    @property
    def finished(self) -> bool:
        """Whether no step is left."""
        return self.step >= self.steps

    @property
    def is_due(self) -> bool:
        """Whether to validate after this step."""
        if not self.validate_every:
            return False
        return self.step % self.validate_every == 0 or self.finished

    def train_step(self) -> Losses:
        """One step; its losses."""
        self.latest = self._timed(self.learn)
        self.step += 1
        self.note(self.latest)
        if self._curve is not None:
            self._curve.append(sum(self.latest))
        return self.latest

    def run(self, after_step: Answer | None = None, after_validation: Answer | None = None) -> bool:
        """Train to the end; False if it was stopped before, and `run` goes on from there."""
        stopped = False
        with self.drawing():
            while not (stopped or self.finished):
                self.train_step()
                if self.is_due:
                    self._timed(self.validate)
                    stopped = after_validation is not None and bool(after_validation(self))
                if after_step is not None:
                    stopped = bool(after_step(self)) or stopped
        if self.finished and self._curve and self.processes.first:
            check_history(self._curve, "lower the learning rate")
            self._curve = None
        return self.finished

    def save(self, path: Path) -> None:
        """Write everything needed to go on; all processes call it, the first one writes."""
        tensors: dict[str, Tensor] = {
            f"model.{name}": weight for name, weight in self.model.named_parameters()
        }
        tensors |= optimiser_tensors(self.optimiser) | self.tensors()
        record = {
            **self.belongs_to(),
            "step": self.step,
            "seconds": self.seconds,
            "precision": self.precision.spans,
            **self.record(),
        }
        if self.processes.first:
            write_checkpoint(path, tensors, record)

    def resume(self, path: Path) -> None:
        """Go on from a checkpoint.

        Raises
        ------
        ConfigurationError
            If it belongs to other settings or another text; the message names what differs.
        CheckpointDamaged
            If the file is truncated, foreign, or not of a run.
        """
        tensors, record = read_checkpoint(path)
        self._curve = None
        if not any(name.startswith("model.") for name in tensors):
            raise CheckpointDamaged(f"{path} holds a model alone, not a run that can go on")
        check_same_run(path, record, self.belongs_to())
        try:
            with torch.no_grad():
                for name, weight in self.model.named_parameters():
                    weight.copy_(tensors[f"model.{name}"])
            restore_optimiser(self.optimiser, tensors)
            self.step, self.seconds = record.get("step", 0), record["seconds"]
            self.restore(tensors, record)
        except (KeyError, RuntimeError, TypeError) as wrong:
            raise CheckpointDamaged(f"{path} is no checkpoint of this run: {wrong}") from wrong
        self.precision.go_on(self.step, record.get("precision") or self._before(record))

    def _before(self, record: Mapping[str, Any]) -> list[tuple[int, str]]:
        """What older records say of the precision, or the present one."""
        settings = record.get("settings") or record.get("training") or {}
        rough = "bfloat16" if settings.get("bfloat16") else "float32"
        return [(0, settings.get("precision", rough) if settings else self.precision.now)]

    def _timed(self, work: Callable[[], Any]) -> Any:
        started = type(self).clock()
        done = work()
        self.seconds += type(self).clock() - started
        return done
