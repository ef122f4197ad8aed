"""How an AWD-LSTM is trained, what a run has seen, and how good a model is.

``nt-asgd`` is the paper's: SGD at a high, constant rate, and weight averaging once validation
stalls. It wants many epochs. ``adam``, its rate rising and falling once, is what fastai's
successor of the recipe uses; it is the better one for few epochs.

Letters in the shape comments: N ids of text.
"""

import math
from dataclasses import dataclass, field

from torch import Tensor, nn

from elmo_mini.errors import ConfigurationError
from elmo_mini.models.awd_lstm import PATIENCE, States, mean_cross_entropy
from elmo_mini.settings import above_0, at_least_0, seed_number, truth, whole_number
from elmo_mini.tasks.language_model_use import perplexity
from elmo_mini.text.running_text import next_word_windows, stream_rows
from elmo_mini.training.steps import device_of, evaluating

OPTIMISERS = ("nt-asgd", "adam")


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
    bfloat16 : compute products in bfloat16, where the processor has kernels for it
    sampled : train against so many words in place of the whole softmax; 0 for the whole one

    Raises
    ------
    ConfigurationError
        If one of them is out of its range; the message names it.
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
        for name, least in {"epochs": 1, "batch_size": 1, "bptt": 1, "patience": 0}.items():
            whole_number(name, getattr(self, name), least)
        whole_number("sampled", self.sampled, 0)
        seed_number(self.seed)
        for name in ("learning_rate", "weight_decay", "alpha", "beta"):
            at_least_0(name, getattr(self, name))
        above_0("clip", self.clip)
        for name in ("vary", "keep_best", "bfloat16"):
            truth(name, getattr(self, name))


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


def awd_perplexity(
    model: nn.Module, stream: Tensor, *, batch_size: int = 10, bptt: int = 70
) -> float:
    """Perplexity on running text (N,) in reading order, without dropout, the state carried.

    Parameters
    ----------
    model : called as `AWDLSTM` is, and gives logits and state first
    batch_size : rows in which the text is read; fewer where it is short
    """
    losses, tokens = [], []
    state: States | None = None
    rows = stream_rows(stream.to(device_of(model)), max(1, min(batch_size, len(stream) // 2)))
    with evaluating(model):
        for inputs, targets in next_word_windows(rows, bptt):
            logits, state, *_ = model(inputs, state)
            losses.append(mean_cross_entropy(logits, targets).item())
            tokens.append(targets.numel())
    try:
        return perplexity(losses, tokens)
    except OverflowError:  # of a model that has diverged
        return math.inf
