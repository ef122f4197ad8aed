"""Exercise `without_boundaries`: the vectors of the words alone."""

from typing import Any

import numpy as np
import torch
from torch import Tensor

from autograde.checking.answers import (
    Answer,
    AnswerRefused,
    Plain,
    as_tensors,
    call_with_tensors,
    refusing,
    returned,
)
from autograde.checking.differentiable import NO_TENSOR, slopes
from autograde.checking.exercise import Case, Exercise, Inputs, Random
from autograde.checking.slips import slips
from autograde.exercises.scalar_mix_and_elmo import LESSON
from elmo_mini.models import elmo as plain

Pair = tuple[Any, Any]


def _no_pair(came: Any) -> str | None:
    if isinstance(returned(came), np.ndarray | Tensor):
        return f"You return one tensor. {TWO_THINGS}"
    if not isinstance(came, tuple | list) or len(came) != 2:
        return TWO_THINGS
    mask = came[1]
    if not isinstance(mask, np.ndarray | Tensor) or mask.ndim != 2:
        return None  # which the shapes will tell
    return None if mask.dtype in (bool, torch.bool) else NUMBERS


def _by_rows(vectors: Tensor, mask: Tensor) -> Pair:
    out = torch.zeros(len(vectors), vectors.shape[1] - 2, vectors.shape[2])
    kept = torch.zeros_like(mask[:, 2:])
    for row, there in enumerate(mask.sum(1).tolist()):
        out[row, : there - 2] = vectors[row, 1 : there - 1]
        kept[row, : there - 2] = True
    return out, kept


def _by_where(vectors: Tensor, mask: Tensor) -> Pair:
    lengths = mask.sum(1, keepdim=True) - 2
    kept = torch.arange(mask.shape[1] - 2) < lengths
    return torch.where(kept[..., None], vectors[:, 1:-1], 0.0), kept


@Case.drawn
def _case(rng: Random, lengths: tuple[int, ...], padding: int = 0) -> Inputs:
    """Sentences of so many words, their boundaries added, and columns of nothing but padding."""
    places = np.arange(max(lengths) + 2 + padding)
    mask = places < np.array(lengths)[:, None] + 2
    vectors = rng.standard_normal((len(lengths), len(places), 4)) + 3.0
    vectors = np.where(mask[..., None], vectors, 7.0)
    return {"vectors": vectors.astype(np.float32), "mask": mask}


TWO_THINGS = "Return two things: the vectors of the words, (B, T, 2H), and their mask, (B, T)."
NUMBERS = (
    "Your mask holds numbers. Return True and False, as the old mask does: `row[mask]` picks out "
    "the words of a row by these alone."
)


def _run(answer: Answer, inputs: Inputs) -> Plain:
    """Vectors and mask, and how many words a gradient comes back to."""
    pair: Any = refusing(_no_pair, call_with_tensors)(answer, inputs)
    given, there = map(as_tensors, inputs.values())
    try:
        again = answer(given.requires_grad_(), there)[0]
    except RuntimeError as error:
        if "Can't call numpy()" not in str(error):
            raise
        raise AnswerRefused(NO_TENSOR) from error
    slope = (
        slopes(again.sum(), {"vectors": given})["vectors"] if isinstance(again, Tensor) else None
    )
    learn = 0 if slope is None else int(slope.any(-1).sum())
    return {"the vectors": pair[0], "the mask": pair[1], "words that learn": learn}


SLIPS = f"""
--- hint 2
the last column instead of the last token: mask[:, 2:] -> mask[:, 1:-1]
    You cut off the last column. A shorter sentence ends earlier, and its end vector is still there,
    marked as a word.
both cut by columns: mask[:, 2:] -> mask[:, 1:-1] && * inner.unsqueeze(-1) ->
    You cut the first and the last column off both. A shorter sentence ends earlier: its end vector
    is still there, marked as a word. And what stands at padding should be zero.
the length of the first sentence: mask[:, 2:] -> mask[:1, 2:].expand(len(mask), -1)
    You cut every sentence at the length of the first. Each has its own length: `mask[:, 2:]` is
    True as often as the sentence has words.
the mask of the first columns: mask[:, 2:] -> mask[:, :-2]
    Your mask counts as many tokens as before the cut. Each sentence has lost two.
the old mask: unsqueeze(-1), inner -> unsqueeze(-1), mask
    The vectors are right. The mask must lose two positions as well.
cut along the wrong axis: vectors[:, 1:-1] * inner.unsqueeze(-1) -> vectors[:, :, 1:-1]
    You cut the numbers of each vector. The boundaries stand along axis 1, time.
--- hint 1
vectors one place early: vectors[:, 1:-1] -> vectors[:, :-2]
    Your vectors begin with the begin-of-sentence token: every word gets the vector of the token
    before it.
vectors one place late: vectors[:, 1:-1] -> vectors[:, 2:]
    Your vectors begin with the second word: every word gets the vector of the one after it.
only the last token is cut: mask[:, 2:] -> mask[:, 1:] && vectors[:, 1:-1] -> vectors[:, :-1]
    The begin-of-sentence vector is still there. Both boundaries go.
only the first token is cut: mask[:, 2:] -> mask[:, 1:] && vectors[:, 1:-1] -> vectors[:, 1:]
    The end-of-sentence vector is still there. Both boundaries go.
the boundaries emptied, not removed: \
        mask[:, 2:] -> torch.nn.functional.pad(mask[:, 2:], (1, 1)) && vectors[:, 1:-1] -> vectors
    You made the boundaries zero and left them in their places. Take them out: two columns fewer.
the mask keeps its width: \
        unsqueeze(-1), inner -> unsqueeze(-1), torch.nn.functional.pad(inner, (0, 2))
    The vectors are right. Your mask is True at the right words and still as wide as before: it
    loses two columns.
--- hint 3
padding is not emptied: * inner.unsqueeze(-1) ->
    The mask is right, and what stands at padding is still there. Make it zero.
the lengths in place of the mask: unsqueeze(-1), inner -> unsqueeze(-1), mask.sum(1) - 2
    You return how many words each sentence has. Return the mask, (B, T): True at words.
--- no hint
the mask first: vectors[:, 1:-1] * inner.unsqueeze(-1), inner -> \
        inner, vectors[:, 1:-1] * inner.unsqueeze(-1)
    Return the vectors first, the mask second.
the mask turned around: unsqueeze(-1), inner -> unsqueeze(-1), ~inner
    Your mask is True at padding. It is True at words.
cut off from autograd: vectors[:, 1:-1] -> vectors.detach()[:, 1:-1]
    The numbers are right, and no gradient comes back to the vectors, so a mix below never learns.
    Leave out `.detach()` and `.data`.
a mask of numbers: unsqueeze(-1), inner -> unsqueeze(-1), inner.float()
    {NUMBERS}
"""

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
    mistakes=slips(plain.without_boundaries, SLIPS),
    right_answers={"row by row": _by_rows, "lengths": _by_where},
)
