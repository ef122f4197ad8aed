"""What decides the outcome of a pretraining run, and what its loss curve holds."""

import math
from dataclasses import asdict, dataclass, field
from typing import Any

import torch
from torch import Tensor

from elmo_mini.errors import ConfigurationError
from elmo_mini.fast.bilm_options import BiLMOptions
from elmo_mini.settings import above_0, at_least_0, seed_number, truth, whole_number
from elmo_mini.training.precision import PRECISIONS

OPTIMISERS = ("adamw", "adam", "adagrad")
DECAYS = ("cosine", "linear", "none")


@dataclass(frozen=True)
class Settings:
    """All that decides the outcome of a run, apart from the text.

    Attributes
    ----------
    options : sizes of the biLM
    steps : optimiser steps of the whole run; the learning rate's decay ends there
    batch_size, bptt : a step reads `bptt` tokens of `batch_size` streams, all processes together
    softmax, sampled : see `elmo_mini.training.pretraining.softmax`; negatives for the sampled one
    optimiser : ``adagrad`` is bilm-tf's (accumulator starts at 1, loss times `bptt`)
    learning_rate : its highest value
    warm_up : steps in which it rises to that linearly
    decay : how it falls to zero after that; ``none`` keeps it
    weight_decay : of adamw
    clip : greatest norm of the whole gradient
    dropout : before each layer and the softmax
    shuffle : draw a new order of the sentences for each epoch
    precision : of the matrix products; states, losses and weights are always float32
    seed : of the start weights, the order, the dropout and the negatives

    Raises
    ------
    ConfigurationError
        If one of them is out of its range; the message names it.
    """

    options: BiLMOptions
    steps: int
    batch_size: int = 64
    bptt: int = 20
    softmax: str = "adaptive"
    sampled: int = 8192
    optimiser: str = "adamw"
    learning_rate: float = 2e-3
    warm_up: int = 200
    decay: str = "cosine"
    weight_decay: float = 0.01
    clip: float = 1.0
    dropout: float = 0.1
    shuffle: bool = True
    precision: str = "float32"
    seed: int = 1

    def __post_init__(self) -> None:
        for name, value, known in (
            ("optimiser", self.optimiser, OPTIMISERS),
            ("decay", self.decay, DECAYS),
            ("precision", self.precision, PRECISIONS),
        ):
            if value not in known:
                raise ConfigurationError(f"{name} is {value!r}; choose one of {', '.join(known)}")
        for name in ("steps", "batch_size", "bptt", "sampled"):
            whole_number(name, getattr(self, name))
        whole_number("warm_up", self.warm_up, 0)
        seed_number(self.seed)
        for name in ("learning_rate", "weight_decay", "dropout"):
            at_least_0(name, getattr(self, name))
        above_0("clip", self.clip)
        truth("shuffle", self.shuffle)
        if not self.dropout < 1:
            raise ConfigurationError(f"dropout is {self.dropout}; it must be from 0 to below 1")

    def rate(self, step: int) -> float:
        """The learning rate of step `step`, counted from 0."""
        if step < self.warm_up:
            return self.learning_rate * (step + 1) / self.warm_up
        done = (step - self.warm_up) / max(1, self.steps - self.warm_up)
        if self.decay == "cosine":
            return self.learning_rate * 0.5 * (1 + math.cos(math.pi * min(1.0, done)))
        return self.learning_rate * (max(0.0, 1 - done) if self.decay == "linear" else 1.0)

    def to_dict(self) -> dict[str, Any]:
        """The settings as JSON values."""
        return {**asdict(self), "options": self.options.to_dict()}


@dataclass
class History:
    """The loss curve.

    Attributes
    ----------
    training : every so many steps: step, words read by each direction so far, seconds, mean loss
        (nats a token) of both directions since the last entry, learning rate
    validation : step, perplexity of both directions and of the two together
    unwritten : losses of both directions since the last entry, and the number of their steps
    """

    training: list[dict[str, float]] = field(default_factory=list)
    validation: list[dict[str, float]] = field(default_factory=list)
    unwritten: list[float] = field(default_factory=lambda: [0.0, 0.0, 0.0])

    def add(self, losses: list[float]) -> None:
        """Count one step's losses of the two directions."""
        self.unwritten = [a + b for a, b in zip(self.unwritten, [*losses, 1.0], strict=True)]

    def note(self, **entry: float) -> None:
        """Enter the mean losses since the last entry."""
        forward, backward, count = self.unwritten
        losses = {"forward_loss": forward / count, "backward_loss": backward / count}
        self.training.append({**entry, **losses})
        self.unwritten = [0.0, 0.0, 0.0]


def build_optimiser(settings: Settings, model: torch.nn.Module) -> torch.optim.Optimizer:
    """The optimiser of these settings; biases do not decay."""
    weights: list[Tensor] = []
    biases: list[Tensor] = []
    for name, parameter in model.named_parameters():
        (biases if name.endswith("bias") else weights).append(parameter)
    groups: Any = [
        {"params": weights, "weight_decay": settings.weight_decay},
        {"params": biases, "weight_decay": 0.0},
    ]
    rate = settings.learning_rate
    if settings.optimiser == "adamw":
        return torch.optim.AdamW(groups, lr=rate)
    for group in groups:
        group["weight_decay"] = 0.0
    if settings.optimiser == "adam":
        return torch.optim.Adam(groups, lr=rate)
    return torch.optim.Adagrad(groups, lr=rate, initial_accumulator_value=1.0)
