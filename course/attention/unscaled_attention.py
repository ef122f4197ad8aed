"""What the root of d is worth: one head that learns, with its scores divided and not."""

from collections.abc import Iterator, Sequence

import torch
from torch import Tensor

from course.attention.recall import RATE, Head, OneHead, recall_accuracy, train_to_recall
from course.results.intervals import interval
from elmo_mini.progress import progress_bar

DISTANCE, STEPS, SEEDS = 16, 150, (0, 1, 2)
DIVIDED, NOT, QUIET = "divided by √d", "not divided", "not divided, quiet start"
LOWER_RATE = 1e-3
Points = dict[str, dict[str, float | list[float]]]


def undivided(head: Head) -> Head:
    """The same head, whose scores are not divided: its queries are √d times as long."""

    def other(q: Tensor, k: Tensor, v: Tensor, allowed: Tensor) -> tuple[Tensor, Tensor]:
        return head(q * q.shape[-1] ** 0.5, k, v, allowed)

    return other


def learning_with(head: Head, sizes: Sequence[int]) -> dict[str, Points]:
    """Right answers (%) after `STEPS` batches, by the numbers of the head; over `SEEDS`.

    Parameters
    ----------
    head : as `one_head`, with the division
    sizes : the values of d
    """
    heads = {DIVIDED: head, NOT: undivided(head)}
    runs = iter(progress_bar(range(len(heads) * len(sizes) * len(SEEDS))))
    return {
        name: {str(d): interval(list(_accuracies(made, d, runs))) for d in sizes}
        for name, made in heads.items()
    }


def taken_apart(head: Head, dim: int = 128) -> Points:
    """Right answers (%) at a lower rate: is it the start, or the size of a step?

    With a quiet start the queries are √d times smaller: the first scores are the divided head's.

    Parameters
    ----------
    head : as `one_head`, with the division
    dim : d
    """
    made = undivided(head)
    kinds = {DIVIDED: (head, 1.0), NOT: (made, 1.0), QUIET: (made, dim**0.5)}
    runs = iter(progress_bar(range(len(kinds) * len(SEEDS))))
    return {
        name: interval(list(_accuracies(of, dim, runs, LOWER_RATE, smaller)))
        for name, (of, smaller) in kinds.items()
    }


def slopes(head: Head, sizes: Sequence[int], seed: int = 0) -> dict[str, list[float]]:
    """How far the shares of random vectors move with their own scores, summed over 16 places.

    The slope of a share a by its score is a (1 - a).
    """
    torch.manual_seed(seed)
    found: dict[str, list[float]] = {DIVIDED: [], NOT: []}
    for d in sizes:
        q, k = torch.randn(2, 500, 16, d)
        for name, made in ((DIVIDED, head), (NOT, undivided(head))):
            _, shares = made(q, k, k, torch.ones(16, 16, dtype=torch.bool))
            found[name].append(float((shares * (1 - shares)).sum(-1).mean()))
    return found


def _accuracies(
    head: Head, dim: int, runs: Iterator[int], rate: float = RATE, smaller: float = 1.0
) -> Iterator[float]:
    """Of each seed; the layer of the queries starts so many times smaller."""
    for seed, _ in zip(SEEDS, runs, strict=False):
        torch.manual_seed(seed)
        reader = OneHead(dim, head)
        with torch.no_grad():
            for part in reader.query.parameters():
                part.div_(smaller)
        torch.set_flush_denormal(True)  # undivided, many slopes are next to 0, and slow for it
        try:
            train_to_recall(reader, DISTANCE, STEPS, seed=seed, rate=rate)
        finally:
            torch.set_flush_denormal(False)
        yield 100 * recall_accuracy(reader, DISTANCE)
