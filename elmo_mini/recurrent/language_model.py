"""A word-level LSTM language model: read a word, predict the next one.

p(w_1 ... w_n) is the product of p(w_t | w_1 ... w_{t-1}). The LSTM's state after word t has to
hold what the words up to t say about word t + 1, so it is a vector of word t in its left context.
Mikolov et al. 2010 (Interspeech), "Recurrent neural network based language model"; windows with
carried state as in Zaremba et al. 2014 (arXiv:1409.2329), section 4.1.

Letters in the shape comments: B rows or sentences, T steps, H hidden size, V words.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional as F
from tqdm import tqdm

from elmo_mini.text.batches import clipped_step
from elmo_mini.text.vocabulary import Vocabulary

UNKNOWN, BOUNDARY = "<unk>", "</s>"

LSTMState = tuple[Tensor, Tensor]
Floats = NDArray[np.float32]


def word_vocabulary(
    sentences: Iterable[Iterable[str]], *, min_count: int = 1, max_size: int | None = None
) -> Vocabulary:
    """The words of a text: id 0 is ``<unk>``, id 1 is ``</s>``, then by falling count."""
    return Vocabulary.from_sentences(
        sentences, min_count, max_size, specials=(UNKNOWN, BOUNDARY), unknown=UNKNOWN
    )


def text_stream(sentences: Iterable[Iterable[str]], vocabulary: Vocabulary) -> Tensor:
    """Running text as one row of ids (N,): ``</s> w1 ... wn </s> w1 ... wn </s>``.

    Raises:
        ValueError: there is no sentence.
    """
    boundary = vocabulary.id(BOUNDARY)
    ids = [boundary]
    for sentence in sentences:
        ids += [*vocabulary.encode(sentence), boundary]
    if len(ids) == 1:
        raise ValueError("there is no sentence to read")
    return torch.tensor(ids)


def stream_rows(stream: Tensor, rows: int) -> Tensor:
    """Cut running text into parallel rows, each a piece of consecutive text.

    Args:
        stream: (N,) ids.
        rows: B.

    Returns:
        (B, N // B). Row 1 goes on where row 0 ends; the last N mod B ids are left out.

    Raises:
        ValueError: a row would have fewer than two ids, so nothing to predict.
    """
    length = len(stream) // rows if rows > 0 else 0
    if length < 2:
        raise ValueError(f"{len(stream)} ids cannot fill {rows} rows of two ids or more")
    return stream[: rows * length].view(rows, length)


def next_word_windows(rows: Tensor, width: int) -> list[tuple[Tensor, Tensor]]:
    """Cut rows (B, L) into windows of (inputs, targets), in the order of the text.

    Inputs and targets are (B, T) with T = ``width``, less in the last window. The target of a
    word is the next word of its row. Every id but the first of a row is a target exactly once.

    Raises:
        ValueError: ``width`` is less than 1.
    """
    if width < 1:
        raise ValueError(f"width must be at least 1, got {width}")
    inputs, targets = rows[:, :-1], rows[:, 1:]  # both (B, L - 1)
    return list(zip(inputs.split(width, 1), targets.split(width, 1), strict=True))


def shifted(sentence: Sequence[int], boundary: int) -> tuple[list[int], list[int]]:
    """What the model reads of one sentence, and what it must say: n + 1 ids each.

    It reads ``</s> w1 ... wn`` and says ``w1 ... wn </s>``.
    """
    return [boundary, *sentence], [*sentence, boundary]


def pad(sequences: Sequence[Sequence[int]], padding: int = 0) -> tuple[Tensor, Tensor]:
    """Rows of different length as one table.

    Returns:
        ids (B, T) with ``padding`` at the end of shorter rows, and mask (B, T), bool, True where
        an id is real.

    Raises:
        ValueError: there are no rows.
    """
    if not sequences:
        raise ValueError("there is nothing to pad")
    longest = max(map(len, sequences))
    ids = torch.full((len(sequences), longest), padding)
    mask = torch.zeros(len(sequences), longest, dtype=torch.bool)
    for row, sequence in enumerate(sequences):
        ids[row, : len(sequence)] = torch.tensor(sequence, dtype=torch.int64)
        mask[row, : len(sequence)] = True
    return ids, mask


def masked_cross_entropy(logits: Tensor, targets: Tensor, mask: Tensor) -> Tensor:
    """Mean of -log p(target) over the real tokens, in nats.

    Args:
        logits: (B, T, V). targets: (B, T) ids. mask: (B, T) bool, True at real tokens.

    Raises:
        ValueError: no token is real.
    """
    if not mask.any():
        raise ValueError("the mask leaves no token, so there is no mean loss")
    return F.cross_entropy(logits[mask], targets[mask])


def perplexity(losses: Sequence[float], tokens: Sequence[int]) -> float:
    """exp of the mean nats a token.

    Args:
        losses: mean loss of each batch, in nats a token.
        tokens: how many tokens each batch had; a batch counts as much as it has tokens.

    Raises:
        ValueError: lengths that differ, or no tokens.
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

    Args:
        words: V. embedding: E. hidden: H.
        dropout: on the LSTM's input and output, in training.
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
    *,
    rows: int = 16,
    width: int = 24,
    epochs: int = 1,
    learning_rate: float = 3e-3,
    seed: int = 0,
    progress: bool = False,
    after_window: Callable[[int], Any] | None = None,
) -> list[float]:
    """Train on running text (N,) with Adam; the rate falls in a straight line to zero.

    The state is carried from window to window, but no gradient goes back over the cut.

    Args:
        seed: of the dropout. The start weights are drawn when the model is built.
        after_window: called with the number of windows done.

    Returns:
        The loss of each window, in nats a token.
    """
    cut = next_word_windows(stream_rows(stream, rows), width)
    optimizer = torch.optim.Adam(model.parameters(), lr=learning_rate)
    schedule = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.0, epochs * len(cut))
    losses: list[float] = []
    model.train()
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        for _ in range(epochs):
            state = None
            for inputs, targets in tqdm(cut, disable=not progress, unit="window"):
                logits, (h, c) = model(inputs, state)
                state = (h.detach(), c.detach())
                loss = F.cross_entropy(logits.flatten(0, 1), targets.flatten())
                clipped_step(model, optimizer, loss)
                schedule.step()
                losses.append(loss.item())
                if after_window is not None:
                    after_window(len(losses))
    model.eval()
    return losses


