"""What training says when it diverges, or learns nothing: the loss, and what to change."""

import math
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np

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


def check_history(losses: Sequence[float], what_to_change: str, *, fresh: bool = True) -> None:
    """Look at the losses of a whole training, first to last.

    Parameters
    ----------
    fresh : the model knew nothing before, so a loss that stays is told, too

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
    elif fresh and len(losses) >= FEWEST and late > early - HARDLY * abs(early):
        warnings.warn(
            f"the loss was {early:.4g} at the beginning and is {late:.4g} at the end: nothing was "
            f"learnt; {what_to_change}, or raise it if it is tiny",
            stacklevel=3,
        )


def warn_of_history(losses: Sequence[float], what_to_change: str) -> None:
    """`check_history`, that only warns: for a loop whose result is wanted even where it diverged.

    Warns
    -----
    UserWarning
        Where `check_history` warns or refuses.
    """
    try:
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            check_history(losses, what_to_change)
        sentences = [str(warning.message) for warning in said]
    except FloatingPointError as diverged:
        sentences = [str(diverged)]
    for sentence in sentences:
        warnings.warn(sentence, stacklevel=3)


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


@contextmanager
def expected() -> Iterator[None]:
    """Say nothing of it: a fault is planted, and whoever looks at the losses is to find it."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "the loss |training has diverged")
        yield
