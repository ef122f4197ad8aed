"""Stage 2: the language model goes on with the task's own text (section 3.2).

Letters in the shape comments: N ids of text, B rows, T steps, E size of a state.
"""

from collections.abc import Sequence

import torch
from torch import Tensor
from torch.nn import functional as F

from elmo_mini.models.awd_lstm import AWDLSTM, States, detached
from elmo_mini.settings import at_least_0, seed_number, whole_number
from elmo_mini.text.running_text import (
    BOUNDARY,
    in_reading_order,
    next_word_windows,
    stream_rows,
    text_stream,
)
from elmo_mini.text.vocabulary import Vocabulary
from elmo_mini.training.steps import evaluating

ROWS, BPTT = 16, 35
OTHER = 0  # the number of the unknown word
COLDEST = 1e-30  # so that no score that is divided by it is infinite

Window = tuple[Tensor, Tensor]


def text_windows(
    sentences: Sequence[Sequence[str]],
    vocabulary: Vocabulary,
    direction: str = "forward",
    *,
    rows: int = ROWS,
    bptt: int = BPTT,
) -> list[Window]:
    """Sentences as running text in reading order, cut into windows (B, T) of inputs and targets."""
    stream = in_reading_order(text_stream(sentences, vocabulary), direction)
    return next_word_windows(stream_rows(stream, rows), bptt)


def check_words_of(reader: AWDLSTM, vocabulary: Vocabulary) -> None:
    """Refuse a vocabulary that is not as large as the reader's table."""
    if reader.options.vocabulary_size != len(vocabulary):
        raise ValueError(
            f"the reader has rows for {reader.options.vocabulary_size:,} words, and the vocabulary "
            f"has {len(vocabulary):,}; with_words gives a reader with the vocabulary's rows"
        )


class TextLoss:
    """The next-word loss of one window after the other, the state carried along.

    Parameters
    ----------
    words : the model bets among the first so many words of its table, and any other word counts
        as unknown; without it, the model bets among all words
    """

    def __init__(self, model: AWDLSTM, words: int | None = None) -> None:
        self.model, self.words = model, words
        self.state: States | None = None

    def __call__(self, window: Window) -> Tensor:
        """The mean loss of a window, in nats a word."""
        ids, targets = window
        if self.state is not None and self.state[0][0].shape[1] != len(ids):
            self.state = None
        outputs, state = self.model.encode(ids, self.state)  # (B, T, E)
        self.state = detached(state)
        decoder = self.model.decoder
        scores = F.linear(
            self.model.output_dropout(outputs),
            decoder.weight[: self.words],
            decoder.bias[: self.words],
        )
        if self.words is not None:
            targets = targets.where(targets < self.words, OTHER)
        return F.cross_entropy(scores.flatten(0, 1), targets.flatten())


def text_perplexity(model: AWDLSTM, windows: Sequence[Window], words: int | None = None) -> float:
    """Perplexity of the windows, without dropout, the state carried from one to the next."""
    if not windows:
        raise ValueError("there is no text, so there is no perplexity")
    loss, nats, tokens = TextLoss(model, words), 0.0, 0
    with evaluating(model):
        for window in windows:
            nats += float(loss(window)) * window[1].numel()
            tokens += window[1].numel()
    return float(torch.tensor(nats / tokens).exp())


def say(
    model: AWDLSTM,
    vocabulary: Vocabulary,
    *,
    start: Sequence[str] = (),
    words: int = 20,
    among: int | None = None,
    temperature: float = 0.7,
    seed: int = 0,
) -> list[str]:
    """Words that the model says after a sentence's `start`, up to the end of the sentence.

    Parameters
    ----------
    words : at most so many
    among : only the first so many words of the table are said, the special ones among them
    temperature : below 1, likely words become likelier still; above 0

    Raises
    ------
    ValueError
        If the vocabulary is not the model's, or a number is out of its range.
    """
    check_words_of(model, vocabulary)
    at_least_0("temperature", temperature)
    if temperature < COLDEST:
        raise ValueError(f"temperature is {temperature}; it must be above 0, such as 0.01")
    whole_number("words", words, 0)
    whole_number("among", len(vocabulary) if among is None else among, 2)
    seed_number(seed)
    draw = torch.Generator().manual_seed(seed)
    end, unknown = vocabulary.id(BOUNDARY), vocabulary.id(vocabulary.unknown or BOUNDARY)
    said = vocabulary.encode(start)
    state: States | None = None
    read = torch.tensor([[end, *said]])
    with evaluating(model):
        while len(said) < words + len(start):
            scores, state, *_ = model(read, state)
            bets = scores[0, -1, :among] / temperature
            bets[unknown] = -torch.inf
            word = int(torch.multinomial(bets.softmax(-1), 1, generator=draw))
            if word == end:
                break
            said.append(word)
            read = torch.tensor([[word]])
    return vocabulary.decode(said)
