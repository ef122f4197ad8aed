"""Fine-tuning: a few labelled batches, a rate that warms up and falls, and a pull to the start.

The pull is the negative logarithm of a normal prior around the pretrained weights. Li, Grandvalet
and Davoine 2018 (arXiv:1802.01483) call it L2-SP. At 0 it is plain fine-tuning.
"""

from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional

from elmo_mini.divergence import check_finite

Batch = tuple[Tensor, Tensor, Tensor]
"""Word numbers and the mask of tokens, (B, T) each, and labels (B,)."""


def tune(
    model: nn.Module,
    batches: Sequence[Batch],
    optimizer: torch.optim.Optimizer,
    warm_up: int,
    pull: float,
) -> list[float]:
    """One step for each batch, down the mean loss plus pull / 2 · ‖body - its start‖².

    Parameters
    ----------
    model : maps ids and mask to scores (B, K); has the parts ``body`` and ``head``
    optimizer : each of its groups comes with the highest rate of its parameters. The rate rises to
        that in a straight line in the first `warm_up` steps, and falls in a straight line to 0,
        which it would reach one step after the last
    warm_up : at least 1, and fewer than there are batches
    pull : strength of the pull of the body to where it stands now; the head is free

    Returns
    -------
    The mean loss of each batch before its step, without the pull
    """
    body = [weight for weight in model.get_submodule("body").parameters() if weight.requires_grad]
    start = [weight.detach().clone() for weight in body]
    highest = [group["lr"] for group in optimizer.param_groups]
    steps, losses = len(batches), []
    model.train()
    for step, (ids, mask, labels) in enumerate(batches):
        share = min((step + 1) / warm_up, (steps - step) / (steps - warm_up))
        for group, rate in zip(optimizer.param_groups, highest, strict=True):
            group["lr"] = rate * share
        loss = functional.cross_entropy(model(ids, mask), labels)
        there = zip(body, start, strict=True) if pull else ()
        away = [((now - then) ** 2).sum() for now, then in there]
        optimizer.zero_grad()
        (loss + pull / 2 * torch.stack(away).sum() if away else loss).backward()
        losses.append(loss.item())
        check_finite("lower the learning rate of the optimizer", loss=losses[-1])
        optimizer.step()
    model.eval()
    return losses
