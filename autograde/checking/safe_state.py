"""Judge under the defaults of Python, NumPy and PyTorch, whatever the notebook has switched.

What stood before the check stands after it, also where the answer changed it: a lesson's later
cells do not depend on whether, or how often, a check ran.
"""

import contextlib
import random
import sys
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch

RECURSION_LIMIT = 1_000

_default_dtype = torch.get_default_dtype, torch.set_default_dtype
_generators: tuple[tuple[Callable[[], Any], Callable[[Any], object]], ...] = (
    (random.getstate, random.setstate),
    (np.random.get_state, np.random.set_state),
    (torch.get_rng_state, torch.set_rng_state),
)


@contextlib.contextmanager
def safe_state() -> Iterator[None]:
    """Defaults while the block runs; the notebook's state before and after it."""
    recursion_limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(recursion_limit, RECURSION_LIMIT))
    get_dtype, set_dtype = _default_dtype
    dtype = get_dtype()
    generators = [(put_back, get()) for get, put_back in _generators]
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            if any(action == "error" for action, *_ in warnings.filters):
                warnings.simplefilter("default")
            set_dtype(torch.float32)
            yield
    finally:
        set_dtype(dtype)
        for put_back, state in generators:
            put_back(state)
        with contextlib.suppress(RecursionError):
            sys.setrecursionlimit(recursion_limit)
