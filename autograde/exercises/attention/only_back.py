"""Exercise `only_back`: who may look where, when nobody may look ahead."""

from collections.abc import Sequence

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
from autograde.checking.exercise import Case, Exercise, Inputs, Random
from autograde.checking.slips import slips
from autograde.exercises.attention import LESSON
from elmo_mini.transformer.attention import both_sides, only_back


@Case.drawn
def _sentences(rng: Random, lengths: Sequence[int], width: int = 0) -> Inputs:
    return {"mask": np.arange(width or max(lengths)) < np.array(lengths)[:, None]}


def _run(answer: Answer, inputs: Inputs) -> Plain:
    """The rows of tokens, and how many rows may look nowhere."""
    mask = as_tensors(inputs["mask"])
    came = returned(answer(mask))
    if not isinstance(came, Tensor):
        raise AnswerRefused("Return one tensor, (B, T, T): `one_head` goes on with it.")
    if came.dtype != torch.bool:
        raise AnswerRefused(
            "Your table holds numbers. `one_head` needs True and False: a comparison, or `.bool()`."
        )
    refuse_changed(inputs, {"mask": mask})
    places = mask.shape[1]
    if tuple(came.shape) != (len(mask), places, places):
        return {"shape": list(came.shape)}
    return {
        "shape": list(came.shape),
        "rows of tokens": plain(came & mask[..., None]),
        "rows that may look nowhere": int((~came.any(-1)).sum()),
    }


def _by_tril(mask: Tensor) -> Tensor:
    places = mask.shape[1]
    back = torch.ones(places, places, dtype=torch.bool).tril()
    return mask[:, None, :] & back


def _by_places(mask: Tensor) -> Tensor:
    t = torch.arange(mask.shape[1])
    back = t[None, :] <= t[:, None]
    return back[None].logical_and(mask.unsqueeze(1))


def _by_loops(mask: Tensor) -> Tensor:
    B, T = mask.shape
    table = torch.zeros(B, T, T, dtype=torch.bool)
    for t in range(T):
        table[:, t, : t + 1] = mask[:, : t + 1]
    return table


SLIPS = """
--- hint 1
looking ahead only: .tril() -> .triu()
    Your places look ahead. Row t says where place t may look: at columns up to t.
nobody looks ahead or at itself: .tril() -> .tril(-1)
    Your places may not look at themselves, and the first may look nowhere: its softmax has nothing
    to share out. The diagonal belongs to the past.
one step ahead: .tril() -> .tril(1)
    Your places may look one step ahead, at the very word that they are asked for.
both sides: back = torch.ones(places, places, dtype=torch.bool).tril() \
        -> back = torch.ones(places, places, dtype=torch.bool)
    Nothing is closed but the padding. A place may look at columns up to its own only.
itself alone: .tril() -> .tril().triu()
    Each place may look at itself alone. It may look at all tokens before it, too.
the mask is not used: return mask[:, None, :] & back -> return back.expand(len(mask), -1, -1)
    `mask` is never used. A token stands before all padding, so no token looks at padding here; but
    a row of padding does. Close the columns of padding as `both_sides` does.
--- hint 2
the rows of padding are closed: mask[:, None, :] & back \
        -> mask[:, None, :] & mask[:, :, None] & back
    Your rows of padding may look nowhere. Their softmax is 0/0, and the NaN spreads: a share of 0
    times NaN is NaN. Close columns only.
rows in place of columns: mask[:, None, :] -> mask[:, :, None]
    You close the rows of padding. Close its columns: `mask[:, None, :]`.
the mask is turned round: mask[:, None, :] & -> ~mask[:, None, :] &
    You close the tokens. `mask` is True at tokens.
either is enough: mask[:, None, :] & back -> mask[:, None, :] | back
    Either is enough in your table. A place must be a token *and* not ahead.
--- hint 3
one table for all: return mask[:, None, :] & back -> return back
    You return one table. Return one for each sentence, (B, T, T).
the mask of the first sentence: mask[:, None, :] & back \
        -> mask[:1, None, :].expand(len(mask), -1, -1) & back
    You use the mask of the first sentence for all.
numbers: mask[:, None, :] & back -> (mask[:, None, :] & back).float()
    Your table holds numbers. `one_head` needs True and False: a comparison, or `.bool()`.
turned on its side: return mask[:, None, :] & back -> return (mask[:, None, :] & back).mT
    Your table is turned on its side: rows are the places that look, columns where they look.
"""

EXERCISE = Exercise(
    id="only_back",
    title="One mask changed",
    lesson=LESSON,
    points=2,
    difficulty=2,
    importance=5,
    minutes=8,
    reference=only_back,
    run=_run,
    cases=(
        Case("one sentence", _sentences((4,))),
        Case("sentences of 4, 2 and 3 tokens", _sentences((4, 2, 3)), weight=2),
        Case("padding behind all of them", _sentences((2, 3), 5)),
        Case("one token", _sentences((1,)), edge=True),
    ),
    mistakes=slips(_by_tril, SLIPS),
    right_answers={
        "tril": _by_tril,
        "places compared": _by_places,
        "by rows": _by_loops,
        "of both sides": lambda mask: both_sides(mask).tril(),
    },
)
