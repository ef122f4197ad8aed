"""Truncated BPTT with windows of random length, cut elsewhere in every epoch.

Merity, Keskar & Socher 2017 (arXiv:1708.02182), section 4.1. A gradient goes back to the start of
its window. If windows are always cut at the same places, the first word of a window never has a
past to learn from.

Letters in the shape comments: B rows, L ids of a row, T steps of a window.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from torch import Tensor

SHORT_SHARE = 0.05
SPREAD = 5.0
SHORTEST = 5


class VaryingWindow(NamedTuple):
    """One window: inputs and targets (B, T), and the factor on the learning rate."""

    inputs: Tensor
    targets: Tensor
    rate: float


def window_length(bptt: int, random: np.random.Generator) -> int:
    """Draw a length: about `bptt`, one time in twenty about half of it, never under 5."""
    centre = bptt / 2 if random.random() < SHORT_SHARE else bptt
    return max(SHORTEST, int(random.normal(centre, SPREAD)))


def varying_windows(
    rows: Tensor, bptt: int, random: np.random.Generator
) -> Iterator[VaryingWindow]:
    """Cut rows (B, L) into windows of drawn length, in the order of the text.

    Every id but the first of a row is a target exactly once. The rate is T / bptt: the mean loss
    of a short window weighs its few words as much as a long one's many, and the factor undoes it.
    """
    start, last = 0, rows.shape[1] - 1
    while start < last:
        end = min(start + window_length(bptt, random), last)
        yield VaryingWindow(rows[:, start:end], rows[:, start + 1 : end + 1], (end - start) / bptt)
        start = end
