"""How long a reader takes for one text, by its length."""

import time
from collections.abc import Callable, Mapping, Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

TRIES = 5


@torch.no_grad()
def reading_times(
    readers: Mapping[str, Callable[[Tensor], object]], lengths: Sequence[int], dim: int
) -> dict[str, NDArray[np.float64]]:
    """Milliseconds of processor time for one text of each length, the shortest of `TRIES`.

    Parameters
    ----------
    readers : each takes states (1, T, dim)
    lengths : the values of T
    """
    return {
        name: np.array(
            [min(_once(reader, length, dim) for _ in range(TRIES)) for length in lengths]
        )
        for name, reader in readers.items()
    }


def _once(reader: Callable[[Tensor], object], length: int, dim: int) -> float:
    x = torch.zeros(1, length, dim)
    begun = time.process_time()
    reader(x)
    return 1000 * (time.process_time() - begun)


def where_they_cross(
    lengths: Sequence[int], one: NDArray[np.float64], other: NDArray[np.float64]
) -> float:
    """The length at which `one` becomes slower than `other` for good; infinite if it does not.

    Between two lengths both times are taken for straight lines on logarithmic axes.
    """
    lead = np.log(one) - np.log(other)
    faster = np.flatnonzero(lead <= 0)
    if not len(faster):
        return float(lengths[0])
    last = int(faster[-1])
    if last == len(lengths) - 1:
        return float("inf")
    share = lead[last] / (lead[last] - lead[last + 1])
    ends = np.log(lengths[last]), np.log(lengths[last + 1])
    return float(np.exp(ends[0] + share * (ends[1] - ends[0])))
