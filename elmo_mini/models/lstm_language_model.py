"""A word-level LSTM language model: read a word, predict the next one.

p(w_1 ... w_n) is the product of p(w_t | w_1 ... w_{t-1}). The LSTM's state after word t has to
hold what the words up to t say about word t + 1, so it is a vector of word t in its left context.
Mikolov et al. 2010 (Interspeech), "Recurrent neural network based language model"; windows with
carried state as in Zaremba et al. 2014 (arXiv:1409.2329), section 4.1.

Letters in the shape comments: B rows or sentences, T steps, H hidden size, V words.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional as F

from elmo_mini.recurrent.training import TrainingOptions, device_of, evaluating, train
from elmo_mini.text.batches import pad
from elmo_mini.text.running_text import BOUNDARY, next_word_windows, stream_rows
from elmo_mini.text.vocabulary import Vocabulary

LSTMState = tuple[Tensor, Tensor]
Floats = NDArray[np.float32]


def masked_cross_entropy(logits: Tensor, targets: Tensor, mask: Tensor) -> Tensor:
    """Mean of -log p(target) over the real tokens, in nats.

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
    return F.cross_entropy(logits[mask], targets[mask])


def perplexity(losses: Sequence[float], tokens: Sequence[int]) -> float:
    """exp of the mean nats a token.

    Parameters
    ----------
    losses : mean loss of each batch, in nats a token
    tokens : how many tokens each batch had; a batch counts as much as it has tokens

    Raises
    ------
    ValueError
        If the lengths differ, or there is no token.
    """
    if len(losses) != len(tokens) or sum(tokens) < 1:
        raise ValueError(
            f"need one number of tokens for each loss, and a token: got {len(losses)} losses, "
            f"{len(tokens)} numbers of tokens that sum to {sum(tokens)}"
        )
    nats = sum(loss * count for loss, count in zip(losses, tokens, strict=True))
    return math.exp(nats / sum(tokens))


class LSTMLanguageModel(nn.Module):
    """Embedding (V, E), one LSTM layer, softmax over V words.

    Parameters
    ----------
    words : V
    embedding : E
    hidden : H
    dropout : on the LSTM's input and output, in training
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
        outputs, state = self.lstm(self.dropout(self.embedding(inputs)), state)
        return outputs, state

    def forward(self, inputs: Tensor, state: LSTMState | None = None) -> tuple[Tensor, LSTMState]:
        """Ids (B, T) to scores of the next word (B, T, V), and the LSTM's last (h, c)."""
        outputs, state = self.states(inputs, state)
        return self.softmax(self.dropout(outputs)), state


def train_language_model(
    model: LSTMLanguageModel,
    stream: Tensor,
    options: TrainingOptions | None = None,
    *,
    bptt: int = 24,
    after_step: Callable[[int], Any] | None = None,
) -> list[float]:
    """Train on running text (N,) with Adam; the rate falls in a straight line to zero.

    The state is carried from window to window, but no gradient goes back over the cut
    (truncated back-propagation through time).

    Parameters
    ----------
    options : its `batch_size` is the number of parallel rows
    bptt : words of a window
    after_step : called with the number of windows done

    Returns
    -------
    The loss of each window, in nats a token
    """
    options = options or TrainingOptions()
    rows = stream_rows(stream.to(device_of(model)), options.batch_size)
    windows = next_word_windows(rows, bptt)

    def losses() -> Iterator[Tensor]:
        for _ in range(options.epochs):
            state = None
            for inputs, targets in windows:
                logits, (h, c) = model(inputs, state)
                state = (h.detach(), c.detach())
                yield F.cross_entropy(logits.flatten(0, 1), targets.flatten())

    return train(model, losses(), options.epochs * len(windows), options, after_step=after_step)


def stream_perplexity(
    model: LSTMLanguageModel,
    stream: Tensor,
    *,
    batch_size: int = 8,
    bptt: int = 64,
    stream_rows: Callable[[Tensor, int], Tensor] = stream_rows,
    perplexity: Callable[[list[float], list[int]], float] = perplexity,
) -> float:
    """Perplexity on running text (N,), without dropout.

    The text is read in `batch_size` parallel rows, `bptt` words at a time; the state is carried
    along each row. `stream_rows` and `perplexity` may be the learner's own.
    """
    losses, tokens, state = [], [], None
    rows = stream_rows(stream.to(device_of(model)), batch_size)
    with evaluating(model):
        for inputs, targets in next_word_windows(rows, bptt):
            logits, state = model(inputs, state)
            losses.append(float(F.cross_entropy(logits.flatten(0, 1), targets.flatten())))
            tokens.append(targets.numel())
    return perplexity(losses, tokens)


def hidden_states(
    model: LSTMLanguageModel,
    vocabulary: Vocabulary,
    sentences: Sequence[Sequence[str]],
    *,
    batch_size: int = 64,
) -> list[Floats]:
    """The state at every word, (n, H) float32 for a sentence of n words.

    The state at a word has read the boundary and the sentence up to and including that word. A word
    outside the vocabulary is read as ``<unk>``.
    """
    boundary = vocabulary.id(BOUNDARY)
    found: list[Floats] = []
    with evaluating(model):
        for start in range(0, len(sentences), batch_size):
            some = sentences[start : start + batch_size]
            read = [[boundary, *vocabulary.encode(sentence)] for sentence in some]
            inputs, _ = pad(read, device=device_of(model))
            outputs = model.states(inputs)[0].float().numpy(force=True)
            found += [row[1 : len(ids)] for row, ids in zip(outputs, read, strict=True)]
    return found
