"""Faults to plant in a masked language model, and what such a run shows without its code."""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor, nn

SEEN, POSITIONS, EVERYWHERE = (
    "nothing is hidden",
    "no position embeddings",
    "every word is a target",
)
RUNS = {"sound": "", "A": EVERYWHERE, "B": POSITIONS, "C": SEEN}
PADDING, ORDINARY, NOT_ASKED = 0, 5, -1

Corrupt = Callable[[Tensor], tuple[Tensor, Tensor]]
"""Word numbers (B, T) to what is read and what is asked, (B, T) each."""
Scores = Callable[[Tensor], Tensor]


def plant(name: str, model: nn.Module, corrupt: Corrupt) -> Corrupt:
    """The fault of the run `name`, put into an untrained model or into what hides its words.

    Parameters
    ----------
    model : has its position embeddings in `position`

    Returns
    -------
    what stands for `corrupt` in this run

    Raises
    ------
    KeyError
        There is no such run.
    """
    fault = RUNS[name]
    if fault == POSITIONS:
        positions = model.get_submodule("position").get_parameter("weight")
        positions.data.zero_()
        positions.requires_grad_(False)

    def faulty(ids: Tensor) -> tuple[Tensor, Tensor]:
        inputs, targets = corrupt(ids)
        if fault == EVERYWHERE:
            targets = ids.masked_fill(ids == PADDING, NOT_ASKED)
        return ids if fault == SEEN else inputs, targets

    return faulty


@dataclass(frozen=True)
class Symptoms:
    """What can be seen of a run without its code, besides its losses.

    Attributes
    ----------
    moved : how far the state of a blank moves when the other words of its sentence change places
    own : share of the words that stand unhidden before the model and that it answers with
    """

    moved: float
    own: float


@torch.no_grad()
def symptoms(model: nn.Module, rows: Tensor, mask: Tensor, positions: Tensor) -> Symptoms:
    """Question a trained run.

    Parameters
    ----------
    model : of (rows, mask, segments) to states (N, T, D), with `scores` of the words
    rows, mask : (N, T), with a blank in each row
    positions : (N,) where the blank is
    """
    scores: Scores = model.scores  # type: ignore[assignment]
    states = model(rows, mask, torch.zeros_like(rows))  # (N, T, D)
    predicted = scores(states).argmax(-1)
    first, blank = rows[:1, mask[0]], int(positions[0])
    others = [at for at in range(1, first.shape[1] - 1) if at != blank]
    turned = first.clone()
    turned[0, others] = first[0, others[::-1]]
    seen = [model(x, x > PADDING, torch.zeros_like(x))[0, blank] for x in (first, turned)]
    return Symptoms(
        moved=float((seen[0] - seen[1]).abs().max()),
        own=float((predicted == rows)[rows >= ORDINARY].double().mean()),
    )
