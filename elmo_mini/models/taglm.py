"""TagLM: where the states of a frozen biLM join the layers of a BiLSTM-CRF tagger.

Taught in lesson 05, section 6 (The language consultant). Peters, Ammar, Bhagavatula & Power 2017
(ACL), "Semi-supervised sequence tagging with bidirectional language models", sections 2 and 3. A
word is x_k = [c_k; w_k]: a convolution over its letters (30 filters of width 3, as the paper has it
for chunking) and a word vector. Two bidirectional LSTM layers, one dense layer and a CRF give the
labels. The top-layer states of a biLM, h_LM = [forward; backward], which training never changes,
are concatenated to the output of the first layer (equation 3). Where they go, and whether there is
a CRF or an LSTM at all, can be chosen here, as in the paper's section 3.3.

Smaller than the paper's: 64 LSTM units a direction where its chunker has 200. The word vectors
are 50 numbers, as theirs are. The CRF is `elmo_mini.models.crf`; the tagger around these layers,
from sentences to labels, is `elmo_mini.tagging.tagger.Tagger`.

Letters in the shape comments: B sentences, T words, D numbers of an input, H units of a direction,
L numbers of the LM's vector.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, get_args

import torch
from torch import Tensor, nn

Layer = Callable[[Tensor], Tensor]
Position = Literal["none", "input", "after_first", "after_second"]
Direction = Literal["both", "forward"]
Join = Callable[[Tensor, Tensor, Layer, Layer, Position], Tensor]


def lm_part(vectors: Tensor, direction: Direction) -> Tensor:
    """Of LM vectors (..., L), forward half first, both halves or the forward one (..., L / 2).

    Taught in lesson 05, section 6; section 3.3 and Table 6 of the paper.

    Raises
    ------
    ValueError
        If there is no such direction.
    """
    if direction not in get_args(Direction):
        raise ValueError(f"lm_direction is {direction!r}; choose one of {get_args(Direction)}")
    return vectors if direction == "both" else vectors[..., : vectors.shape[-1] // 2]


def with_lm(words: Tensor, lm: Tensor, first: Layer, second: Layer, position: Position) -> Tensor:
    """Two RNN layers with LM vectors concatenated at one of three positions.

    Taught in lesson 05, section 6 (exercise 8); section 3.3 and Table 5. ``after_first`` is TagLM's
    equation 3: the second layer reads [first layer; LM]. ``input`` gives them to the first layer,
    ``after_second`` to the dense layer; ``none`` leaves them out.

    Parameters
    ----------
    words : (B, T, D)
    lm : (B, T, L)
    first, second : the layers, each (B, T, in) to (B, T, out)

    Raises
    ------
    ValueError
        If there is no such position.
    """
    if position not in get_args(Position):
        raise ValueError(f"lm_position is {position!r}; choose one of {get_args(Position)}")
    if position == "input":
        words = torch.cat([words, lm], -1)  # (B, T, D + L)
    hidden = first(words)  # (B, T, 2H)
    if position == "after_first":
        hidden = torch.cat([hidden, lm], -1)  # (B, T, 2H + L)
    hidden = second(hidden)  # (B, T, 2H)
    if position == "after_second":
        hidden = torch.cat([hidden, lm], -1)  # (B, T, 2H + L)
    return hidden


@dataclass(frozen=True)
class TaggerOptions:
    """What a tagger is built of.

    `hidden` are the LSTM units of one direction. `crf` False puts a softmax over each word's
    labels in place of the CRF. `task_rnn` False leaves LM vectors, dense layer and CRF alone.
    """

    lm_position: Position = "after_first"
    lm_direction: Direction = "both"
    crf: bool = True
    task_rnn: bool = True
    word_dim: int = 50
    character_dim: int = 30
    character_filters: int = 30
    hidden: int = 64
    dropout: float = 0.4

    def __post_init__(self) -> None:
        for name, known in (("lm_position", Position), ("lm_direction", Direction)):
            if getattr(self, name) not in get_args(known):
                raise ValueError(
                    f"{name} is {getattr(self, name)!r}; choose one of {get_args(known)}"
                )
        for name in ("word_dim", "character_dim", "character_filters", "hidden"):
            size = getattr(self, name)
            if type(size) is not int or size < 1:
                raise ValueError(f"{name} is {size!r:.40}; it must be a whole number of at least 1")
        for name in ("crf", "task_rnn"):
            if type(switch := getattr(self, name)) is not bool:
                raise ValueError(f"{name} is {switch!r:.40}; it must be True or False")
        if type(self.dropout) not in (int, float) or not 0 <= self.dropout <= 1:
            raise ValueError(f"dropout is {self.dropout!r:.40}; it must be a number from 0 to 1")
        if not self.task_rnn and self.lm_position == "none":
            raise ValueError("without a task RNN and without LM vectors nothing is left to read")


class BiLSTM(nn.Module):
    """One bidirectional LSTM layer that does not read padding: (B, T, D) to (B, T, 2H).

    Taught in lesson 05, section 5; section 2.2 of the paper. Every sentence is reversed within its
    own length for the backward direction. That gives what PyTorch's packed sequences give, in less
    time on a CPU.
    """

    def __init__(self, size: int, hidden: int) -> None:
        super().__init__()
        self.forwards = nn.LSTM(size, hidden, batch_first=True)
        self.backwards = nn.LSTM(size, hidden, batch_first=True)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """Read x (B, T, D) both ways; what stands at padding in the result means nothing."""
        steps = torch.arange(mask.shape[1], device=mask.device)
        turned = torch.where(mask, mask.sum(1, keepdim=True) - 1 - steps, steps)  # (B, T)
        rows = torch.arange(len(mask), device=mask.device).unsqueeze(1)
        backward = self.backwards(x[rows, turned])[0][rows, turned]  # (B, T, H)
        return torch.cat([self.forwards(x)[0], backward], -1)  # (B, T, 2H)
