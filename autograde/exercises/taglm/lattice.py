"""Emissions and transitions for the exercises on the CRF, and how their answers are run."""

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from autograde.checking.answers import (
    Answer,
    AnswerRefused,
    Plain,
    as_tensors,
    plain,
    refuse_changed,
    returned,
)
from autograde.checking.differentiable import slopes
from autograde.checking.exercise import Case, Inputs, Random
from autograde.checking.judge import with_article
from autograde.checking.work_limit import WorkLimit
from elmo_mini.tagging import constrained_crf

EVERY_PATH = (
    "Your answer looks at every path, and their number grows with each word: 10 labels and 7 words "
    "make ten million. Go from word to word and keep one number for each label."
)
# A search through the lattice takes B T K^2 steps at most, each on small tensors. The inputs hold
# so few paths that even a list of all of them fits into memory.
NO_ENUMERATION = WorkLimit(EVERY_PATH)


@Case.drawn
def lattice(
    rng: Random,
    lengths: Sequence[int],
    labels: int,
    *,
    scale: float = 1.0,
    shift: float = 0.0,
    path: bool = False,
    restless: bool = False,
    forbidden: bool = False,
    moves: float = 2.0,
) -> Inputs:
    """Random scores for sentences of these lengths; padding holds scores that must not count.

    With ``restless`` a label seldom follows itself, so that a walk through padding goes astray.
    With ``forbidden`` nothing may go to the last label, as the rules of BIOES have it for I.
    """
    rows, longest = len(lengths), max(lengths)
    mask = np.arange(longest) < np.array(lengths)[:, None]
    emissions = shift + scale * 2 * rng.standard_normal((rows, longest, labels))
    emissions[~mask] = 5.0 + rng.standard_normal((int((~mask).sum()), labels))
    inputs: Inputs = {"emissions": emissions.astype(np.float32)}
    if path:
        inputs["labels"] = rng.integers(labels, size=(rows, longest))
    transitions = moves * rng.standard_normal((labels, labels))
    if forbidden:
        transitions[:, -1] = constrained_crf.FORBIDDEN
    return inputs | {
        "mask": mask,
        "transitions": (transitions - 4 * restless * np.eye(labels)).astype(np.float32),
        "start": 2 * rng.standard_normal(labels, np.float32),
        "end": 2 * rng.standard_normal(labels, np.float32),
    }


def named(value: Any) -> str:
    """The type of a value with its article: "a Tensor", "an int"."""
    return with_article(type(value).__name__)


def every_path(
    emissions: Tensor, mask: Tensor, transitions: Tensor, start: Tensor, end: Tensor
) -> list[tuple[list[tuple[int, ...]], Tensor]]:
    """All paths of each sentence, and their scores."""
    found = []
    for row, length in zip(emissions, mask.sum(1).tolist(), strict=True):
        paths, scores = [], []
        for path in itertools.product(range(len(start)), repeat=length):
            total = start[path[0]] + end[path[-1]]
            total = total + sum(row[place, label] for place, label in enumerate(path))
            total = total + sum(transitions[a, b] for a, b in itertools.pairwise(path))
            paths.append(path)
            scores.append(total)
        found.append((paths, torch.stack(scores)))
    return found


def run_with_gradient(answer: Answer, inputs: Inputs) -> Plain:
    """The scores and their gradients: the network learns through both."""
    tensors = {name: as_tensors(value) for name, value in inputs.items()}
    leaves = {name: value for name, value in tensors.items() if value.is_floating_point()}
    for leaf in leaves.values():
        leaf.requires_grad_()
    result = returned(answer(*tensors.values()))
    if not isinstance(result, Tensor):
        raise AnswerRefused(
            f"Your answer is {named(result)}. Return one tensor of shape (B,); "
            "`torch.stack` makes one of a list of tensors."
        )
    refuse_changed(inputs, tensors)
    found = slopes(result.sum(), leaves)
    moves = inputs["mask"].shape[1] > 1  # else no transition has a part in it
    return {
        "scores": plain(result),
        "their gradient for the emissions": plain(found["emissions"]),
        "what learns through them": ", ".join(
            name
            for name, slope in found.items()
            if slope is not None or (name == "transitions" and not moves)
        ),
    }
