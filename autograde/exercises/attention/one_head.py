"""Exercise `one_head`: every position takes home a weighted mean of what the others give."""

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

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
from autograde.checking.exercise import Case, Exercise, Inputs, Random
from autograde.checking.slips import slips
from autograde.exercises.attention import LESSON
from elmo_mini.models.attention import one_head

Found = tuple[Tensor, Tensor]


@Case.drawn
def _places(
    rng: Random,
    shape: Sequence[int],
    d: int,
    e: int,
    *,
    closed: float = 0.0,
    scale: float = 1.0,
    heads: int = 0,
) -> Inputs:
    """`shape` is (..., T, S); a share `closed` of the pairs may not be looked at."""
    *batch, asking, places = shape
    several = [*batch, heads] if heads else batch

    def normal(*size: int) -> np.ndarray:
        return (scale * rng.standard_normal(size)).astype(np.float32)

    allowed = rng.random(shape) >= closed
    np.put_along_axis(allowed, rng.integers(places, size=(*shape[:-1], 1)), True, -1)
    return {
        "q": normal(*several, asking, d),
        "k": normal(*several, places, d),
        "v": normal(*several, places, e),
        "allowed": allowed[..., None, :, :] if heads else allowed,
    }


def _far_apart(rng: Random) -> Inputs:
    """Scores of 0 in one row, and of hundreds in all others."""
    inputs: Inputs = _places((1, 6, 5), 16, 2, scale=9.0)(rng)
    inputs["q"][:, 0], inputs["q"][:, 1] = 0.0, 3 * inputs["k"][:, 0]
    return inputs


def _tempting(rng: Random) -> Inputs:
    """All keys are short but the first, which may not be looked at."""
    inputs: Inputs = _places((1, 2, 4), 4, 3)(rng)
    inputs["q"][:], inputs["k"][:, 0] = 20.0, 20.0
    inputs["allowed"][:] = [False, True, True, True]
    return inputs


def _repelling(rng: Random) -> Inputs:
    """All that may be looked at scores far below 0: minus infinity is lower still."""
    inputs: Inputs = _places((1, 2, 4), 4, 3)(rng)
    inputs["q"][:], inputs["k"][:, 1:] = 40.0, -40.0 - inputs["k"][:, 1:]
    inputs["k"][:, 0] = 0.0
    inputs["allowed"][:] = [False, True, True, True]
    return inputs


def _run(answer: Answer, inputs: Inputs) -> Plain:
    """What is taken home, the attention weights, and how both move with what goes in."""
    tensors = {name: as_tensors(value) for name, value in inputs.items()}
    leaves = {name: tensors[name].requires_grad_() for name in ("q", "k", "v")}
    came = returned(answer(*tensors.values()))
    if not isinstance(came, tuple | list) or len(came) != 2:
        raise AnswerRefused(
            "Return two things, what is taken home and the attention weights: "
            "`return found, weights`."
        )
    if not all(isinstance(part, Tensor) for part in came):
        raise AnswerRefused("Return both as tensors: the network learns through them.")
    refuse_changed(inputs, tensors)
    total = came[0].sum()
    reached = slopes(total, leaves) if total.requires_grad else {}
    return {
        "found": plain(came[0]),
        "attention weights": plain(came[1]),
        "the gradient reaches": [name for name, slope in reached.items() if slope is not None],
    }


def _by_einsum(q: Tensor, k: Tensor, v: Tensor, allowed: Tensor) -> Found:
    scores = torch.einsum("...td,...sd->...ts", q, k) * k.shape[-1] ** -0.5
    weights = functional.softmax(torch.where(allowed, scores, torch.tensor(-1e30)), dim=-1)
    return torch.einsum("...ts,...se->...te", weights, v), weights


def _by_exp(q: Tensor, k: Tensor, v: Tensor, allowed: Tensor) -> Found:
    scores = (q / np.sqrt(k.shape[-1])) @ k.mT
    scores = scores + torch.zeros(allowed.shape).masked_fill(~allowed, float("-inf"))
    powers = torch.exp(scores - scores.amax(-1, keepdim=True))
    weights = powers / powers.sum(-1, keepdim=True)
    return torch.matmul(weights, v), weights


