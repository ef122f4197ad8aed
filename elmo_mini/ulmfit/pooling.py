"""Concat pooling: what a classifier sees of a text (section 3.3).

Letters in the shape comments: B texts, T words, H numbers of a state.
"""

import torch
from torch import Tensor


def concat_pool(states: Tensor, mask: Tensor) -> Tensor:
    """The last state, the largest number of each unit, and the mean over the words.

    Parameters
    ----------
    states : (B, T, H); what stands at padding is left out
    mask : (B, T), True at words; each text has its words at the start, and at least one

    Returns
    -------
    (B, 3 H)

    Raises
    ------
    ValueError
        If a text has no word.
    """
    lengths = mask.sum(1)
    if not bool((lengths > 0).all()):
        raise ValueError("a text without words has no state to pool")
    last = states[torch.arange(len(states)), lengths - 1]  # (B, H)
    outside = ~mask.unsqueeze(-1)
    largest = states.masked_fill(outside, -torch.inf).amax(1)
    mean = states.masked_fill(outside, 0).sum(1) / lengths.unsqueeze(1)
    return torch.cat([last, largest, mean], 1)
