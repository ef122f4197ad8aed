"""A word-level LSTM language model: the LSTM, the model around it, its loss, training, sampling.

p(w_1 ... w_n) is the product of p(w_t | w_1 ... w_{t-1}). Taught in lesson 03. Mikolov et al. 2010
(Interspeech), "Recurrent neural network based language model"; windows with carried state as in
Zaremba et al. 2014 (arXiv:1409.2329), "Recurrent neural network regularization". Training with
options, perplexity on running text and states of sentences: `elmo_mini.tasks.language_model_use`.

Letters in the shape comments: B rows or sentences, T steps, E embedding size, H hidden size, V
words, N real tokens.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

LSTMState = tuple[Tensor, Tensor]
"""The hidden state h and the cell state c."""


class LSTM(nn.Module):
    """One LSTM layer from its gates, one step after the other.

    i, f, g, o = gates([x_t ; h])
    c' = sigmoid(f) * c + sigmoid(i) * tanh(g)
    h' = sigmoid(o) * tanh(c')

    Taught in lesson 03, section 3 (exercise 4). Hochreiter & Schmidhuber 1997 (Neural Computation
    9(8)), with the forget gate of Gers, Schmidhuber & Cummins 2000 (Neural Computation 12(10)).
    The numbers are those of `torch.nn.LSTM`, which is faster: one matrix and one bias here are two
    of each there.

    Parameters
    ----------
    inputs : E
    hidden : H

    Attributes
    ----------
    gates : (E + H) to 4H: input gate, forget gate, candidate, output gate
    """

    def __init__(self, inputs: int, hidden: int) -> None:
        super().__init__()
        self.hidden = hidden
        self.gates = nn.Linear(inputs + hidden, 4 * hidden)

    def forward(self, x: Tensor, state: LSTMState | None = None) -> tuple[Tensor, LSTMState]:
        """Inputs (B, T, E) and (h, c), (B, H) each, to all states (B, T, H) and the last (h, c)."""
        if state is None:
            state = x.new_zeros(len(x), self.hidden), x.new_zeros(len(x), self.hidden)
        h, c = state
        states = []
        for x_t in x.unbind(1):
            i, f, g, o = self.gates(torch.cat([x_t, h], -1)).chunk(4, -1)  # (B, H) each
            c = f.sigmoid() * c + i.sigmoid() * g.tanh()  # (B, H)
            h = o.sigmoid() * c.tanh()  # (B, H)
            states.append(h)
        return torch.stack(states, 1), (h, c)  # (B, T, H)


class LSTMLanguageModel(nn.Module):
    """Embedding (V, E), one LSTM layer, logits of V words.

    Taught in lesson 03, section 4 (Train it). The hidden state after word t has to hold what the
    words up to t say about word t + 1, so it is a vector of word t in its left context (section 6).

    Parameters
    ----------
    words : V
    embedding : E
    hidden : H
    dropout : on the LSTM's input and output, in training; Zaremba et al. 2014, section 3.2
    """

    def __init__(
        self, words: int, embedding: int = 100, hidden: int = 100, *, dropout: float = 0.0
    ) -> None:
        super().__init__()
        self.embedding = nn.Embedding(words, embedding)
        self.lstm = nn.LSTM(embedding, hidden, batch_first=True)
        self.softmax = nn.Linear(hidden, words)
        self.dropout = nn.Dropout(dropout)
        nn.init.uniform_(self.embedding.weight, -0.1, 0.1)

    def states(self, inputs: Tensor, state: LSTMState | None = None) -> tuple[Tensor, LSTMState]:
        """Ids (B, T) to the hidden state after each word (B, T, H), and the LSTM's last (h, c)."""
        x = self.dropout(self.embedding(inputs))  # (B, T, E)
        outputs, state = self.lstm(x, state)  # (B, T, H)
        return outputs, state

    def forward(self, inputs: Tensor, state: LSTMState | None = None) -> tuple[Tensor, LSTMState]:
        """Ids (B, T) to logits of the next word (B, T, V), and the LSTM's last (h, c)."""
        outputs, state = self.states(inputs, state)
        return self.softmax(self.dropout(outputs)), state


