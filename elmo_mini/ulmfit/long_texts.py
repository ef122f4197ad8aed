"""BPT3C, backpropagation through time for text classification (section 3.3).

A text of a thousand words is read in chunks. The state is carried from chunk to chunk, and all
states are kept for pooling. Gradients stay within a chunk, and the memory that they need does not
grow with the text. Which chunks they reach is counted from each text's own end, whatever stands
beside it in the batch.

Letters in the shape comments: B texts, T words, t words of a chunk, H numbers of a state.
"""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from elmo_mini.settings import whole_number

States = list[tuple[Tensor, Tensor]]
Reader = Callable[[Tensor, Any], tuple[Tensor, States]]
"""From ids (B, t) and the state before them, or None, to states (B, t, H) and the state after."""


def read_in_chunks(
    read: Reader, ids: Tensor, chunk: int, keep: int, lengths: Tensor | None = None
) -> Tensor:
    """The states of long texts, as if they had been read at once; gradients only near their ends.

    Parameters
    ----------
    read : a language model's layers; its state is a pair of tensors for each layer
    ids : (B, T)
    chunk : so many words are read together
    keep : so many chunks at the end of each text take part in gradients; with 0 none does
    lengths : (B,) words of each text, behind which padding stands; T for all by default

    Returns
    -------
    (B, T, H)

    Raises
    ------
    ConfigurationError
        If `chunk` or `keep` is out of its range.
    """
    pieces = ids.split(whole_number("chunk", chunk), 1)
    words = ids.new_full((len(ids),), ids.shape[1]) if lengths is None else lengths
    ends = (words + chunk - 1) // chunk  # (B,) chunks of each text
    begins = ends - whole_number("keep", keep, 0)
    state: States | None = None
    outputs = []
    for number, piece in enumerate(pieces):
        learns = (begins <= number) & (number < ends)  # (B,)
        with torch.set_grad_enabled(torch.is_grad_enabled() and bool(learns.any())):
            states, state = read(piece, state)
        if not learns.all():
            states = states.where(learns[:, None, None], states.detach())
        state = [(h.detach(), c.detach()) for h, c in state]
        outputs.append(states)
    return torch.cat(outputs, 1)
