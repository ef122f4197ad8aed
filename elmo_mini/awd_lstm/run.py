"""Training an AWD-LSTM: a window as a step, an epoch's end, and what its checkpoints keep.

A checkpoint holds, beside weights and optimiser, the mean of the weights, the place in the text
with the state there, and the generators. A run that goes on draws what it would have drawn.

Letters in the shape comments: N ids of text, B rows, L ids of a row, T steps of a window.
"""

import hashlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import asdict, replace
from typing import Any, cast

import numpy as np
import torch
from torch import Tensor, nn

from elmo_mini.awd_lstm.training_options import AWDHistory, AWDTraining, awd_perplexity
from elmo_mini.awd_lstm.varying_windows import VaryingWindow, varying_windows
from elmo_mini.divergence import check_finite
from elmo_mini.errors import ConfigurationError
from elmo_mini.models.awd_lstm import (
    AWDLSTM,
    States,
    WeightAverage,
    activation_regularisation,
    averaging_is_due,
    detached,
    mean_cross_entropy,
    set_parameters,
    temporal_activation_regularisation,
)
from elmo_mini.text.running_text import next_word_windows, stream_rows
from elmo_mini.training.pretraining.softmax import SampledSoftmax
from elmo_mini.training.processes import Processes
from elmo_mini.training.run import Run
from elmo_mini.training.steps import device_of, seeded

WARM_UP = 0.1


