"""BPT3C, backpropagation through time for text classification (section 3.3).

A text of a thousand words is read in chunks. The state is carried from chunk to chunk, and all
states are kept for pooling. Gradients stay within a chunk, and the memory that they need does not
grow with the text. Which chunks they reach is counted from each text's own end, whatever stands
beside it in the batch.

Letters in the shape comments: B texts, T words, t words of a chunk, H numbers of a state.
"""

from collections.abc import Callable
from itertools import count
from typing import Any

import torch
from torch import Tensor

from elmo_mini.settings import whole_number

States = list[tuple[Tensor, Tensor]]
Reader = Callable[[Tensor, Any], tuple[Tensor, States]]
"""From ids (B, t) and the state before them, or None, to states (B, t, H) and the state after."""


def read_in_chunks(read: Reader, ids: Tensor, chunk: int, keep: int) -> Tensor:
    """The states of a long text, as if it had been read at once; gradients only near its end.

    Parameters
    ----------
    read : a language model's layers; its state is a pair of tensors for each layer
    ids : (B, T)
    chunk : so many words are read together
    keep : so many chunks at the end take part in gradients; with 0 none does

    Returns
    -------
    (B, T, H)
    """
    pieces = ids.split(chunk, 1)
    state: States | None = None
    outputs = []
    for number, piece in enumerate(pieces):
        with torch.set_grad_enabled(torch.is_grad_enabled() and number >= len(pieces) - keep):
            states, state = read(piece, state)
        state = [(h.detach(), c.detach()) for h, c in state]
        outputs.append(states)
    return torch.cat(outputs, 1)


def read_padded_in_chunks(
    read: Reader, ids: Tensor, lengths: Tensor, chunk: int, keep: int
) -> Tensor:
    """As `read_in_chunks`, of texts of several lengths: each one's own last chunks are kept.

    Parameters
    ----------
    ids : (B, T), padding at the end
    lengths : (B,) words of each text

    Raises
    ------
    ConfigurationError
        If `chunk` or `keep` is out of its range.
    """
    whole_number("chunk", chunk)
    ends = (lengths + chunk - 1) // chunk  # (B,) chunks of each text
    begins = ends - whole_number("keep", keep, 0)
    numbers = count()

    def near_ends(piece: Tensor, state: Any) -> tuple[Tensor, States]:
        number = next(numbers)
        learns = (begins <= number) & (number < ends)  # (B,)
        with torch.set_grad_enabled(torch.is_grad_enabled() and bool(learns.any())):
            states, after = read(piece, state)
        return states.where(learns[:, None, None], states.detach()), after

    return read_in_chunks(near_ends, ids, chunk, ids.shape[1])
