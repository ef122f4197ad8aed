"""Training loop of a masked language model: Adam, linear warm-up, linear decay to zero.

Adam; the rate rises in a straight line in the first steps and falls in one to zero after that
(arXiv:1810.04805, appendix A.2). A transformer of this kind, with its norms behind the sums, may
fail to learn when it starts at the full rate.
"""

from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch import Tensor

from elmo_mini.divergence import check_history
from elmo_mini.models.masked_lm import IGNORED, MaskedLM, masked_lm_loss
from elmo_mini.progress import progress_bar
from elmo_mini.settings import at_least_0, whole_number
from elmo_mini.training.steps import clipped_step

WARM_UP = 0.1

Batch = tuple[Tensor, Tensor, Tensor, Tensor | None]
"""Corrupted inputs, targets, the mask of tokens and the segments, (B, T) each."""


def train_masked_lm(
    model: MaskedLM,
    batches: Iterable[Batch],
    steps: int,
    *,
    learning_rate: float = 1e-3,
    progress: bool = False,
    after_step: Callable[[int], Any] | None = None,
) -> list[float]:
    """Take `steps` steps, one a batch; the model is in evaluation mode afterwards.

    Parameters
    ----------
    batches : at least `steps` of them; each is made when it is asked for. One with no target, as
        chance makes it of a few short texts, is passed over
    learning_rate : the highest
    after_step : called with the number of steps done

    Returns
    -------
    The loss of each batch, in nats for each hidden word

    Raises
    ------
    ValueError
        If there are fewer batches than steps, or a number is out of its range.
    """
    whole_number("steps", steps)
    at_least_0("learning_rate", learning_rate)
    batches = (batch for batch in batches if (batch[1] != IGNORED).any())
    optimizer = torch.optim.Adam(model.parameters(), lr=learning_rate, betas=(0.9, 0.98))
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda n: rate(n, steps))
    history: list[float] = []
    model.train()
    with progress_bar(total=steps, show=progress) as bar:
        for (inputs, targets, mask, segments), _ in zip(batches, range(steps), strict=False):
            loss = masked_lm_loss(model, inputs, targets, mask, segments)
            history.append(loss.item())
            clipped_step(model, optimizer, loss)
            schedule.step()
            bar.update()
            if after_step is not None:
                after_step(len(history))
    model.eval()
    if len(history) < steps:
        raise ValueError(f"{steps} steps need as many batches; there were {len(history)}")
    check_history(history, f"lower learning_rate={learning_rate}")
    return history


def rate(step: int, steps: int) -> float:
    """The share of the highest learning rate at `step`, counted from 0."""
    warm_up = max(1, round(WARM_UP * steps))
    if step < warm_up:
        return (step + 1) / warm_up
    return max(0.0, (steps - step) / (steps - warm_up))