SLIPS = """
--- hint 3
not divided: / k.shape[-1] ** 0.5 ->
    Your scores are the bare dot products. Divide them by √d, the root of the length of a key.
divided by d: k.shape[-1] ** 0.5 -> k.shape[-1]
    You divide by d. It is the root of d: `d ** 0.5`.
multiplied by the root: / k.shape[-1] ** 0.5 -> * k.shape[-1] ** 0.5
    You multiply by √d. The scores are divided by it.
divided after the softmax: / k.shape[-1] ** 0.5 -> \
        && softmax(-1) -> softmax(-1) / k.shape[-1] ** 0.5
    You divide the attention weights by √d. Divide the scores, before the softmax.
the root of the number of positions: k.shape[-1] ** 0.5 -> k.shape[-2] ** 0.5
    You divide by the root of the number of positions. It is the root of d, the numbers of one key:
    `k.shape[-1]`.
the root of the number of positions that ask: k.shape[-1] ** 0.5 -> q.shape[-2] ** 0.5
    You divide by the root of the number of positions that ask. It is the root of d, the numbers of
    one key: `k.shape[-1]`.
the root of all heads' numbers: k.shape[-1] ** 0.5 \
        -> (k.shape[-1] * (k.shape[-3] if k.ndim > 3 else 1)) ** 0.5
    You divide by the root of all heads' numbers together. It is the root of d, the numbers of one
    key: `k.shape[-1]`.
the root of the first axis: k.shape[-1] ** 0.5 -> len(k) ** 0.5
    You divide by the root of `len(k)`, the size of the first axis. It is the root of d, the numbers
    of one key: `k.shape[-1]`.
the root of the length of v: k.shape[-1] ** 0.5 -> v.shape[-1] ** 0.5
    You divide by the root of the length of v. The dot product adds up d numbers of q and k:
    `k.shape[-1]`.
divided by the lengths of the vectors: q @ k.transpose(-2, -1) / k.shape[-1] ** 0.5 \
        -> (q / q.norm(dim=-1, keepdim=True)) \
        @ (k / k.norm(dim=-1, keepdim=True)).transpose(-2, -1)
    You take cosines. The score is the dot product divided by √d, whatever the vectors' lengths.
nothing is closed: .masked_fill(~allowed, -torch.inf) ->
    `allowed` is never used, so positions look where they must not.
what is taken home is not closed: return attention_weights @ v -> return scores.softmax(-1) @ v
    The attention weights that you return are closed, and those that you mix with are not. Mix with
    the same.
--- hint 2
the mask is turned round: ~allowed -> allowed
    You close what is allowed. `allowed` is True where a position may look, and `masked_fill` fills
    where it is True: `~allowed`.
what is closed scores 0: -torch.inf -> 0
    A closed position has the score 0 in your answer. That is an ordinary score: exp(0) is 1. It
    needs minus infinity.
what is closed scores {low}: -torch.inf -> {low} | low = -1, -10
    A closed position has the score {low} in your answer, and an open one may score as low. Take
    minus infinity.
what is closed scores -100 or so: -torch.inf -> -100
    A closed position has a finite score in your answer, and an open one may score lower. Take minus
    infinity.
what is closed scores {high}: -torch.inf -> {high} | high = 1e9, torch.inf
{high} is added to what is closed: scores.masked_fill(~allowed, -torch.inf) \
        -> (scores + ~allowed * {high}) | high = 1e9, 1e4
    Your closed pairs score far above all others, so they get the whole weight. It needs minus
    infinity.
{low} is added to what is open: scores.masked_fill(~allowed, -torch.inf) \
        -> (scores + allowed * {low}) | low = -1e9, -1e4
    You push down what is allowed. `allowed` is True where a position may look: close the others,
    `~allowed`.
minus infinity times the mask: .masked_fill(~allowed, -torch.inf) -> .add(~allowed * -torch.inf)
    You multiply the mask by minus infinity, and 0 times infinity is nan. Fill instead:
    `scores.masked_fill(~allowed, -torch.inf)`.
--- hint 1
closed after the softmax: .masked_fill(~allowed, -torch.inf).softmax(-1) -> .softmax(-1) * allowed
    You close positions after the softmax, so the attention weights no longer add up to 1. Close the
    scores, before it.
closed after the softmax, and shared out again: \
        attention_weights = scores.masked_fill(~allowed, -torch.inf).softmax(-1) \
        -> attention_weights = scores.softmax(-1) * allowed \
        ⏎attention_weights = attention_weights / attention_weights.sum(-1, keepdim=True)
    You set attention weights to 0 after the softmax and share out again. Where a closed position
    had the whole weight, that is 0/0. Close the scores, before the softmax.
closed after the softmax, and shared out again with a little more in the sum: \
        attention_weights = scores.masked_fill(~allowed, -torch.inf).softmax(-1) \
        -> attention_weights = scores.softmax(-1) * allowed \
        ⏎attention_weights = attention_weights / (attention_weights.sum(-1, keepdim=True) + 1e-8)
    You set attention weights to 0 after the softmax and share out again. Where a closed position
    had the whole weight, nothing is left to share out. Close the scores, before the softmax.
attention weights of the bare dot products: \
        attention_weights = scores.masked_fill(~allowed, -torch.inf).softmax(-1) \
        -> attention_weights = (q @ k.mT).masked_fill(~allowed, -torch.inf).softmax(-1) \
        && return attention_weights @ v \
        -> return scores.masked_fill(~allowed, -torch.inf).softmax(-1) @ v
    What is taken home is right. The attention weights that you return come from the bare dot
    products: divide those by √d, too.
written over with an index: \
        attention_weights = scores.masked_fill(~allowed, -torch.inf).softmax(-1) \
        -> scores[~allowed] = -torch.inf ⏎attention_weights = scores.softmax(-1)
    `scores[~allowed] = ...` needs `allowed` in the shape of the scores, and that is not so where
    all heads share it. `masked_fill` spreads it: `scores.masked_fill(~allowed, -torch.inf)`.
the mask is turned on its side: ~allowed -> ~allowed.transpose(-2, -1)
the mask is turned on its side, where it is square: \
        ~allowed -> ~(allowed.mT if allowed.shape[-1] == allowed.shape[-2] else allowed)
    You turn `allowed` on its side. Its rows are the positions that look already, as those of the
    scores.
--- hint 2
the keys are turned round for a table alone: k.transpose(-2, -1) -> k.T
the second and third axes are turned: k.transpose(-2, -1) -> k.transpose(1, 2)
    Turn the last two axes of the keys, `k.transpose(-2, -1)`: sentences and heads may stand before
    them.
--- hint 1
a softmax over axis 1: softmax(-1) -> softmax(1)
a softmax over those who ask: softmax(-1) -> softmax(-2)
    Your softmax runs over the positions that ask. Each of them spreads its weights over the
    positions that it looks at: the last axis.
--- hint 3
no softmax: -torch.inf).softmax(-1) -> 0.0)
    There is no softmax. Each position has attention weights that add up to 1.
a sigmoid for each pair: softmax(-1) -> sigmoid()
    A sigmoid judges each pair by itself, so the attention weights do not add up to 1. Take the
    softmax.
the logarithm of the weights: softmax -> log_softmax
    Your attention weights are logarithms: `softmax`, not `log_softmax`.
the keys are taken home: attention_weights @ v -> attention_weights @ k
    You take the keys home. They are for being found; what is given is v.
the queries are taken home: attention_weights @ v -> attention_weights @ q
    You take the queries home. What the positions give is v.
the other way round: q @ k.transpose(-2, -1) -> k @ q.transpose(-2, -1)
    Your scores have the keys down and the queries across. Rows belong to the positions that ask: `q
    @ k.transpose(-2, -1)`.
the weights are turned on their side: attention_weights @ v \
        -> attention_weights.transpose(-2, -1) @ v
    You turn the attention weights on their side before you mix. Row t of the attention weights says
    how position t mixes the rows of v: `attention_weights @ v`.
the best place alone: return attention_weights @ v \
        -> attention_weights = torch.nn.functional.one_hot(attention_weights.argmax(-1), \
        attention_weights.shape[-1]).float() ⏎return attention_weights @ v
    You take the best position alone. No gradient comes through a choice: take the weighted mean.
what is found alone: return attention_weights @ v, attention_weights -> return attention_weights @ v
    Return two things: what is taken home and the attention weights.
the weights come first: attention_weights @ v, attention_weights \
        -> attention_weights, attention_weights @ v
    Both are right, in the wrong order: first what is taken home, then the attention weights.
the scores in place of the weights: attention_weights @ v, attention_weights \
        -> attention_weights @ v, scores
    The second thing you return is the scores. Return the attention weights, after the softmax.
--- no hint
a root without its fraction: k.shape[-1] ** 0.5 -> int(k.shape[-1] ** 0.5)
    You cut the fraction off the root of d. Leave it as it is.
an exponential that overflows: \
        attention_weights = scores.masked_fill(~allowed, -torch.inf).softmax(-1) \
        -> attention_weights = scores.exp() * allowed \
        ⏎attention_weights = attention_weights / attention_weights.sum(-1, keepdim=True)
    The exponential of a score of a hundred is too large for a number. `softmax` takes the largest
    score off first.
the largest of the whole table is taken off: \
        attention_weights = scores.masked_fill(~allowed, -torch.inf).softmax(-1) \
        -> powers = (scores - scores.max()).exp() * allowed \
        ⏎attention_weights = powers / powers.sum(-1, keepdim=True)
the largest open score of the whole table is taken off: \
        attention_weights = scores.masked_fill(~allowed, -torch.inf).softmax(-1) \
        -> scores = scores.masked_fill(~allowed, -torch.inf) \
        ⏎powers = (scores - scores.max()).exp() \
        ⏎attention_weights = powers / powers.sum(-1, keepdim=True)
    You take the largest score of the whole table off. In a row far below it, every exponential is
    0, and its weights are 0/0. Take off each row's own largest, or use `softmax`.
all positions at once: k.transpose(-2, -1) -> k.flip(-2).transpose(-2, -1)
    Your keys stand in reverse order.
cut off from autograd: attention_weights @ v, attention_weights \
        -> (attention_weights @ v).detach(), attention_weights
the weights are cut off: attention_weights @ v, attention_weights \
        -> attention_weights.detach() @ v, attention_weights
    The numbers are right, and not everything can be learnt through them. Leave out `.detach()`,
    `.data` and `torch.no_grad()`.
"""

EXERCISE = Exercise(
    id="one_head",
    title="One head",
    lesson=LESSON,
    points=3,
    difficulty=2,
    importance=5,
    minutes=12,
    reference=one_head,
    run=_run,
    cases=(
        Case("two positions ask, three answer", _places((2, 3), 4, 5)),
        Case("two sentences, some pairs closed", _places((2, 4, 4), 3, 3, closed=0.5), weight=2),
        Case("two heads", _places((2, 3, 3), 5, 5, closed=0.4, heads=2), weight=2),
        Case("scores of hundreds", _places((1, 3, 4), 16, 2, closed=0.5, scale=9.0)),
        Case("scores of hundreds, all open", _far_apart),
        Case("each may look at one position only", _places((2, 3, 3), 4, 4, closed=1.0), edge=True),
        Case("the closed position has by far the largest score", _tempting, edge=True),
        Case(
            "all open positions score below -3000",
            _repelling,
            edge=True,
            asks="Minus infinity is below every score.",
        ),
    ),
    mistakes=slips(one_head, SLIPS),
    right_answers={"einsum and where": _by_einsum, "with exp": _by_exp},
    atol=1e-5,
)
