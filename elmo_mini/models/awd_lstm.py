"""AWD-LSTM: an LSTM language model with weight drop, locked dropout, AR, TAR and NT-ASGD.

Merity, Keskar & Socher 2017 (arXiv:1708.02182). Taught in lesson 10.
Tied softmax: Press & Wolf 2017 (EACL); Inan, Khosravi & Socher 2017 (ICLR).

Letters in the shape comments: B rows, T steps, V words, E size of an embedding, D dimensions, H
hidden size. What a dropout keeps is divided by 1 - p, so that the expected value stays.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.func import functional_call
from torch.nn import functional as F

LSTMState = tuple[Tensor, Tensor]
States = list[LSTMState]
RECURRENT = "weight_hh_l0"
INITIAL_RANGE = 0.1
PATIENCE = 5


def locked_dropout(x: Tensor, p: float, *, training: bool = True) -> Tensor:
    """Locked (variational) dropout: the same dimensions of a row are dropped at every step.

    Section 4.2, after Gal & Ghahramani 2016 (NIPS). Taught in lesson 10, section 2.
    `x` is (B, T, D), and so is what it gives; each row draws its own share `p`.
    """
    if not training or p == 0:
        return x
    mask = F.dropout(torch.ones_like(x[:, :1]), p)  # (B, 1, D)
    return x * mask  # (B, T, D)


def embedding_dropout(table: Tensor, ids: Tensor, p: float) -> Tensor:
    """Embeddings of ids (B, T) from a table (V, E) without a share p of its words: (B, T, E).

    Section 4.3. Taught in lesson 10, section 9. A dropped word is zeros wherever it stands.
    """
    if p == 0:
        return F.embedding(ids, table)
    kept = F.dropout(table.new_ones(len(table), 1), p)  # (V, 1)
    return F.embedding(ids, table) * kept[ids]  # the rows that no one reads need no product


class LockedDropout(nn.Module):
    """`locked_dropout` as a layer; it does nothing in evaluation."""

    def __init__(self, p: float) -> None:
        super().__init__()
        self.p = p

    def forward(self, x: Tensor) -> Tensor:
        """(B, T, D) to (B, T, D)."""
        return locked_dropout(x, self.p, training=self.training)

    def extra_repr(self) -> str:
        """What ``print`` shows of it."""
        return f"p={self.p}"


class WeightDropLSTM(nn.Module):
    """One LSTM layer with weight drop: DropConnect on the hidden-to-hidden weights, in training.

    Section 2. Taught in lesson 10, section 3. One mask is drawn for a whole window, so the same
    connections are missing at every step. The LSTM owns the whole matrix, as it is trained and
    saved; a call in training lends it a thinned copy, without a share `p`, for that call alone.
    """

    def __init__(self, input_size: int, hidden_size: int, p: float) -> None:
        super().__init__()
        self.lstm = nn.LSTM(input_size, hidden_size, batch_first=True)
        self.p = p

    def forward(self, x: Tensor, state: LSTMState | None = None) -> tuple[Tensor, LSTMState]:
        """(B, T, D) and the state (h, c), each (1, B, H), to (B, T, H) and the state after it."""
        if not self.training or self.p == 0:
            outputs, after = self.lstm(x, state)
            return outputs, after
        whole = getattr(self.lstm, RECURRENT)  # (4H, H)
        thinned = {RECURRENT: F.dropout(whole, self.p)}
        outputs, after = functional_call(self.lstm, thinned, (x, state))
        return outputs, after


@dataclass(frozen=True, kw_only=True)
class AWDLSTMSizes:
    """Sizes and dropouts (sections 2 and 4). The dropouts are the paper's for the Penn Treebank."""

    vocabulary_size: int  # V
    dim: int = 200  # E, a word's vector, and the last layer's state if `tied`
    hidden_dim: int = 400  # H, the state of the other layers
    layers: int = 2
    embedding_dropout: float = 0.1  # share of word types that a batch does without
    input_dropout: float = 0.4  # locked, on the vectors of the words
    hidden_dropout: float = 0.25  # locked, between two layers
    output_dropout: float = 0.4  # locked, before the softmax
    weight_drop: float = 0.5  # share of the hidden-to-hidden weights
    tied: bool = True  # the softmax uses the word vectors as its weights
    direction: str = "forward"  # or "backward", the order in which the model reads

    @property
    def layer_sizes(self) -> list[tuple[int, int]]:
        """What each layer reads and gives: (E, H), (H, H), ..., and last (H, E) if `tied`."""
        last = self.dim if self.tied else self.hidden_dim
        return list(pairwise([self.dim, *[self.hidden_dim] * (self.layers - 1), last]))


class AWDLSTMOutput(NamedTuple):
    """Logits (B, T, V) of the next word; (h, c) of each layer after the last step; and the last
    layer's states (B, T, E) before their dropout (TAR reads them) and after it (AR, the softmax).
    """

    logits: Tensor
    state: States
    outputs: Tensor
    dropped: Tensor


