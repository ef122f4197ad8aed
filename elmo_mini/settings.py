"""Settings of a call: each of its kind and in its range, or one sentence that says so."""

from numbers import Real
from typing import Any, cast

import numpy as np

from elmo_mini.errors import ConfigurationError

_LARGEST = float(np.finfo(np.float32).max)


def whole_number(name: str, value: Any, low: int = 1, most: int | None = None) -> int:
    """The value as a whole number of at least `low`, and at most `most`.

    Raises
    ------
    ConfigurationError
        If it is none; a truth value is none, and neither is 2.0.
    """
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | np.integer) or value < low:
        raise ConfigurationError(
            f"{name} is {value!r:.40}; it must be a whole number of at least {low}"
        )
    if most is not None and value > most:
        raise ConfigurationError(f"{name} is {value!r:.40}; it must be at most {most:,}")
    return int(value)


def seed_number(value: Any) -> int:
    """The value as a seed of PyTorch's generators; raises as `whole_number`."""
    return whole_number("seed", value, 0, 2**64 - 1)


def above_0(name: str, value: Any) -> float:
    """The value as a finite number above 0; raises as `whole_number`."""
    if finite(name, value) <= 0:
        raise ConfigurationError(f"{name} is {value!r:.40}; it must be above 0")
    return float(value)


def at_least_0(name: str, value: Any) -> float:
    """The value as a finite number of at least 0; raises as `whole_number`."""
    if finite(name, value) < 0:
        raise ConfigurationError(f"{name} is {value!r:.40}; it must be at least 0")
    return float(value)


def share(name: str, value: Any) -> float:
    """The value as a number from 0 to 1; raises as `whole_number`."""
    if isinstance(value, bool) or not isinstance(value, Real) or not 0 <= float(value) <= 1:
        raise ConfigurationError(f"{name} is {value!r:.40}; it must be a number from 0 to 1")
    return float(value)


def finite(name: str, value: Any) -> float:
    """The value as a finite number that float32 holds; raises as `whole_number`."""
    fits = isinstance(value, Real) and abs(cast(float, value)) <= _LARGEST
    if isinstance(value, bool) or not fits:
        raise ConfigurationError(
            f"{name} is {value!r:.40}; it must be a finite number of at most {_LARGEST:.3g}"
        )
    return float(value)


def truth(name: str, value: Any) -> bool:
    """The value as True or False; "no" is neither. Raises as `whole_number`."""
    if not isinstance(value, bool | np.bool_):
        raise ConfigurationError(f"{name} is {value!r:.40}; it must be True or False")
    return bool(value)
