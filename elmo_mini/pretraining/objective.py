"""The biLM with its softmax: what pretraining minimises.

NAACL ELMo paper, section 3.1: the mean of both directions' -log p, with the token layer and the
softmax tied. Dropout stands where bilm-tf has it: on the input of each LSTM layer (the residual
then adds the dropped input) and on the output before the softmax.
"""

from dataclasses import dataclass
from functools import partial

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from elmo_mini.fast.bilm import FastBiLM
from elmo_mini.fast.bilm_options import BiLMOptions
from elmo_mini.fast.char_cnn_types import encode_types
from elmo_mini.fast.projected_lstm import State
from elmo_mini.pretraining.softmax import build_softmax
from elmo_mini.pretraining.streams import Window
from elmo_mini.text.character_ids import PADDING, word_to_ids

# Words are encoded in groups of similar length: a group costs what its longest word costs.
_GROUPS = (10, 16)


@dataclass(frozen=True)
class Batch:
    """A window as tensors: T steps of B rows in two directions, over U distinct words.

    Attributes
    ----------
    char_ids : character ids of the distinct words by group of length, (U_g, characters) each
    inverse : (2, T, B) which of the U words each direction reads at each step
    targets : (2, T, B) number of the word to be predicted
    """

    char_ids: list[Tensor]
    inverse: Tensor
    targets: Tensor


class BatchMaker:
    """Turns windows of type numbers into batches of character ids and softmax targets."""

    def __init__(
        self, types: list[str], targets: NDArray[np.int64], max_characters: int, device: str
    ) -> None:
        rows = [word_to_ids(word, max_characters=max_characters) for word in types]
        self.char_ids = np.array(rows, dtype=np.int16)
        self.reach = (self.char_ids != PADDING).sum(1)
        self.targets = targets  # softmax target of each type
        self.device = torch.device(device)

    def __call__(self, window: Window) -> Batch:
        read = np.stack([window.forward_inputs.T, window.backward_inputs.T])
        said = np.stack([window.forward_targets.T, window.backward_targets.T])
        types, inverse = np.unique(read, return_inverse=True)
        by_length = np.argsort(self.reach[types], kind="stable")
        rank = np.empty_like(by_length)
        rank[by_length] = np.arange(len(types))
        types = types[by_length]
        cuts = np.searchsorted(self.reach[types], _GROUPS, side="right")
        groups = [group for group in np.split(types, cuts) if len(group)]
        return Batch(
            [self._tensor(self.char_ids[group]) for group in groups],
            self._tensor(rank[inverse.reshape(read.shape)]),
            self._tensor(self.targets[said]),
        )

    def _tensor(self, numbers: NDArray[np.generic]) -> Tensor:
        return torch.from_numpy(numbers.astype(np.int64)).to(self.device)


class DropoutMasks:
    """The dropout masks of one step, drawn from the seed and the step's number alone.

    So nothing random needs to be kept in a checkpoint. Every process draws the masks of the
    whole batch and uses those of its rows, so that they do not depend on how many there are.
    """

    def __init__(self, seed: int, rows: slice, batch_size: int, device: str) -> None:
        self.generator = torch.Generator(device).manual_seed(seed)
        self.rows, self.batch_size = rows, batch_size

    def drop(self, x: Tensor, rate: float) -> Tensor:
        """Plain dropout of (2, T, B, H)."""
        if rate == 0:
            return x
        directions, steps, _, size = x.shape
        kept = torch.empty(directions, steps, self.batch_size, size, dtype=x.dtype, device=x.device)
        kept.bernoulli_(1 - rate, generator=self.generator)
        return x * kept[:, :, self.rows].div(1 - rate)


class BiLMWithSoftmax(nn.Module):
    """A `FastBiLM` that predicts the next word forward and the one before it backward."""

    def __init__(
        self, options: BiLMOptions, words: int, softmax: str, sampled: int, dropout: float
    ) -> None:
        super().__init__()
        self.bilm = FastBiLM(options)
        self.softmax = build_softmax(softmax, options.projection_dim, words, sampled)
        self.dropout = dropout

    def start(self, batch_size: int) -> State:
        """The state before any text: zeros, h (layers, 2, B, H) and c (layers, 2, B, C)."""
        h, c = self.bilm.carried.start(batch_size)
        return torch.zeros_like(h), torch.zeros_like(c)

    def forward(
        self, batch: Batch, state: State, masks: DropoutMasks | None = None, seed: int = 0
    ) -> tuple[Tensor, State]:
        """Loss of one window.

        Parameters
        ----------
        batch : T steps of B rows
        state : where the rows' last window ended
        masks : of the dropout; None for evaluation, which also uses the exact softmax
        seed : for the negatives of a sampled softmax

        Returns
        -------
        mean -log p of the forward and of the backward direction in nats, (2,), and the state at
        the window's end, detached
        """
        types = torch.cat([encode_types(self.bilm.token_encoder, ids) for ids in batch.char_ids])
        _, steps, batch_size = batch.inverse.shape
        drop = None if masks is None else partial(self._drop, masks, batch_size)
        inputs = functional.embedding(batch.inverse.flatten(1), types)  # (2, T * B, H)
        layers, (h, c) = self.bilm.read(inputs, [batch_size] * steps, state, drop=drop)
        top, targets = layers[-1], batch.targets.flatten()
        if drop is None:
            losses = self.softmax.exact(top.flatten(0, 1), targets)
        else:
            losses = self.softmax(drop(top).flatten(0, 1), targets, seed)
        return losses.view(2, -1).mean(1), (h.detach(), c.detach())

    def _drop(self, masks: DropoutMasks, batch_size: int, x: Tensor) -> Tensor:
        """Dropout of (2, T * B, H)."""
        return masks.drop(x.unflatten(1, (-1, batch_size)), self.dropout).flatten(1, 2)
