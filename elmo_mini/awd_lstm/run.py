"""One run of training an AWD-LSTM that can be stopped, saved, and gone on with.

A checkpoint holds the weights, the optimiser, the mean of the weights, the place in the text with
the state there, and the generators. A run that goes on draws what it would have drawn.

Letters in the shape comments: N ids of text, B rows, L ids of a row, T steps of a window.
"""

import hashlib
import time
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import asdict
from pathlib import Path
from typing import Any, cast

import numpy as np
import torch
from torch import Tensor, nn

from elmo_mini.awd_lstm.training_options import AWDHistory, AWDTraining, awd_perplexity
from elmo_mini.awd_lstm.varying_windows import VaryingWindow, varying_windows
from elmo_mini.checkpoints.safetensors_file import (
    optimiser_tensors,
    read_checkpoint,
    restore_optimiser,
    write_checkpoint,
)
from elmo_mini.checkpoints.same_run import check_same_run
from elmo_mini.models.awd_lstm import (
    AWDLSTM,
    States,
    WeightAverage,
    activation_regularisation,
    averaging_is_due,
    detached,
    next_word_loss,
    set_parameters,
    temporal_activation_regularisation,
)
from elmo_mini.pretraining.softmax import SampledSoftmax
from elmo_mini.recurrent.training import device_of, seeded
from elmo_mini.text.running_text import next_word_windows, stream_rows

WARM_UP = 0.1


