"""Exercise `locked_dropout`: one mask for all steps of a row."""

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from autograde.checking.answers import Answer, AnswerRefused, Plain, refuse_changed
from autograde.checking.differentiable import tensor_of
from autograde.checking.exercise import Case, Exercise, Inputs, Random
from autograde.checking.slips import slips
from autograde.exercises.awd_lstm import LESSON
from autograde.exercises.awd_lstm.masks import drawn_alike, factor_of_kept, share_near
from elmo_mini.models import awd_lstm

Numbers = NDArray[np.floating]
SEEN_OF_WHOLE_ROWS = 40
"""Further calls where a mask is one number for a whole row: one of them drops a row."""


def locked_dropout(x: Tensor, p: float) -> Tensor:
    """(B, T, D) with the same dimensions of a row dropped at every step."""
    return awd_lstm.locked_dropout(x, p)


def _run(answer: Answer, inputs: Inputs) -> Plain:
    """What every right answer has in common: where its mask varies, and between which values."""
    p, shape = inputs["p"], inputs["x"].shape
    masks: list[Numbers] = []
    for _ in range(2 + SEEN_OF_WHOLE_ROWS):
        if len(masks) > 1 and (p == 0 or np.ptp(masks[0][0, 0]) > 0.01):
            break
        x = torch.from_numpy(inputs["x"].copy()).requires_grad_()
        came = tensor_of(lambda x=x: answer(x, p))  # type: ignore[misc]
        refuse_changed(inputs, {"x": x})
        if tuple(came.shape) != shape:
            raise AnswerRefused(
                f"x is {shape}, and your answer {tuple(came.shape)}. Dropout sets numbers to 0 and "
                "leaves the shape as it is."
            )
        if not came.requires_grad:
            raise AnswerRefused(
                "No gradient comes back through your answer, so nothing below it would learn. "
                "Leave out `.detach()` and `.data`."
            )
        masks.append(_mask(came.detach().numpy(), inputs["x"]))
    mask, other = masks[:2]
    locked, apart = bool(np.allclose(mask, mask[:, :1])), bool(np.ptp(mask[0, 0]) > 0.01)
    zeros = mask == 0
    told = factor_of_kept(mask, p) | {
        "the same numbers are 0 at every step": bool((zeros == zeros[:, :1]).all()),
        "the same at every step": locked,
    }
    if p == 0:
        return told
    if not inputs["x"].all():
        told |= {
            "a number is nan": bool(np.isnan(mask).any()),
            "a row is 0 from end to end": apart and bool(zeros.all((1, 2)).any()),
        }
    share = share_near(float(zeros.mean()), p)
    # Of whole rows or steps there are few: what befalls them in one call is chance.
    return told | {
        "some numbers are 0": any((each == 0).any() for each in masks),
        "dimensions of one row are dropped independently": apart,
        "share dropped": share if locked and apart else p,
        "all rows lose equally many dimensions": (
            apart and len(mask) > 1 and len(set(zeros.sum((1, 2)))) == 1
        ),
        "another row has another mask": (
            not apart or len(mask) == 1 or not np.allclose(mask[0], mask[1])
        ),
        "another call has another mask": not apart or not np.allclose(mask, other),
    }


def _mask(came: Numbers, x: Numbers) -> Numbers:
    """What x was multiplied by; where x is 0 and stays 0, what its row's last step was."""
    gone = x == 0
    mask = came / np.where(gone, 1, x)
    return np.where(gone & (came == 0), mask[:, -1:], mask)


@Case.drawn
def _states(rng: Random, rows: int, steps: int, size: int, p: float, gone: bool = False) -> Inputs:
    """States, none of them 0; with `gone`, every second row begins with a word that is 0."""
    x = rng.uniform(0.5, 2.0, (rows, steps, size)) * rng.choice((-1, 1), (rows, steps, size))
    if gone:
        x[1::2, 0] = 0
    return {"x": x.astype(np.float32), "p": p}


def _natural(x: Tensor, p: float) -> Tensor:
    keep = torch.full((x.shape[0], 1, x.shape[2]), 1 - p)
    mask = torch.bernoulli(keep) / (1 - p)
    return x * mask


def _with_rand(x: Tensor, p: float) -> Tensor:
    kept = torch.rand(len(x), x.size(-1)) >= p
    return torch.stack([step * kept / (1 - p) for step in x.unbind(1)], 1)


def _with_dropout(x: Tensor, p: float) -> Tensor:
    return x * functional.dropout(torch.ones_like(x[:, 0]), p).unsqueeze(1)


