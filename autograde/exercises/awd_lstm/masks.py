"""What a drawn mask is like: which values it has, and how often, without asking which were drawn.

Two right answers draw different masks, so only this can be compared.
"""

import numpy as np
from numpy.typing import NDArray

from autograde.checking.answers import Plain

FAR = 0.08  # four standard deviations and more with the masks of these exercises
FEW = 4


def values_of(mask: NDArray[np.floating]) -> Plain:
    """The distinct values of a mask; of one with many, that there are many."""
    found = np.unique(np.round(np.asarray(mask, np.float64), 3))
    return [float(value) for value in found] if len(found) <= FEW else "many different values"


def share_near(share: float, expected: float) -> float:
    """What was to be expected where chance explains the difference, and the share elsewhere."""
    return expected if abs(share - expected) < FAR else round(share, 1)
