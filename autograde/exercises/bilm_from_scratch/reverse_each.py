"""Exercise `reverse_each`: each sentence is reversed within its own length."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from autograde.checking.answers import Answer, AnswerRefused, Plain
from autograde.checking.differentiable import run_differentiably, slopes
from autograde.checking.exercise import Case, Exercise, Inputs, Random
from autograde.checking.slips import slips
from autograde.exercises.bilm_from_scratch import LESSON
from elmo_mini.models.elmo import reverse_each


@Case.drawn
def _sentences(
    rng: Random, lengths: Sequence[int], width: int, features: tuple[int, ...] = (3,)
) -> Inputs:
    shape = (len(lengths), width, *features)
    return {"x": rng.standard_normal(shape, np.float32), "lengths": np.array(lengths)}


def _numbered(rng: Random) -> Inputs:
    """Words 1 to 4 of one sentence, then padding that has numbers of its own."""
    return {"x": np.array([[1, 2, 3, 4, -1, -2]]), "lengths": np.array([4])}


def _by_slices(x: Tensor, lengths: Tensor) -> Tensor:
    rows = list(x)
    for b in range(len(x)):
        n = int(lengths[b])
        rows[b] = torch.cat([x[b, :n].flip(0), x[b, n:]])
    return torch.stack(rows)


def _by_gather(x: Tensor, lengths: Tensor) -> Tensor:
    t = torch.arange(x.shape[1]).expand(x.shape[:2])
    order = torch.where(t < lengths[:, None], lengths[:, None] - 1 - t, t)
    return x.gather(1, order.view(*order.shape, *[1] * (x.ndim - 2)).expand_as(x))


def _by_index(x: Tensor, lengths: Tensor) -> Tensor:
    order = torch.arange(x.shape[1]).repeat(len(x), 1)
    for row, n in zip(order, lengths.tolist(), strict=True):
        row[:n] = torch.arange(n - 1, -1, -1)
    return x[torch.arange(len(x))[:, None], order]


ONE_TENSOR = (
    "Your answer is of type {kind}. Return one tensor, made with `torch` alone: the network goes "
    "on from here and learns through it."
)


def _run(answer: Answer, inputs: Inputs) -> Plain:
    def watched(x: Tensor, lengths: Tensor) -> Any:
        came = answer(x, lengths)
        if isinstance(came, Tensor) and came.is_floating_point() and not x.is_floating_point():
            raise AnswerRefused(
                "Word numbers come back as decimal numbers, and no table can look them up. Leave "
                "out `.float()`, and make new tensors with `torch.zeros_like(x)`."
            )
        return came

    rows = run_differentiably(watched, inputs, otherwise=ONE_TENSOR)
    return {"the rows": rows, "words that learn": _reached(answer, inputs)}


def _reached(answer: Answer, inputs: Inputs) -> int:
    """How many words a gradient comes back to; what is done with padding is nobody's affair."""
    x, lengths = (torch.from_numpy(inputs[name].copy()) for name in ("x", "lengths"))
    if not x.is_floating_point():
        return 0
    slope = slopes(answer(x.requires_grad_(), lengths).sum(), {"x": x})["x"]
    there = torch.arange(x.shape[1]) < lengths[:, None]
    learns = torch.zeros(there.shape) if slope is None else slope.reshape(*there.shape, -1).any(-1)
    return int(learns[there].sum())


