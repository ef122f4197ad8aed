"""Exercise `MultiHead`: several heads side by side."""

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor, nn

from autograde.checking.answers import (
    Answer,
    AnswerRefused,
    Plain,
    as_tensors,
    plain,
    returned,
)
from autograde.checking.exercise import Case, Exercise, Inputs, Random
from autograde.checking.slips import slips
from autograde.exercises.attention import LESSON
from autograde.exercises.attention.filled import (
    called,
    filled,
    gradients,
    shapes_of,
    weighted_sum,
)
from elmo_mini.models.attention import MultiHead, one_head

Found = tuple[Tensor, Tensor]


@Case.drawn
def _states(
    rng: Random, lengths: Sequence[int], dim: int, heads: int, *, back: bool = False
) -> Inputs:
    width = max(lengths)
    mask = np.arange(width) < np.array(lengths)[:, None]
    allowed = np.repeat(mask[:, None], width, 1)
    return {
        "dim": dim,
        "heads": heads,
        "seed": int(rng.integers(1_000_000)),
        "x": rng.standard_normal((len(lengths), width, dim)).astype(np.float32),
        "allowed": np.tril(allowed) if back else allowed,
    }


def _run(answer: Answer, inputs: Inputs) -> Plain:
    """What the heads bring, their attention weights, and what would be learnt."""
    dim, heads = inputs["dim"], inputs["heads"]
    shapes = shapes_of(MultiHead(dim, heads))
    model = filled(answer(dim, heads), shapes, inputs["seed"], "MultiHead")
    leaf = as_tensors(inputs["x"]).requires_grad_()
    given = {"x": leaf.clone(), "allowed": as_tensors(inputs["allowed"])}
    came = returned(called(model, inputs, given))
    if not isinstance(came, tuple | list) or len(came) != 2:
        raise AnswerRefused(
            "Return two things, what the heads bring and their attention weights: "
            "`return found, weights`."
        )
    if not all(isinstance(part, Tensor) for part in came):
        raise AnswerRefused("Return both as tensors: the network learns through them.")
    return {
        "found": plain(came[0]),
        "attention weights": plain(came[1]),
        **gradients(model, weighted_sum(*came), x=leaf),
    }


