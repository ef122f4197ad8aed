"""Pretraining a biLM on running text: its step, its validation, and what its checkpoints keep.

As in bilm-tf, the authors' code (NAACL ELMo paper, section 3.4): dropout 0.1, clips of 3, tied
token layer and softmax, LSTM states carried from window to window. Every random number of a step
comes from the seed and the step's number, so a checkpoint need not hold a generator's state.
"""

import hashlib
import math
import sys
import time
from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any

import numpy as np
import torch
from torch import Tensor

from elmo_mini.fast.bilm import FastBiLM
from elmo_mini.fast.projected_lstm import State
from elmo_mini.text.vocabulary import Vocabulary
from elmo_mini.training.pretraining.objective import BatchMaker, BiLMWithSoftmax, DropoutMasks
from elmo_mini.training.pretraining.settings import History, Settings, build_optimiser
from elmo_mini.training.pretraining.streams import PackedText, TextStreams
from elmo_mini.training.processes import Processes
from elmo_mini.training.run import Run
from elmo_mini.training.steps import seeded


class Pretraining(Run):
    """One run of pretraining a biLM.

    `text` and `validation` share their table of types, as
    `elmo_mini.training.pretraining.text.hold_out` makes them.
    """

    model: BiLMWithSoftmax
    clock = time.perf_counter

    def __init__(
        self,
        settings: Settings,
        vocabulary: Vocabulary,
        text: PackedText,
        validation: PackedText,
        processes: Processes | None = None,
        log_every: int = 50,
    ) -> None:
        processes = processes or Processes(0, 1, "cpu")
        batch_size, bptt = settings.batch_size, settings.bptt
        self.share = processes.share(batch_size)
        self.streams = TextStreams(
            text, batch_size, bptt, shuffle=settings.shuffle, seed=settings.seed
        )
        # Validation in few rows, so that little of it is lost to the streams' ends.
        few = max(1, min(batch_size, validation.steps // (10 * bptt)))
        self.validation = TextStreams(validation, few, bptt, shuffle=False)
        with seeded(settings.seed, torch.device("cpu")):
            model = BiLMWithSoftmax(
                settings.options,
                len(vocabulary),
                settings.softmax,
                settings.sampled,
                settings.dropout,
            ).to(processes.device)
        super().__init__(model, build_optimiser(settings, model), settings.precision, processes)
        self.settings = replace(settings, precision=self.precision.now)
        self.steps, self.vocabulary, self.log_every = settings.steps, vocabulary, log_every
        self.parallel = processes.wrap(model, find_unused=settings.softmax == "adaptive")
        targets = np.array([vocabulary.id(word) for word in text.types], dtype=np.int64)
        self.batches = BatchMaker(text.types, targets, settings.options.max_characters, self.device)
        digest = hashlib.sha256(text.tokens.tobytes() + validation.tokens.tobytes())
        digest.update("\n".join([*text.types, *vocabulary.words]).encode())
        self.text_digest = digest.hexdigest()
        self.state: State = model.start(self.share.stop - self.share.start)
        self.history = History()

    @property
    def bilm(self) -> FastBiLM:
        """The model without its softmax."""
        return self.model.bilm

    @property
    def tokens_per_step(self) -> int:
        """Predictions of each direction in one step, of all processes together."""
        return self.settings.batch_size * self.settings.bptt

    def learn(self) -> tuple[float, float]:
        """One optimiser step; the losses of the forward and of the backward direction.

        Raises
        ------
        FloatingPointError
            If the loss or its gradient is not finite. The run is then as it was before the step.
        """
        settings, step = self.settings, self.step
        batch = self.batches(self.streams.window(step, self.share))
        # Consecutive numbers make poor seeds for some generators; a sequence mixes them.
        seeds = np.random.SeedSequence((settings.seed, step)).generate_state(2)
        masks = DropoutMasks(int(seeds[0]), self.share, settings.batch_size, self.device)
        with self.precision.autocast():
            losses, state = self.parallel(batch, self.state, masks, int(seeds[1]))
        # bilm-tf minimises the sum over a window, which matters to Adagrad's accumulator alone.
        scale = settings.bptt if settings.optimiser == "adagrad" else 1
        self.optimiser.zero_grad(set_to_none=True)
        (losses.mean() * scale).backward()
        norm = float(torch.nn.utils.clip_grad_norm_(self.model.parameters(), settings.clip))
        forward, backward = self.processes.mean(losses.detach().float()).tolist()
        if not math.isfinite(forward + backward + norm):
            raise FloatingPointError(
                f"at step {step + 1} the losses are {forward:.4g} and {backward:.4g}, the "
                f"gradient's norm {norm:.4g}; lower the learning rate"
            )
        for group in self.optimiser.param_groups:
            group["lr"] = settings.rate(step)
        self.optimiser.step()
        self.state = state
        return forward, backward

    def note(self, losses: tuple[float, ...]) -> None:
        """Enter the losses into the loss curve."""
        self.history.add(list(losses))
        if self.step % self.log_every == 0 or self.finished:
            self.history.note(
                step=self.step,
                tokens=self.step * self.tokens_per_step,
                seconds=round(self.seconds, 2),
                learning_rate=self.settings.rate(self.step - 1),
            )

    @torch.no_grad()
    def validate(self) -> dict[str, float]:
        """Perplexity of both directions on the validation text: exact softmax, float32.

        Perplexity is exp(mean -log p a token), where words outside the vocabulary count as one
        unknown word and a sentence's end as a token; ``both`` is exp of the directions' mean.
        """
        total = torch.zeros(2, dtype=torch.float64)
        state = self.model.start(self.validation.batch_size)
        self.model.eval()
        for number in range(self.validation.windows_per_epoch):
            losses, state = self.model(self.batches(self.validation.window(number)), state)
            total += losses.double().cpu()
        self.model.train()
        forward, backward = (total / self.validation.windows_per_epoch).tolist()
        entry = {
            "step": self.step,
            "forward": _perplexity(forward),
            "backward": _perplexity(backward),
            "both": _perplexity((forward + backward) / 2),
        }
        self.history.validation.append(entry)
        return entry

    def belongs_to(self) -> dict[str, Any]:
        """Settings and text."""
        return {"settings": self.settings.to_dict(), "text": self.text_digest}

    def tensors(self) -> dict[str, Tensor]:
        """The states of all processes' rows."""
        h, c = (self.processes.gather_rows(x) for x in self.state)
        return {"state.h": h, "state.c": c}

    def record(self) -> dict[str, Any]:
        """The loss curve."""
        return {"history": asdict(self.history)}

    def restore(self, tensors: Mapping[str, Tensor], record: Mapping[str, Any]) -> None:
        """Take over states and loss curve."""
        h, c = (tensors[f"state.{name}"][:, :, self.share].to(self.device) for name in "hc")
        self.state, self.history = (h, c), History(**record["history"])


def _perplexity(nats: float) -> float:
    return math.exp(nats) if nats < math.log(sys.float_info.max) else math.inf