SLIPS = """
--- hint 1
a mask for every step: (x.shape[0], 1, x.shape[2]) -> x.shape
    Your mask changes from step to step: that is ordinary dropout. Draw one number for each row and
    dimension, and use it at all steps.
one mask for all rows: x.shape[0], 1, -> 1, 1,
    All rows of the batch lose the same dimensions. Each row draws its own mask.
whole steps are dropped: x.shape[0], 1, x.shape[2] -> x.shape[0], x.shape[1], 1
    You drop whole steps, with all their dimensions. Drop dimensions, at all steps.
a step's mask for all rows: x.shape[0], 1, x.shape[2] -> 1, x.shape[1], x.shape[2]
    Your mask runs over the steps and is the same for all rows. It is the other way round: axis 0 is
    the batch, axis 1 the steps.
whole rows are dropped: x.shape[0], 1, x.shape[2] -> x.shape[0], 1, 1
    A row is kept whole or dropped whole. Draw a number for each of its dimensions.
whole rows are dropped, and not scaled: x.shape[0], 1, x.shape[2] -> x.shape[0], 1, 1 \
        && / (1 - p) ->
    A row is kept whole or dropped whole, and what is kept is not made larger. Draw a number for
    each of its dimensions, and divide by 1 - p.
a mask for every number, not scaled: (x.shape[0], 1, x.shape[2]) -> x.shape && / (1 - p) ->
    Your mask changes from step to step, and what is kept is not made larger. Draw one number for
    each row and dimension, use it at all steps, and divide by 1 - p.
only the first step: x * mask -> torch.cat([x[:, :1] * mask, x[:, 1:]], 1)
    Only the first step goes through the mask. All steps do.
something stands for what is dropped: x * mask \
        -> torch.where(mask > 0, x * mask, x.mean(1, keepdim=True))
    Something else stands in the place of what is dropped. It is 0.
noise in place of a mask: x * mask \
        -> x * (1 + torch.randn(x.shape[0], 1, x.shape[2]) * (p / (1 - p)) ** 0.5)
    You multiply by noise. A mask has two values: 0 for what is dropped, and 1 / (1 - p).
--- hint 2
stretched to its old length: x * mask -> x * mask \
        * x.norm(dim=-1, keepdim=True) / (x * mask).norm(dim=-1, keepdim=True)
    You stretch what is kept until the vector is as long as before. What is kept is divided by one
    number for all, 1 - p.
not scaled: / (1 - p) ->
    What is kept is not made larger. Divide by 1 - p, so that the sum stays the same on average:
    then nothing has to change in evaluation.
divided by p: / (1 - p) -> / p
    You divide by p, the share that is dropped. Divide by the share that is kept, 1 - p.
multiplied by 1 - p: / (1 - p) -> * (1 - p)
    You make what is kept smaller. Some is missing, so what is left is divided by 1 - p.
p is kept: ]), 1 - p) -> ]), p)
    You keep a share p and drop the rest. p is the share that is dropped.
p is kept, and divided by: every 1 - p -> p
    You keep a share p and drop the rest. p is the share that is dropped, and what is left is
    divided by 1 - p.
the first step stands for the mask: torch.bernoulli(keep) / (1 - p) \
        -> functional.dropout(x[:, :1], p)
    Your mask holds the numbers of the first step. A mask holds 0 and 1 / (1 - p) alone: drop from
    ones of that shape.
the mask is the first step's, divided out: torch.bernoulli(keep) / (1 - p) \
        -> functional.dropout(x[:, :1], p) / x[:, :1]
the mask is where the first step is not 0: torch.bernoulli(keep) / (1 - p) \
        -> (functional.dropout(x[:, :1], p) != 0) / (1 - p)
    You read the mask off the numbers of the first step. Where a word was dropped before, they are
    0 already: the whole row goes with it, or 0/0 stands there. Toss the coins without looking at
    x.
equally many in each row: torch.bernoulli(keep) \
        -> (torch.rand(keep.shape).argsort(-1).argsort(-1) >= int(p * x.shape[2]))
    You drop equally many dimensions from each row. Each is dropped with chance p, on its own: toss
    a coin for each.
divided by the share that was kept: torch.bernoulli(keep) / (1 - p) \
        -> torch.bernoulli(keep)⏎mask = mask / mask.mean()
    You divide by the share that chance has kept in this call. Divide by 1 - p, the share that is
    kept on average.
each row is divided by what it kept: torch.bernoulli(keep) / (1 - p) \
        -> torch.bernoulli(keep)⏎mask = mask / mask.mean(-1, keepdim=True)
    You divide each row by the share that chance has kept of it. One number serves for all: divide
    by 1 - p.
made larger twice: / (1 - p) -> / (1 - p) ** 2
    You divide by 1 - p twice. `functional.dropout` and `nn.Dropout` divide already.
--- hint 3
the same mask at each call: keep = -> torch.manual_seed(0)⏎keep =
    Every call draws the same mask, because you set the seed. Leave that to whoever starts the run.
nothing is dropped: x * mask -> x + 0
    Nothing is dropped. Multiply x by the mask.
"""

EXERCISE = Exercise(
    id="locked_dropout",
    title="One mask for all steps",
    lesson=LESSON,
    points=2,
    difficulty=2,
    importance=4,
    minutes=8,
    reference=locked_dropout,
    run=drawn_alike(_run),
    cases=(
        Case("eight rows, six steps", _states(8, 6, 300, 0.3)),
        Case("most is dropped", _states(6, 5, 400, 0.8), weight=2),
        Case(
            "one row",
            _states(1, 9, 1500, 0.4),
            edge=True,
            asks="The batch has one row. Its mask is still drawn for each dimension.",
        ),
        Case(
            "some first words are 0",
            _states(8, 6, 300, 0.2, True),
            edge=True,
            asks="The first word of every second row was dropped before: its numbers are 0.",
        ),
        Case(
            "p = 0",
            _states(2, 3, 5, 0.0),
            edge=True,
            asks="Nothing is dropped, and nothing is made larger.",
        ),
    ),
    mistakes=slips(_natural, SLIPS),
    right_answers={"by comparison": _with_rand, "dropout of ones": _with_dropout},
)
