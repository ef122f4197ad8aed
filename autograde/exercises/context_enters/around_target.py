"""Exercise `around_target`: everything but the word itself."""

from typing import Any

import numpy as np
import torch
from torch import Tensor

from autograde.checking.differentiable import run_differentiably
from autograde.checking.exercise import (
    Case,
    Exercise,
    Inputs,
    Mistake,
)
from autograde.exercises.context_enters import LESSON
from elmo_mini.recurrent import context2vec


def _counted_states(rng: np.random.Generator) -> Inputs:
    """State i of either side is i, as a shape (1, 6, 1): the answer can be read off."""
    numbers = np.arange(6.0).reshape(1, 6, 1)
    return {"left": numbers, "right": 100 + numbers}


def _states(rows: int, words: int, hidden: int) -> Any:
    def make(rng: np.random.Generator) -> Inputs:
        shape = (rows, words + 2, hidden)
        return {"left": rng.standard_normal(shape), "right": rng.standard_normal(shape)}

    return make


def _beside(left: Tensor, right: Tensor, before: int, after: int) -> Tensor:
    """Every target's left state `before` places back, right state `after` places ahead."""
    steps = left.shape[1] - 2
    return torch.cat(
        [left[:, 1 - before : 1 - before + steps], right[:, 1 + after : 1 + after + steps]], -1
    )


def _beside_by_loop(left: Tensor, right: Tensor) -> Tensor:
    return torch.stack(
        [torch.cat([left[:, t - 1], right[:, t + 1]], -1) for t in range(1, left.shape[1] - 1)], 1
    )


