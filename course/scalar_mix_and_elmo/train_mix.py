"""A task trains a mix of frozen layers (NAACL ELMo paper, sections 3.2 and 3.3)."""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional


def train_mix(
    mix: Any,
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
    mix : such as `elmo_mini.models.elmo.ScalarMix`, with parameters `w` and `gamma`
    head : (..., 2H) to (..., K)
    layers, mask : L + 1 of (B, T, 2H), frozen; and (B, T), True at words
    labels : (B, T) numbers of the labels, without meaning at padding

    Returns
    -------
    (steps, L + 1): the softmax weights s_j of equation (1) after each step
    """
    optimizer = torch.optim.Adam([*mix.parameters(), *head.parameters()], lr=rate)
    weights = []
    for _ in range(steps):
        scores = head(mix(layers, mask))[mask]
        loss = functional.cross_entropy(scores, labels[mask]) + decay * mix.w.square().sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        weights.append(torch.softmax(mix.w.detach(), 0))
    return torch.stack(weights)
