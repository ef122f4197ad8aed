"""Exercise `attend`: where to look."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from autograde.checking.differentiable import run_differentiably
from autograde.checking.exercise import (
    Case,
    Exercise,
    Inputs,
    Mistake,
)
from autograde.exercises.starting_from_a_language_model import LESSON
from elmo_mini.recurrent import seq2seq


def _questions(
    lengths: Sequence[int],
    asked: int,
    hidden: int,
    *,
    scale: float = 1.0,
    tempting: bool = False,
    in_front: bool = False,
) -> Any:
    def make(rng: np.random.Generator) -> Inputs:
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

    return make


def _scores(queries: Tensor, keys: Tensor) -> Tensor:
    return queries @ keys.transpose(1, 2)


def _attend(
    queries: Tensor, keys: Tensor, mask: Tensor, *, fill: float = -math.inf, axis: int = -1
) -> Tensor:
    return _scores(queries, keys).masked_fill(~mask[:, None], fill).softmax(axis)


def _attend_naively(queries: Tensor, keys: Tensor, mask: Tensor) -> Tensor:
    exponents = _scores(queries, keys).exp() * mask[:, None]
    return exponents / exponents.sum(-1, keepdim=True)


def _attend_and_renormalise(queries: Tensor, keys: Tensor, mask: Tensor) -> Tensor:
    shares = _scores(queries, keys).softmax(-1) * mask[:, None]
    return shares / shares.sum(-1, keepdim=True)


def _attend_by_loop(queries: Tensor, keys: Tensor, mask: Tensor) -> Tensor:
    weights = torch.zeros(*queries.shape[:2], keys.shape[1])
    for b, t in np.ndindex(*queries.shape[:2]):
        real = mask[b]
        weights[b, t, real] = (keys[b, real] @ queries[b, t]).softmax(0)
    return weights


def _attend_by_hand(
    queries: Tensor,
    keys: Tensor,
    mask: Tensor,
    *,
    axes: int | tuple[int, ...] | None = None,
    least: float = 0.0,
) -> Tensor:
    scores = _scores(queries, keys)
    top = 0.0 if axes is None else scores.amax(axes, keepdim=True)
    exponents = (scores - top).exp() * mask[:, None]
    return exponents / (exponents.sum(-1, keepdim=True) + least)


def _attend_by_cosine(queries: Tensor, keys: Tensor, mask: Tensor) -> Tensor:
    return _attend(
        queries / queries.norm(dim=-1, keepdim=True), keys / keys.norm(dim=-1, keepdim=True), mask
    )


def _attend_by_lengths(queries: Tensor, keys: Tensor, mask: Tensor) -> Tensor:
    here = torch.arange(mask.shape[1]) < mask.sum(1, keepdim=True)
    return _attend(queries, keys, here)


PADDING_ALONE = (
    "You look at the padding alone. `mask` is True at real words, and `masked_fill` fills "
    "where it is given True: give it `~mask`."
)


OVER_QUERIES = (
    "Your softmax runs over the queries. Each query shares its attention out over the "
    "*source words*, the last axis."
)


EXERCISE = Exercise(
    id="attend",
    title="Where to look",
    lesson=LESSON,
    points=3,
    difficulty=3,
    importance=4,
    minutes=10,
    reference=seq2seq.attend,
    run=run_differentiably,
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
    mistakes=(
        Mistake(
            "padding gets its share",
            lambda q, k, m: _scores(q, k).softmax(-1),
            "Your weights fall on the padding too: it is not there, so it must not be looked at. "
            "Use the mask before the softmax.",
            hint=1,
        ),
        Mistake(
            "masked after the softmax",
            lambda q, k, m: _scores(q, k).softmax(-1) * m[:, None],
            "The padding gets 0, and what is left no longer adds up to 1. Mask the scores, before "
            "the softmax.",
            hint=2,
        ),
        Mistake(
            "shared out again after the mask",
            _attend_and_renormalise,
            "You take the softmax, set the padding to 0 and divide by what is left. Where the "
            "padding had the whole share, that is 0/0. Mask the scores, before the softmax.",
            hint=2,
        ),
        Mistake(
            "scores of padding set to 0",
            lambda q, k, m: (_scores(q, k) * m[:, None]).softmax(-1),
            "The padding has the score 0 in your answer, or nearly 0. That is an ordinary score: "
            "exp(0) is 1. Padding needs minus infinity, or a score as low as -1e9.",
            hint=2,
        ),
        Mistake(
            "the mask is turned round",
            lambda q, k, m: _attend(q, k, ~m),
            PADDING_ALONE,
            hint=2,
        ),
        Mistake(
            "the mask is turned round, with -1e9",
            lambda q, k, m: _attend(q, k, ~m, fill=-1e9),
            PADDING_ALONE,
            hint=2,
        ),
        Mistake(
            "a softmax over the queries",
            lambda q, k, m: _attend(q, k, m, axis=1),
            OVER_QUERIES,
            hint=3,
        ),
        Mistake(
            "a softmax over the queries, with -1e9",
            lambda q, k, m: _attend(q, k, m, fill=-1e9, axis=1),
            OVER_QUERIES,
            hint=3,
        ),
        Mistake(
            "a softmax over the queries, without the mask",
            lambda q, k, m: _scores(q, k).softmax(1),
            "Your softmax runs over the queries, and nothing is masked. Each query shares its "
            "attention out over the *source words*, the last axis, and padding gets 0.",
            hint=3,
        ),
        Mistake(
            "the mask lacks an axis",
            lambda q, k, m: _scores(q, k).masked_fill(~m, -math.inf).softmax(-1),
            "Scores are (B, T, S) and the mask is (B, S), so PyTorch lays sentences upon queries. "
            "Give the mask an axis in the middle: `mask.unsqueeze(1)` is (B, 1, S).",
            hint=2,
        ),
        Mistake(
            "what was read",
            lambda q, k, m: _attend(q, k, m) @ k,
            "You have looked already: this is the mixture of the keys, (B, T, H). Return the "
            "shares themselves, (B, T, S).",
            hint=1,
        ),
        Mistake(
            "no softmax",
            lambda q, k, m: _scores(q, k).masked_fill(~m[:, None], 0.0),
            "These are the scores. A softmax over the source words makes shares of them.",
            hint=1,
        ),
        Mistake(
            "divided by the root of H",
            lambda q, k, m: _attend(q / q.shape[-1] ** 0.5, k, m),
            "You divide by √H, as the Transformer does. This older attention takes the bare dot "
            "product.",
            hint=2,
        ),
        Mistake(
            "a sigmoid for each word",
            lambda q, k, m: _scores(q, k).sigmoid() * m[:, None],
            "A sigmoid judges each word by itself, so the shares do not add up to 1. Take the "
            "softmax.",
            hint=1,
        ),
        Mistake(
            "exp of a thousand",
            _attend_naively,
            "The formula is right, and breaks on large scores: exp of a few hundred is infinite. "
            "`softmax` does the same safely.",
            hint=3,
        ),
        Mistake(
            "an array",
            lambda q, k, m: seq2seq.attend(q, k, m).detach().numpy(),
            "The numbers are right, but a NumPy array cannot be learnt through. Stay with tensors.",
            hint=3,
        ),
        Mistake(
            "cut off from autograd",
            lambda q, k, m: seq2seq.attend(q, k, m).detach(),
            "No gradient comes through your answer, so the model would never learn where to look: "
            "`.detach()`, `torch.no_grad()`, `argmax` and whole numbers all cut it off.",
            hint=3,
        ),
        Mistake(
            "one largest score for the whole batch",
            lambda q, k, m: _attend_by_hand(q, k, m, axes=(0, 1, 2)),
            "You take out one maximum for the whole batch. Queries that lie far below it "
            "get 0/0. Mask the scores and let `softmax` take it out for each query.",
            hint=3,
        ),
        Mistake(
            "a large score of padding is taken out, and a small number hides it",
            lambda q, k, m: _attend_by_hand(q, k, m, axes=-1, least=1e-9),
            "You take out the maximum before the mask: where the padding has it, all real "
            "words round to 0. Mask the scores first, then `softmax`.",
            hint=2,
        ),
        *(
            Mistake(
                f"padding at {fill:g}",
                lambda q, k, m, fill=fill: _attend(q, k, m, fill=fill),
                f"Padding has the score {fill:g} in your answer, and a real word may score as low. "
                "Take minus infinity, or -1e9.",
                hint=2,
            )
            for fill in (-1.0, -10.0)
        ),
        Mistake(
            "the mask as a length",
            _attend_by_lengths,
            "You count the real words and take the first places for them. Padding may stand in "
            "front: the mask says which places are real.",
            hint=2,
        ),
        Mistake(
            "turned on its side",
            lambda q, k, m: _attend(q, k, m).transpose(1, 2),
            "Your shares are (B, S, T). Queries come first: (B, T, S).",
            hint=3,
        ),
        Mistake(
            "only the first sentence",
            lambda q, k, m: _attend(q, k, m)[:1],
            "Only the first sentence is there. Return (B, T, S).",
            hint=3,
        ),
        Mistake(
            "the mask of the first sentence",
            lambda q, k, m: _attend(q, k, m[:1].expand_as(m)),
            "You use the first sentence's mask for all. Each sentence has its own row: "
            "`mask.unsqueeze(1)`.",
            hint=2,
        ),
        Mistake(
            "the logarithm of the shares",
            lambda q, k, m: _attend(q, k, m).log(),
            "These are logarithms. Return the shares: `softmax`, not `log_softmax`.",
            hint=1,
        ),
        Mistake(
            "a softmax over the sentences",
            lambda q, k, m: _scores(q, k).softmax(0),
            "Your softmax runs over the sentences of the batch, and nothing is masked. Each "
            "query shares its attention out over the *source words*, the last axis.",
            hint=3,
        ),
        Mistake(
            "a softmax over the sentences, masked",
            lambda q, k, m: _attend(q, k, m, axis=0),
            "Your softmax runs over the sentences of the batch. Each query shares its "
            "attention out over the *source words*, the last axis.",
            hint=3,
        ),
        Mistake(
            "cosines",
            _attend_by_cosine,
            "You divide by the lengths of the vectors. The score is the bare dot product.",
            hint=2,
        ),
        Mistake(
            "keys not turned",
            lambda q, k, m: (q @ k).masked_fill(~m[:, None], -math.inf).softmax(-1),
            "`queries @ keys` multiplies (T, H) by (S, H). Turn the keys: `keys.transpose(1, 2)`.",
            hint=2,
        ),
        Mistake(
            "the mask's new axis stands last",
            lambda q, k, m: _scores(q, k).masked_fill(~m.unsqueeze(2), -math.inf).softmax(-1),
            "`mask.unsqueeze(2)` is (B, S, 1), so PyTorch lays source words upon queries. The new "
            "axis belongs in the middle: `mask.unsqueeze(1)` is (B, 1, S).",
            hint=2,
        ),
    ),
    right_answers={
        "minus infinity": _attend,
        "one query at a time": _attend_by_loop,
        "einsum, and a very low score": lambda q, k, m: torch.softmax(
            torch.einsum("bth,bsh->bts", q, k) + torch.where(m, 0.0, -1e30)[:, None], dim=-1
        ),
    },
)
