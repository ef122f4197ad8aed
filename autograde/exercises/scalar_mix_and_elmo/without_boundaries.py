"""Exercise `without_boundaries`: the vectors of the words alone."""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor

from autograde.checking.exercise import (
    Answer,
    AnswerRefused,
    Case,
    Exercise,
    Inputs,
    Mistake,
    Plain,
    call_with_tensors,
)
from autograde.exercises.scalar_mix_and_elmo import LESSON
from elmo_mini.bilm import plain

Pair = tuple[Any, Any]


def _run(answer: Answer, inputs: Inputs) -> Plain:
    came = call_with_tensors(answer, inputs)
    if isinstance(came, np.ndarray):
        raise AnswerRefused(
            "You return one tensor. Return two things: the vectors of the words, (B, T, 2H), and "
            "their mask, (B, T)."
        )
    return came


def _by_rows(vectors: Tensor, mask: Tensor) -> Pair:
    out = torch.zeros_like(vectors[:, 2:])
    kept = torch.zeros_like(mask[:, 2:])
    for row, there in enumerate(mask.sum(1).tolist()):
        out[row, : there - 2] = vectors[row, 1 : there - 1]
        kept[row, : there - 2] = True
    return out, kept


def _by_where(vectors: Tensor, mask: Tensor) -> Pair:
    lengths = mask.sum(1, keepdim=True) - 2
    kept = torch.arange(mask.shape[1] - 2) < lengths
    return torch.where(kept[..., None], vectors[:, 1:-1], 0.0), kept


def _cut(first: int, last: int, mask_from: int) -> Callable[[Tensor, Tensor], Pair]:
    def answer(vectors: Tensor, mask: Tensor) -> Pair:
        width = vectors.shape[1]
        kept = mask[:, mask_from : mask_from + width - 2]
        return vectors[:, first : width - last] * kept.unsqueeze(-1), kept

    return answer


def _case(lengths: tuple[int, ...], padding: int = 0) -> Callable[[np.random.Generator], Inputs]:
    """Sentences of so many words, their boundaries added, and columns of nothing but padding."""

    def make(rng: np.random.Generator) -> Inputs:
        places = np.arange(max(lengths) + 2 + padding)
        mask = places < np.array(lengths)[:, None] + 2
        vectors = rng.standard_normal((len(lengths), len(places), 4)) + 3.0
        return {"vectors": np.where(mask[..., None], vectors, 7.0), "mask": mask}

    return make


EXERCISE = Exercise(
    id="without_boundaries",
    title="The vectors of the words alone",
    lesson=LESSON,
    points=2,
    difficulty=3,
    importance=4,
    minutes=8,
    reference=plain.without_boundaries,
    run=_run,
    cases=(
        Case("two sentences of one length", _case((3, 3))),
        Case("sentences of different lengths", _case((5, 2, 4)), weight=2),
        Case("one sentence", _case((4,))),
        Case("a sentence of one word", _case((1, 3)), edge=True),
        Case("padding at the end of all sentences", _case((2, 3), padding=2), edge=True),
    ),
    mistakes=(
        Mistake(
            "the last column instead of the last token",
            _cut(1, 1, 1),
            "You cut off the last column. A shorter sentence ends earlier, and its end vector is "
            "still there, marked as a word.",
            hint=2,
        ),
        Mistake(
            "both cut by columns",
            lambda v, m: (v[:, 1:-1], m[:, 1:-1]),
            "You cut the first and the last column off both. A shorter sentence ends earlier: its "
            "end vector is still there, marked as a word. And what stands at padding should be "
            "zero.",
            hint=2,
        ),
        Mistake(
            "the length of the first sentence",
            lambda v, m: _as_long_as_the_first(v, m),
            "You cut every sentence at the length of the first. Each has its own length: "
            "`mask[:, 2:]` is True as often as the sentence has words.",
            hint=2,
        ),
        Mistake(
            "the mask of the first columns",
            _cut(1, 1, 0),
            "Your mask counts as many tokens as before the cut. Each sentence has lost two.",
            hint=2,
        ),
        Mistake(
            "vectors one place early",
            _cut(0, 2, 2),
            "Your vectors begin with the begin-of-sentence token: every word gets the vector of "
            "the token before it.",
            hint=1,
        ),
        Mistake(
            "vectors one place late",
            _cut(2, 0, 2),
            "Your vectors begin with the second word: every word gets the vector of the one "
            "after it.",
            hint=1,
        ),
        Mistake(
            "padding is not emptied",
            lambda v, m: (v[:, 1:-1], m[:, 2:]),
            "The mask is right, and what stands at padding is still there. Make it zero.",
            hint=3,
        ),
        Mistake(
            "only the last token is cut",
            lambda v, m: (v[:, :-1] * m[:, 1:].unsqueeze(-1), m[:, 1:]),
            "The begin-of-sentence vector is still there. Both boundaries go.",
            hint=1,
        ),
        Mistake(
            "only the first token is cut",
            lambda v, m: (v[:, 1:] * m[:, 1:].unsqueeze(-1), m[:, 1:]),
            "The end-of-sentence vector is still there. Both boundaries go.",
            hint=1,
        ),
        Mistake(
            "the boundaries emptied, not removed",
            lambda v, m: _emptied(v, m),
            "You made the boundaries zero and left them in their places. Take them out: two "
            "columns fewer.",
            hint=1,
        ),
        Mistake(
            "the mask first",
            lambda v, m: (m[:, 2:], v[:, 1:-1] * m[:, 2:].unsqueeze(-1)),
            "Return the vectors first, the mask second.",
        ),
        Mistake(
            "the old mask",
            lambda v, m: (v[:, 1:-1] * m[:, 2:].unsqueeze(-1), m),
            "The vectors are right. The mask must lose two places as well.",
            hint=2,
        ),
        Mistake(
            "the mask keeps its width",
            lambda v, m: (
                v[:, 1:-1] * m[:, 2:].unsqueeze(-1),
                torch.nn.functional.pad(m[:, 2:], (0, 2)),
            ),
            "The vectors are right. Your mask is True at the right words and still as wide as "
            "before: it loses two columns.",
            hint=2,
        ),
        Mistake(
            "the lengths in place of the mask",
            lambda v, m: (v[:, 1:-1] * m[:, 2:].unsqueeze(-1), m.sum(1) - 2),
            "You return how many words each sentence has. Return the mask, (B, T): True at words.",
            hint=2,
        ),
        Mistake(
            "the mask turned around",
            lambda v, m: (v[:, 1:-1] * m[:, 2:].unsqueeze(-1), ~m[:, 2:]),
            "Your mask is True at padding. It is True at words.",
        ),
        Mistake(
            "cut along the wrong axis",
            lambda v, m: (v[:, :, 1:-1], m[:, 2:]),
            "You cut the numbers of each vector. The boundaries stand along axis 1, time.",
            hint=1,
        ),
    ),
    right_answers={"row by row": _by_rows, "lengths": _by_where},
)


def _as_long_as_the_first(vectors: Tensor, mask: Tensor) -> Pair:
    kept = (torch.arange(mask.shape[1] - 2) < mask[0].sum() - 2).expand(len(mask), -1)
    return vectors[:, 1:-1] * kept.unsqueeze(-1), kept


def _emptied(vectors: Tensor, mask: Tensor) -> Pair:
    inner = torch.zeros_like(mask)
    inner[:, 1:-1] = mask[:, 2:]
    return vectors * inner.unsqueeze(-1), inner