SLIPS = """
--- hint 1
the padding comes first: torch.cat([x[b, :n].flip(0), x[b, n:]]) -> x[b].flip(0)
    You reverse the whole row, so the padding of a short sentence comes first, and the backward
    reader reads it before the last word. Reverse only the first `lengths[b]` positions of row b.
    (Padding may hold any number: how long a sentence is, `lengths` alone says.)
nothing is reversed: .flip(0) ->
    Your sentences still run forwards.
every sentence as long as the longest: lengths[b] -> lengths.max()
    You reverse every row as if it were as long as the longest sentence. Each has its own length,
    `lengths[b]`.
the sentences are reversed, not their words: torch.stack(rows) -> x.flip(0)
    You put the last sentence of the batch first. Reverse along axis 1, the words.
the numbers of a vector are reversed: torch.stack(rows) -> x.flip(-1)
the numbers of a vector are reversed, without the padding's: .flip(0) -> .flip(-1)
    You reverse the last axis, the numbers of a vector. Reverse the words: axis 1 of `x`, axis 0 of
    a sentence `x[b]`.
every axis is reversed: .flip(0) -> .flip([*range(x.ndim - 1)])
    You reverse every axis of a sentence, the numbers of its vectors, too. Reverse the words alone:
    `.flip(0)` of `x[b]`.
the last places are reversed: [x[b, :n].flip(0), x[b, n:]] \
        -> [x[b, : len(x[b]) - n], x[b, len(x[b]) - n :].flip(0)]
    You reverse the last `lengths[b]` positions of a row. The words are its first ones, `row[:n]`,
    and the padding stands behind them.
--- hint 2
the last word stays: int(lengths[b]) -> max(int(lengths[b]) - 1, 0)
    The last word of each sentence stays where it is: the slice ends one position too early. A
    sentence of n words has the positions `[:n]`.
one place of padding is reversed along: int(lengths[b]) -> int(lengths[b]) + 1
    One position of padding is reversed along. A sentence of n words has the positions `[:n]`.
the first and the last word stay: [x[b, :n].flip(0), x[b, n:]] \
        -> [x[b, :1], x[b, 1 : max(n - 1, 1)].flip(0), x[b, max(n - 1, 1) :]]
    The first and the last word stay where they are. The whole sentence is reversed, boundaries
    included.
the last word is lost: :n].flip(0) -> : n - 1].flip(0)
    The last word of each sentence is lost: `[:n - 1]` has n - 1 words. A sentence of n words has
    the positions `[:n]`.
one place of padding is lost: x[b, n:] -> x[b, n + 1 :]
    Your row is one position too short. After the words `[:n]` comes `[n:]`.
the padding is reversed, too: x[b, n:] -> x[b, n:].flip(0)
    The words are right, and the padding is reversed among itself. (A negative position counts from
    the end.) Leave the padding where it is: `torch.where`.
the padding is set to 0: x[b, n:] -> 0 * x[b, n:]
    The words are right, and the padding is gone. Leave it as it is.
the padding is cut off: torch.cat([x[b, :n].flip(0), x[b, n:]]) -> x[b, :n].flip(0) \
        && torch.stack(rows) -> torch.nn.utils.rnn.pad_sequence(rows, batch_first=True)
    You cut the padding off and let `pad_sequence` make a new one. Keep it:
    `torch.cat([row[:n].flip(0), row[n:]])`.
--- hint 3
the padding is put in front: [x[b, :n].flip(0), x[b, n:]] -> [x[b, n:], x[b, :n].flip(0)]
    The words are reversed, and you put the padding before them. It stays behind:
    `torch.cat([row[:n].flip(0), row[n:]])`.
a list of rows: torch.stack(rows) -> rows
    Return one tensor, not a list: `torch.stack(...)` makes one of tensors that have one shape.
only the first sentence: torch.stack(rows) -> torch.stack(rows)[:1]
only the first sentence, without the batch axis: torch.stack(rows) -> rows[0]
    Only the first sentence is returned. Keep all B of them.
the batch axis is lost: torch.stack(rows) -> torch.cat(rows)
    You join the sentences to one long row. Keep the shape of `x`: `torch.stack`.
the lengths in another order: lengths[b] -> lengths.sort(descending=True).values[b]
    You sort the lengths and not the sentences. Row b has the length `lengths[b]`.
every sentence as long as the first: lengths[b] -> lengths[0]
    You take the length of the first sentence for all. Each has its own, `lengths[b]`.
only the first sentence is reversed: range(len(x)) -> range(1)
    Your first sentence is reversed, the others are not. The loop stops after one round: it goes
    over all B sentences.
the first sentence is left out: range(len(x)) -> range(1, len(x))
    Your first sentence is not reversed. The loop over the sentences begins at 0.
the last sentence is left out: range(len(x)) -> range(len(x) - 1)
    Your last sentence is not reversed. The loop over the sentences ends one round too early:
    `range(len(x))`.
--- no hint
the words are cut off from autograd: x[b, :n].flip(0) -> x[b, :n].detach().flip(0)
    The rows are right, and no gradient comes back to the words. Leave out `.detach()` and `.data`.
"""

SLIPS_OF_PLACES = """
--- hint 1
copies for the padding, and the numbers are reversed: row[positions] -> row[positions].flip(-1) \
        && torch.where(t <= last, last - t, t) -> (last - t).clamp(min=0)
    Two things. The padding becomes copies of the first word: leave it in its place. And you reverse
    the last axis, too, the numbers of a vector: reverse the words alone.
--- hint 2
off by one: last - t, -> (last + 1 - t).clamp(max=x.shape[1] - 1),
    The index starts at `lengths`, one after the last word. Position t comes from `lengths - 1 - t`.
only the first and the last word: \
        last - t, -> torch.where(t == 0, last, torch.where(t == last, 0, t)),
    You exchange the first and the last word, and those between them stay. All words are reversed:
    position t gets the word at `lengths - 1 - t`.
the last word everywhere: last - t, -> last,
    Every position of a sentence holds its last word. Go down from there: position t comes from
    `lengths - 1 - t`.
counted from the wrong end: last - t, -> t - last,
    Your position is t - (lengths - 1), a negative number, and PyTorch counts it from the end of the
    row. Swap the two: `lengths - 1 - t`.
the last place keeps its word: t <= last -> t < last
    The last word stands at the first position and at its own, and the first word is lost: your
    comparison leaves out the last position. Reverse the positions 0 to `lengths - 1`.
the padding is a copy of the first word: torch.where(t <= last, last - t, t) \
        -> (last - t).clamp(min=0)
    You hold negative positions at 0, so the padding becomes copies of the first word. Leave the
    padding in its place.
"""

EXERCISE = Exercise(
    id="reverse_each",
    title="Reverse each sentence",
    lesson=LESSON,
    points=2,
    difficulty=2,
    importance=5,
    minutes=8,
    reference=reverse_each,
    run=_run,
    cases=(
        Case("four words and two places of padding", _numbered),
        Case("sentences of 5, 2 and 3 words", _sentences((5, 2, 3), 5), weight=2),
        Case("more padding than words", _sentences((2, 1, 3), 7, ()), weight=1),
        Case("vectors of letters, (B, T, 2, 3)", _sentences((4, 2), 4, (2, 3)), edge=True),
        Case("an empty sentence and one word", _sentences((0, 1, 3), 3), edge=True),
    ),
    mistakes=(*slips(_by_slices, SLIPS), *slips(reverse_each, SLIPS_OF_PLACES)),
    right_answers={"slices": _by_slices, "gather": _by_gather, "a table of places": _by_index},
)