class AWDRun(Run):
    """A model, its text, and how far it has come.

    Parameters
    ----------
    model : trained in place
    text, validation : running text (N,) and (M,) in reading order
    options : how it is trained
    """

    model: AWDLSTM

    def __init__(
        self, model: AWDLSTM, text: Tensor, validation: Tensor, options: AWDTraining
    ) -> None:
        kind = torch.optim.AdamW if options.optimiser == "adam" else torch.optim.SGD
        rate, decay = options.learning_rate, options.weight_decay
        optimiser = kind(model.parameters(), lr=rate, weight_decay=decay)
        self._at = device_of(model)
        alone = Processes(0, 1, str(self._at))
        super().__init__(model, optimiser, "bfloat16" if options.bfloat16 else "float32", alone)
        if len(validation) < 2:  # said now, and not after an epoch
            raise ConfigurationError(
                f"{len(validation)} words are held out; two are the fewest to validate on. Give "
                "more text, or hold out more of it"
            )
        self.options = replace(options, bfloat16=self.precision.now == "bfloat16")
        self.validation = validation
        self.rows = stream_rows(text.to(self._at), options.batch_size)  # (B, L)
        self.words = self.rows.shape[1] - 1  # targets of a row
        self.random = np.random.default_rng(options.seed)
        self.sampled = _tied_sample(model, options.sampled) if options.sampled else None
        self.average: WeightAverage | None = None
        self.best: list[Tensor] = []
        self.history = AWDHistory()
        self.state: States | None = None
        self.losses: list[float] = []
        self.epoch = self.place = 0
        self._drawn: list[Tensor] = []
        self._windows: Iterator[VaryingWindow] | None = None
        digest = hashlib.sha256(text.cpu().numpy().tobytes() + validation.cpu().numpy().tobytes())
        self.text_digest = digest.hexdigest()

    @property
    def _adam(self) -> bool:
        return self.options.optimiser == "adam"

    @property
    def steps(self) -> int:  # type: ignore[override]
        """About so many: windows are of drawn length."""
        return max(self.step, self.options.epochs * self.words // self.options.bptt)

    @property
    def finished(self) -> bool:
        """Whether all epochs are done."""
        return self.epoch >= self.options.epochs

    @property
    def is_due(self) -> bool:
        """At the end of each epoch."""
        return self.place >= self.words

    @contextmanager
    def drawing(self) -> Iterator[None]:
        """Random numbers from the seed, or from where the run stopped."""
        with seeded(self.options.seed, self._at):
            for number, state in enumerate(self._drawn):
                if number:
                    torch.cuda.set_rng_state(state, self._at)
                else:
                    torch.set_rng_state(state)
            yield

    def validate(self) -> float:
        """Perplexity at the end of an epoch, or of what there is of it; the next one begins."""
        self.history.training.append(float(np.mean(self.losses)))
        seen = self.history.validation
        with self.average.applied() if self.average is not None else nullcontext():
            seen.append(awd_perplexity(self.model, self.validation))
            check_finite(f"lower learning_rate={self.options.learning_rate}", perplexity=seen[-1])
            if self.options.keep_best and seen[-1] == min(seen):
                self.best = [parameter.detach().clone() for parameter in self.model.parameters()]
        self.epoch, self.place = self.epoch + 1, 0
        self.state, self.losses, self._windows = None, [], None
        due = averaging_is_due(seen, self.options.patience)
        if not self._adam and self.average is None and due:
            self.average = WeightAverage(self.model)
            self.history.averaging_since = self.epoch
        self.history.seconds = self.seconds
        return seen[-1]

    def close(self) -> None:
        """Give the model its final weights, the best or the averaged ones if there are any."""
        if self.best:
            set_parameters(self.model, self.best)
        elif self.average is not None:
            self.average.keep()
        self.model.eval()

    def belongs_to(self) -> dict[str, Any]:
        """Sizes, settings and text."""
        return {
            "model": asdict(self.model.options),
            "training": asdict(self.options),
            "text": self.text_digest,
        }

    def tensors(self) -> dict[str, Tensor]:
        """The best weights, the averaged ones, the state, and what the generators had drawn."""
        rows = {"best": self.best, "average": self.average.means if self.average else []}
        rows["state"] = [part for pair in self.state or [] for part in pair]
        rows["drawn"] = self._drawn
        return {f"{name}.{n}": x for name, row in rows.items() for n, x in enumerate(row)}

    def record(self) -> dict[str, Any]:
        """The place in the text, and what was seen so far."""
        return {
            "place": [self.epoch, self.place, self.step],
            "averaged": self.average.count if self.average else None,
            "losses": self.losses,
            "history": asdict(self.history),
            "lengths": self.random.bit_generator.state,
        }

    def restore(self, tensors: Mapping[str, Tensor], record: Mapping[str, Any]) -> None:
        """Take over all of that."""

        def row(name: str) -> list[Tensor]:
            numbers = range(sum(key.startswith(f"{name}.") for key in tensors))
            return [tensors[f"{name}.{number}"] for number in numbers]

        self.best = [tensor.to(self._at) for tensor in row("best")]
        if record["averaged"] is not None:
            self.average = WeightAverage(self.model)
            self.average.means = [tensor.to(self._at) for tensor in row("average")]
            self.average.count = record["averaged"]
        parts = [tensor.to(self._at) for tensor in row("state")]
        self.state = list(zip(parts[::2], parts[1::2], strict=True)) or None
        self._drawn, self._windows = row("drawn"), None
        self.epoch, self.place, self.step = record["place"]
        self.losses, self.history = record["losses"], AWDHistory(**record["history"])
        self.random.bit_generator.state = record["lengths"]
        if self.is_due:  # older checkpoints were also written before an epoch's end was seen to
            self.validate()

    def learn(self) -> tuple[float]:
        """One window of text, with the penalties AR and TAR; its loss without them."""
        self.model.train()
        if self._windows is None:
            self._windows = self._windows_left()
        inputs, targets, factor = next(self._windows)  # (B, T), (B, T)
        options, model = self.options, self.model
        rate = options.learning_rate * (self._one_cycle() if self._adam else 1.0)
        for group in self.optimiser.param_groups:
            group["lr"] = rate * factor
        with self.precision.autocast():
            outputs, state = model.encode(inputs, self.state and detached(self.state))
            dropped = model.output_dropout(outputs)
            if self.sampled is None:
                loss = mean_cross_entropy(model.decoder(dropped), targets)
            else:
                loss = self.sampled(dropped.flatten(0, 1), targets.flatten(), self.step).mean()
        minimised = (
            loss
            + activation_regularisation(dropped.float(), options.alpha)
            + temporal_activation_regularisation(outputs.float(), options.beta)
        )
        self.optimiser.zero_grad()
        minimised.backward()
        norm = float(nn.utils.clip_grad_norm_(model.parameters(), options.clip))
        check_finite(
            f"lower learning_rate={options.learning_rate}", loss=minimised.item(), gradient=norm
        )
        self.optimiser.step()
        if self.average is not None:
            self.average.update()
        self.losses.append(loss.item())
        self.state = state
        self.place += inputs.shape[1]
        self._drawn = [torch.get_rng_state()]
        if self._at.type == "cuda":
            self._drawn.append(torch.cuda.get_rng_state(self._at))
        return (self.losses[-1],)

    def _windows_left(self) -> Iterator[VaryingWindow]:
        """Those that are left of the epoch."""
        rows, bptt = self.rows[:, self.place :], self.options.bptt
        if self.options.vary:
            return varying_windows(rows, bptt, self.random)
        return (VaryingWindow(x, y, x.shape[1] / bptt) for x, y in next_word_windows(rows, bptt))

    def _one_cycle(self) -> float:
        """The factor on the highest rate: up in a straight line, then down in one."""
        done = (self.epoch * self.words + self.place) / (self.options.epochs * self.words)
        return min((done + 1e-3) / WARM_UP, (1 - done) / (1 - WARM_UP), 1.0)


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
    run.run(
        lambda run: after_step is not None and after_step(run.step),
        lambda run: after_epoch is not None and after_epoch(run.history),
    )
    if run.losses:
        run.validate()
    run.close()
    return run.history


def _tied_sample(model: AWDLSTM, sampled: int) -> SampledSoftmax:
    """A sampled softmax that trains the model's own decoder."""
    words, size = model.decoder.weight.shape
    softmax = SampledSoftmax(size, words, sampled)
    softmax.weight = cast(nn.Parameter, model.decoder.weight)
    softmax.bias = model.decoder.bias
    return softmax
