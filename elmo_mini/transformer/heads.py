"""Task heads of a masked language model for four kinds of task: one linear layer each.

Devlin et al. 2019 (arXiv:1810.04805), section 4 and figure 4. Each reads the states at the top
(B, T, D) and nothing else, so the model below is the same for all.
"""

import torch
from torch import Tensor, nn

from elmo_mini.divergence import argmax


class SentenceHead(nn.Module):
    """One label for a sentence, or for a pair of sentences: read at ``[CLS]``."""

    def __init__(self, dim: int, labels: int) -> None:
        super().__init__()
        self.linear = nn.Linear(dim, labels)

    def forward(self, states: Tensor) -> Tensor:
        """States (B, T, D) to a score for each label (B, K)."""
        scores: Tensor = self.linear(states[:, 0])
        return scores


class TaggingHead(nn.Module):
    """One label for each token: a softmax at every position, no CRF."""

    def __init__(self, dim: int, labels: int) -> None:
        super().__init__()
        self.linear = nn.Linear(dim, labels)

    def forward(self, states: Tensor) -> Tensor:
        """States (B, T, D) to scores (B, T, K)."""
        scores: Tensor = self.linear(states)
        return scores


class SpanHead(nn.Module):
    """Where an answer starts and ends in the second text: two vectors, no pointer network."""

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.linear = nn.Linear(dim, 2)

    def forward(self, states: Tensor, segments: Tensor) -> tuple[Tensor, Tensor]:
        """States (B, T, D) and segments (B, T) to the scores of start and end, (B, T) each.

        Positions of the first text have minus infinity: the answer stands in the second.
        """
        scores = self.linear(states).masked_fill((segments == 0).unsqueeze(-1), -torch.inf)
        start, end = scores.unbind(-1)
        return start, end


def best_span(start: Tensor, end: Tensor) -> tuple[int, int]:
    """First and last position of the best answer in one text; the first is not after the last.

    Parameters
    ----------
    start, end : (T,) scores

    Raises
    ------
    ValueError
        If no position may be part of an answer.
    """
    both = (start.unsqueeze(1) + end).masked_fill(  # (T, T)
        torch.ones(len(start), len(start), dtype=torch.bool, device=start.device).tril(-1),
        -torch.inf,
    )
    if not torch.isfinite(both).any():
        raise ValueError("no position may start and end an answer")
    first, last = divmod(int(argmax(both.flatten())), len(start))
    return first, last
