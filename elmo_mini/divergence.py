"""What training says when it diverges, or learns nothing: the loss, and what to change."""

import math
import warnings
from collections import Counter
from collections.abc import Sequence

import numpy as np
from torch import Tensor

FEWEST = 50  # losses; of fewer, a fall is not told from chance
HARDLY = 0.01  # of the loss


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


def argmax(scores: Tensor, mask: Tensor | None = None) -> Tensor:
    """Where the highest score stands on the last axis; of scores that are no numbers none is it.

    Parameters
    ----------
    mask : of the shape without that axis; rows outside it are not looked at

    Raises
    ------
    FloatingPointError
        If a score is none (nan).
    """
    highest, where = scores.max(-1)
    check_scores(highest if mask is None else highest[mask])
    return where


def check_scores(highest: Tensor) -> None:
    """Raise as `argmax` where a highest score is no number."""
    if highest.isnan().any():
        raise FloatingPointError(
            "the scores are no numbers (nan), so none is the best; look for nan in what is read, "
            "and in the weights of a training that has diverged"
        )


def check_history(losses: Sequence[float], what_to_change: str) -> None:
    """Look at the losses of a whole training, first to last.

    Raises
    ------
    FloatingPointError
        If one is no finite number.

    Warns
    -----
    UserWarning
        If the last tenth is on average more than twice the first loss; or, of `FEWEST` losses and
        more, hardly below the first tenth.
    """
    if not losses:
        return
    tenth = len(losses) // 10 + 1
    early, late = float(np.mean(losses[:tenth])), float(np.mean(losses[-tenth:]))
    check_finite(what_to_change, loss=late)
    if late > 2 * abs(losses[0]):
        warnings.warn(
            f"the loss rose from {losses[0]:.4g} to {late:.4g}: training has diverged; "
            f"{what_to_change}",
            stacklevel=3,
        )
    elif len(losses) >= FEWEST and late > early - HARDLY * abs(early):
        warnings.warn(
            f"the loss was {early:.4g} at the beginning and is {late:.4g} at the end: nothing was "
            f"learnt; {what_to_change}, or raise it if it is tiny",
            stacklevel=3,
        )


def check_better_than_labels(
    losses: Sequence[float], labels: Sequence[object], what_to_change: str
) -> None:
    """Look at the losses of a whole training of a classifier, in nats.

    Warns
    -----
    UserWarning
        If the last tenth of `FEWEST` losses and more is on average hardly below the entropy of the
        labels, the loss of who knows nothing but how frequent each is.
    """
    shares = np.array(list(Counter(labels).values())) / max(1, len(labels))
    entropy = float(-(shares * np.log(shares)).sum())
    late = float(np.mean(losses[-(len(losses) // 10 + 1) :])) if losses else 0.0
    if len(losses) >= FEWEST and late > (1 - HARDLY) * entropy > 0:
        warnings.warn(
            f"the loss is {late:.4g} at the end, and the frequencies of the labels alone give "
            f"{entropy:.4g}: nothing was learnt; {what_to_change}, or raise it if it is tiny",
            stacklevel=3,
        )
