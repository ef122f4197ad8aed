"""Whether the named arrays of a file are those of a model, said before any of them is copied."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import torch
from torch import Tensor

SHOWN = 4


def misfits(
    found: Mapping[str, Any], wanted: Mapping[str, tuple[int, ...]], foreign: Iterable[str] = ()
) -> str:
    """What keeps `found` from being the parts of a model, its first faults in words.

    Parameters
    ----------
    found : name to array or tensor
    wanted : name to shape of every part of the model
    foreign : names that must not be there

    Returns
    -------
    such as ``"W_proj (16, 6) is missing; B has shape (40,), not (44,)"``, empty if all fit
    """
    faults = [f"{name} is no part of this model" for name in foreign]
    for name, shape in wanted.items():
        array = found.get(name)
        if array is None:
            faults.append(f"{name} {shape} is missing")
        elif not _is_floating(array):
            kind = getattr(array, "dtype", type(array).__name__)
            faults.append(f"{name} is {kind}, no array of floating-point numbers")
        elif tuple(array.shape) != shape:
            faults.append(f"{name} has shape {tuple(array.shape)}, not {shape}")
        elif not bool(torch.as_tensor(array).isfinite().all()):
            faults.append(f"{name} holds numbers that are not finite")
    return "; ".join([*faults[:SHOWN], *(["..."] if len(faults) > SHOWN else [])])


def _is_floating(array: object) -> bool:
    if isinstance(array, Tensor):
        return array.is_floating_point()
    return isinstance(array, np.ndarray) and np.issubdtype(array.dtype, np.floating)
