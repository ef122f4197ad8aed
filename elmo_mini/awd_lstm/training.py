"""Training an AWD-LSTM: varying windows, AR and TAR, and one of two optimisers.

``nt-asgd`` is the paper's: SGD at a high, constant rate, and weight averaging once validation
stalls. It wants many epochs. ``adam``, its rate rising and falling once, is what fastai's
successor of the recipe uses; it is the better one for few epochs.

Letters in the shape comments: N ids of text, B rows, T steps, V words.
"""

import time
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np
import torch
from torch import Tensor, nn

from elmo_mini.awd_lstm.averaging import (
    PATIENCE,
    WeightAverage,
    averaging_is_due,
    set_parameters,
)
from elmo_mini.awd_lstm.model import AWDLSTM, States, detached, next_word_loss
from elmo_mini.awd_lstm.regularisation import (
    activation_regularisation,
    temporal_activation_regularisation,
)
from elmo_mini.awd_lstm.windows import varying_windows
from elmo_mini.errors import ConfigurationError
from elmo_mini.pretraining.softmax import SampledSoftmax
from elmo_mini.recurrent.language_model import perplexity
from elmo_mini.recurrent.training import device_of, evaluating, seeded
from elmo_mini.text.running_text import next_word_windows, stream_rows

OPTIMISERS = ("nt-asgd", "adam")
WARM_UP = 0.1


@dataclass(frozen=True, kw_only=True)
class AWDTraining:
    """How an AWD-LSTM is trained.

    Attributes
    ----------
    epochs : passes over the text
    batch_size : parallel rows
    bptt : the centre of the drawn window lengths
    vary : draw the lengths; otherwise every window has `bptt` steps
    optimiser : ``nt-asgd`` or ``adam``
    learning_rate : SGD's constant rate, or Adam's highest
    weight_decay : lambda of the L2 penalty
    clip : the largest norm of a gradient
    alpha, beta : of AR and TAR
    patience : epochs that NT-ASGD's trigger leaves out
    keep_best : end with the weights that validation liked best, not the last ones
    seed : of dropout and window lengths
    bfloat16 : compute products in 16 bits
    sampled : train against so many words in place of the whole softmax; 0 for the whole one
    """

    epochs: int = 1
    batch_size: int = 20
    bptt: int = 70
    vary: bool = True
    optimiser: str = "nt-asgd"
    learning_rate: float = 30.0
    weight_decay: float = 1.2e-6
    clip: float = 0.25
    alpha: float = 2.0
    beta: float = 1.0
    patience: int = PATIENCE
    keep_best: bool = False
    seed: int = 0
    bfloat16: bool = False
    sampled: int = 0

    def __post_init__(self) -> None:
        if self.optimiser not in OPTIMISERS:
            raise ConfigurationError(
                f"optimiser is {self.optimiser!r}; it must be {' or '.join(OPTIMISERS)}"
            )


@dataclass
class AWDHistory:
    """What a run has seen: one entry an epoch.

    Attributes
    ----------
    training : mean loss of the epoch's windows with dropout, in nats a word, without penalties
    validation : perplexity on the held-out text, without dropout
    averaging_since : number of the epoch at whose end averaging began
    seconds : processor time so far
    """

    training: list[float] = field(default_factory=list)
    validation: list[float] = field(default_factory=list)
    averaging_since: int | None = None
    seconds: float = 0.0


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
    options = options or AWDTraining()
    rows = stream_rows(text.to(device_of(model)), options.batch_size)
    random = np.random.default_rng(options.seed)
    adam = options.optimiser == "adam"
    kind = torch.optim.AdamW if adam else torch.optim.SGD
    optimiser = kind(
        model.parameters(), lr=options.learning_rate, weight_decay=options.weight_decay
    )
    sampled = _tied_sample(model, options.sampled) if options.sampled else None
    average: WeightAverage | None = None
    best: list[Tensor] = []
    history = AWDHistory()
    begun = time.process_time()
    words = options.epochs * (rows.shape[1] - 1)
    read = steps = 0
    with seeded(options.seed, device_of(model)):
        for epoch in range(options.epochs):
            model.train()
            state: States | None = None
            losses: list[float] = []
            stopped = False
            for inputs, targets, factor in _windows(rows, options, random):
                rate = options.learning_rate * (_one_cycle(read / words) if adam else 1.0)
                for group in optimiser.param_groups:
                    group["lr"] = rate * factor
                with torch.autocast(inputs.device.type, torch.bfloat16, options.bfloat16):
                    outputs, state = model.encode(inputs, state and detached(state))
                    dropped = model.output_dropout(outputs)
                    if sampled is None:
                        loss = next_word_loss(model.decoder(dropped), targets)
                    else:
                        loss = sampled(dropped.flatten(0, 1), targets.flatten(), steps).mean()
                minimised = (
                    loss
                    + activation_regularisation(dropped.float(), options.alpha)
                    + temporal_activation_regularisation(outputs.float(), options.beta)
                )
                optimiser.zero_grad()
                minimised.backward()
                nn.utils.clip_grad_norm_(model.parameters(), options.clip)
                optimiser.step()
                if average is not None:
                    average.update()
                losses.append(loss.item())
                read += inputs.shape[1]
                steps += 1
                if after_step is not None and after_step(steps):
                    stopped = True
                    break
            history.training.append(float(np.mean(losses)))
            with average.applied() if average is not None else nullcontext():
                history.validation.append(awd_perplexity(model, validation))
                if options.keep_best and history.validation[-1] == min(history.validation):
                    best = [parameter.detach().clone() for parameter in model.parameters()]
            history.seconds = time.process_time() - begun
            due = averaging_is_due(history.validation, options.patience)
            if not adam and average is None and due:
                average = WeightAverage(model)
                history.averaging_since = epoch + 1
            if (after_epoch is not None and after_epoch(history)) or stopped:
                break
    if best:
        set_parameters(model, best)
    elif average is not None:
        average.keep()
    model.eval()
    return history


def awd_perplexity(
    model: nn.Module, stream: Tensor, *, batch_size: int = 10, bptt: int = 70
) -> float:
    """Perplexity on running text (N,) in reading order, without dropout, the state carried.

    Parameters
    ----------
    model : called as `AWDLSTM` is, and gives logits and state first
    """
    losses, tokens = [], []
    state: States | None = None
    rows = stream_rows(stream.to(device_of(model)), batch_size)
    with evaluating(model):
        for inputs, targets in next_word_windows(rows, bptt):
            logits, state, *_ = model(inputs, state)
            losses.append(next_word_loss(logits, targets).item())
            tokens.append(targets.numel())
    return perplexity(losses, tokens)


def _tied_sample(model: AWDLSTM, sampled: int) -> SampledSoftmax:
    """A sampled softmax that trains the model's own decoder."""
    words, size = model.decoder.weight.shape
    softmax = SampledSoftmax(size, words, sampled)
    softmax.weight = cast(nn.Parameter, model.decoder.weight)
    softmax.bias = model.decoder.bias
    return softmax


def _windows(rows: Tensor, options: AWDTraining, random: np.random.Generator) -> Any:
    if options.vary:
        return varying_windows(rows, options.bptt, random)
    return ((x, y, x.shape[1] / options.bptt) for x, y in next_word_windows(rows, options.bptt))


def _one_cycle(done: float) -> float:
    """The factor on the highest rate: up in a straight line, then down in one."""
    return min((done + 1e-3) / WARM_UP, (1 - done) / (1 - WARM_UP), 1.0)
