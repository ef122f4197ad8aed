"""Pretraining a biLM on running text: the loop, its settings, its checkpoints.

As in bilm-tf, the authors' code (NAACL ELMo paper, section 3.4): dropout 0.1, clips of 3, tied
token layer and softmax, LSTM states carried from window to window. Every random number of a step
comes from the seed and the step's number, so a checkpoint need not hold a generator's state,
and a run that was killed goes on with the very numbers it would have had.
"""

import hashlib
import math
import sys
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import asdict
from pathlib import Path

import numpy as np
import torch

from elmo_mini.checkpoints.safetensors_file import (
    optimiser_tensors,
    read_checkpoint,
    restore_optimiser,
    write_checkpoint,
)
from elmo_mini.checkpoints.same_run import check_same_run
from elmo_mini.fast.bilm import FastBiLM
from elmo_mini.fast.projected_lstm import State
from elmo_mini.pretraining.objective import BatchMaker, BiLMWithSoftmax, DropoutMasks
from elmo_mini.pretraining.processes import Processes
from elmo_mini.pretraining.settings import History, Settings, build_optimiser
from elmo_mini.pretraining.streams import PackedText, TextStreams
from elmo_mini.recurrent.training import seeded
from elmo_mini.text.vocabulary import Vocabulary


class Pretraining:
    """One run of pretraining: the model and all that is needed to go on with it.

    `text` and `validation` share their table of types, as `elmo_mini.pretraining.text.hold_out`
    makes them.
    """

    def __init__(
        self,
        settings: Settings,
        vocabulary: Vocabulary,
        text: PackedText,
        validation: PackedText,
        processes: Processes | None = None,
        log_every: int = 50,
    ) -> None:
        self.settings, self.vocabulary = settings, vocabulary
        self.processes = processes or Processes(0, 1, "cpu")
        self.device = self.processes.device
        self.log_every = log_every
        batch_size, bptt = settings.batch_size, settings.bptt
        self.share = self.processes.share(batch_size)
        self.streams = TextStreams(
            text, batch_size, bptt, shuffle=settings.shuffle, seed=settings.seed
        )
        # Validation in few rows, so that little of it is lost to the streams' ends.
        few = max(1, min(batch_size, validation.steps // (10 * bptt)))
        self.validation = TextStreams(validation, few, bptt, shuffle=False)
        targets = np.array([vocabulary.id(word) for word in text.types], dtype=np.int64)
        self.batches = BatchMaker(text.types, targets, settings.options.max_characters, self.device)
        digest = hashlib.sha256(text.tokens.tobytes() + validation.tokens.tobytes())
        digest.update("\n".join([*text.types, *vocabulary.words]).encode())
        self.text_digest = digest.hexdigest()

        with seeded(settings.seed, torch.device("cpu")):
            self.model = BiLMWithSoftmax(
                settings.options,
                len(vocabulary),
                settings.softmax,
                settings.sampled,
                settings.dropout,
            ).to(self.device)
        self.parallel = self.processes.wrap(self.model, find_unused=settings.softmax == "adaptive")
        self.optimiser = build_optimiser(settings, self.model)
        self.state: State = self.model.start(self.share.stop - self.share.start)
        self.step = 0
        self.seconds = 0.0
        self.history = History()

    @property
    def bilm(self) -> FastBiLM:
        """The model without its softmax."""
        return self.model.bilm

    @property
    def tokens_per_step(self) -> int:
        """Predictions of each direction in one step, of all processes together."""
        return self.settings.batch_size * self.settings.bptt

    def train_step(self) -> tuple[float, float]:
        """One optimiser step; the losses of the forward and of the backward direction.

        Raises
        ------
        FloatingPointError
            If the loss or its gradient is not finite. The run is then as it was before the step.
        """
        started = time.perf_counter()
        settings, step = self.settings, self.step
        batch = self.batches(self.streams.window(step, self.share))
        # Consecutive numbers make poor seeds for some generators; a sequence mixes them.
        seeds = np.random.SeedSequence((settings.seed, step)).generate_state(2)
        masks = DropoutMasks(int(seeds[0]), self.share, settings.batch_size, self.device)
        with self._precision():
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
        self.step += 1
        self.history.add([forward, backward])
        self.seconds += time.perf_counter() - started
        if self.step % self.log_every == 0 or self.step == settings.steps:
            self.history.note(
                step=self.step,
                tokens=self.step * self.tokens_per_step,
                seconds=round(self.seconds, 2),
                learning_rate=settings.rate(step),
            )
        return forward, backward

    def run(
        self,
        on_step: Callable[["Pretraining", float, float], bool | None] | None = None,
    ) -> bool:
        """Train to the last step; True when it was reached.

        `on_step` is called after every step with the run and the two losses. It may save, and
        stops the run by giving back True.
        """
        while self.step < self.settings.steps:
            forward, backward = self.train_step()
            if on_step is not None and on_step(self, forward, backward):
                break
        return self.step == self.settings.steps

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

    def save(self, path: Path) -> None:
        """Write everything needed to go on; all processes call it, the first one writes."""
        h, c = (self.processes.gather_rows(x) for x in self.state)
        if not self.processes.first:
            return
        tensors = {f"model.{name}": t for name, t in self.model.state_dict().items()}
        tensors |= optimiser_tensors(self.optimiser)
        record = {
            "settings": self.settings.to_dict(),
            "text": self.text_digest,
            "step": self.step,
            "seconds": self.seconds,
            "history": asdict(self.history),
        }
        write_checkpoint(path, {**tensors, "state.h": h, "state.c": c}, record)

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
        check_same_run(
            path, record, {"settings": self.settings.to_dict(), "text": self.text_digest}
        )
        self.model.load_state_dict(
            {k.removeprefix("model."): v for k, v in tensors.items() if k.startswith("model.")}
        )
        restore_optimiser(self.optimiser, tensors)
        h, c = (tensors[f"state.{name}"][:, :, self.share].to(self.device) for name in "hc")
        self.state = (h, c)
        self.step, self.seconds = record["step"], record["seconds"]
        self.history = History(**record["history"])

    def _precision(self) -> AbstractContextManager[object]:
        """bfloat16 products where the settings want them."""
        mixed = self.settings.precision == "bfloat16"
        return torch.autocast(torch.device(self.device).type, torch.bfloat16, enabled=mixed)


def _perplexity(nats: float) -> float:
    return math.exp(nats) if nats < math.log(sys.float_info.max) else math.inf
