"""Running text for a language model: one row of ids, cut into parallel rows and windows.

Sentences stand one after another, with a boundary between them. A model that carries its state
from window to window reads every row as one long text (Zaremba et al. 2014, arXiv:1409.2329,
section 4.1).

Letters in the shape comments: N ids of text, B rows, L ids of a row, T steps of a window.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, repeat

import torch
from torch import Tensor

from elmo_mini.errors import ConfigurationError
from elmo_mini.text.vocabulary import Vocabulary

UNKNOWN, BOUNDARY = "<unk>", "</s>"
DIRECTIONS = ("forward", "backward")


def word_vocabulary(
    sentences: Iterable[Iterable[str]], *, min_count: int = 1, max_size: int | None = None
) -> Vocabulary:
    """The words of a text: id 0 is ``<unk>``, id 1 is ``</s>``, then by falling count."""
    return Vocabulary.from_sentences(
        sentences, min_count, max_size, specials=(UNKNOWN, BOUNDARY), unknown=UNKNOWN
    )


def text_stream(sentences: Iterable[Iterable[str]], vocabulary: Vocabulary) -> Tensor:
    """Running text as one row of ids (N,): ``</s> w1 ... wn </s> w1 ... wn </s>``.

    Raises
    ------
    ValueError
        If there is no sentence.
    """
    boundary = vocabulary.id(BOUNDARY)
    ids = [boundary]
    for sentence in sentences:
        ids += [*vocabulary.encode(sentence), boundary]
    if len(ids) == 1:
        raise ValueError("there is no sentence to read")
    return torch.tensor(ids)


def in_reading_order(ids: Tensor, direction: str) -> Tensor:
    """Text (..., N) as a model of this direction reads it; turning twice gives the text back.

    Rows with padding have to be turned before they are padded.

    Raises
    ------
    ConfigurationError
        If the direction is neither ``forward`` nor ``backward``.
    """
    check_direction(direction)
    return ids if direction == "forward" else ids.flip(-1)


def check_direction(direction: str) -> None:
    """Refuse what is neither ``forward`` nor ``backward``."""
    if direction not in DIRECTIONS:
        raise ConfigurationError(
            f"direction is {direction!r}; it must be {' or '.join(DIRECTIONS)}"
        )


def stream_rows(stream: Tensor, rows: int) -> Tensor:
    """Cut running text (N,) into parallel rows (B, N // B), each a piece of consecutive text.

    Row 1 goes on where row 0 ends; the last N mod B ids are left out.

    Raises
    ------
    ValueError
        If a row would have fewer than two ids, so nothing to predict.
    """
    length = len(stream) // rows if rows > 0 else 0
    if length < 2:
        raise ValueError(f"{len(stream)} ids cannot fill {rows} rows of two ids or more")
    return stream[: rows * length].view(rows, length)


def next_word_windows(rows: Tensor, width: int) -> list[tuple[Tensor, Tensor]]:
    """Cut rows (B, L) into windows of (inputs, targets), in the order of the text.

    Inputs and targets are (B, T) with T = `width`, less in the last window. The target of a
    word is the next word of its row. Every id but the first of a row is a target exactly once.

    Raises
    ------
    ValueError
        If `width` is less than 1.
    """
    if width < 1:
        raise ValueError(f"width must be at least 1, got {width}")
    inputs, targets = rows[:, :-1], rows[:, 1:]  # both (B, L - 1)
    return list(zip(inputs.split(width, 1), targets.split(width, 1), strict=True))


def endless_windows(stream: Tensor, batch_size: int, bptt: int) -> Iterator[tuple[Tensor, Tensor]]:
    """Windows of running text (N,), from the start again after the last.

    Parameters
    ----------
    batch_size : B, the number of parallel rows
    bptt : T, the number of words of a window
    """
    windows = next_word_windows(stream_rows(stream, batch_size), bptt)
    return chain.from_iterable(repeat(windows))


def shifted(sentence: Sequence[int], boundary: int) -> tuple[list[int], list[int]]:
    """Inputs and next-word targets of one sentence, n + 1 ids each.

    Inputs ``</s> w1 ... wn``, targets ``w1 ... wn </s>``.
    """
    return [boundary, *sentence], [*sentence, boundary]
