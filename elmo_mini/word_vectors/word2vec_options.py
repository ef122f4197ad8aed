"""The range of every option of the word2vec trainer, and the options of the course's own texts."""

import math
from collections.abc import Mapping
from numbers import Real
from typing import Any

import numpy as np

from elmo_mini.errors import ConfigurationError

LEAST = {
    "vector_size": 1,
    "window": 1,
    "min_count": 0,
    "negative": 1,
    "epochs": 1,
    "workers": 1,
    "seed": 0,
    "shared_negatives": 1,
    "block_words": 1,
}
MOST = {  # what is more can only be a slip, and would fill the memory before it is told
    "vector_size": 100_000,
    "window": 1_000_000,
    "negative": 10_000,
    "workers": 1_024,
    "shared_negatives": 100_000,
    "block_words": 1_000_000,
}
MAY_BE_NONE = ("shared_negatives", "block_words")

COURSE_OPTIONS: dict[str, Any] = {"vector_size": 50, "window": 5, "alpha": 0.05, "min_count": 5}
COURSE_EPOCHS = {"brown": 3, "lee": 20}  # a small text is read more often


def course_options(text: str) -> dict[str, Any]:
    """The keyword arguments of `Word2Vec` that the course trains with on Brown and on Lee."""
    return {**COURSE_OPTIONS, "epochs": COURSE_EPOCHS[text]}


def check_options(options: Mapping[str, Any]) -> None:
    """Refuse what word2vec cannot be trained with.

    Parameters
    ----------
    options : the keyword arguments of `Word2Vec`, all of them

    Raises
    ------
    ConfigurationError
        If an option is outside its range; the message names it.
    """
    for name, least in LEAST.items():
        value = options[name]
        if value is None and name in MAY_BE_NONE:
            continue
        if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
            raise ConfigurationError(
                f"{name} must be a whole number of at least {least}, got {value!r}"
            )
        if value > MOST.get(name, value):
            raise ConfigurationError(f"{name} must be at most {MOST[name]:,}, got {value:,}")
    for name in ("alpha", "min_alpha", "sample", "ns_exponent"):
        if isinstance(options[name], bool) or not isinstance(options[name], Real):
            raise ConfigurationError(f"{name} must be a number, got {options[name]!r}")
    for name in ("sg", "cbow_mean"):
        if options[name] not in (0, 1):
            raise ConfigurationError(f"{name} must be 0 or 1, got {options[name]!r}")
    alpha, min_alpha = options["alpha"], options["min_alpha"]
    if not (math.isfinite(alpha) and 0 < min_alpha <= alpha):
        raise ConfigurationError(
            "the learning rates need 0 < min_alpha <= alpha, got "
            f"alpha={alpha!r} and min_alpha={min_alpha!r}"
        )
    if not 0 <= options["sample"] <= 1:
        raise ConfigurationError(
            f"sample must be between 0 (keep every word) and 1, got {options['sample']!r}"
        )
    if not math.isfinite(options["ns_exponent"]):
        raise ConfigurationError(f"ns_exponent must be a finite number: {options['ns_exponent']!r}")
