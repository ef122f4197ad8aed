"""Sentences of different length as batches: of like length, and padded to one table."""

from collections.abc import Callable, Iterator, Sequence
from operator import index
from typing import TypeVar

import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from elmo_mini.settings import whole_number

Row = TypeVar("Row")


def class_numbers(labels: Sequence[int], classes: int) -> list[int]:
    """The labels, (N,); raises ValueError for one that is no whole number below `classes`."""
    for label in labels:
        try:
            fits = 0 <= index(label) < classes
        except TypeError:
            fits = False
        if not fits:
            raise ValueError(
                f"the label {label!r} is none of the numbers of {classes} classes, "
                f"0 to {classes - 1}: number your classes from 0"
            )
    return list(map(index, labels))


def pad(
    sequences: Sequence[Sequence[int]], padding: int = 0, *, device: torch.device | str
) -> tuple[Tensor, Tensor]:
    """Rows of different length as one table.

    Returns
    -------
    ids (B, T), int64, with `padding` at the end of shorter rows, and mask (B, T), bool, True where
    an id is real

    Raises
    ------
    ValueError
        If there are no rows.
    TypeError
        If a number is no whole number: 1.5 is no id.
    """
    if not sequences:
        raise ValueError("there is nothing to pad")
    rows = [torch.tensor(row, device="cpu") for row in sequences]
    if any(len(row) and row.is_floating_point() for row in rows):
        raise TypeError("an id is no whole number")
    rows = [row.long() for row in rows]
    ids = pad_sequence(rows, batch_first=True, padding_value=padding).to(device)
    lengths = torch.tensor([len(row) for row in sequences], device=device)
    mask = torch.arange(ids.shape[1], device=device) < lengths.unsqueeze(1)
    return ids, mask


def in_batches(rows: Sequence[Row], batch_size: int) -> Iterator[Sequence[Row]]:
    """So many rows at a time; raises ConfigurationError where that is no whole number above 0."""
    size = whole_number("batch_size", batch_size)
    return (rows[start : start + size] for start in range(0, len(rows), size))


def batches_of_like_length(
    lengths: Sequence[int], batch_size: int, order: Sequence[int] | None = None
) -> list[list[int]]:
    """Cut rows into batches, the shortest rows first, so that a batch holds little padding.

    Parameters
    ----------
    order : the rows to cut, all by default; among rows of one length this order stays
    """
    rows = sorted(range(len(lengths)) if order is None else order, key=lengths.__getitem__)
    return list(map(list, in_batches(rows, batch_size)))


def shuffled_batches(
    lengths: Sequence[int],
    batch_size: int,
    shuffle: Callable[[list], object],
    *,
    pool: int | None = None,
) -> Iterator[list[int]]:
    """Every row once, in batches of like length that come in random order: one epoch.

    Parameters
    ----------
    shuffle : mixes a list in place, as `random.Random.shuffle` and NumPy's do
    pool : rows are sorted by length within so many batches, so that the same rows do not meet
        in every epoch; within all of them by default
    """
    order = list(range(len(lengths)))
    shuffle(order)
    size = whole_number("batch_size", batch_size) * pool if pool else max(1, len(order))
    batches: list[list[int]] = []
    for rows in in_batches(order, size):
        batches += batches_of_like_length(lengths, batch_size, rows)
    shuffle(batches)
    yield from batches
