"""The slanted triangular learning rate: a short rise, a long fall (section 3.2).

The formula as it is printed ends below zero in many short runs; `as_printed` keeps it for show.
Every schedule here gives the factor on the highest rate at a step that is counted from 0.
"""

import math
from collections.abc import Callable

CUT_SHARE = 0.1
RATIO = 32.0

Schedule = Callable[[int, int], float]
"""From a step and the number of all steps to the factor on the highest rate."""


def slanted_triangular(
    step: int, steps: int, cut_share: float = CUT_SHARE, ratio: float = RATIO
) -> float:
    """The factor of section 3.2, its second slope mended: it leads to 1/ratio at `steps`.

    Parameters
    ----------
    step : t, from 0 to steps - 1; a scheduler of PyTorch asks for ``steps``, too, at the end
    steps : T, all steps of the run
    cut_share : share of the steps on which the rate rises
    ratio : how many times smaller the lowest rate is than the highest

    Raises
    ------
    ValueError
        If the step is outside the run.
    """
    if not 0 <= step <= steps:
        raise ValueError(f"step {step} is outside a run of {steps} steps, counted from 0")
    cut = math.floor(steps * cut_share)
    height = step / cut if step < cut else 1 - (step - cut) / (steps - cut)
    return (1 + height * (ratio - 1)) / ratio


def as_printed(step: int, steps: int, cut_share: float = CUT_SHARE, ratio: float = RATIO) -> float:
    """The factor as the paper prints it; its fall is right only if steps x cut_share is whole.

    Raises
    ------
    ZeroDivisionError
        If fewer than one step rises.
    """
    cut = math.floor(steps * cut_share)
    height = step / cut if step < cut else 1 - (step - cut) / (cut * (1 / cut_share - 1))
    return (1 + height * (ratio - 1)) / ratio


def constant(step: int, steps: int) -> float:
    """The same rate at every step."""
    return 1.0


def cosine(step: int, steps: int) -> float:
    """From the highest rate down to 0 along half a wave, the paper's other schedule (section 5)."""
    return (1 + math.cos(math.pi * step / steps)) / 2
