"""The random states of Python, NumPy and PyTorch as bytes, for a seeded draw in another process."""

import random
from typing import Any

import numpy as np
import torch


def random_states() -> dict[str, bytes]:
    """The states as they are now, by the library."""
    legacy: Any = np.random.get_state(legacy=True)  # noqa: NPY002 (exercises seed it, too)
    key = np.asarray(legacy[1], np.uint32).tobytes()
    tail = np.array([legacy[2], legacy[3]], np.int64).tobytes() + np.float64(legacy[4]).tobytes()
    return {
        "torch": torch.get_rng_state().numpy().tobytes(),
        "numpy": key + tail,
        "python": np.array(random.getstate()[1], np.uint32).tobytes(),
    }


def set_random_state(name: str, raw: bytes) -> None:
    """Set one of them.

    Raises
    ------
    ValueError, RuntimeError, TypeError
        If the bytes are no state.
    """
    if name == "torch":
        torch.set_rng_state(torch.frombuffer(bytearray(raw), dtype=torch.uint8))
    elif name == "numpy":
        key, tail = np.frombuffer(raw[:2496], np.uint32), np.frombuffer(raw[2496:2512], np.int64)
        gauss = float(np.frombuffer(raw[2512:], np.float64)[0])
        position, has_gauss = int(tail[0]), int(tail[1])
        if len(key) != 624 or not 0 <= position <= 624:
            raise ValueError
        np.random.set_state(("MT19937", key, position, int(bool(has_gauss)), gauss))  # noqa: NPY002
    else:
        words = np.frombuffer(raw, np.uint32).tolist()
        random.setstate((3, tuple(words), None))
