"""What training says when it diverges: a loss far above its beginning, or one that is no number."""

import math
import warnings
from collections.abc import Sequence

import numpy as np


def check_finite(what_to_change: str, **numbers: float) -> None:
    """Refuse a step whose loss or gradient is no number; it would spoil every weight.

    Raises
    ------
    FloatingPointError
        Naming the numbers, and what to change.
    """
    if not all(map(math.isfinite, numbers.values())):
        said = ", ".join(f"the {name} is {value:.4g}" for name, value in numbers.items())
        raise FloatingPointError(f"training has diverged: {said}; {what_to_change}")


def check_history(losses: Sequence[float], what_to_change: str) -> None:
    """Look at the losses of a whole training, first to last.

    Raises
    ------
    FloatingPointError
        If one is no finite number.

    Warns
    -----
    UserWarning
        If the last tenth is on average more than twice the first loss.
    """
    if not losses:
        return
    late = float(np.mean(losses[-(len(losses) // 10 + 1) :]))
    check_finite(what_to_change, loss=late)
    if late > 2 * abs(losses[0]):
        warnings.warn(
            f"the loss rose from {losses[0]:.4g} to {late:.4g}: training has diverged; "
            f"{what_to_change}",
            stacklevel=3,
        )
