"""The token layer written for speed: every distinct word once, only as far as its letters reach.

Past its last letter a word holds padding only, and every window of pure padding gives the same
number. One such window is kept, so the maximum over time is unchanged.
"""

from collections.abc import Iterator
from typing import cast

import torch
from torch import Tensor, nn
from torch.nn import functional

from elmo_mini.fast.char_cnn import CharacterCNN, Highway
from elmo_mini.fast.choice import asks_for_gradient, is_plain
from elmo_mini.fast.derived_weights import Derived
from elmo_mini.fast.packed_product import PackedProduct
from elmo_mini.fast.word_table import WordTable
from elmo_mini.text.character_ids import PADDING, unique_rows


def encode_types(encoder: CharacterCNN | WordTable, ids: Tensor) -> Tensor:
    """``encoder(ids)`` for distinct words, (N, characters) to (N, projection_dim).

    Where a gradient is asked for, the batch is cut after its longest word; without one, every
    word is cut by itself, and autocast changes nothing. Where a part was replaced, the encoder
    is called as it is.
    """
    vectors: Tensor
    if not isinstance(encoder, CharacterCNN) or not is_as_built(encoder):
        vectors = encoder(ids)
        return vectors
    reach = _reach(ids)
    if asks_for_gradient(encoder.weights()):
        vectors = encoder(ids[:, : int(reach.max()) + encoder.options.widest_filter])
        return vectors
    with torch.autocast(ids.device.type, enabled=False):
        return _packed.of(encoder).encode(ids, reach)


def encode_tokens(encoder: CharacterCNN | WordTable, ids: Tensor) -> Tensor:
    """``encoder(ids)`` for (..., characters), every distinct row once."""
    types, inverse = unique_rows(ids.reshape(-1, ids.shape[-1]))
    return encode_types(encoder, types)[inverse].view(*ids.shape[:-1], -1)


def is_as_built(encoder: CharacterCNN | WordTable) -> bool:
    """Whether the weights of the encoder's parts, and nothing else, decide what it gives."""
    if not all(is_plain(part, kind) for part, kind in parts_of(encoder)):
        return False
    return isinstance(encoder, WordTable) or (
        encoder.embedding.max_norm is None
        and [_filter(c) for c in encoder.convolutions]
        == [(width, count, *_SLIDING) for width, count in encoder.options.filters]
    )


_SLIDING = ((1,), (0,), (1,), 1, True)


def _filter(c: nn.Conv1d) -> tuple[object, ...]:
    width = c.kernel_size[0]
    return width, c.out_channels, c.stride, c.padding, c.dilation, c.groups, c.bias is not None


def parts_of(encoder: nn.Module) -> Iterator[tuple[nn.Module, type[nn.Module]]]:
    """The encoder and every part that it calls, with the class that each was built with."""
    if isinstance(encoder, WordTable):
        yield encoder, WordTable
        yield encoder.embedding, nn.Embedding
        return
    yield encoder, CharacterCNN
    if not isinstance(encoder, CharacterCNN):
        return
    yield encoder.embedding, nn.Embedding
    for convolution in encoder.convolutions:
        yield convolution, nn.Conv1d
    for highway in encoder.highways:
        yield highway, Highway
        if isinstance(highway, Highway):
            yield highway.transform, nn.Linear
            yield highway.carry, nn.Linear
    if encoder.projection is not None:
        yield encoder.projection, nn.Linear


