"""What a drawn mask is like: which values it has, and how often, without asking which were drawn.

Two right answers draw different masks, so only this can be compared.
"""

import numpy as np
from numpy.typing import NDArray

from autograde.checking.answers import Plain

FAR = 0.08  # four standard deviations and more with the masks of these exercises


def factor_of_kept(mask: NDArray[np.floating], p: float) -> Plain:
    """What is kept is multiplied by this; where chance has kept nothing, what it should be."""
    kept = mask[mask != 0]
    if not kept.size:
        return 1 / (1 - p)
    alike = np.allclose(kept, kept.flat[0], rtol=1e-3)
    return float(kept.mean()) if alike else "several different numbers"


def share_near(share: float, expected: float) -> float:
    """What was to be expected where chance explains the difference, and the share elsewhere."""
    return expected if abs(share - expected) < FAR else round(share, 1)
