"""AWD-LSTM: an LSTM language model with dropout in five places and a tied softmax.

Merity, Keskar & Socher 2017 (arXiv:1708.02182), "Regularizing and Optimizing LSTM Language Models".
Tied softmax: Press & Wolf 2017 (EACL); Inan, Khosravi & Socher 2017 (ICLR).

Letters in the shape comments: B rows, T steps, V words, E size of an embedding, H hidden size.
"""

from typing import NamedTuple

from torch import Tensor, nn
from torch.nn import functional as F

from elmo_mini.awd_lstm.dropout import LockedDropout, embedding_dropout
from elmo_mini.awd_lstm.options import AWDLSTMOptions
from elmo_mini.awd_lstm.weight_drop import LSTMState, WeightDropLSTM
from elmo_mini.errors import ConfigurationError

States = list[LSTMState]
INITIAL_RANGE = 0.1


class AWDLSTMOutput(NamedTuple):
    """What a model says of a window.

    Attributes
    ----------
    logits : (B, T, V), scores of the next word
    state : (h, c) of each layer after the last step, each (1, B, size of the layer)
    outputs : (B, T, E), states of the last layer; TAR reads them
    dropped : (B, T, E), the same after their dropout; AR and the softmax read them
    """

    logits: Tensor
    state: States
    outputs: Tensor
    dropped: Tensor


class AWDLSTM(nn.Module):
    """Word vectors, LSTM layers with weight drop, and a softmax that is the word vectors again.

    A backward model is the same network over text that has been turned round: `in_reading_order`
    turns ids. The state can be carried from window to window; `detached` cuts it from the graph.
    """

    def __init__(self, options: AWDLSTMOptions) -> None:
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
            self.decoder.weight = self.embedding.weight  # one parameter, two places

    def encode(self, ids: Tensor, state: States | None = None) -> tuple[Tensor, States]:
        """Ids (B, T) in reading order to the last layer's states (B, T, E), and all last states.

        Without a state the model starts from zeros.
        """
        x = embedding_dropout(
            self.embedding.weight, ids, self.options.embedding_dropout, training=self.training
        )
        x = self.input_dropout(x)  # (B, T, E)
        before: list[LSTMState | None] = [None] * len(self.layers) if state is None else [*state]
        after: States = []
        for number, (layer, start) in enumerate(zip(self.layers, before, strict=True)):
            if number:
                x = self.hidden_dropout(x)  # (B, T, H)
            x, end = layer(x, start)
            after.append(end)
        return x, after

    def forward(self, ids: Tensor, state: States | None = None) -> AWDLSTMOutput:
        """Ids (B, T) in reading order, and the state before them, to an `AWDLSTMOutput`."""
        outputs, after = self.encode(ids, state)
        dropped = self.output_dropout(outputs)
        return AWDLSTMOutput(self.decoder(dropped), after, outputs, dropped)


def detached(state: States) -> States:
    """The same state with no way back for gradients."""
    return [(h.detach(), c.detach()) for h, c in state]


def in_reading_order(ids: Tensor, direction: str) -> Tensor:
    """Text (..., N) as a model of this direction reads it; turning twice gives the text back.

    Rows with padding have to be turned before they are padded.

    Raises
    ------
    ConfigurationError
        If the direction is neither ``forward`` nor ``backward``.
    """
    if direction == "forward":
        return ids
    if direction == "backward":
        return ids.flip(-1)
    raise ConfigurationError(f"direction is {direction!r}; it must be forward or backward")


def next_word_loss(logits: Tensor, targets: Tensor) -> Tensor:
    """Mean of -log p(next word), in nats; logits (B, T, V), targets (B, T)."""
    return F.cross_entropy(logits.flatten(0, 1), targets.flatten())
