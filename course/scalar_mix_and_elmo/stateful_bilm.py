"""A biLM whose readers remember: each sentence begins with the states in which the last one ended.

bilm-tf and AllenNLP read like this, row by row of a batch. `plain.BiLM` begins each sentence with
zeros. `elmo_mini.fast.bilm` does either, fast (``stateful=True``).
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from elmo_mini.models.elmo import Weights, parameter, reverse_each

Layer = Mapping[str, Tensor]
State = tuple[Tensor, Tensor]
Step = Callable[..., State]
ReadOn = Callable[..., tuple[Sequence[Tensor], Sequence[State]]]
PARTS = ("W_0", "B", "W_P_0")


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


class CarryingBiLM(nn.Module):
    """As `plain.BiLM`, and from call to call every row goes on from its own last states.

    Parameters
    ----------
    char_cnn : (N, letters) to (N, H)
    weights : of an official file, by name
    read : such as `read_on`
    step : such as ``LSTM.step`` with its weights as arguments
    """

    def __init__(self, char_cnn: nn.Module, weights: Weights, read: ReadOn, step: Step) -> None:
        super().__init__()
        self.char_cnn, self.read, self.step = char_cnn, read, step
        cell = "RNN_{}/RNN/MultiRNNCell/Cell{}/LSTMCell/{}"
        depth = sum(name.startswith("RNN_0/") and name.endswith("/W_0") for name in weights)
        self.stacks = nn.ModuleList(
            nn.ModuleList(
                nn.ParameterDict(
                    {part: parameter(weights[cell.format(direction, j, part)]) for part in PARTS}
                )
                for j in range(depth)
            )
            for direction in (0, 1)
        )
        self.states: list[Any] = [None, None]

    def forward(self, ids: Tensor) -> tuple[list[Tensor], Tensor]:
        """(B, T, letters) to L + 1 tensors (B, T, 2 H), and the mask (B, T).

        B is the same at every call.
        """
        mask = (ids > 0).any(-1)
        lengths = mask.sum(1)
        x = self.char_cnn(ids.flatten(0, 1)).unflatten(0, ids.shape[:2])
        ahead = self._direction(x, lengths, 0)
        behind = self._direction(reverse_each(x, lengths), lengths, 1)
        behind = [reverse_each(h, lengths) for h in behind]
        return [torch.cat(pair, -1) for pair in zip([x, *ahead], [x, *behind], strict=True)], mask

    def _direction(self, x: Tensor, lengths: Tensor, direction: int) -> Sequence[Tensor]:
        stack: Any = self.stacks[direction]
        if self.states[direction] is None:
            sizes = [layer["W_P_0"].shape for layer in stack]
            self.states[direction] = [
                (x.new_zeros(len(x), h), x.new_zeros(len(x), c)) for c, h in sizes
            ]
        outputs, ends = self.read(
            x, lengths, [dict(layer) for layer in stack], self.states[direction], self.step
        )
        self.states[direction] = [(h.detach(), c.detach()) for h, c in ends]
        return outputs