def masked_cross_entropy(logits: Tensor, targets: Tensor, mask: Tensor) -> Tensor:
    """Cross-entropy: the mean of -log p(target) over the real tokens, in nats.

    Taught in lesson 03, section 4 (exercise 6).

    Parameters
    ----------
    logits : (B, T, V)
    targets : (B, T) ids
    mask : (B, T) bool, True at real tokens

    Raises
    ------
    ValueError
        If no token is real.
    """
    if not mask.any():
        raise ValueError("the mask leaves no token, so there is no mean loss")
    return F.cross_entropy(logits[mask], targets[mask])  # of (N, V) and (N,)


def train_windows(
    model: nn.Module,
    windows: Sequence[tuple[Tensor, Tensor]],
    loss_of: Callable[[Tensor, Tensor], Tensor],
    optimiser: torch.optim.Optimizer,
    clip: float,
    look: Callable[[int], Any],
) -> list[float]:
    """One epoch of truncated back-propagation through time (truncated BPTT).

    Taught in lesson 03, section 4 (exercise 7); Zaremba et al. 2014, section 4.1. The state is
    carried from window to window; no gradient goes back over the cut.

    Parameters
    ----------
    model : such as `LSTMLanguageModel`
    windows : (B, T) ids and targets each, in the order of the text, as
        `elmo_mini.text.running_text.next_word_windows` cuts them
    loss_of : logits (B, T, V) and targets (B, T) to a scalar
    clip : largest norm of the gradient
    look : called after each step with the number of steps taken

    Returns
    -------
    The loss of each window

    Raises
    ------
    FloatingPointError
        If a loss is no finite number: training has diverged.
    ValueError
        If `clip` is not above 0.
    """
    if not clip > 0:
        raise ValueError(f"clip is {clip}; it must be above 0, and math.inf clips nothing")
    state = None
    losses: list[float] = []
    for inputs, targets in windows:
        logits, (h, c) = model(inputs, state)  # (B, T, V), and (1, B, H) each
        state = h.detach(), c.detach()
        loss = loss_of(logits, targets)
        if not loss.isfinite():
            raise FloatingPointError(f"step {len(losses)}: the loss is {loss:.4g}; lower the rate")
        optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), clip)
        optimiser.step()
        losses.append(loss.item())
        look(len(losses))
    return losses


def perplexity(losses: Sequence[float], tokens: Sequence[int]) -> float:
    """Perplexity: exp of the mean cross-entropy of a token.

    Taught in lesson 03, section "If you have time: two short exercises".

    Parameters
    ----------
    losses : mean loss of each batch, in nats a token
    tokens : how many tokens each batch had; a batch counts as much as it has tokens

    Raises
    ------
    ValueError
        If the lengths differ, there is no token, or a number of tokens is negative.
    """
    if len(losses) != len(tokens) or sum(tokens) < 1 or min(tokens) < 0:
        raise ValueError(
            f"need one number of tokens for each loss, and a token: got {len(losses)} losses, "
            f"{len(tokens)} numbers of tokens that sum to {sum(tokens)}"
        )
    nats = sum(loss * count for loss, count in zip(losses, tokens, strict=True))
    try:
        return math.exp(nats / sum(tokens))
    except OverflowError:  # more than a float holds
        return math.inf


def draw_word(scores: Tensor, temperature: float) -> int:
    """Sample the id of the next word by the softmax of the logits (V,) over the temperature.

    Taught in lesson 03, section 1 (A machine that goes on talking).

    Raises
    ------
    ValueError
        If the temperature is not above 0.
    """
    if not temperature > 0:
        raise ValueError(
            f"temperature is {temperature}; it must be above 0: the lower, the likelier the word. "
            "The likeliest of all is scores.argmax()"
        )
    chances = (scores / temperature).softmax(-1)  # (V,)
    return int(torch.multinomial(chances, 1))
