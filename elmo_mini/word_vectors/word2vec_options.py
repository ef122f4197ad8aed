"""The range of every option of the word2vec trainer, and the options of the course's own texts."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from elmo_mini.errors import ConfigurationError
from elmo_mini.settings import finite, whole_number

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
STEEPEST = 10  # of ns_exponent; what is more leaves a single noise word, or no number
SWITCHES = ("sg", "cbow_mean")
MAY_BE_NONE = ("shared_negatives", "block_words")

COURSE_OPTIONS: dict[str, Any] = {"vector_size": 50, "window": 5, "alpha": 0.05, "min_count": 5}
COURSE_EPOCHS = {"brown": 3, "lee": 20}  # a small text is read more often


def course_options(text: str) -> dict[str, Any]:
    """The keyword arguments of `Word2Vec` that the course trains with on Brown and on Lee."""
    return {**COURSE_OPTIONS, "epochs": COURSE_EPOCHS[text]}


def checked_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options as Python's own numbers; what word2vec cannot be trained with is refused.

    Parameters
    ----------
    options : the keyword arguments of `Word2Vec`, all of them

    Raises
    ------
    ConfigurationError
        If an option is outside its range; the message names it.
    """
    plain = dict(options)
    for name, least in LEAST.items():
        if options[name] is not None or name not in MAY_BE_NONE:
            plain[name] = whole_number(name, options[name], least, MOST.get(name))
    for name in ("alpha", "min_alpha", "sample", "ns_exponent"):
        plain[name] = finite(name, options[name])
    for name in SWITCHES:
        value = options[name]
        number = int(value) if isinstance(value, bool | np.bool_) else value
        plain[name] = whole_number(name, number, 0, 1)
    alpha, min_alpha = options["alpha"], options["min_alpha"]
    if not 0 < min_alpha <= alpha:
        raise ConfigurationError(
            "the learning rates need 0 < min_alpha <= alpha, got "
            f"alpha={alpha!r} and min_alpha={min_alpha!r}"
        )
    if not 0 <= options["sample"] <= 1:
        raise ConfigurationError(
            f"sample must be between 0 (keep every word) and 1, got {options['sample']!r}"
        )
    if not -STEEPEST <= options["ns_exponent"] <= STEEPEST:
        raise ConfigurationError(
            f"ns_exponent must be between -{STEEPEST} and {STEEPEST}, "
            f"got {options['ns_exponent']!r}"
        )
    return plain
