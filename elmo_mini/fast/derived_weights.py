"""What is worked out from a module's weights, kept for as long as they stay the same.

A frozen model multiplies with the same weights thousands of times. Weights laid out anew for the
processor then pay many times over, and must never outlive the weights that they were made from.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Generic, Protocol, TypeVar
from weakref import WeakKeyDictionary

import torch
from torch import Tensor


class _WithWeights(Protocol):
    def weights(self) -> Iterable[Tensor]: ...


M = TypeVar("M", bound=_WithWeights)
T = TypeVar("T")

_WHOLE = 1 << 18  # numbers; a weight of more is seen by a sample
_SAMPLE = 1 << 14

Stamp = tuple[tuple[int, int, float], ...]


@contextmanager
def made_to_keep() -> Iterator[None]:
    """For tensors that outlive a call: made without gradients, and not as inference tensors.

    A caller may be in ``torch.inference_mode()``. What is made there can never be written to
    again, nor be part of what is differentiated, and would spoil the next training step.
    """
    with torch.inference_mode(False), torch.no_grad():
        yield


def weight_stamp(weights: Iterable[Tensor]) -> Stamp:
    """A mark of these weights that changes when one of them changes, is replaced or moves.

    PyTorch does not count writes through ``weight.data``, as clamps and moving averages of weights
    do them, nor any to weights made in inference mode. So the product of each weight with a ramp is
    part of the mark, which sees numbers that change places, too. Of a weight of more than 262,144
    numbers whose writes are counted it sees about 16,384: a few written through ``data`` can be
    missed. To read them all would take an eighth of the time of a sentence of the small model.
    """
    marks = []
    for weight in weights:
        values = weight.detach().reshape(-1)
        if len(values) > _WHOLE and not weight.is_inference():
            # An odd step, which meets every column.
            values = values[:: len(values) // _SAMPLE | 1]
        if values.dtype != torch.float64:
            values = values.float()
        version = 0 if weight.is_inference() else weight._version
        ramp = _ramp(len(values), values.dtype, values.device)
        marks.append((weight.data_ptr(), version, float(torch.dot(values, ramp))))
    return tuple(marks)


@lru_cache(maxsize=256)
@made_to_keep()
def _ramp(length: int, dtype: torch.dtype, device: torch.device) -> Tensor:
    return torch.linspace(1, 2, length, dtype=dtype, device=device)


class Derived(Generic[M, T]):
    """`build(module)` for any number of modules, done again where the weights have changed.

    A module tells by its method ``weights`` which tensors are read.
    """

    def __init__(self, build: Callable[[M], T]) -> None:
        self.build = build
        self._kept: WeakKeyDictionary[M, tuple[Stamp, T]] = WeakKeyDictionary()

    def of(self, module: M) -> T:
        """What `build` gives for the module's present weights."""
        stamp = weight_stamp(module.weights())
        kept = self._kept.get(module)
        if kept is None or kept[0] != stamp:
            with made_to_keep():
                kept = stamp, self.build(module)
            self._kept[module] = kept
        return kept[1]
