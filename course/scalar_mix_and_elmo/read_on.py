"""The reader of a stateful biLM: a sentence begins with the states in which the last one ended.

bilm-tf and AllenNLP read like this, row by row of a batch. `plain.BiLM` begins each sentence with
zeros. `elmo_mini.fast.bilm` does either, fast (``stateful=True``).
"""

from collections.abc import Callable, Mapping, Sequence

import torch
from torch import Tensor

Layer = Mapping[str, Tensor]
State = tuple[Tensor, Tensor]
Step = Callable[..., State]


def read_on(
    x: Tensor, lengths: Tensor, stack: Sequence[Layer], states: Sequence[State], step: Step
) -> tuple[list[Tensor], list[State]]:
    """One direction through all its layers, from given states to those where each row ends.

    Parameters
    ----------
    x : (B, T, H), read from left to right
    lengths : (B,) tokens of each row; padding comes after them
    stack : W_0, B and W_P_0 of each layer
    states : h (B, H) and c (B, C) of each layer, where the last sentences ended
    step : one word, ``step(x_t, h, c, W_0, B, W_P_0, clip)`` to the next h and c

    Returns
    -------
    (B, T, H) of each layer, with what went in added from the second on; and h and c of each layer
    after the last token of each row
    """
    rows = torch.arange(len(x), device=x.device)
    outputs: list[Tensor] = []
    ends: list[State] = []
    for layer, (h, c) in zip(stack, states, strict=True):
        notes, cells = [], []
        for x_t in x.unbind(1):
            h, c = step(x_t, h, c, **layer, clip=3.0)
            notes.append(h)
            cells.append(c)
        shown, kept = torch.stack(notes, 1), torch.stack(cells, 1)
        ends.append((shown[rows, lengths - 1], kept[rows, lengths - 1]))
        x = shown + x if outputs else shown
        outputs.append(x)
    return outputs, ends
