"""What a drawn mask is like: which values it has, and how often, without asking which were drawn.

Two right answers draw different masks, so only this can be compared.
"""

from collections.abc import Callable
from functools import wraps

import numpy as np
import torch
from numpy.typing import NDArray

from autograde.checking.answers import Answer, Plain
from autograde.checking.exercise import Inputs

FAR = 0.08  # four standard deviations and more with the masks of these exercises


def drawn_alike(run: Callable[[Answer, Inputs], Plain]) -> Callable[[Answer, Inputs], Plain]:
    """``run`` with torch's random numbers from one seed: an answer is told the same twice."""

    @wraps(run)
    def seeded(answer: Answer, inputs: Inputs) -> Plain:
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(12)
            return run(answer, inputs)

    return seeded


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
