"""How much of the error a score takes away: the column "increase" of ELMo's table 1."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray


def error_reduction(before: ArrayLike, after: ArrayLike) -> NDArray[np.floating[Any]]:
    """The share of the errors of `before` that are gone in `after`, in percent.

    Both are scores in percent, of 100. Negative where errors were added.
    """
    scores, better = np.asarray(before, float), np.asarray(after, float)
    return 100 * (better - scores) / (100 - scores)
