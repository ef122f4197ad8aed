"""A task trains a mix of frozen layers (NAACL ELMo paper, sections 3.2 and 3.3)."""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional


def train_desk(
    desk: Any,
    head: nn.Module,
    layers: Sequence[Tensor],
    mask: Tensor,
    labels: Tensor,
    steps: int,
    rate: float,
    decay: float,
) -> Tensor:
    """Train a mix and a classifier above it on labelled words, all of them in each step.

    The loss is the mean cross-entropy of the words plus `decay` times the sum of w squared.

    Parameters
    ----------
    desk : such as `elmo_mini.models.elmo.ScalarMix`, with parameters `w` and `gamma`
    head : (..., 2H) to (..., K)
    layers, mask : L + 1 of (B, T, 2H), frozen; and (B, T), True at words
    labels : (B, T) numbers of the labels, without meaning at padding

    Returns
    -------
    (steps, L + 1): the shares after each step
    """
    optimizer = torch.optim.Adam([*desk.parameters(), *head.parameters()], lr=rate)
    shares = []
    for _ in range(steps):
        scores = head(desk(layers, mask))[mask]
        loss = functional.cross_entropy(scores, labels[mask]) + decay * desk.w.square().sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        shares.append(torch.softmax(desk.w.detach(), 0))
    return torch.stack(shares)
