"""Exercise `Block`: attention, then a feed-forward layer, each with a residual."""

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from autograde.checking.answers import Answer, Plain, as_tensors, plain
from autograde.checking.differentiable import tensor_of
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
from elmo_mini.models.attention import AttentionMask, Block, MultiHead, causal_mask, full_mask

NO_CHOICE = "both sides"  # the default
ONE_TENSOR = "Your block returns {kind}. Return the new states alone, a tensor (B, T, D)."


@Case.drawn
def states(
    rng: Random, lengths: Sequence[int], dim: int, heads: int, mask_of: str = NO_CHOICE
) -> Inputs:
    width = max(lengths)
    return {
        "dim": dim,
        "heads": heads,
        "mask_of": mask_of,
        "seed": int(rng.integers(1_000_000)),
        "x": (0.5 + 2 * rng.standard_normal((len(lengths), width, dim))).astype(np.float32),
        "mask": np.arange(width) < np.array(lengths)[:, None],
    }


def _run(answer: Answer, inputs: Inputs) -> Plain:
    """The states at tokens, and what would be learnt."""
    dim, heads = inputs["dim"], inputs["heads"]
    shapes = shapes_of(Block(dim, heads))
    chosen = () if inputs["mask_of"] == NO_CHOICE else (causal_mask,)
    model = filled(answer(dim, heads, *chosen), shapes, inputs["seed"], "Block")
    leaf = as_tensors(inputs["x"]).requires_grad_()
    given = {"x": leaf.clone(), "mask": as_tensors(inputs["mask"])}
    came = tensor_of(lambda: called(model, inputs, given), ONE_TENSOR)
    there = given["mask"][..., None]
    kept = came.masked_fill(~there, 0.0) if came.shape[:2] == there.shape[:2] else came
    return {"states": plain(kept), **gradients(model, weighted_sum(kept), x=leaf)}


class _Block(nn.Module):
    """As the lesson writes it."""

    def __init__(self, dim: int, heads: int, mask_of: AttentionMask = full_mask) -> None:
        super().__init__()
        self.mask_of = mask_of
        self.attention = MultiHead(dim, heads)
        self.wide, self.narrow = nn.Linear(dim, 4 * dim), nn.Linear(4 * dim, dim)
        self.norm_1, self.norm_2 = nn.LayerNorm(dim), nn.LayerNorm(dim)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        found, _ = self.attention(x, self.mask_of(mask))
        x = self.norm_1(x + found)
        inner = functional.gelu(self.wide(x))
        y: Tensor = self.norm_2(x + self.narrow(inner))
        return y


class _Drawn(_Block):
    """Each sentence alone, without its padding."""

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        y = torch.zeros_like(x)
        rows = []
        for row, n in zip(x, mask.sum(1).tolist(), strict=True):
            short = row[None, :n]
            found = self.attention(short, self.mask_of(torch.ones(1, n, dtype=torch.bool)))[0]
            middle = self.norm_1(found + short)
            outer = middle + self.narrow(nn.GELU()(self.wide(middle)))
            rows.append(torch.cat([self.norm_2(outer)[0], y[0, n:]]))
        return torch.stack(rows)