class AWDLSTM(nn.Module):
    """Word embedding, LSTM layers with weight drop, and a softmax tied to the embedding.

    Taught in lesson 10, section 7; the tied softmax in section 4. A backward model is the same
    network over text that has been turned round. The state can be carried from window to window;
    `detached` cuts it from the graph (truncated BPTT). Without one, it starts from zeros.
    """

    def __init__(self, options: AWDLSTMSizes) -> None:
        super().__init__()
        self.options = options
        self.embedding = nn.Embedding(options.vocabulary_size, options.dim)
        self.layers = nn.ModuleList(
            WeightDropLSTM(size, hidden, options.weight_drop)
            for size, hidden in options.layer_sizes
        )
        self.input_dropout = LockedDropout(options.input_dropout)
        self.hidden_dropout = LockedDropout(options.hidden_dropout)
        self.output_dropout = LockedDropout(options.output_dropout)
        self.decoder = nn.Linear(options.layer_sizes[-1][1], options.vocabulary_size)
        nn.init.uniform_(self.embedding.weight, -INITIAL_RANGE, INITIAL_RANGE)
        nn.init.uniform_(self.decoder.weight, -INITIAL_RANGE, INITIAL_RANGE)
        nn.init.zeros_(self.decoder.bias)
        if options.tied:
            self.decoder.weight = self.embedding.weight  # one parameter, used twice

    def encode(self, ids: Tensor, state: States | None = None) -> tuple[Tensor, States]:
        """Ids (B, T) in reading order to the last layer's states (B, T, E), and all last states."""
        dropout = self.options.embedding_dropout if self.training else 0.0
        x = embedding_dropout(self.embedding.weight, ids, dropout)
        x = self.input_dropout(x)  # (B, T, E)
        before: list[LSTMState | None] = [None] * len(self.layers) if state is None else [*state]
        after: States = []
        for number, (layer, start) in enumerate(zip(self.layers, before, strict=True)):
            if number:
                x = self.hidden_dropout(x)  # (B, T, H)
            x, end = layer(x, start)  # (B, T, H); of the last layer (B, T, E)
            after.append(end)
        return x, after

    def forward(self, ids: Tensor, state: States | None = None) -> AWDLSTMOutput:
        """Ids (B, T) in reading order, and the state before them, to an `AWDLSTMOutput`."""
        outputs, after = self.encode(ids, state)  # (B, T, E)
        dropped = self.output_dropout(outputs)  # (B, T, E)
        return AWDLSTMOutput(self.decoder(dropped), after, outputs, dropped)


def detached(state: States) -> States:
    """The same state with no way back for gradients."""
    return [(h.detach(), c.detach()) for h, c in state]


def mean_cross_entropy(logits: Tensor, targets: Tensor) -> Tensor:
    """Mean of -log p(next word), in nats; logits (B, T, V), targets (B, T)."""
    return F.cross_entropy(logits.flatten(0, 1), targets.flatten())


def awd_loss(
    logits: Tensor,
    targets: Tensor,
    outputs: Tensor,
    dropped: Tensor,
    alpha: float = 2.0,
    beta: float = 1.0,
) -> Tensor:
    """Cross-entropy in nats a word, plus AR and TAR: L2 on states, and on their differences.

    Section 4, with means of squares as in the authors' code, not norms. Taught in lesson 10,
    section 9. Logits (B, T, V), targets (B, T), and the last layer's states before and after
    their dropout, `outputs` and `dropped` (B, T, D).
    """
    return (
        mean_cross_entropy(logits, targets)
        + activation_regularisation(dropped, alpha)
        + temporal_activation_regularisation(outputs, beta)
    )


def activation_regularisation(dropped: Tensor, alpha: float = 2.0) -> Tensor:
    """AR: alpha times the mean square of the states (B, T, D), after their dropout."""
    return alpha * dropped.square().mean()


def temporal_activation_regularisation(outputs: Tensor, beta: float = 1.0) -> Tensor:
    """TAR: beta times the mean square of the change of (B, T, D) from step to step; of one, 0."""
    if outputs.shape[1] < 2:
        return outputs.new_zeros(())
    return beta * (outputs[:, 1:] - outputs[:, :-1]).square().mean()  # of (B, T - 1, D)


def averaging_is_due(validation: Sequence[float], n: int = PATIENCE) -> bool:
    """NT-ASGD's trigger: the newest validation loss is worse than the best before the last n.

    Section 3, algorithm 1, as the authors' code has it: the last n, the newest of all
    among them, are left out of the best. `validation` has one loss or perplexity an epoch, the
    newest last. Taught in lesson 10, section 9.
    """
    return len(validation) > n and validation[-1] > min(validation[:-n])


class WeightAverage:
    """Averaged SGD: the mean of a model's weights (algorithm 1). Taught in lesson 10, section 6."""

    def __init__(self, model: nn.Module) -> None:
        self.model = model
        self.count = 0
        self.means: list[Tensor] = [torch.zeros_like(p) for p in model.parameters()]

    @torch.no_grad()
    def update(self) -> None:
        """Take the present parameters into the mean: mean += (w - mean) / n."""
        self.count += 1
        for mean, parameter in zip(self.means, self.model.parameters(), strict=True):
            mean.lerp_(parameter, 1 / self.count)

    @contextmanager
    def applied(self) -> Iterator[None]:
        """The model has the mean as its parameters; afterwards its own again."""
        own = [parameter.detach().clone() for parameter in self.model.parameters()]
        self.keep()
        try:
            yield
        finally:
            set_parameters(self.model, own)

    def keep(self) -> None:
        """Give the model the mean for good."""
        if self.count:
            set_parameters(self.model, self.means)


@torch.no_grad()
def set_parameters(model: nn.Module, values: Sequence[Tensor]) -> None:
    """Copy values into a model's parameters, in their order."""
    for parameter, value in zip(model.parameters(), values, strict=True):
        parameter.copy_(value)
