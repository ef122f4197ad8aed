"""The least time in which this processor could run a biLM, from what it does at its best.

Two things are measured on the spot: the rate of a large matrix product, and the rate at which
numbers of the size of one LSTM layer's weights are read again and again. A step of an LSTM can be
no faster than its products at the first rate, and, while its weights do not fit into the
registers, no faster than reading them once at the second. Everything that is not a product counts
as free.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from elmo_mini.fast.bilm_options import BiLMOptions
from elmo_mini.fast.packed_order import PackedOrder
from elmo_mini.text.character_ids import PADDING, add_boundaries, boundary_ids, unique_rows

Clock = Callable[[], float]


@dataclass(frozen=True)
class Processor:
    """Rates at the present number of threads."""

    flops: float
    """Floating-point operations a second, in products of 1024 x 1024 matrices."""
    bytes: float
    """Bytes a second, reading the weights of one layer over and over."""

    @classmethod
    def measure(cls, options: BiLMOptions, clock: Clock) -> "Processor":
        """Time both, for weights of this model's size."""
        square = torch.randn(1024, 1024)
        layer = torch.randn(2 * _weights_a_step(options))
        return cls(
            2 * 1024**3 / _seconds(lambda: square @ square, clock),
            4 * layer.numel() / _seconds(layer.sum, clock),
        )

    def products(self, operations: float) -> float:
        """Seconds of products that nothing but arithmetic limits."""
        return operations / self.flops

    def steps(self, options: BiLMOptions, batch_sizes: list[int]) -> float:
        """Seconds of the recurrent products of one layer, both directions, forwards."""
        weights = 2 * _weights_a_step(options)
        return sum(max(2 * n * weights / self.flops, 4 * weights / self.bytes) for n in batch_sizes)


def inference_bound(processor: Processor, options: BiLMOptions, ids: Tensor) -> float:
    """Seconds for one batch (B, T, 50), every distinct word encoded once."""
    work = _Work.of(options, ids)
    inputs = work.words + (options.n_layers - 1) * work.tokens
    return (
        processor.products(work.token_layer)
        + processor.products(inputs * _input_operations(options))
        + options.n_layers * processor.steps(options, work.batch_sizes)
    )


def training_bound(processor: Processor, options: BiLMOptions, ids: Tensor) -> float:
    """Seconds for one batch forwards and backwards.

    Each product has two more in the backward pass: for its input, which walks the steps, and
    for its weights, which does not.
    """
    work = _Work.of(options, ids)
    steps = processor.steps(options, work.batch_sizes)
    recurrent = 4 * work.tokens * _weights_a_step(options)
    inputs = 3 * work.tokens * _input_operations(options)
    lstm = options.n_layers * (2 * steps + processor.products(recurrent + inputs))
    return processor.products(3 * work.token_layer) + lstm


@dataclass(frozen=True)
class _Work:
    tokens: int
    words: int
    batch_sizes: list[int]
    token_layer: float

    @classmethod
    def of(cls, options: BiLMOptions, ids: Tensor) -> "_Work":
        ids, mask = add_boundaries(ids, (ids > 0).any(-1), *boundary_ids())
        words, _ = unique_rows(ids[mask])
        letters = float((words != PADDING).sum())
        size = options.n_filters
        convolutions = sum(
            2 * width * count * options.character_dim for width, count in options.filters
        )
        token_layer = letters * convolutions
        token_layer += len(words) * 2 * (2 * options.n_highway * size**2)
        token_layer += len(words) * 2 * size * options.projection_dim
        return cls(int(mask.sum()), len(words), PackedOrder(mask).batch_sizes, token_layer)


def _weights_a_step(options: BiLMOptions) -> int:
    """Recurrent weights and projection of one direction."""
    return options.projection_dim * 4 * options.dim + options.dim * options.projection_dim


def _input_operations(options: BiLMOptions) -> int:
    """Operations of the input product of one token, both directions."""
    return 2 * 2 * options.projection_dim * 4 * options.dim


def _seconds(run: Callable[[], object], clock: Clock) -> float:
    """The best of several rounds: what the processor can do when nothing disturbs it."""
    rounds = []
    for _ in range(15):
        start, count = clock(), 0
        began = time.perf_counter()
        while time.perf_counter() - began < 0.02:
            run()
            count += 1
        rounds.append((clock() - start) / count)
    return float(np.min(rounds))
