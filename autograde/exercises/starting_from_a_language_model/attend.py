"""Exercise `attend`: where to look."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from autograde.checking.answers import Answer, AnswerRefused, Plain
from autograde.checking.differentiable import run_differentiably
from autograde.checking.exercise import Case, Exercise, Inputs, Random
from autograde.checking.slips import slips
from autograde.exercises.starting_from_a_language_model import LESSON
from elmo_mini.tasks import seq2seq


@Case.drawn
def _questions(
    rng: Random,
    lengths: Sequence[int],
    asked: int,
    hidden: int,
    *,
    scale: float = 1.0,
    tempting: bool = False,
    in_front: bool = False,
) -> Inputs:
    mask = np.arange(max(lengths)) < np.array(lengths)[:, None]
    mask = mask[:, ::-1].copy() if in_front else mask
    queries = rng.standard_normal((len(lengths), asked, hidden))
    keys = rng.standard_normal((*mask.shape, hidden))
    if tempting:  # padding that fits the first query better than any word
        best = 4 * queries[:, 0] / np.linalg.norm(queries[:, 0], axis=-1, keepdims=True)
        keys = np.where(mask[..., None], keys, best[:, None])
    return {
        "queries": (scale * queries).astype(np.float32),
        "keys": keys.astype(np.float32),
        "mask": mask,
    }


LITTLE = 1e-3
A_LITTLE = (
    "Padding gets a very small weight, up to {most:.1g}, and it gets exactly 0. Fill its scores "
    "with `-torch.inf` before the softmax, and leave the weights as they come."
)


def _run(answer: Answer, inputs: Inputs) -> Plain:
    """As it comes; a weight at padding that no tolerance would see is refused."""
    padding = torch.from_numpy(~inputs["mask"])[:, None]

    def watched(*arguments: Any) -> Any:
        weights = answer(*arguments)
        shape = *inputs["queries"].shape[:2], inputs["keys"].shape[1]
        if isinstance(weights, Tensor) and tuple(weights.shape) == shape:
            most = float(weights.detach().abs().masked_fill(~padding, 0).max())
            if 0 < most < LITTLE:
                raise AnswerRefused(A_LITTLE.format(most=most))
        return weights

    return run_differentiably(watched, inputs)


def _attend(queries: Tensor, keys: Tensor, mask: Tensor) -> Tensor:
    scores = queries @ keys.transpose(1, 2)
    return scores.masked_fill(~mask[:, None], -torch.inf).softmax(-1)


def _by_hand(queries: Tensor, keys: Tensor, mask: Tensor) -> Tensor:
    scores = (queries @ keys.transpose(1, 2)).masked_fill(~mask[:, None], -torch.inf)
    exponents = (scores - scores.amax(-1, keepdim=True)).exp()
    return exponents / exponents.sum(-1, keepdim=True)


def _attend_by_loop(queries: Tensor, keys: Tensor, mask: Tensor) -> Tensor:
    weights = torch.zeros(*queries.shape[:2], keys.shape[1])
    for b, t in np.ndindex(*queries.shape[:2]):
        real = mask[b]
        weights[b, t, real] = (keys[b, real] @ queries[b, t]).softmax(0)
    return weights


SLIPS = """
--- hint 1
padding gets its share: .masked_fill(~mask[:, None], -torch.inf) ->
    Your weights fall on the padding too: it is not there, so it must not be looked at. Use the mask
    before the softmax.
what was read: .softmax(-1) -> .softmax(-1) @ keys
    You have looked already: this is the mixture of the keys, (B, T, H). Return the attention
    weights themselves, (B, T, S).
masked after the softmax: \
        .masked_fill(~mask[:, None], -torch.inf).softmax(-1) -> .softmax(-1) * mask[:, None]
    The padding gets 0, and what is left no longer adds up to 1. Mask the scores, before the
    softmax.
shared out again after the mask: return scores.masked_fill(~mask[:, None], -torch.inf).softmax(-1) \
        -> weights = scores.softmax(-1) * mask[:, None] \
        ⏎return weights / weights.sum(-1, keepdim=True)
    You take the softmax, set the padding to 0 and divide by what is left. Where the padding had the
    whole weight, that is 0/0. Mask the scores, before the softmax.
--- hint 2
scores of padding set to 0: -torch.inf -> 0
    The padding has the score 0 in your answer, or nearly 0. That is an ordinary score: exp(0) is 1.
    Padding needs minus infinity, or a score as low as -1e9.
the mask lacks an axis: ~mask[:, None] -> ~mask
    Scores are (B, T, S) and the mask is (B, S), so PyTorch lays sentences upon queries. Give the
    mask an axis in the middle: `mask.unsqueeze(1)` is (B, 1, S).
divided by the root of H: keys.transpose(1, 2) -> keys.transpose(1, 2) / keys.shape[-1] ** 0.5
    You divide by √H, as the Transformer does. This older attention takes the bare dot product.
padding at {fill}: -torch.inf -> {fill} | fill = -1, -10
    Padding has the score {fill} in your answer, and a real word may score as low. Take minus
    infinity, or -1e9.
the mask of the first sentence: ~mask[:, None] -> ~mask[:1, None]
    You use the first sentence's mask for all. Each sentence has its own row: `mask.unsqueeze(1)`.
cosines: queries @ keys.transpose(1, 2) -> torch.nn.functional.normalize(queries, dim=-1) \
        @ torch.nn.functional.normalize(keys, dim=-1).transpose(1, 2)
    You divide by the lengths of the vectors. The score is the bare dot product.