class _PackedCNN:
    """The weights of a `CharacterCNN` laid out for distinct words without gradients.

    Filters narrower than the widest are filled up with zeros, so that one product serves all.
    """

    def __init__(self, encoder: CharacterCNN) -> None:
        self.options = encoder.options
        widths = [width for width, count in self.options.filters for _ in range(count)]
        self.width = torch.tensor(widths, device="cpu")  # of each filter
        self.widest = self.options.widest_filter
        kernels = []
        for convolution in encoder.convolutions:
            kernel = convolution.weight.detach()  # (filters, character_dim, width)
            missing = self.widest - kernel.shape[-1]
            kernels.append(functional.pad(kernel, (0, missing)).transpose(1, 2).flatten(1))
        bias = torch.cat([cast(Tensor, c.bias).detach() for c in encoder.convolutions])
        self.letters = encoder.embedding.weight.detach()
        self.filters = PackedProduct(torch.cat(kernels), bias)
        self.highways = [
            [PackedProduct(linear.weight, linear.bias) for linear in (h.transform, h.carry)]
            for h in encoder.highways
        ]
        last = encoder.projection
        self.projection = None if last is None else PackedProduct(last.weight, last.bias)

    def encode(self, ids: Tensor, reach: Tensor) -> Tensor:
        """(N, characters) ids of words whose letters reach so far, to (N, projection_dim).

        At most `_MOST_ROWS` words are multiplied at once, and the number of rows is one of few:
        oneDNN writes a program for each number that it meets, and keeps a thousand of them.
        """
        found = [
            self._encode_few(*part)
            for part in zip(ids.split(_MOST_ROWS), reach.split(_MOST_ROWS), strict=True)
        ]
        return found[0] if len(found) == 1 else torch.cat(found)

    def _encode_few(self, ids: Tensor, reach: Tensor) -> Tensor:
        words, rows = len(ids), _rounded(len(ids))
        if rows > words:  # with words of padding alone
            ids = functional.pad(ids, (0, 0, 0, rows - words), value=PADDING)
            reach = functional.pad(reach, (0, rows - words))
        pooled = self._pool_by_position(ids, reach)
        # The maximum is taken before the activation; both are monotone, so the order is free.
        x = pooled.relu_() if self.options.activation == "relu" else pooled.tanh_()
        for transform, carry in self.highways:
            x = torch.lerp(x, transform(x, "relu"), carry(x, "sigmoid"))
        return (x if self.projection is None else self.projection(x))[:words]

    def _pool_by_position(self, ids: Tensor, reach: Tensor) -> Tensor:
        """Maximum over time of all filters, (N, n_filters), one product per start position.

        The words are sorted by length. At start position p the letters p, p + 1, ... of every
        word that reaches p lie in one strided block, so a window needs no copy, and the running
        maximum stays in the processor's cache. A word that is read on, for a round number of rows,
        gives one more window of padding, and the same maximum.
        """
        characters, step = ids.shape[1], self.letters.shape[1]
        reach, order = reach.sort(descending=True)
        # words still read at start position p: those whose letters, or first all-padding
        # window, begin at p or later
        starts = torch.arange(characters, device=ids.device).unsqueeze(1)
        reading = [_rounded(n) for n in (reach >= starts).sum(1).tolist() if n]
        read = ids[order, : len(reading) + self.widest]
        read = functional.pad(read, (0, len(reading) + self.widest - read.shape[1]))
        letters = functional.embedding(read, self.letters).flatten(1)
        pooled = letters.new_full((len(ids), len(self.width)), -torch.inf)
        for start, n in enumerate(reading):
            found = self.filters(letters[:n, start * step : (start + self.widest) * step])
            if start + self.widest > characters:
                found[:, self.width.to(ids.device) > characters - start] = -torch.inf
            torch.maximum(pooled[:n], found, out=pooled[:n])
        unsorted = torch.empty_like(pooled)
        unsorted[order] = pooled
        return unsorted


_packed = Derived(_PackedCNN)

_MOST_ROWS = 256


def _rounded(rows: int) -> int:
    """The next of 24 numbers up to `_MOST_ROWS`: steps of 4, from 32 on of 8, from 64 on of 16."""
    step = 4 if rows <= 32 else 8 if rows <= 64 else 16
    return -(-rows // step) * step


def _reach(ids: Tensor) -> Tensor:
    """Number of positions up to and including the last one that is not padding, (N,)."""
    positions = torch.arange(1, ids.shape[1] + 1, device=ids.device)
    return ((ids != PADDING) * positions).amax(1)
