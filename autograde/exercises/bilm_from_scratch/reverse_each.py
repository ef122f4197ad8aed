"""Exercise `reverse_each`: each sentence is reversed within its own length."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from autograde.checking.differentiable import LISTED, run_differentiably, tensor_of
from autograde.checking.exercise import (
    Answer,
    Case,
    Exercise,
    Inputs,
    Mistake,
    Plain,
    call_with_tensors,
)
from autograde.exercises.bilm_from_scratch import LESSON
from elmo_mini.bilm.plain import reverse_each


def _sentences(lengths: Sequence[int], width: int, features: tuple[int, ...] = (3,)) -> Any:
    def make(rng: np.random.Generator) -> Inputs:
        shape = (len(lengths), width, *features)
        return {"x": rng.standard_normal(shape), "lengths": np.array(lengths)}

    return make


def _numbered(rng: np.random.Generator) -> Inputs:
    """Words 1 to 4 of one sentence, then padding that has numbers of its own."""
    return {"x": np.array([[1, 2, 3, 4, -1, -2]]), "lengths": np.array([4])}


def _run(answer: Answer, inputs: Inputs) -> Plain:
    def one(*arguments: Tensor) -> Tensor:
        return tensor_of(lambda: answer(*arguments), ONE_TENSOR)

    if inputs["x"].dtype.kind == "f":
        return run_differentiably(one, inputs)
    return call_with_tensors(one, inputs)


def _by_cat(x: Tensor, lengths: Tensor) -> Tensor:
    rows = zip(x, lengths.tolist(), strict=True)
    return torch.stack([torch.cat([row[:n].flip(0), row[n:]]) for row, n in rows])


def _by_gather(x: Tensor, lengths: Tensor) -> Tensor:
    t = torch.arange(x.shape[1]).expand(x.shape[:2])
    order = torch.where(t < lengths[:, None], lengths[:, None] - 1 - t, t)
    return x.gather(1, order.view(*order.shape, *[1] * (x.ndim - 2)).expand_as(x))


def _by_index(x: Tensor, lengths: Tensor) -> Tensor:
    order = torch.arange(x.shape[1]).repeat(len(x), 1)
    for row, n in zip(order, lengths.tolist(), strict=True):
        row[:n] = torch.arange(n - 1, -1, -1)
    return x[torch.arange(len(x))[:, None], order]


def _with_lengths(change: Any) -> Any:
    return lambda x, lengths: _by_cat(x, change(x, lengths))


def _padding_to_zero(x: Tensor, lengths: Tensor) -> Tensor:
    kept = torch.arange(x.shape[1]) < lengths[:, None]
    return reverse_each(x, lengths) * kept.view(*kept.shape, *[1] * (x.ndim - 2))


def _padding_turned_too(x: Tensor, lengths: Tensor) -> Tensor:
    rows = zip(x, lengths.tolist(), strict=True)
    return torch.stack([torch.cat([row[:n].flip(0), row[n:].flip(0)]) for row, n in rows])


def _padding_in_front(x: Tensor, lengths: Tensor) -> Tensor:
    rows = zip(x, lengths.tolist(), strict=True)
    return torch.stack([torch.cat([row[n:], row[:n].flip(0)]) for row, n in rows])


def _off_by_one(x: Tensor, lengths: Tensor) -> Tensor:
    t = torch.arange(x.shape[1])
    order = torch.where(t < lengths[:, None], lengths[:, None] - t, t).clamp(max=x.shape[1] - 1)
    return x[torch.arange(len(x))[:, None], order]


def _clamped(x: Tensor, lengths: Tensor) -> Tensor:
    order = (lengths[:, None] - 1 - torch.arange(x.shape[1])).clamp(min=0)
    return x[torch.arange(len(x))[:, None], order]


def _turned_in_rows(turned: slice) -> Any:
    """Some of the sentences are reversed, the others stay."""

    def answer(x: Tensor, lengths: Tensor) -> Tensor:
        rows = list(x)
        rows[turned] = reverse_each(x, lengths)[turned]
        return torch.stack(rows)

    return answer


def _by_places(places: Any) -> Any:
    """Each place t of a sentence of n words is filled from the place that is given for it."""

    def answer(x: Tensor, lengths: Tensor) -> Tensor:
        t, n = torch.arange(x.shape[1]), lengths[:, None]
        order = torch.where(t < n, places(t, n), t)
        return x[torch.arange(len(x))[:, None], order]

    return answer


def _numbers_turned(x: Tensor, lengths: Tensor) -> Tensor:
    rows = zip(x, lengths.tolist(), strict=True)
    return torch.stack([torch.cat([row[:n].flip(-1), row[n:]]) for row, n in rows])


def _every_axis(x: Tensor, lengths: Tensor) -> Tensor:
    rows = zip(x, lengths.tolist(), strict=True)
    return torch.stack([torch.cat([row[:n].flip([*range(row.ndim)]), row[n:]]) for row, n in rows])


def _last_places(x: Tensor, lengths: Tensor) -> Tensor:
    rows = zip(x, (x.shape[1] - lengths).tolist(), strict=True)
    return torch.stack([torch.cat([row[:n], row[n:].flip(0)]) for row, n in rows])


ONE_TENSOR = (
    "Your answer is of type {kind}. Return one tensor, made with `torch` alone: the network goes "
    "on from here and learns through it."
)
NUMBERS_TURNED = (
    "You reverse the last axis, the numbers of a vector. Reverse the words: axis 1 of `x`, axis 0 "
    "of a sentence `x[b]`."
)
ONE_SENTENCE = "Only the first sentence is returned. Keep all B of them."
PADDING_FIRST = (
    "You reverse the whole row, so the padding of a short sentence comes first, and the "
    "backward reader reads it before the last word. Reverse only the first `lengths[b]` places of "
    "row b."
)

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
    mistakes=(
        Mistake("the padding comes first", lambda x, lengths: x.flip(1), PADDING_FIRST, hint=1),
        Mistake(
            "nothing is reversed",
            lambda x, lengths: x * 1,
            "Your sentences still run forwards.",
            hint=1,
        ),
        Mistake(
            "every sentence as long as the first",
            _with_lengths(lambda x, lengths: lengths[:1].expand_as(lengths)),
            "You take the length of the first sentence for all. Each has its own, `lengths[b]`.",
            hint=1,
        ),
        Mistake(
            "every sentence as long as the longest",
            _with_lengths(lambda x, lengths: lengths.max().expand_as(lengths)),
            "You reverse every row as if it were as long as the longest sentence. Each has its "
            "own length, `lengths[b]`.",
            hint=1,
        ),
        Mistake(
            "the last word stays",
            _with_lengths(lambda x, lengths: (lengths - 1).clamp(min=0)),
            "The last word of each sentence stays where it is: the slice ends one place too early. "
            "A sentence of n words has the places `[:n]`.",
            hint=2,
        ),
        Mistake(
            "one place of padding is reversed along",
            _with_lengths(lambda x, lengths: (lengths + 1).clamp(max=x.shape[1])),
            "One place of padding is reversed along. A sentence of n words has the places `[:n]`.",
            hint=2,
        ),
        Mistake(
            "off by one",
            _off_by_one,
            "The index starts at `lengths`, one after the last word. Place t comes from "
            "`lengths - 1 - t`.",
            hint=2,
        ),
        Mistake(
            "the padding is a copy of the first word",
            _clamped,
            "You hold negative places at 0, so the padding becomes copies of the first word. "
            "Leave the padding in its place.",
            hint=3,
        ),
        Mistake(
            "the padding is reversed, too",
            _padding_turned_too,
            "The words are right, and the padding is reversed among itself. (A negative place "
            "counts from the end.) Leave the padding where it is: `torch.where`.",
            hint=3,
        ),
        Mistake(
            "the padding is put in front",
            _padding_in_front,
            "The words are reversed, and you put the padding before them. It stays behind: "
            "`torch.cat([row[:n].flip(0), row[n:]])`.",
            hint=3,
        ),
        Mistake(
            "the padding is set to 0",
            _padding_to_zero,
            "The words are right, and the padding is gone. Leave it as it is.",
            hint=3,
        ),
        Mistake(
            "the padding is cut off",
            lambda x, lengths: torch.nn.utils.rnn.pad_sequence(
                [row[:n].flip(0) for row, n in zip(x, lengths.tolist(), strict=True)],
                batch_first=True,
            ),
            "You cut the padding off and let `pad_sequence` make a new one. Keep it: "
            "`torch.cat([row[:n].flip(0), row[n:]])`.",
            hint=3,
        ),
        Mistake(
            "the sentences are reversed, not their words",
            lambda x, lengths: x.flip(0),
            "You put the last sentence of the batch first. Reverse along axis 1, the words.",
            hint=1,
        ),
        Mistake(
            "the numbers of a vector are reversed",
            lambda x, lengths: x.flip(-1) if x.ndim > 2 else x.flip(0),
            NUMBERS_TURNED,
            hint=1,
        ),
        Mistake(
            "the numbers of a vector are reversed, without the padding's",
            _numbers_turned,
            NUMBERS_TURNED,
            hint=1,
        ),
        Mistake(
            "every axis is reversed",
            _every_axis,
            "You reverse every axis of a sentence, the numbers of its vectors, too. Reverse the "
            "words alone: `.flip(0)` of `x[b]`.",
            hint=1,
        ),
        Mistake(
            "copies for the padding, and the numbers are reversed",
            lambda x, lengths: _clamped(x, lengths).flip(-1),
            "Two things. The padding becomes copies of the first word: leave it in its place. And "
            "you reverse the last axis, too, the numbers of a vector: reverse the words alone.",
            hint=1,
        ),
        Mistake(
            "the last places are reversed",
            _last_places,
            "You reverse the last `lengths[b]` places of a row. The words are its first ones, "
            "`row[:n]`, and the padding stands behind them.",
            hint=1,
        ),
        Mistake(
            "only the first and the last word",
            _by_places(lambda t, n: torch.where(t == 0, n - 1, torch.where(t == n - 1, 0, t))),
            "You exchange the first and the last word, and those between them stay. All words are "
            "reversed: place t gets the word at `lengths - 1 - t`.",
            hint=2,
        ),
        Mistake(
            "a list of rows",
            lambda x, lengths: list(reverse_each(x, lengths)),
            LISTED.format(kind="list"),
            hint=3,
        ),
        Mistake(
            "only the first sentence",
            lambda x, lengths: reverse_each(x, lengths)[:1],
            ONE_SENTENCE,
            hint=3,
        ),
        Mistake(
            "only the first sentence, without the batch axis",
            lambda x, lengths: reverse_each(x, lengths)[0],
            ONE_SENTENCE,
            hint=3,
        ),
        Mistake(
            "only the first sentence is reversed",
            _turned_in_rows(slice(1)),
            "Your first sentence is reversed, the others are not. The loop stops after one "
            "round: it goes over all B sentences.",
            hint=1,
        ),
        Mistake(
            "the first sentence is left out",
            _turned_in_rows(slice(1, None)),
            "Your first sentence is not reversed. The loop over the sentences begins at 0.",
            hint=1,
        ),
        Mistake(
            "the last sentence is left out",
            _turned_in_rows(slice(-1)),
            "Your last sentence is not reversed. The loop over the sentences ends one round too "
            "early: `range(len(x))`.",
            hint=1,
        ),
        Mistake(
            "the last word everywhere",
            _by_places(lambda t, n: n - 1),
            "Every place of a sentence holds its last word. Go down from there: place t comes "
            "from `lengths - 1 - t`.",
            hint=2,
        ),
        Mistake(
            "counted from the wrong end",
            _by_places(lambda t, n: t - n + 1),
            "Your place is t - (lengths - 1), a negative number, and PyTorch counts it from the "
            "end of the row. Swap the two: `lengths - 1 - t`.",
            hint=2,
        ),
        Mistake(
            "the last place keeps its word",
            _by_places(lambda t, n: torch.where(t < n - 1, n - 1 - t, t)),
            "The last word stands at the first place and at its own, and the first word is lost: "
            "your comparison leaves out the last place. Reverse the places 0 to `lengths - 1`.",
            hint=2,
        ),
        Mistake(
            "the batch axis is lost",
            lambda x, lengths: reverse_each(x, lengths).flatten(0, 1),
            "You join the sentences to one long row. Keep the shape of `x`: `torch.stack`.",
            hint=3,
        ),
    ),
    right_answers={"slices": _by_cat, "gather": _by_gather, "a table of places": _by_index},
)