keys not turned: keys.transpose(1, 2) -> keys
    `queries @ keys` multiplies (T, H) by (S, H). Turn the keys: `keys.transpose(1, 2)`.
the mask's new axis stands last: ~mask[:, None] -> ~mask[:, :, None]
    `mask.unsqueeze(2)` is (B, S, 1), so PyTorch lays source words upon queries. The new axis
    belongs in the middle: `mask.unsqueeze(1)` is (B, 1, S).
turned on its side: softmax(-1) -> softmax(-1).transpose(1, 2)
    Your attention weights are (B, S, T). Queries come first: (B, T, S).
only the first sentence: softmax(-1) -> softmax(-1)[:1]
    Only the first sentence is there. Return (B, T, S).
--- hint 3
a softmax over the queries: softmax(-1) -> softmax(1)
a softmax over the queries, with -1e9: -torch.inf).softmax(-1) -> -1e9).softmax(1)
    Your softmax runs over the queries. Each query shares its attention out over the *source words*,
    the last axis.
a softmax over the queries, without the mask: \
        .masked_fill(~mask[:, None], -torch.inf).softmax(-1) -> .softmax(1)
    Your softmax runs over the queries, and nothing is masked. Each query shares its attention out
    over the *source words*, the last axis, and padding gets 0.
a softmax over the sentences: .masked_fill(~mask[:, None], -torch.inf).softmax(-1) -> .softmax(0)
    Your softmax runs over the sentences of the batch, and nothing is masked. Each query shares its
    attention out over the *source words*, the last axis.
a softmax over the sentences, masked: softmax(-1) -> softmax(0)
    Your softmax runs over the sentences of the batch. Each query shares its attention out over the
    *source words*, the last axis.
no softmax: -torch.inf).softmax(-1) -> 0.0)
no softmax, and minus infinity at padding: .softmax(-1) ->
    These are the scores. A softmax over the source words makes attention weights of them.
a sigmoid for each word: softmax(-1) -> sigmoid()
    A sigmoid judges each word by itself, so the attention weights do not add up to 1. Take the
    softmax.
the logarithm of the weights: softmax -> log_softmax
    These are logarithms. Return the attention weights: `softmax`, not `log_softmax`.
the mask is turned round: ~mask -> mask
the mask is turned round, with -1e9: ~mask[:, None], -torch.inf -> mask[:, None], -1e9
    You look at the padding alone. `mask` is True at real words, and `masked_fill` fills where it is
    given True: give it `~mask`.
the mask as a length: \
        ~mask[:, None] -> (torch.arange(mask.shape[1]) >= mask.sum(1, keepdim=True))[:, None]
    You count the real words and take the first positions for them. Padding may stand in front: the
    mask says which positions are real.
--- no hint
an array: softmax(-1) -> softmax(-1).detach().numpy()
    The numbers are right, but a NumPy array cannot be learnt through. Stay with tensors.
cut off from autograd: softmax(-1) -> softmax(-1).detach()
    No gradient comes through your answer, so the model would never learn where to look:
    `.detach()`, `torch.no_grad()`, `argmax` and whole numbers all cut it off.
"""

SLIPS_BY_HAND = """
--- hint 1
a large score of padding is taken out, and a small number hides it: \
        .masked_fill(~mask[:, None], -torch.inf) -> && .exp() -> .exp() * mask[:, None] \
        && / exponents.sum(-1, keepdim=True) -> / (exponents.sum(-1, keepdim=True) + 1e-9)
    You take out the maximum before the mask: where the padding has it, all real words round to 0.
    Mask the scores first, then `softmax`.
--- hint 3
exp of a thousand: .masked_fill(~mask[:, None], -torch.inf) -> \
        && (scores - scores.amax(-1, keepdim=True)).exp() -> scores.exp() * mask[:, None]
exp of a thousand, masked before: - scores.amax(-1, keepdim=True) ->
    The formula is right, and breaks on large scores: exp of a few hundred is infinite. `softmax`
    does the same safely.
one largest score for the whole batch: .masked_fill(~mask[:, None], -torch.inf) -> \
        && scores.amax(-1, keepdim=True)).exp() -> scores.max()).exp() * mask[:, None]
    You take out one maximum for the whole batch. Queries that lie far below it get 0/0. Mask the
    scores and let `softmax` take it out for each query.
"""

EXERCISE = Exercise(
    id="attend",
    title="Where to look",
    lesson=LESSON,
    points=3,
    difficulty=3,
    importance=4,
    minutes=7,
    reference=seq2seq.attend,
    run=_run,
    rtol=1e-3,
    atol=1e-5,
    cases=(
        Case("one sentence, one query", _questions((4,), 1, 3)),
        Case("sentences of 6, 3 and 5 words", _questions((6, 3, 5), 4, 3), weight=2),
        Case("one word only", _questions((1, 3), 2, 3), edge=True),
        Case(
            "scores of hundreds, the largest at padding",
            _questions((4, 2), 2, 3, scale=300.0, tempting=True),
            edge=True,
        ),
        Case("padding in front", _questions((5, 2, 3), 2, 3, in_front=True), edge=True),
    ),
    mistakes=(*slips(_attend, SLIPS), *slips(_by_hand, SLIPS_BY_HAND)),
    right_answers={
        "exponents by hand": _by_hand,
        "one query at a time": _attend_by_loop,
        "einsum, and a very low score": lambda q, k, m: torch.softmax(
            torch.einsum("bth,bsh->bts", q, k) + torch.where(m, 0.0, -1e30)[:, None], dim=-1
        ),
    },
)
