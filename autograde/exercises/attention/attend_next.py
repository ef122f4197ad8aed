"""Exercise `attend_next`: attention of one new position, with the keys and values that are kept."""

from typing import Any

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
from autograde.checking.exercise import Case, Exercise, Inputs, Random
from autograde.checking.slips import slips
from autograde.exercises.attention import LESSON
from autograde.exercises.attention.filled import filled, shapes_of
from course.attention.kv_cache import Kept, attend_next
from elmo_mini.models.attention import MultiHead, one_head


@Case.drawn
def _positions(
    rng: Random,
    new: int,
    *,
    before: int = 0,
    texts: int = 1,
    dim: int = 4,
    heads: int = 2,
    scale: float = 1.0,
) -> Inputs:
    """States of `new` positions, read one by one, and keys and values of those before them."""
    shape = (texts, heads, before, dim // heads)
    return {
        "dim": dim,
        "heads": heads,
        "seed": int(rng.integers(1_000_000)),
        "x": rng.standard_normal((texts, new, dim)).astype(np.float32),
        "keys": (scale * rng.standard_normal(shape)).astype(np.float32),
        "values": rng.standard_normal(shape).astype(np.float32),
    }


def _run(answer: Answer, inputs: Inputs) -> Plain:
    """What each new position takes home, and what is kept in the end."""
    model = MultiHead(inputs["dim"], inputs["heads"])
    attention = filled(model, shapes_of(model), inputs["seed"], "MultiHead").eval()
    kept: Any = None
    if inputs["keys"].shape[2]:
        kept = as_tensors(inputs["keys"]), as_tensors(inputs["values"])
    found: list[Plain] = []
    for x in as_tensors(inputs["x"]).split(1, 1):
        given = {"x": x.clone()} | dict(zip(("keys", "values"), kept or (), strict=False))
        before = {name: plain(part.clone()) for name, part in given.items()}
        came = _two(returned(answer(attention, given["x"], kept)))
        refuse_changed(before, given)
        found.append(plain(came[0]))
        kept = came[1]
    return {"found": found, "keys": plain(kept[0]), "values": plain(kept[1])}


def _two(came: Any) -> tuple[Tensor, Kept]:
    """What is found, and what is kept."""
    if not isinstance(came, tuple | list) or len(came) != 2 or not isinstance(came[0], Tensor):
        raise AnswerRefused(
            "Return two things, what the new position takes home, a tensor, and what to keep: "
            "`return found, (k, v)`."
        )
    found, kept = came
    pair = isinstance(kept, tuple | list) and len(kept) == 2
    if not pair or not all(isinstance(part, Tensor) for part in kept):
        raise AnswerRefused(
            "What you keep is a pair, the keys and the values of all positions so far: `(k, v)`."
        )
    return found, (kept[0], kept[1])


def _by_views(attention: Any, x: Tensor, kept: Kept | None) -> tuple[Tensor, Kept]:
    texts, _, dim = x.shape

    def cut(states: Tensor) -> Tensor:
        return states.view(texts, 1, attention.heads, dim // attention.heads).permute(0, 2, 1, 3)

    q, keys, values = (cut(part(x)) for part in (attention.query, attention.key, attention.value))
    if kept:
        old_keys, old_values = kept
        keys = torch.cat((old_keys, keys), dim=-2)
        values = torch.cat((old_values, values), dim=-2)
    found = functional.scaled_dot_product_attention(q, keys, values)
    return attention.out(found.permute(0, 2, 1, 3).reshape(texts, 1, dim)), (keys, values)


def _by_heads(attention: Any, x: Tensor, kept: Kept | None) -> tuple[Tensor, list[Tensor]]:
    parts = [
        torch.stack(part(x).chunk(attention.heads, -1), 1)
        for part in (attention.query, attention.key, attention.value)
    ]
    q, k, v = parts
    if kept is not None:
        k = torch.cat([kept[0], k], 2)
        v = torch.cat([kept[1], v], 2)
    each = []
    for head in range(attention.heads):
        everywhere = torch.ones(len(x), 1, k.shape[2]) > 0
        each.append(one_head(q[:, head], k[:, head], v[:, head], everywhere)[0])
    return attention.out(torch.cat(each, -1)), [k, v]


SLIPS = """
--- hint 1
nothing is used of what is kept: if kept is not None: -> if False:
    Your new position sees itself alone. It asks all positions so far: put its key and value behind
    those that are kept.
used, and not kept: , (k, v) -> , (k[:, :, -1:], v[:, :, -1:])
    You keep the new key and value alone. Keep those of all positions so far: the next position asks
    them, too.
what came is returned: , (k, v) -> , (k, v) if kept is None else kept
    You return what was kept before. The new key and value belong behind it.
it does not see itself: torch.ones(1, k.shape[2], dtype=torch.bool) \
        -> torch.arange(k.shape[2])[None] < max(1, k.shape[2] - 1)
    Your new position looks at those before it alone. It looks at itself, too.
it sees itself alone: torch.ones(1, k.shape[2], dtype=torch.bool) \
        -> torch.arange(k.shape[2])[None] == k.shape[2] - 1
    Your new position looks at itself alone. It looks at all positions so far.
the causal mask again: torch.ones(1, k.shape[2], dtype=torch.bool) \
        -> torch.ones(1, k.shape[2], dtype=torch.bool).tril()
    A lower triangle of one row is its first column, so your new position looks at the first one
    alone. All positions so far are behind it: it may look at every one.
the last {n} alone: torch.cat([kept[0], k], 2), torch.cat([kept[1], v], 2) \
        -> torch.cat([kept[0], k], 2)[:, :, -{n}:], torch.cat([kept[1], v], 2)[:, :, -{n}:] \
        | n = 3, 4, 5, 8, 16, 32, 64
    You keep the last {n} positions alone. Keep those of all positions so far: the new one looks at
    every one of them.
zeros stand for what is not there: if kept is not None: \
        -> if kept is None: kept = torch.zeros_like(k), torch.zeros_like(v) ⏎if True:
    At the first position you put a key and a value of zeros in front. They are looked at as others
    are: where `kept` is None, there is the new position alone.
an exponential that overflows: \
        found, _ = one_head(q, k, v, torch.ones(1, k.shape[2], dtype=torch.bool)) \
        -> powers = (q @ k.mT / k.shape[-1] ** 0.5).exp() \
        ⏎found = powers / powers.sum(-1, keepdim=True) @ v
    The exponential of a score of a hundred is too large for a number. `softmax` takes the largest
    score off first, and `one_head` has it.
the oldest is dropped: torch.cat([kept[0], k], 2), torch.cat([kept[1], v], 2) \
        -> torch.cat([kept[0], k], 2)[:, :, 1:], torch.cat([kept[1], v], 2)[:, :, 1:]
    The oldest key and value fall out. Keep them all.
--- hint 2
the new one in front: [kept[0], k] -> [k, kept[0]] && [kept[1], v] -> [v, kept[1]]
    Your new key and value stand in front of the others. What is found is the same, for a sum has no
    order; what is kept is asked for in the order of the text, so they stand behind.
the new key in front: [kept[0], k] -> [k, kept[0]]
    Your new key stands in front of the other keys, and the new value behind the other values, so
    that keys and values no longer fit. Both stand behind.
the new value in front: [kept[1], v] -> [v, kept[1]]
    Your new value stands in front of the other values, and the new key behind the other keys, so
    that keys and values no longer fit. Both stand behind.
kept keys and values are swapped: [kept[0], k] -> [kept[1], k] && [kept[1], v] -> [kept[0], v]
    You take kept values for keys, and kept keys for values. The keys come first: `kept[0]`.
kept values for keys: [kept[0], k] -> [kept[1], k]
    Your new key goes behind the kept values. The kept keys come first: `kept[0]`.
every other number for a head: .unflatten(-1, (attention.heads, -1)).transpose(1, 2) \
        -> .unflatten(-1, (-1, attention.heads)).permute(0, 3, 1, 2)
    Each of your heads gets every A-th number of D. A head is a stretch of D / A neighbours, as in
    `MultiHead`: `.unflatten(-1, (attention.heads, -1))`.
every other number for a head, and joined in turn: \
        .unflatten(-1, (attention.heads, -1)).transpose(1, 2) \
        -> .unflatten(-1, (-1, attention.heads)).permute(0, 3, 1, 2) \
        && found.transpose(1, 2).flatten(2) -> found.permute(0, 2, 3, 1).flatten(2)
    Each of your heads gets every A-th number of D, and what they find is joined number by number in
    turn. A head is a stretch of D / A neighbours, as in `MultiHead`: cut with
    `.unflatten(-1, (attention.heads, -1))`, and join head after head.
the numbers of the heads in turn: found.transpose(1, 2).flatten(2) \
        -> found.permute(0, 2, 3, 1).flatten(2)
    You join the heads number by number in turn. Each head's d numbers stay together, head after
    head: `found.transpose(1, 2).flatten(2)`.
joined over the texts: found.transpose(1, 2).flatten(2) -> found.transpose(0, 1).reshape(x.shape)
    You turn texts and heads before you join, so a text gets the heads of others. Turn heads and
    positions: `found.transpose(1, 2).flatten(2)`.
--- hint 3
no last layer: attention.out(found.transpose(1, 2).flatten(2)) -> found.transpose(1, 2).flatten(2)
    `attention.out` is never used. It comes last, and mixes what the heads have brought.
values before keys: , (k, v) -> , (v, k)
    You keep values and keys. The keys come first: `(k, v)`.
keys and values are swapped: one_head(q, k, v -> one_head(q, v, k
    Keys and values stand in each other's place: `one_head(q, k, v, ...)`.
keys and queries from each other's layer: (attention.query, attention.key, attention.value) \
        -> (attention.key, attention.query, attention.value)
    Your queries come from `attention.key`, and your keys from `attention.query`.
the query is kept: torch.cat([kept[0], k], 2) -> torch.cat([kept[0], q], 2)
    You keep the query. Nobody asks a query later on: keep the key.
values made like keys: attention.key, attention.value) -> attention.key, attention.key)
    Your values come from `attention.key`. Each of the three has a layer of its own.
--- no hint
the state is added: return attention.out( -> return x + attention.out(
    You add the state that came in. That is the block's part; here, return what the heads bring.
divided twice: one_head(q, -> one_head(q / q.shape[-1] ** 0.5,
    You divide by √d, and `one_head` does so again.
"""

EXERCISE = Exercise(
    id="attend_next",
    title="Keys and values kept",
    lesson=LESSON,
    points=3,
    difficulty=3,
    importance=3,
    minutes=12,
    reference=attend_next,
    run=_run,
    cases=(
        Case("the first position", _positions(1, heads=1)),
        Case("one position after three", _positions(1, before=3), weight=2),
        Case("four positions, one after the other", _positions(4), weight=2),
        Case("two texts, three heads", _positions(2, before=2, texts=2, dim=6, heads=3), weight=2),
        Case("as many texts as heads", _positions(2, before=1, texts=2), edge=True),
        Case("two positions after seventy", _positions(2, before=70), edge=True),
        Case("scores of hundreds", _positions(2, before=3, scale=300.0), edge=True),
    ),
    mistakes=slips(attend_next, SLIPS),
    right_answers={"views and PyTorch's attention": _by_views, "head after head": _by_heads},
    rtol=1e-3,
    atol=1e-4,
)
