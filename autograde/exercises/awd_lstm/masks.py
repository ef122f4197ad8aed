"""What a drawn mask is like: which values it has, and how often, without asking which were drawn.

Two right answers draw different masks, so only this can be compared.
"""

from collections.abc import Callable
from functools import wraps

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

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


def factor_of_kept(mask: NDArray[np.floating], p: float, *other_shares: float) -> dict[str, Plain]:
    """Whether one number multiplies what is kept, and which; what it should be, where none does.

    It is what it should be, too, where chance has kept nothing, and where it is 1 over the share
    that chance has kept, of the mask's numbers or one of ``other_shares``.
    """
    kept = mask[mask != 0]
    alike = not kept.size or bool(np.allclose(kept, kept.flat[0], rtol=1e-3))
    factor = float(kept.mean()) if alike and kept.size else 1 / (1 - p)
    apart = abs(factor * (1 - p) - 1) > 1e-4
    shares = (kept.size / mask.size, *other_shares)
    by_chance = apart and any(abs(factor * share - 1) < 1e-4 for share in shares)
    return {
        "what is kept is multiplied by one number": alike,
        "it is divided by the share that chance has kept": by_chance,
        "what is kept is multiplied by": 1 / (1 - p) if by_chance else factor,
    }


def window_of(ids: NDArray[np.integer]) -> Tensor:
    """Ids (B, T) as the lessons give them: a window of longer rows."""
    return torch.from_numpy(np.pad(ids, ((0, 0), (1, 1))))[:, 1:-1]


def share_near(share: float, expected: float) -> float:
    """What was to be expected where chance explains the difference, and the share elsewhere."""
    return expected if abs(share - expected) < FAR else round(share, 1)
