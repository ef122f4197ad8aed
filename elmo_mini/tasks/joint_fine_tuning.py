"""Fine-tuning with an auxiliary loss of the old task; forgetting is measured on the way."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import torch
from torch import Tensor, nn

from elmo_mini.divergence import check_finite
from elmo_mini.progress import WithProgress

Batch = TypeVar("Batch")


def tune_and_watch(
    model: nn.Module,
    batches: Sequence[Batch] | WithProgress[Batch],
    loss_of: Callable[[Batch], Tensor],
    rate: float,
    watch: Callable[[], Any],
    every: int,
    old_loss: Callable[[], Tensor] | None = None,
    weight: float = 1.0,
) -> tuple[list[float], list[Any]]:
    """Train with Adam on each batch once; the rate falls in a straight line from `rate` to 0.

    The gradient's norm is clipped at 1. The model is left in evaluation mode.

    Parameters
    ----------
    loss_of : the new task's loss of a batch
    watch : called before the first step, after each `every` steps and after the last, without
        gradients and in evaluation mode
    old_loss : `weight` times this is added at each step (Ramachandran, Liu & Le 2017, D17-1039)

    Returns
    -------
    the task's loss of each batch before its step, and what `watch` returned
    """
    optimizer = torch.optim.Adam(model.parameters(), lr=rate)
    losses: list[float] = []
    watched: list[Any] = []

    def look() -> None:
        model.eval()
        with torch.no_grad():
            watched.append(watch())

    look()
    for step, batch in enumerate(batches):
        model.train()
        optimizer.param_groups[0]["lr"] = rate * (1 - step / len(batches))
        loss = loss_of(batch)
        total = loss if old_loss is None else loss + weight * old_loss()
        optimizer.zero_grad()
        total.backward()
        norm = float(nn.utils.clip_grad_norm_(model.parameters(), 1.0))
        check_finite(f"lower rate={rate}", loss=total.item(), gradient=norm)
        optimizer.step()
        losses.append(loss.item())
        if len(losses) % every == 0 or len(losses) == len(batches):
            look()
    model.eval()
    return losses, watched


def safe_weight(task: Sequence[Tensor], old: Sequence[Tensor]) -> float:
    """The smallest weight of the old loss at which a small step does not raise it.

    A step of gradient descent on ``task + weight * old`` changes the old loss by
    ``-rate * (task . old + weight * old . old)``, up to terms in the square of the rate.

    Parameters
    ----------
    task, old : the gradients of the two losses by the same parameters; the second is not 0
    """
    together = sum((a * b).sum() for a, b in zip(task, old, strict=True))
    length = sum((b * b).sum() for b in old)
    return max(0.0, -float(together / length))
