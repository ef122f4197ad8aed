"""ELMos that break a promise. Four of them are planted in lesson 08.

Each is a black box: sentences go in, a list of arrays (words, 2 H) comes out.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

import numpy as np
import torch
from torch import Tensor, nn

from elmo_mini.models.elmo import LSTM, BiLM, CharCNN, ScalarMix
from elmo_mini.text.character_ids import batch_to_ids

Sentences = Sequence[Sequence[str]]
Elmo = Callable[[Sentences], list[np.ndarray]]
FAULTS = ("wrong number", "remembers", "depends on its company", "shifted")
PLANTED = {
    "A": "remembers",
    "B": "padding is read first",
    "C": "padding stays",
    "D": "one place early",
}
KINDS = {  # ways to be broken, and the fault that each is
    "both boundaries stay": FAULTS[0],
    "the end stays": FAULTS[0],
    "the first and last word are gone": FAULTS[0],
    "padding stays": FAULTS[0],
    "remembers": FAULTS[1],
    "remembers a little": FAULTS[1],
    "the backward reader remembers": FAULTS[1],
    "padding is read first": FAULTS[2],
    "layer norm over the batch": FAULTS[2],
    "one place early": FAULTS[3],
    "one place late": FAULTS[3],
}
CUT = {  # the first token that is kept, and how many more than there are words
    "both boundaries stay": (0, 2),
    "the end stays": (1, 1),
    "the first and last word are gone": (2, -2),
    "one place early": (0, 0),
    "one place late": (2, 0),
}

GOLDEN = (5**0.5 - 1) / 2
"""Its multiples, whole numbers taken off, lie far from each other."""


class _Remembering(nn.Module):
    """An LSTM that starts from a share of the state in which its last batch ended.

    The share is another one in each call: two sentences may end alike, and the same one does.
    """

    def __init__(self, lstm: LSTM, share: float) -> None:
        super().__init__()
        self.lstm, self.share, self.calls = lstm, share, 0
        cells, hidden = lstm.W_P_0.shape
        self.h, self.c = lstm.W_P_0.new_zeros(hidden), lstm.W_P_0.new_zeros(cells)

    def forward(self, x: Tensor) -> Tensor:
        """(B, T, H) to (B, T, H)."""
        h, c = self.h.expand(len(x), -1), self.c.expand(len(x), -1)
        states = []
        for x_t in x.unbind(1):
            h, c = self.lstm.step(x_t, h, c)
            states.append(h)
        self.calls += 1
        share = self.share * (0.5 + GOLDEN * self.calls % 1)
        self.h, self.c = share * h[0], share * c[0]
        return torch.stack(states, 1)


class _PaddingFirst(BiLM):
    """The backward reader is given the whole row turned round."""

    def forward(self, ids: Tensor) -> tuple[list[Tensor], Tensor]:
        """As `BiLM`, but for the reversal."""
        mask = (ids > 0).any(-1)
        x = self.char_cnn(ids.flatten(0, 1)).unflatten(0, ids.shape[:2])
        ahead = self.read(x, self.forward_lstms)
        behind = [h.flip(1) for h in self.read(x.flip(1), self.backward_lstms)]
        return [torch.cat(pair, -1) for pair in zip([x, *ahead], [x, *behind], strict=True)], mask


def elmo_with(kind: str, weights: Mapping[str, Tensor], rounding: float = 0.0) -> Elmo:
    """The average of a biLM's layers at the words, broken in one of `KINDS`, or in nothing.

    Parameters
    ----------
    rounding : noise of this size in every number, as a machine makes it
    """
    reader = (_PaddingFirst if kind == "padding is read first" else BiLM)(
        CharCNN(weights), weights
    ).requires_grad_(False)
    if KINDS.get(kind) == FAULTS[1]:
        share = 0.2 if kind == "remembers a little" else 1.0
        both = (reader.forward_lstms, reader.backward_lstms)
        for stack in both[kind == "the backward reader remembers" :]:
            for place, lstm in enumerate(stack):
                stack[place] = _Remembering(cast(LSTM, lstm), share)
    first, more = CUT.get(kind, (1, 0))
    rng = np.random.default_rng(0)

    @torch.no_grad()
    def embed(sentences: Sentences) -> list[np.ndarray]:
        framed = [["<S>", *words, "</S>"] for words in sentences]
        layers, mask = reader(batch_to_ids(framed, allow_boundary_tokens=True))
        mix = ScalarMix(len(layers), kind == "layer norm over the batch").to(layers[0].dtype)
        vectors = mix(layers, mask).numpy()
        vectors = vectors + rounding * rng.uniform(-1, 1, vectors.shape).astype(vectors.dtype)
        lengths = [len(words) for words in sentences]
        if kind == "padding stays":
            lengths = [max(lengths)] * len(lengths)
        return [
            row[first : first + max(0, length + more)]
            for row, length in zip(vectors, lengths, strict=True)
        ]

    return embed


def planted(weights: Mapping[str, Tensor]) -> dict[str, Elmo]:
    """The four ELMos of the lesson, A to D."""
    return {name: elmo_with(kind, weights) for name, kind in PLANTED.items()}


def in_arrays(read: Callable[[Sentences], Sequence[Any]]) -> Elmo:
    """A reader of tensors as a black box like those above."""
    return lambda sentences: [np.asarray(vectors) for vectors in read(sentences)]