@torch.no_grad()
def stream_perplexity(
    model: LSTMLanguageModel, stream: Tensor, *, rows: int = 8, width: int = 64
) -> float:
    """Perplexity on running text (N,), without dropout; the state is carried along each row."""
    was_training = model.training
    model.eval()
    losses, tokens, state = [], [], None
    for inputs, targets in next_word_windows(stream_rows(stream, rows), width):
        logits, state = model(inputs, state)
        losses.append(float(F.cross_entropy(logits.flatten(0, 1), targets.flatten())))
        tokens.append(targets.numel())
    model.train(was_training)
    return perplexity(losses, tokens)


@torch.no_grad()
def hidden_states(
    model: LSTMLanguageModel,
    vocabulary: Vocabulary,
    sentences: Sequence[Sequence[str]],
    *,
    batch: int = 64,
) -> list[Floats]:
    """The state at every word, (n, H) float32 for a sentence of n words.

    The state at a word has read the boundary and the sentence up to and with that word. A word
    outside the vocabulary is read as ``<unk>``.
    """
    was_training = model.training
    model.eval()
    boundary = vocabulary.id(BOUNDARY)
    found: list[Floats] = []
    for start in range(0, len(sentences), batch):
        read = [[boundary, *vocabulary.encode(s)] for s in sentences[start : start + batch]]
        outputs = model.states(pad(read)[0])[0].numpy()
        found += [row[1 : len(ids)] for row, ids in zip(outputs, read, strict=True)]
    model.train(was_training)
    return found
