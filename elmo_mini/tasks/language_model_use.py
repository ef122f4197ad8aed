"""The LSTM language model in use: training on running text, perplexity, hidden states.

The model and its loss stand in `elmo_mini.models.lstm_language_model` (lesson 03).

Letters in the shape comments: B rows or sentences, T steps, H hidden size, V words.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional as F

from elmo_mini.models.lstm_language_model import LSTMLanguageModel, perplexity
from elmo_mini.text.batches import in_batches, pad
from elmo_mini.text.running_text import BOUNDARY, next_word_windows, stream_rows
from elmo_mini.text.vocabulary import Vocabulary
from elmo_mini.training.steps import TrainingOptions, device_of, evaluating, train

Floats = NDArray[np.float32]


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
    outside the vocabulary is read as its unknown word; raises UnknownWord if it has none.
    """
    boundary = vocabulary.id(BOUNDARY)
    found: list[Floats] = []
    with evaluating(model):
        for some in in_batches(sentences, batch_size):
            read = [[boundary, *vocabulary.ids(sentence)] for sentence in some]
            inputs, _ = pad(read, device=device_of(model))
            outputs = model.states(inputs)[0].float().numpy(force=True)
            found += [row[1 : len(ids)] for row, ids in zip(outputs, read, strict=True)]
    return found


def by_surprise(
    bets: Callable[[Tensor], Tensor], sentence: Tensor, others: Tensor, boundary: int
) -> float:
    """Surprise of a sentence less that of the least surprising of some others, in nats.

    The surprise is -log p of all words and of the boundary at the end, after one at the beginning.
    Above 0, one of the others is likelier.

    Parameters
    ----------
    bets : ids (B, T) to scores of the next word at each position (B, T, V)
    sentence : (T,) ids without boundaries
    others : (K, T) ids, such as shuffles of the sentence
    """
    rows = torch.cat([sentence[None], others])  # (1 + K, T)
    edge = rows.new_full((len(rows), 1), boundary)
    scores = bets(torch.cat([edge, rows], 1))  # (1 + K, T + 1, V)
    targets = torch.cat([rows, edge], 1)
    nats = F.cross_entropy(scores.transpose(1, 2), targets, reduction="none").sum(1)
    return float(nats[0] - nats[1:].min())
