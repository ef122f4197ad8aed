"""Emissions and transitions for the exercises on the CRF, and mistakes that several share."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from autograde.checking.exercise import (
    Answer,
    AnswerRefused,
    Inputs,
    Plain,
    as_tensors,
    plain,
)
from elmo_mini.tagging import constrained_crf


def lattice(
    lengths: Sequence[int],
    labels: int,
    *,
    scale: float = 1.0,
    path: bool = False,
    restless: bool = False,
    forbidden: bool = False,
) -> Any:
    """Random scores for sentences of these lengths; padding holds scores that must not count.

    With ``restless`` a label seldom follows itself, so that a walk through padding goes astray.
    With ``forbidden`` nothing may go to the last label, as the rules of BIOES have it for I.
    """

    def make(rng: np.random.Generator) -> Inputs:
        rows, longest = len(lengths), max(lengths)
        mask = np.arange(longest) < np.array(lengths)[:, None]
        emissions = scale * 2 * rng.standard_normal((rows, longest, labels))
        emissions[~mask] = 5.0 + rng.standard_normal((int((~mask).sum()), labels))
        inputs: Inputs = {"emissions": emissions}
        if path:
            inputs["labels"] = rng.integers(labels, size=(rows, longest))
        transitions = 2 * rng.standard_normal((labels, labels))
        if forbidden:
            transitions[:, -1] = constrained_crf.FORBIDDEN
        return inputs | {
            "mask": mask,
            "transitions": transitions - 4 * restless * np.eye(labels),
            "start": 2 * rng.standard_normal(labels),
            "end": 2 * rng.standard_normal(labels),
        }

    return make


def run_with_gradient(answer: Answer, inputs: Inputs) -> Plain:
    """The scores and their gradient for the emissions: the network learns through both."""
    tensors = [as_tensors(value) for value in inputs.values()]
    emissions = tensors[0].requires_grad_()
    result = answer(*tensors)
    if result is None:
        raise AnswerRefused("Your function returned None. Is there a `return` at the end?")
    if not isinstance(result, Tensor):
        raise AnswerRefused(
            f"Your answer is a {type(result).__name__}. Return one tensor of shape (B,); "
            "`torch.stack` makes one of a list of tensors."
        )
    for (name, before), after in zip(inputs.items(), tensors, strict=True):
        if not np.array_equal(after.detach().numpy(), before):
            raise AnswerRefused(
                f"Your answer changed its argument `{name}`. Work on a copy: whoever called the "
                "function still needs the original."
            )
    gradient = None
    if result.requires_grad:
        (gradient,) = torch.autograd.grad(result.sum(), emissions, allow_unused=True)
    return {"scores": plain(result), "their gradient for the emissions": plain(gradient)}


def cut_off(answer: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """The answer with its numbers copied into a fresh tensor, as `.item()` in a loop does."""
    return lambda *tensors: torch.tensor([x.item() for x in answer(*tensors)], dtype=torch.float64)


CUT_OFF = (
    "The numbers are right, and autograd cannot follow them back: `.item()`, `float()`, "
    "`.detach()` and `torch.tensor(...)` cut the thread. Keep tensors all "
    "the way; `torch.stack` joins them."
)


TABLE_TURNED = (
    "You read the table of transitions the wrong way round. `transitions[j, k]` is for "
    "label k right *after* label j."
)
