"""Exercise `around_target`: everything but the word itself."""

import numpy as np
import torch
from torch import Tensor

from autograde.checking.differentiable import run_differentiably
from autograde.checking.exercise import Case, Exercise, Inputs, Random
from autograde.checking.slips import slips
from autograde.exercises.context_enters import LESSON
from elmo_mini.recurrent import context2vec


def _counted_states(rng: Random) -> Inputs:
    """State i of either side is i, as a shape (1, 6, 1): the answer can be read off."""
    numbers = np.arange(6, dtype=np.float32).reshape(1, 6, 1)
    return {"left": numbers, "right": 100 + numbers}


@Case.drawn
def _states(rng: Random, rows: int, words: int, hidden: int) -> Inputs:
    shape = (rows, words + 2, hidden)
    return {side: rng.standard_normal(shape, np.float32) for side in ("left", "right")}


def _beside(left: Tensor, right: Tensor) -> Tensor:
    before, after = left[:, :-2], right[:, 2:]
    around = torch.cat([before, after], dim=-1)
    return around


def _by_loop(left: Tensor, right: Tensor) -> Tensor:
    return torch.stack(
        [torch.cat([left[:, t - 1], right[:, t + 1]], -1) for t in range(1, left.shape[1] - 1)], 1
    )


SLIPS = """
--- hint 1
the target is in both states: left[:, :-2], right[:, 2:] -> left[:, 1:-1], right[:, 1:-1]
    Both of your states have already read the target: predicting it is child's play. Take the left
    state one position *before* it and the right state one position *after*.
the target is in the left state: left[:, :-2] -> left[:, 1:-1]
    Your left state has already read the target. Take the state of the position before it.
the target is in the right state: right[:, 2:] -> right[:, 1:-1]
    Your right state has already read the target: it comes from the other end. Take the state of the
    position after it.
every place, nothing moved: left[:, :-2], right[:, 2:] -> left, right
    You join the states of one and the same position, boundaries included. For each word take the
    left state one position before it and the right state one position after it.
--- hint 2
the states have walked past the target: left[:, :-2], right[:, 2:] -> left[:, 2:], right[:, :-2]
    You go one position in the wrong direction: your left state has read the target and the word
    after it. Left: t − 1. Right: t + 1.
two neighbours on the left: right[:, 2:] -> left[:, 2:]
    Both halves come from `left`. The second half belongs to the right-to-left reader.
the right states of the place before: right[:, 2:] -> right[:, :-2]
    Your right state stands one position *before* the word, so it has read the word and more. Take
    the one at t + 1: `right[:, 2:]`.
the left states of the place after: left[:, :-2] -> left[:, 2:]
    Your left state stands one position *after* the word, so it has read the word and more. Take the
    one at t - 1: `left[:, :-2]`.
--- hint 3
one after the other: dim=-1 -> dim=1
    You joined them along the sentence, so it is twice as long. Join them along the last axis: each
    position gets a longer vector.
the sum: torch.cat([before, after], dim=-1) -> before + after
    You add the two states. Side by side nothing is lost: `torch.cat(..., dim=-1)`.
one place too many: left[:, :-2], right[:, 2:] -> left[:, :-1], right[:, 1:]
    You cut one position off each side, so T + 1 are left: left and right state then stand beside a
    gap *between* two words. Round a word lie two steps: `[:, :-2]`, `[:, 2:]`.
an array: return around -> return around.detach().numpy()
    The numbers are right, but a NumPy array cannot be learnt through. `torch.cat([...], dim=-1)`
    does the same with tensors.
cut along the sentences: left[:, :-2], right[:, 2:] -> left[:-2], right[2:]
    You cut along axis 0, the sentences. The positions are axis 1: `left[:, :-2]`.
on an axis of its own: torch.cat -> torch.stack
    `torch.stack` makes a new axis. Put the states side by side along the last one:
    `torch.cat([...], dim=-1)`.
only the first sentence: left[:, :-2], right[:, 2:] -> left[0, :-2], right[0, 2:]
    Only the first sentence is there, and its axis is lost. Keep all B of them: `left[:, :-2]`.
right before left: [before, after] -> [after, before]
    The right states come first in your answer. Left, then right.
only the left states: return around -> return before
    The right states are missing. Both stand side by side: `torch.cat([...], dim=-1)`.
only the right states: return around -> return after
    The left states are missing. Both stand side by side: `torch.cat([...], dim=-1)`.
the right states turned round and cut at the end: right[:, 2:] -> right.flip(1)[:, :-2]
    The right states are in the order of the text already. Do not turn them round; cut at the front:
    `right[:, 2:]`.
--- no hint
the right states once more turned round: right[:, 2:] -> right.flip(1)[:, 2:]
    `right` is in reading order already. Do not turn it round again.
detached: return around -> return around.detach()
    The numbers are right, and the two LSTMs would never learn: no gradient comes through to them.
    Leave out `.detach()`, `torch.no_grad()` and NumPy.
the axis of the sentences is squeezed away: return around -> return around.squeeze()
    `.squeeze()` takes away each axis of length 1, and that of the sentences, too, where there is
    one only. Leave it out.
"""

EXERCISE = Exercise(
    id="around_target",
    title="Everything but the word itself",
    lesson=LESSON,
    points=3,
    difficulty=3,
    importance=5,
    minutes=6,
    reference=context2vec.around_target,
    run=run_differentiably,
    cases=(
        Case("states that are numbered", _counted_states),
        Case("2 sentences of 5 words, 3 numbers in a state", _states(2, 5, 3), weight=2),
        Case("a sentence of one word", _states(1, 1, 2), edge=True),
    ),
    mistakes=slips(_beside, SLIPS),
    right_answers={
        "slices": _beside,
        "a loop over places": _by_loop,
        "narrow": lambda left, right: torch.cat(
            [left.narrow(1, 0, left.shape[1] - 2), right.narrow(1, 2, left.shape[1] - 2)], dim=2
        ),
    },
)
