"""How sure a difference between two methods is, and how many texts it takes to see one.

Both methods are asked about the same texts, after learning from the same draws of labels: so the
differences are taken text by text, and what makes a text hard for both falls out.
"""

import math

import numpy as np
from numpy.typing import NDArray

Right = NDArray[np.bool_]
ROUNDS = 1_000


def paired_interval(
    first: Right, second: Right, rng: np.random.Generator, rounds: int = ROUNDS
) -> tuple[float, float]:
    """The 95 % interval of how much more often the first is right; draws and texts drawn anew.

    Parameters
    ----------
    first, second : (draws, N) which test texts a method has right after each draw of labels
    """
    lead = np.asarray(first, dtype=float) - np.asarray(second, dtype=float)
    draws, texts = lead.shape
    means = [
        lead[rng.integers(draws, size=draws)][:, rng.integers(texts, size=texts)].mean()
        for _ in range(rounds)
    ]
    low, high = np.quantile(means, [0.025, 0.975])
    return float(low), float(high)


def texts_needed(lead: float, disagree: float, width: float = 1.96) -> int:
    """How many test texts it takes until `width` standard errors are no more than the lead.

    Parameters
    ----------
    lead : how much more often one method is right, such as 0.03
    disagree : the share of the texts on which exactly one of the two is right
    """
    variance = disagree - lead**2  # of a difference that is 1, -1 or 0
    return math.ceil(width**2 * variance / lead**2)
