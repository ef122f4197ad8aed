"""How often classifiers are right, over their draws of labels and over the texts of the test."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from elmo_mini.probing.report import bootstrap_interval

Right = NDArray[np.float64]


def right_of(answers: Sequence[ArrayLike], labels: Sequence[int]) -> Right:
    """(draws, N) 1 where an answer is that of the label; an answer may be a row of scores."""
    said = [np.asarray(answer) for answer in answers]
    named = [answer.argmax(-1) if answer.ndim == 2 else answer for answer in said]
    return np.stack([(answer == np.asarray(labels)).astype(float) for answer in named])


def share_right(right: Right) -> dict[str, Any]:
    """Mean of (draws, N) and its 95 % interval over draws and texts, and the mean of each draw.

    Of differences between two classifiers, right less right, it gives the interval of the lead.
    """
    mean, low, high = bootstrap_interval(right, np.arange(right.shape[1]))
    return {"mean": mean, "low": low, "high": high, "values": right.mean(1).tolist()}


def share(values: NDArray[np.float64]) -> dict[str, float]:
    """The mean of one outcome for each word, with its interval over words (bootstrap).

    Parameters
    ----------
    values : (Q,), or (seeds, Q)
    """
    rows = np.atleast_2d(values)
    mean, low, high = bootstrap_interval(rows, np.arange(rows.shape[1]))
    return {"mean": mean, "low": low, "high": high}