EXERCISE = Exercise(
    id="around_target",
    title="Everything but the word itself",
    lesson=LESSON,
    points=3,
    difficulty=3,
    importance=5,
    minutes=10,
    reference=context2vec.around_target,
    run=run_differentiably,
    cases=(
        Case("states that are numbered", _counted_states),
        Case("2 sentences of 5 words, 3 numbers in a state", _states(2, 5, 3), weight=2),
        Case("a sentence of one word", _states(1, 1, 2), edge=True),
    ),
    mistakes=(
        Mistake(
            "the target is in both states",
            lambda left, right: _beside(left, right, 0, 0),
            "Both of your states have already read the target: predicting it is child's play. "
            "Take the left state one place *before* it and the right state one place *after*.",
            hint=1,
        ),
        Mistake(
            "the target is in the left state",
            lambda left, right: _beside(left, right, 0, 1),
            "Your left state has already read the target. Take the state of the place before it.",
            hint=1,
        ),
        Mistake(
            "the target is in the right state",
            lambda left, right: _beside(left, right, 1, 0),
            "Your right state has already read the target: it comes from the other end. Take the "
            "state of the place after it.",
            hint=1,
        ),
        Mistake(
            "the states have walked past the target",
            lambda left, right: _beside(left, right, -1, -1),
            "You go one place in the wrong direction: your left state has read the target and the "
            "word after it. Left: t − 1. Right: t + 1.",
            hint=2,
        ),
        Mistake(
            "right before left",
            lambda left, right: torch.cat([right[:, 2:], left[:, :-2]], -1),
            "The right states come first in your answer. Left, then right.",
            hint=2,
        ),
        Mistake(
            "one after the other",
            lambda left, right: torch.cat([left[:, :-2], right[:, 2:]], 1),
            "You joined them along the sentence, so it is twice as long. Join them along the last "
            "axis: each place gets a longer vector.",
            hint=3,
        ),
        Mistake(
            "the sum",
            lambda left, right: left[:, :-2] + right[:, 2:],
            "You add the two states. Side by side nothing is lost: `torch.cat(..., dim=-1)`.",
            hint=3,
        ),
        Mistake(
            "the right states once more turned round",
            lambda left, right: torch.cat([left[:, :-2], right.flip(1)[:, 2:]], -1),
            "`right` is in reading order already. Do not turn it round again.",
            hint=2,
        ),
        Mistake(
            "two neighbours on the left",
            lambda left, right: torch.cat([left[:, :-2], left[:, 2:]], -1),
            "Both halves come from `left`. The second half belongs to the right-to-left reader.",
            hint=2,
        ),
        Mistake(
            "one place too many",
            lambda left, right: torch.cat([left[:, :-1], right[:, 1:]], -1),
            "You cut one place off each side, so T + 1 are left: left and right state then stand "
            "beside a gap *between* two words. Round a word lie two steps: `[:, :-2]`, `[:, 2:]`.",
            hint=3,
        ),
        Mistake(
            "an array",
            lambda left, right: np.concatenate(
                [left.detach().numpy()[:, :-2], right.detach().numpy()[:, 2:]], -1
            ),
            "The numbers are right, but a NumPy array cannot be learnt through. "
            "`torch.cat([...], dim=-1)` does the same with tensors.",
            hint=3,
        ),
        Mistake(
            "detached",
            lambda left, right: context2vec.around_target(left, right).detach(),
            "The numbers are right, and the two LSTMs would never learn: no gradient comes "
            "through to them. Leave out `.detach()`, `torch.no_grad()` and NumPy.",
            hint=3,
        ),
        Mistake(
            "only the left states",
            lambda left, right: left[:, :-2],
            "The right states are missing. Both stand side by side: `torch.cat([...], dim=-1)`.",
            hint=2,
        ),
        Mistake(
            "only the right states",
            lambda left, right: right[:, 2:],
            "The left states are missing. Both stand side by side: `torch.cat([...], dim=-1)`.",
            hint=2,
        ),
        Mistake(
            "every place, nothing moved",
            lambda left, right: torch.cat([left, right], -1),
            "You join the states of one and the same place, boundaries included. For each "
            "word take the left state one place before it and the right state one place "
            "after it.",
            hint=1,
        ),
        Mistake(
            "the right states of the place before",
            lambda left, right: torch.cat([left[:, :-2], right[:, :-2]], -1),
            "Your right state stands one place *before* the word, so it has read the word "
            "and more. Take the one at t + 1: `right[:, 2:]`.",
            hint=2,
        ),
        Mistake(
            "the right states turned round and cut at the end",
            lambda left, right: torch.cat([left[:, :-2], right.flip(1)[:, :-2]], -1),
            "The right states are in the order of the text already. Do not turn them round; "
            "cut at the front: `right[:, 2:]`.",
            hint=2,
        ),
        Mistake(
            "cut along the sentences",
            lambda left, right: torch.cat([left[:-2], right[2:]], -1),
            "You cut along axis 0, the sentences. The places are axis 1: `left[:, :-2]`.",
            hint=3,
        ),
        Mistake(
            "on an axis of its own",
            lambda left, right: torch.stack([left[:, :-2], right[:, 2:]], -1),
            "`torch.stack` makes a new axis. Put the states side by side along the last "
            "one: `torch.cat([...], dim=-1)`.",
            hint=3,
        ),
        Mistake(
            "only the first sentence",
            lambda left, right: torch.cat([left[0, :-2], right[0, 2:]], -1),
            "Only the first sentence is there, and its axis is lost. Keep all B of them: "
            "`left[:, :-2]`.",
            hint=3,
        ),
        Mistake(
            "the axis of the sentences is squeezed away",
            lambda left, right: context2vec.around_target(left, right).squeeze(),
            "`.squeeze()` takes away each axis of length 1, and that of the sentences, too, where "
            "there is one only. Leave it out.",
            hint=3,
        ),
    ),
    right_answers={
        "a loop over places": _beside_by_loop,
        "narrow": lambda left, right: torch.cat(
            [left.narrow(1, 0, left.shape[1] - 2), right.narrow(1, 2, left.shape[1] - 2)], dim=2
        ),
    },
)