class _MultiHead(nn.Module):
    """As the lesson writes it."""

    def __init__(self, dim: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.query, self.key, self.value, self.out = (nn.Linear(dim, dim) for _ in range(4))

    def forward(self, x: Tensor, allowed: Tensor) -> Found:
        q = self.query(x).unflatten(-1, (self.heads, -1)).transpose(1, 2)
        k = self.key(x).unflatten(-1, (self.heads, -1)).transpose(1, 2)
        v = self.value(x).unflatten(-1, (self.heads, -1)).transpose(1, 2)
        found, weights = one_head(q, k, v, allowed[:, None])
        joined = found.transpose(1, 2).flatten(2)
        return self.out(joined), weights


class _ByChunks(_MultiHead):
    """One head after the other."""

    def forward(self, x: Tensor, allowed: Tensor) -> Found:
        parts = [part(x).chunk(self.heads, -1) for part in (self.query, self.key, self.value)]
        each = [one_head(q, k, v, allowed) for q, k, v in zip(*parts, strict=True)]
        found = torch.cat([one for one, _ in each], -1)
        return self.out(found), torch.stack([weights for _, weights in each], 1)


class _ByPermute(_MultiHead):
    """With views and permutations, as most programs write it."""

    def forward(self, x: Tensor, allowed: Tensor) -> Found:
        B, T, D = x.shape
        q, k, v = (
            part(x).view(B, T, self.heads, D // self.heads).permute(0, 2, 1, 3)
            for part in (self.query, self.key, self.value)
        )
        found, weights = one_head(q, k, v, allowed.unsqueeze(1))
        joined = found.permute(0, 2, 1, 3).reshape(B, T, D)
        return self.out(joined), weights


SLIPS = """
--- hint 1
cut without turning: every .unflatten(-1, (self.heads, -1)).transpose(1, 2) \
        -> .reshape(len(x), self.heads, x.shape[1], -1) \
        && found.transpose(1, 2).flatten(2) -> found.transpose(1, 2).reshape(x.shape)
cut without turning, and joined without turning: \
        every .unflatten(-1, (self.heads, -1)).transpose(1, 2) \
        -> .reshape(len(x), self.heads, x.shape[1], -1) \
        && found.transpose(1, 2).flatten(2) -> found.reshape(x.shape)
    Your heads mix up the positions: `reshape` and `view` keep the numbers in their order, so (B, T,
    D) becomes (B, A, T, d) with parts of other positions in a row. Cut the last axis first, (B, T,
    A, d), then turn the two middle axes.
the {part} cut without turning: \
        {letter} = self.{layer}(x).unflatten(-1, (self.heads, -1)).transpose(1, 2) \
        -> {letter} = self.{layer}(x).reshape(len(x), self.heads, x.shape[1], -1) \
        | part letter layer = queries q query, keys k key, values v value
    Your {part} are cut by `reshape`, which mixes up the positions, and the other two are right. Cut
    and turn all three in the same way.
--- hint 3
no last layer: self.out(joined) -> joined
    `self.out` is never used. It comes last, and mixes what the heads have brought.
the last layer twice: self.out(joined) -> self.out(self.out(joined))
    `self.out` is applied twice.
keys made like queries: k = self.key(x) -> k = self.query(x)
    Your keys come from `self.query`. Each of the three has a layer of its own.
values made like keys: v = self.value(x) -> v = self.key(x)
    Your values come from `self.key`. Each of the three has a layer of its own.
queries made like keys: q = self.query(x) -> q = self.key(x)
    Your queries come from `self.key`. Each of the three has a layer of its own.
no linear layers: q = self.query(x) -> q = x && k = self.key(x) -> k = x \
        && v = self.value(x) -> v = x
    You cut the states as they are. Queries, keys and values come from three linear layers.
the values are the states: v = self.value(x) -> v = x
    Your values are the states themselves. They go through `self.value` first.
queries and keys are swapped: one_head(q, k, v -> one_head(k, q, v
    Queries and keys stand in each other's place: `one_head(q, k, v, ...)`.
keys and values are swapped: one_head(q, k, v -> one_head(q, v, k
    Keys and values stand in each other's place: `one_head(q, k, v, ...)`.
joined without turning: found.transpose(1, 2).flatten(2) -> found.reshape(x.shape)
    The heads are right until they are joined: (B, A, T, d) is reshaped as it stands, and the
    positions are mixed up. Turn the two middle axes back first: `found.transpose(1, 2)`.
the numbers of the heads in turn: found.transpose(1, 2).flatten(2) \
        -> found.permute(0, 2, 3, 1).flatten(2)
    You join the heads number by number in turn. Each head's d numbers stay together, head after
    head.
the heads are joined in reverse: found.transpose(1, 2).flatten(2) \
        -> found.flip(1).transpose(1, 2).flatten(2)
    You join the heads from the last to the first. Head 0 brings the first d numbers.
all heads ask the first head's keys: one_head(q, k, v -> one_head(q, k[:, :1].expand_as(q), v
    All your heads ask the keys of the first one. Each has keys of its own: look at the index in
    your loop.
all heads give the first head's values: one_head(q, k, v -> one_head(q, k, v[:, :1].expand_as(q)
    All your heads give the values of the first one. Each has values of its own: look at the index
    in your loop.
all heads have the first head's keys and values: one_head(q, k, v \
        -> one_head(q, k[:, :1].expand_as(q), v[:, :1].expand_as(q)
    All your heads have the keys and values of the first one. Each has its own: look at the index in
    your loop.
the last head alone: q = self.query(x).unflatten(-1, (self.heads, -1)).transpose(1, 2) \
        -> q = self.query(x).unflatten(-1, (self.heads, -1)).transpose(1, 2)[:, -1:] \
        && k = self.key(x).unflatten(-1, (self.heads, -1)).transpose(1, 2) \
        -> k = self.key(x).unflatten(-1, (self.heads, -1)).transpose(1, 2)[:, -1:] \
        && v = self.value(x).unflatten(-1, (self.heads, -1)).transpose(1, 2) \
        -> v = self.value(x).unflatten(-1, (self.heads, -1)).transpose(1, 2)[:, -1:] \
        && joined = \
        -> found, weights = (y.expand(-1, self.heads, -1, -1) for y in (found, weights)) \
        ⏎joined =
    Each of your heads brings what the last one brings. Keep what every head finds, and join it.
--- hint 2
every other number for a head: every .unflatten(-1, (self.heads, -1)).transpose(1, 2) \
        -> .unflatten(-1, (-1, self.heads)).permute(0, 3, 1, 2)
    Each of your heads gets every A-th number of D. A head is a stretch of D / A neighbours, as in
    PyTorch: `.unflatten(-1, (self.heads, -1))`.
every other number for a head, and joined in turn: \
        every .unflatten(-1, (self.heads, -1)).transpose(1, 2) \
        -> .unflatten(-1, (-1, self.heads)).permute(0, 3, 1, 2) \
        && found.transpose(1, 2).flatten(2) -> found.permute(0, 2, 3, 1).flatten(2)
    Each of your heads gets every A-th number of D, and what they find is joined number by number in
    turn. A head is a stretch of D / A neighbours, and they stay together: cut with
    `.unflatten(-1, (self.heads, -1))`, and join head after head.
as many numbers as heads: every .unflatten(-1, (self.heads, -1)).transpose(1, 2) \
        -> .unflatten(-1, (-1, self.heads)).transpose(1, 2)
    The number of heads and the size of a head stand in each other's place: `(self.heads, -1)` cuts
    the last axis into as many parts as there are heads.
the mask of one sentence for all: allowed[:, None] -> allowed[:1, None]
    You use the first sentence's `allowed` for all.
the mask's axis in the wrong place: allowed[:, None] -> allowed[:, :, None]
    The new axis of `allowed` is for the heads: (B, 1, T, T), `allowed[:, None]`.
a head gets another sentence's mask: allowed[:, None] -> allowed
    `allowed` is (B, T, T) and the scores are (B, A, T, T): PyTorch lays sentences upon heads. Give
    it an axis for the heads: `allowed[:, None]`. (If you made one axis of sentences and heads, each
    sentence's table stands there A times in a row: `repeat_interleave`, not `repeat`.)
looking back whatever is allowed: allowed[:, None] -> allowed[:, None].tril()
    You close what stands ahead. Whether it is closed, `allowed` says: take it as it is.
nothing is closed: allowed[:, None] -> torch.ones_like(allowed)[:, None]
    `allowed` is never used.
one large head: q = self.query(x).unflatten(-1, (self.heads, -1)).transpose(1, 2) \
        -> q = self.query(x).unflatten(-1, (1, -1)).transpose(1, 2) \
        && k = self.key(x).unflatten(-1, (self.heads, -1)).transpose(1, 2) \
        -> k = self.key(x).unflatten(-1, (1, -1)).transpose(1, 2) \
        && v = self.value(x).unflatten(-1, (self.heads, -1)).transpose(1, 2) \
        -> v = self.value(x).unflatten(-1, (1, -1)).transpose(1, 2)
    You have one head of D numbers. Cut queries, keys and values into `self.heads` parts of D / A
    numbers, and let each part look for itself.
--- no hint
the mask is turned round: allowed[:, None] -> ~allowed[:, None]
    You close what is allowed.
the first sentence alone: joined = -> found, weights = found[:1], weights[:1] ⏎joined =
    You work on the first sentence alone. The first axis holds all of them.
divided by the root of D: one_head(q, -> one_head(q / self.heads ** 0.5,
    You divide by the root of D. A head divides by the root of its own d, D / A, and `one_head` does
    so.
divided twice: one_head(q, -> one_head(q / q.shape[-1] ** 0.5,
    You divide by √d, and `one_head` does so again.
what is found alone: return self.out(joined), weights -> return self.out(joined)
    Return two things: what the heads bring, and their attention weights.
the mean of the heads' weights: self.out(joined), weights -> self.out(joined), weights.mean(1)
    You return the mean over the heads. Return the attention weights of each head, (B, A, T, T).
the positions first: self.out(joined), weights -> self.out(joined), weights.transpose(1, 2)
    The attention weights are (B, A, T, T): sentences, heads, who looks, where to.
the heads first: self.out(joined), weights -> self.out(joined), weights.transpose(0, 1)
    The attention weights are (B, A, T, T): sentences, heads, who looks, where to. Yours have the
    heads first.
a dropout: self.out(joined), weights \
        -> torch.nn.functional.dropout(self.out(joined), 0.1, self.training), weights
    Leave the dropout out. The models of the papers have one; this one has none, so that the same
    input always gives the same.
the states are added: self.out(joined), weights -> x + self.out(joined), weights
    You add the states that came in. That is the block's part; here, return what the heads bring.
cut off from autograd: self.out(joined), weights -> self.out(joined.detach()), weights
    The numbers are right, and the heads would never learn: leave out `.detach()`.
"""

EXERCISE = Exercise(
    id="MultiHead",
    title="Several heads",
    lesson=LESSON,
    points=4,
    difficulty=4,
    importance=5,
    minutes=20,
    reference=MultiHead,
    run=_run,
    cases=(
        Case("one sentence, one head", _states((3,), 4, 1)),
        Case("one sentence, two heads", _states((3,), 4, 2)),
        Case("sentences of 4, 2 and 3 tokens, three heads", _states((4, 2, 3), 6, 3), weight=3),
        Case("looking back only", _states((4, 3), 8, 2, back=True), weight=2),
        Case("as many sentences as heads", _states((2, 3), 4, 2, back=True), edge=True),
        Case("one token", _states((1,), 4, 4), edge=True),
    ),
    mistakes=slips(_MultiHead, SLIPS, one_head),
    right_answers={"one head after the other": _ByChunks, "view and permute": _ByPermute},
    rtol=1e-3,
    atol=1e-4,
)