class AWDRun:
    """A model, its text, and how far it has come.

    Parameters
    ----------
    model : trained in place
    text, validation : running text (N,) and (M,) in reading order
    options : how it is trained
    """

    def __init__(
        self, model: AWDLSTM, text: Tensor, validation: Tensor, options: AWDTraining
    ) -> None:
        self.model, self.validation, self.options = model, validation, options
        self.device = device_of(model)
        self.rows = stream_rows(text.to(self.device), options.batch_size)  # (B, L)
        self.random = np.random.default_rng(options.seed)
        kind = torch.optim.AdamW if self._adam else torch.optim.SGD
        self.optimiser = kind(
            model.parameters(), lr=options.learning_rate, weight_decay=options.weight_decay
        )
        self.sampled = _tied_sample(model, options.sampled) if options.sampled else None
        self.average: WeightAverage | None = None
        self.best: list[Tensor] = []
        self.history = AWDHistory()
        self.state: States | None = None
        self.losses: list[float] = []
        self.epoch = self.place = self.steps = 0
        self.seconds = 0.0
        self._drawn: list[Tensor] = []
        digest = hashlib.sha256(text.cpu().numpy().tobytes() + validation.cpu().numpy().tobytes())
        self.text_digest = digest.hexdigest()

    @property
    def _adam(self) -> bool:
        return self.options.optimiser == "adam"

    def run(
        self,
        after_step: Callable[[int], Any] | None = None,
        after_epoch: Callable[[AWDHistory], Any] | None = None,
    ) -> bool:
        """Train to the end of the last epoch; False if it was stopped before.

        Parameters
        ----------
        after_step : called with the number of windows done; if it returns True, the run stops
            there, and `run` goes on from there
        after_epoch : called with the history; if it returns True, the run stops
        """
        with seeded(self.options.seed, self.device):
            self._set_generators()
            begun = time.process_time() - self.seconds
            while self.epoch < self.options.epochs:
                self.model.train()
                for window in self._windows():
                    self._step(window)
                    self.seconds = time.process_time() - begun
                    self._note_generators()
                    if after_step is not None and after_step(self.steps):
                        return False
                self.end_epoch()
                self.history.seconds = self.seconds = time.process_time() - begun
                if after_epoch is not None and after_epoch(self.history):
                    return False
        return True

    def end_epoch(self) -> None:
        """Validate what has been learnt so far, and begin the next epoch."""
        self.history.training.append(float(np.mean(self.losses)))
        seen = self.history.validation
        with self.average.applied() if self.average is not None else nullcontext():
            seen.append(awd_perplexity(self.model, self.validation))
            if self.options.keep_best and seen[-1] == min(seen):
                self.best = [parameter.detach().clone() for parameter in self.model.parameters()]
        self.epoch, self.place = self.epoch + 1, 0
        self.state, self.losses = None, []
        due = averaging_is_due(seen, self.options.patience)
        if not self._adam and self.average is None and due:
            self.average = WeightAverage(self.model)
            self.history.averaging_since = self.epoch

    def close(self) -> None:
        """Give the model its final weights, the best or the averaged ones if there are any."""
        if self.best:
            set_parameters(self.model, self.best)
        elif self.average is not None:
            self.average.keep()
        self.model.eval()

    def save(self, path: Path) -> None:
        """Write everything needed to go on."""
        tensors: dict[str, Tensor] = {
            f"model.{name}": parameter for name, parameter in self.model.named_parameters()
        }
        tensors |= optimiser_tensors(self.optimiser)
        rows = {"best": self.best, "average": self.average.means if self.average else []}
        rows["state"] = [part for pair in self.state or [] for part in pair]
        rows["drawn"] = self._drawn
        for name, row in rows.items():
            tensors |= {f"{name}.{number}": tensor for number, tensor in enumerate(row)}
        record = {
            **self._belongs_to(),
            "place": [self.epoch, self.place, self.steps],
            "averaged": self.average.count if self.average else None,
            "losses": self.losses,
            "seconds": self.seconds,
            "history": asdict(self.history),
            "lengths": self.random.bit_generator.state,
        }
        write_checkpoint(path, tensors, record)

    def resume(self, path: Path) -> None:
        """Go on from a checkpoint.

        Raises
        ------
        ConfigurationError
            If it belongs to other settings or another text; the message names what differs.
        CheckpointDamaged
            If the file is truncated or foreign.
        """
        tensors, record = read_checkpoint(path)
        check_same_run(path, record, self._belongs_to())

        def row(name: str) -> list[Tensor]:
            numbers = range(sum(key.startswith(f"{name}.") for key in tensors))
            return [tensors[f"{name}.{number}"] for number in numbers]

        with torch.no_grad():
            for name, parameter in self.model.named_parameters():
                parameter.copy_(tensors[f"model.{name}"])
        restore_optimiser(self.optimiser, tensors)
        self.best = [tensor.to(self.device) for tensor in row("best")]
        if record["averaged"] is not None:
            self.average = WeightAverage(self.model)
            self.average.means = [tensor.to(self.device) for tensor in row("average")]
            self.average.count = record["averaged"]
        parts = [tensor.to(self.device) for tensor in row("state")]
        self.state = list(zip(parts[::2], parts[1::2], strict=True)) or None
        self._drawn = row("drawn")
        self.epoch, self.place, self.steps = record["place"]
        self.losses, self.seconds = record["losses"], record["seconds"]
        self.history = AWDHistory(**record["history"])
        self.random.bit_generator.state = record["lengths"]

    def _belongs_to(self) -> dict[str, Any]:
        return {
            "model": asdict(self.model.options),
            "training": asdict(self.options),
            "text": self.text_digest,
        }

    def _step(self, window: VaryingWindow) -> None:
        inputs, targets, factor = window  # (B, T), (B, T)
        options, model = self.options, self.model
        rate = options.learning_rate * (self._one_cycle() if self._adam else 1.0)
        for group in self.optimiser.param_groups:
            group["lr"] = rate * factor
        with torch.autocast(inputs.device.type, torch.bfloat16, options.bfloat16):
            outputs, state = model.encode(inputs, self.state and detached(self.state))
            dropped = model.output_dropout(outputs)
            if self.sampled is None:
                loss = next_word_loss(model.decoder(dropped), targets)
            else:
                loss = self.sampled(dropped.flatten(0, 1), targets.flatten(), self.steps).mean()
        minimised = (
            loss
            + activation_regularisation(dropped.float(), options.alpha)
            + temporal_activation_regularisation(outputs.float(), options.beta)
        )
        self.optimiser.zero_grad()
        minimised.backward()
        nn.utils.clip_grad_norm_(model.parameters(), options.clip)
        self.optimiser.step()
        if self.average is not None:
            self.average.update()
        self.losses.append(loss.item())
        self.state = state
        self.place += inputs.shape[1]
        self.steps += 1

    def _windows(self) -> Iterator[VaryingWindow]:
        """Those that are left of the epoch."""
        rows, bptt = self.rows[:, self.place :], self.options.bptt
        if self.options.vary:
            return varying_windows(rows, bptt, self.random)
        return (VaryingWindow(x, y, x.shape[1] / bptt) for x, y in next_word_windows(rows, bptt))

    def _one_cycle(self) -> float:
        """The factor on the highest rate: up in a straight line, then down in one."""
        words = self.rows.shape[1] - 1
        done = (self.epoch * words + self.place) / (self.options.epochs * words)
        return min((done + 1e-3) / WARM_UP, (1 - done) / (1 - WARM_UP), 1.0)

    def _note_generators(self) -> None:
        self._drawn = [torch.get_rng_state()]
        if self.device.type == "cuda":
            self._drawn.append(torch.cuda.get_rng_state(self.device))

    def _set_generators(self) -> None:
        """Go on with the random numbers where the run stopped; at its start, from the seed."""
        for number, state in enumerate(self._drawn):
            if number:
                torch.cuda.set_rng_state(state, self.device)
            else:
                torch.set_rng_state(state)


def train_awd_lstm(
    model: AWDLSTM,
    text: Tensor,
    validation: Tensor,
    options: AWDTraining | None = None,
    *,
    after_step: Callable[[int], Any] | None = None,
    after_epoch: Callable[[AWDHistory], Any] | None = None,
) -> AWDHistory:
    """Train on running text (N,) in reading order; at the end the model has its averaged weights.

    Parameters
    ----------
    validation : held-out running text (M,) in reading order
    after_step : called with the number of windows done; if it returns True, training ends
    after_epoch : called with the history; if it returns True, training ends
    """
    run = AWDRun(model, text, validation, options or AWDTraining())
    if not run.run(after_step, after_epoch) and run.losses:
        run.end_epoch()
    run.close()
    return run.history


def _tied_sample(model: AWDLSTM, sampled: int) -> SampledSoftmax:
    """A sampled softmax that trains the model's own decoder."""
    words, size = model.decoder.weight.shape
    softmax = SampledSoftmax(size, words, sampled)
    softmax.weight = cast(nn.Parameter, model.decoder.weight)
    softmax.bias = model.decoder.bias
    return softmax
