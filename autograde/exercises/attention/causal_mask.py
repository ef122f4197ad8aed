"""Exercise `causal_mask`: each position may attend to the tokens up to itself."""

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
from elmo_mini.models.attention import causal_mask, full_mask


@Case.drawn
def _sentences(rng: Random, lengths: Sequence[int], width: int = 0) -> Inputs:
    return {"mask": np.arange(width or max(lengths)) < np.array(lengths)[:, None]}


@Case.drawn
def _any_sentences(rng: Random) -> Inputs:
    """Other lengths for every class and every student."""
    lengths = rng.integers(1, 12, size=6)
    return {"mask": np.arange(max(lengths)) < lengths[:, None]}


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
    wanted = (*mask.shape, mask.shape[1])
    if came.shape != wanted:
        raise AnswerRefused(
            f"Your table has shape {tuple(came.shape)}. For this mask it is (B, T, T) = {wanted}: "
            "a table for each sentence."
        )
    return {
        "rows of tokens": plain(came & mask[..., None]),
        "rows that may look nowhere": int((~came.any(-1)).sum()),
        "open positions in rows of padding that are ahead, or other padding": int(
            (came & ~_may_look(mask) & ~mask[..., None]).sum()
        ),
    }


def _may_look(mask: Tensor) -> Tensor:
    """At the tokens up to itself, and at itself, also a place of padding."""
    return _by_tril(mask) | torch.eye(mask.shape[1], dtype=torch.bool)


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
    Your positions look ahead. Row t says where position t may look: at columns up to t.
nobody looks ahead or at itself: .tril() -> .tril(-1)
    Your positions may not look at themselves, and the first may look nowhere: its softmax has
    nothing to share out. The diagonal belongs to the past.
one step ahead: .tril() -> .tril(1)
    Your positions may look one step ahead, at the very word that they are asked for.
itself and its neighbour: .tril() -> .tril().triu(-1)
    Each position may look at itself and at one before it. It may look at all tokens before it.
itself alone: .tril() -> .tril().triu()
    Each position may look at itself alone. It may look at all tokens before it, too.
turned on its side: return mask[:, None, :] & back -> return (mask[:, None, :] & back).mT
    Your table is turned on its side: rows are the positions that look, columns where they look.
--- hint 2
both sides: back = torch.ones(places, places, dtype=torch.bool).tril() \
        -> back = torch.ones(places, places, dtype=torch.bool)
one of the two is enough: mask[:, None, :] & back -> mask[:, None, :] | back
    Tokens ahead are open in your table. Two things must hold for a column: it is a token, *and* it
    does not stand ahead of the row.
--- hint 3
the rows of padding are closed: mask[:, None, :] & back \
        -> mask[:, None, :] & mask[:, :, None] & back
    Your rows of padding may look nowhere. Their softmax is 0/0, and the NaN spreads: a weight of 0
    times NaN is NaN. Close columns only.
the mask is turned round: mask[:, None, :] & -> ~mask[:, None, :] &
    You close the tokens. `mask` is True at tokens.
padding is looked at by padding: mask[:, None, :] & back -> back.expand(len(mask), -1, -1)
    Your rows of padding look at padding. A position may look at itself and at the tokens before it,
    whatever it is: close the columns of padding, with `mask[:, None, :]`.
rows of padding look at all: mask[:, None, :] & back -> mask[:, None, :] & back | ~mask[:, :, None]
    Your rows of padding look ahead. They need not be opened: the tokens before them are open.
closed where it should be open: return mask[:, None, :] & back \
        -> return ~(mask[:, None, :] & back)
    Your table is True where a position may not look. Here, as in `full_mask`, True opens.
one table for all: return mask[:, None, :] & back -> return back
    Your table has shape (4, 4). For this mask it is (B, T, T) = (1, 4, 4): a table for each
    sentence.
the mask of the first sentence: mask[:, None, :] & back \
        -> mask[:1, None, :].expand(len(mask), -1, -1) & back
    You use the mask of the first sentence for all.
numbers: mask[:, None, :] & back -> (mask[:, None, :] & back).float()
    Your table holds numbers. `one_head` needs True and False: a comparison, or `.bool()`.
"""

EXERCISE = Exercise(
    id="causal_mask",
    title="One mask changed",
    lesson=LESSON,
    points=2,
    difficulty=2,
    importance=5,
    minutes=8,
    reference=causal_mask,
    run=_run,
    cases=(
        Case("one sentence", _sentences((4,))),
        Case("sentences of 4, 2 and 3 tokens", _sentences((4, 2, 3)), weight=2),
        Case("padding behind all of them", _sentences((2, 3), 5)),
        Case("six sentences of other lengths", _any_sentences()),
        Case("one token", _sentences((1,)), edge=True),
    ),
    mistakes=slips(_by_tril, SLIPS),
    right_answers={
        "tril": _by_tril,
        "places compared": _by_places,
        "by rows": _by_loops,
        "of both sides": lambda mask: full_mask(mask).tril(),
        "itself always": _may_look,
    },
)