SLIPS = """
--- hint 1
no sum around the heads: self.norm_1(x + found) -> self.norm_1(found)
    What went in is lost: your first norm sees only what the heads bring. Add it to the states.
no sum around the feed-forward layer: x + self.narrow(inner) -> self.narrow(inner)
    What went into the feed-forward layer is lost. Add what comes out of it to what went in.
no first norm: self.norm_1(x + found) -> x + found
    `self.norm_1` is never used. It follows the first sum.
no second norm: self.norm_2(x + self.narrow(inner)) -> x + self.narrow(inner)
    `self.norm_2` is never used. It follows the second sum.
norms before, as in later models: self.attention(x, -> self.attention(self.norm_1(x), \
        && self.norm_1(x + found) -> x + found \
        && self.wide(x) -> self.wide(self.norm_2(x)) \
        && self.norm_2(x + self.narrow(inner)) -> x + self.narrow(inner)
    Your norms stand before the heads and before the feed-forward layer, as in GPT-2 and most later
    models. Here, as in the papers of 2017 and 2018, each follows its sum.
the norm inside the sum: self.norm_1(x + found) -> x + self.norm_1(found)
    Your first norm sees only what the heads bring. It follows the sum: `norm(x + ...)`.
the second norm inside the sum: self.norm_2(x + self.narrow(inner)) \
        -> x + self.norm_2(self.narrow(inner))
    Your second norm sees only what the feed-forward layer gives. It follows the sum.
--- hint 3
the second sum goes past the first norm: x = self.norm_1(x + found) \
        -> before = x + found ⏎x = self.norm_1(before) \
        && self.norm_2(x + self.narrow(inner)) -> self.norm_2(before + self.narrow(inner))
    Your second sum takes the first sum as it was before its norm. What comes out of the first norm
    goes both ways: into the wide layer, and past it.
no GELU: functional.gelu(self.wide(x)) -> self.wide(x)
    There is nothing between the two layers, so they are one. A GELU stands between them.
a ReLU: functional.gelu -> functional.relu
    You use a ReLU, as the paper of 2017. Here it is a GELU, as in GPT and BERT.
a tanh: functional.gelu -> torch.tanh
    You use a tanh. Between the two layers stands a GELU.
the GELU at the end: functional.gelu(self.wide(x)) -> self.wide(x) \
        && self.narrow(inner) -> functional.gelu(self.narrow(inner))
    Your GELU comes after both layers. It stands between them.
GELU before the wide layer: functional.gelu(self.wide(x)) -> self.wide(functional.gelu(x))
    Your GELU comes before both layers. It stands between them.
no feed-forward layer: y: Tensor = self.norm_2(x + self.narrow(inner)) -> y: Tensor = self.norm_2(x)
    The feed-forward layer is never used.
the feed-forward layer is subtracted: x + self.narrow(inner) -> x - self.narrow(inner)
    You subtract what the feed-forward layer gives. It is added.
the heads twice: found, _ = -> found, _ = self.attention(x, self.mask_of(mask)) \
        ⏎x = self.norm_1(x + found) ⏎found, _ =
    You go through the heads and the first norm twice. Once.
norms without their weights: self.norm_1(x + found) \
        -> functional.layer_norm(x + found, x.shape[-1:]) \
        && self.norm_2(x + self.narrow(inner)) \
        -> functional.layer_norm(x + self.narrow(inner), x.shape[-1:])
    `functional.layer_norm` is used without weights. `self.norm_1` and `self.norm_2` have weights,
    and these are learnt: call them.
norms over all positions: self.norm_1(x + found) -> functional.layer_norm(x + found, x.shape[1:], \
        self.norm_1.weight.expand(x.shape[1:]), self.norm_1.bias.expand(x.shape[1:])) \
        && self.norm_2(x + self.narrow(inner)) \
        -> functional.layer_norm(x + self.narrow(inner), x.shape[1:], \
        self.norm_2.weight.expand(x.shape[1:]), self.norm_2.bias.expand(x.shape[1:]))
    Your norms run over all positions of a sentence. Each position is normed by itself, over its D
    numbers.
the first norm twice: self.norm_2(x -> self.norm_1(x
    You use `self.norm_1` twice. The second sum has a norm of its own.
the norms are swapped: self.norm_1(x + found) -> self.norm_2(x + found) \
        && self.norm_2(x + self -> self.norm_1(x + self
    The two norms stand in each other's place.
--- hint 2
always both sides: self.mask_of(mask) -> full_mask(mask)
    You look to both sides whatever the block was told. Ask `self.mask_of(mask)`.
always back only: self.mask_of(mask) -> causal_mask(mask)
    You look back only, whatever the block was told. Ask `self.mask_of(mask)`.
the mask is turned round: self.mask_of(mask) -> self.mask_of(~mask)
    You turn the mask round before you ask. It is True at tokens, as `self.mask_of` takes it.
the mask as it is: self.mask_of(mask) -> mask
    You hand the mask of tokens on, (B, T). The heads take a table for each sentence, (B, T, T):
    `self.mask_of(mask)`.
padding is looked at: self.mask_of(mask) -> self.mask_of(torch.ones_like(mask))
    Your heads look at padding. `self.mask_of(mask)` says who may look where.
the states of the beginning are added twice: \
        x = self.norm_1(x + found) -> before = x ⏎x = self.norm_1(x + found) \
        && self.norm_2(x + self.narrow -> self.norm_2(before + self.narrow
    The second sum takes the states from before the heads. Add to what went into the feed-forward
    layer.
the feed-forward layer reads the states of the beginning: \
        x = self.norm_1(x + found) -> before = x ⏎x = self.norm_1(x + found) \
        && self.wide(x) -> self.wide(before)
    Your wide layer reads the states from before the heads. It reads what comes out of the first
    norm, and its sum adds to that, too.
the feed-forward layer reads the first sum before its norm: x = self.norm_1(x + found) \
        -> before = x + found ⏎x = self.norm_1(before) && self.wide(x) -> self.wide(before)
    Your wide layer reads the first sum as it was before its norm. It reads what comes out of the
    first norm, and its sum adds to that, too.
subtracted from the states: self.norm_1(x + found) -> self.norm_1(x - found)
    You subtract what the heads bring. It is added.
no attention: self.norm_1(x + found) -> self.norm_1(x)
    What the heads bring is never used.
--- no hint
a GELU that is not exact: functional.gelu(self.wide(x)) \
        -> functional.gelu(self.wide(x), approximate="tanh")
    Your GELU is the formula with the tanh, which is near the right one. Take `functional.gelu(x)`
    as it is.
a dropout: x + found -> x + functional.dropout(found, 0.1, self.training)
    Leave the dropout out. The models of the papers have one; this one has none, so that the same
    input always gives the same.
a pair: return y -> return y, _
    Return the states alone.
the way past the heads is cut: self.norm_1(x + found) -> self.norm_1(x.detach() + found)
    The states are right, but no gradient comes back past the heads: in the first sum you detach x.
    That way is what a residual connection is for.
the way past the feed-forward layer is cut: self.norm_2(x + self.narrow(inner)) \
        -> self.norm_2(x.detach() + self.narrow(inner))
    The states are right, but no gradient comes back past the feed-forward layer: in the second sum
    you detach x. That way is what a residual connection is for.
what the heads bring is cut off: self.norm_1(x + found) -> self.norm_1(x + found.detach())
    The states are right, but the heads learn nothing: you detach what they bring.
what the feed-forward layer brings is cut off: self.norm_2(x + self.narrow(inner)) \
        -> self.norm_2(x + self.narrow(inner).detach())
    The states are right, but the feed-forward layer learns nothing: you detach what it gives.
cut off from autograd: return y -> return y.detach()
    The numbers are right, and nothing learns. Leave out `.detach()`.
"""

EXERCISE = Exercise(
    id="Block",
    title="The block",
    lesson=LESSON,
    points=3,
    difficulty=3,
    importance=5,
    minutes=7,
    reference=Block,
    run=_run,
    cases=(
        Case("one sentence, one head", states((3,), 4, 1)),
        Case("sentences of 4, 2 and 3 tokens", states((4, 2, 3), 6, 2), weight=2),
        Case("looking back only", states((4, 3), 4, 2, "only back"), weight=2),
        Case("one token", states((1,), 4, 2), edge=True),
    ),
    mistakes=slips(_Block, SLIPS),
    right_answers={"each sentence alone": _Drawn},
    rtol=1e-3,
    atol=1e-4,
)
