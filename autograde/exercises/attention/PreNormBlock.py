"""Exercise `PreNormBlock`: norms before the halves, and dropout on what each half brings."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional

from autograde.checking.answers import (
    Answer,
    AnswerRefused,
    Plain,
    as_tensors,
    plain,
    refuse_changed,
)
from autograde.checking.differentiable import tensor_of
from autograde.checking.exercise import Case, Exercise, Inputs, Random
from autograde.checking.slips import slips
from autograde.exercises.attention import LESSON
from autograde.exercises.attention.Block import ONE_TENSOR, states
from autograde.exercises.attention.filled import filled, gradients, shapes_of, weighted_sum
from course.attention.pre_norm import PreNormBlock
from elmo_mini.models.attention import AttentionMask, Block, causal_mask, full_mask

MASKS = {"both sides": full_mask, "only back": causal_mask}
BRING = {"attention.out": 10.0, "narrow": 1.0}
LOST = {  # what is left of 10 and 1, doubled where it is not dropped
    "some numbers lose both halves": 0.0,
    "some lose neither": 22.0,
    "some lose what the heads bring alone": 2.0,
    "some lose what the feed-forward layer brings alone": 20.0,
}
ALL = 1.0  # a dropout that leaves nothing, so nothing is up to chance


@Case.drawn
def _states(
    rng: Random,
    lengths: Sequence[int],
    dim: int = 4,
    heads: int = 2,
    *,
    mask_of: str = "only back",
    drop: float = 0.0,
    training: bool = False,
    silent: str = "",
    apart: bool = False,
) -> Inputs:
    """States; in training a dropout of a half may fall on one part, when the other is `silent`.

    With `apart`, each half brings one number everywhere, so that it shows which of them is lost.
    """
    given: Inputs = states(lengths, dim, heads, mask_of)(rng)
    return {**given, "drop": drop, "training": training, "silent": silent, "apart": apart}


def _run(answer: Answer, inputs: Inputs) -> Plain:
    """The states at tokens, and what would be learnt; or what dropout leaves of one part."""
    dim, heads, silent = inputs["dim"], inputs["heads"], inputs["silent"]
    made = answer(dim, heads, MASKS[inputs["mask_of"]], inputs["drop"])
    model = filled(made, shapes_of(Block(dim, heads)), inputs["seed"], "PreNormBlock")
    leaf = as_tensors(inputs["x"]).requires_grad_()
    given = {"x": leaf.clone(), "mask": as_tensors(inputs["mask"])}

    def states_in(training: bool) -> Tensor:
        model.train(training)
        came = tensor_of(lambda: model(*given.values()), ONE_TENSOR)
        refuse_changed(inputs, given)
        if came.shape != leaf.shape:
            raise AnswerRefused(
                f"Your states have shape {tuple(came.shape)}. They go in and come out as "
                f"(B, T, D) = {tuple(leaf.shape)}."
            )
        return came.masked_fill(~given["mask"][..., None], 0.0)

    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(inputs["seed"])
        if silent:
            with torch.no_grad():
                for part in model.get_submodule(silent).parameters():
                    part.zero_()
                brought = states_in(False) - leaf
                left = (states_in(True) - leaf) / brought
            return _what_is_left(left, brought.abs() > 0.01)
        if inputs["apart"]:
            with torch.no_grad():
                for name, much in BRING.items():
                    model.get_parameter(f"{name}.weight").zero_()
                    model.get_parameter(f"{name}.bias").fill_(much)
                left = states_in(True) - leaf
            return {said: bool(_near(left, much).any()) for said, much in LOST.items()}
        came = states_in(inputs["training"])
        if inputs["training"]:
            return {"states": plain(came)}
        return {"states": plain(came), **gradients(model, weighted_sum(came), x=leaf)}


def _near(numbers: Tensor, expected: float) -> Tensor:
    return (numbers - expected).abs() < 0.01


def _what_is_left(left: Tensor, known: Tensor) -> Plain:
    """What dropout does with numbers (B, T, D) where that is `known`; whether each has a coin."""
    dropped, doubled = _near(left, 0.0) & known, _near(left, 2.0) & known
    some = bool(dropped.any())

    def alike(other: Tensor, there: Tensor) -> bool:
        return some and bool(((dropped == other) | ~known | ~there).all())

    return {
        "some numbers are dropped": some,
        "some are doubled": bool(doubled.any()),
        "some are something else": not bool((dropped | doubled | ~known).all()),
        "all positions lose the same numbers": alike(dropped[:, :1], known[:, :1]),
        "all sentences lose the same numbers": alike(dropped[:1], known[:1]),
        "a position loses all numbers or none": alike(dropped[..., :1], known[..., :1]),
    }


class _PreNormBlock(Block):
    """As the lesson writes it."""

    def __init__(self, dim: int, heads: int, mask_of: AttentionMask, drop: float) -> None:
        super().__init__(dim, heads, mask_of)
        self.dropout = nn.Dropout(drop)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        found, _ = self.attention(self.norm_1(x), self.mask_of(mask))
        x = x + self.dropout(found)
        inner = functional.gelu(self.wide(self.norm_2(x)))
        y: Tensor = x + self.dropout(self.narrow(inner))
        return y


class _ByFunctions(_PreNormBlock):
    """Dropout as a function, and a name for each step."""

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        p, learning = self.dropout.p, self.training
        around = self.attention(self.norm_1(x), self.mask_of(mask))[0]
        middle = functional.dropout(around, p, learning) + x
        alone = self.narrow(nn.GELU()(self.wide(self.norm_2(middle))))
        return middle + functional.dropout(alone, p, learning)


SLIPS = """
--- hint 1
each norm after its sum: self.attention(self.norm_1(x), -> self.attention(x, \
        && x = x + self.dropout(found) -> x = self.norm_1(x + self.dropout(found)) \
        && self.wide(self.norm_2(x)) -> self.wide(x) \
        && x + self.dropout(self.narrow(inner)) -> self.norm_2(x + self.dropout(self.narrow(inner)))
    Your norms follow the sums, as in your first block. Here each stands before its half: what goes
    into the heads, and into the wide layer, is normed; the sums are left alone.
--- hint 2
the sum adds to the normed states: found, _ = self.attention(self.norm_1(x), \
        -> x = self.norm_1(x) ⏎found, _ = self.attention(x,
    Your first sum adds to the normed states. The norm is for the heads' eyes only: add what they
    bring to the states as they came in.
the second sum adds to the normed states: inner = functional.gelu(self.wide(self.norm_2(x))) \
        -> x = self.norm_2(x) ⏎inner = functional.gelu(self.wide(x))
    Your second sum adds to the normed states. Only the wide layer reads the norm: add what comes
    out of the half to the first sum as it is.
both sums add to the normed states: found, _ = self.attention(self.norm_1(x), \
        -> x = self.norm_1(x) ⏎found, _ = self.attention(x, \
        && inner = functional.gelu(self.wide(self.norm_2(x))) \
        -> x = self.norm_2(x) ⏎inner = functional.gelu(self.wide(x))
    Your sums add to the normed states, so every sum still passes through a norm. The norms are for
    what the two halves read: add to the states as they are.
the first half reads the states: self.norm_1(x) -> x
    `self.norm_1` is never used. What the heads read goes through it.
the second half reads the states: self.norm_2(x) -> x
    `self.norm_2` is never used. What the wide layer reads goes through it.
no norm: self.norm_1(x) -> x && self.norm_2(x) -> x
    Neither norm is used. What goes into each half is normed first.
the norm on what the heads bring: self.attention(self.norm_1(x), -> self.attention(x, \
        && self.dropout(found) -> self.dropout(self.norm_1(found))
    Your first norm comes after the heads. It comes before them: they read `self.norm_1(x)`.
the norm on what the feed-forward layer brings: self.wide(self.norm_2(x)) -> self.wide(x) \
        && self.dropout(self.narrow(inner)) -> self.dropout(self.norm_2(self.narrow(inner)))
    Your second norm comes after the feed-forward layer. It comes before: the wide layer reads
    `self.norm_2(x)`.
the norms are swapped: self.attention(self.norm_1(x) -> self.attention(self.norm_2(x) \
        && self.wide(self.norm_2(x)) -> self.wide(self.norm_1(x))
    The two norms stand in each other's place.
the first norm twice: self.norm_2(x) -> self.norm_1(x)
    You use `self.norm_1` twice. The second half has a norm of its own.
a norm after the last sum: return y -> return self.norm_2(y)
    A norm follows your last sum. In a block that is pre-norm none does; the one norm at the end
    stands after the last block, and is no part of it.
no sum around the heads: x = x + self.dropout(found) -> x = self.dropout(found)
    What went in is lost at the heads. Add what they bring to the states.
no sum around the feed-forward layer: x + self.dropout(self.narrow(inner)) \
        -> self.dropout(self.narrow(inner))
    What went into the second half is lost. Add what the half brings to the first sum.
the second half reads the states of the beginning: x = x + self.dropout(found) \
        -> before = x ⏎x = x + self.dropout(found) && self.norm_2(x) -> self.norm_2(before)
    Your second half reads the states from before the heads, so both halves work side by side. It
    reads the first sum.
the states of the beginning are added twice: x = x + self.dropout(found) \
        -> before = x ⏎x = x + self.dropout(found) && y: Tensor = x + -> y: Tensor = before +
    The second sum takes the states from before the heads, so what these brought is lost. Add to the
    first sum.
no GELU: functional.gelu(self.wide(self.norm_2(x))) -> self.wide(self.norm_2(x))
    There is nothing between the two layers, so they are one. A GELU stands between them.
a ReLU: functional.gelu -> functional.relu
    You use a ReLU. Here, as in your first block, it is a GELU.
always both sides: self.mask_of(mask) -> full_mask(mask)
    You look to both sides whatever the block was told. Ask `self.mask_of(mask)`.
always back only: self.mask_of(mask) -> causal_mask(mask)
    You look back only, whatever the block was told. Ask `self.mask_of(mask)`.
the mask as it is: self.mask_of(mask) -> mask
    You hand the mask of tokens on, (B, T). The heads take a table for each sentence, (B, T, T):
    `self.mask_of(mask)`.
padding is looked at: self.mask_of(mask) -> self.mask_of(torch.ones_like(mask))
    Your heads look at padding. `self.mask_of(mask)` says who may look where.
the mask is turned round: self.mask_of(mask) -> self.mask_of(~mask)
    You turn the mask round before you ask. It is True at tokens, as `self.mask_of` takes it.
what the heads bring is added to itself: x = x + self.dropout(found) \
        -> x = found + self.dropout(found)
    You add what the heads bring to itself. Add it to the states as they came in.
what the heads bring stands for the first sum: x + self.dropout(self.narrow(inner)) \
        -> found + self.dropout(self.narrow(inner))
    Your second sum adds to what the heads bring. Add to the whole first sum.
the states are subtracted: x = x + self.dropout(found) -> x = self.dropout(found) - x
    You subtract the states from what the heads bring. They are added.
the second half brings what it reads: x + self.dropout(self.narrow(inner)) -> x + self.dropout(x)
    Your second sum adds the first sum to itself. It adds what the feed-forward layer brings.
no attention: x = x + self.dropout(found) -> x = x
    What the heads bring is never used.
no feed-forward layer: x + self.dropout(self.narrow(inner)) -> x
    What the feed-forward layer brings is never used.
--- hint 3
no dropout: self.dropout(found) -> found && self.dropout(self.narrow(inner)) -> self.narrow(inner)
    `self.dropout` is never used. It falls on what each half brings, before it is added.
no dropout on what the heads bring: self.dropout(found) -> found
    There is no dropout on what the heads bring.
no dropout on what the feed-forward layer brings: self.dropout(self.narrow(inner)) \
        -> self.narrow(inner)
    There is no dropout on what the feed-forward layer brings.
dropout on a sum: x + self.dropout(found) -> self.dropout(x + found) \
        && x + self.dropout(self.narrow(inner)) -> self.dropout(x + self.narrow(inner))
    Your dropout falls on a sum, so the states themselves lose numbers. It falls on what each half
    brings, before it is added; the straight way loses nothing.
dropout on what the halves read: self.norm_1(x) -> self.dropout(self.norm_1(x)) \
        && self.dropout(found) -> found \
        && self.norm_2(x) -> self.dropout(self.norm_2(x)) \
        && self.dropout(self.narrow(inner)) -> self.narrow(inner)
    Your dropout falls on what goes into each half. It falls on what comes out, before it is added.
dropout on what the heads read: self.norm_1(x) -> self.dropout(self.norm_1(x)) \
        && self.dropout(found) -> found
    Your first dropout falls on what the heads read. It falls on what they bring.
dropout within the feed-forward layer: self.dropout(self.narrow(inner)) -> self.narrow(inner) \
        && functional.gelu(self.wide(self.norm_2(x))) \
        -> self.dropout(functional.gelu(self.wide(self.norm_2(x))))
    Your second dropout falls between the two linear layers. (Some models have one there, too.) Here
    it falls on what the narrow one gives.
dropout twice on what the heads bring: self.dropout(found) -> self.dropout(self.dropout(found))
    Your dropout falls twice on what the heads bring. Once.
dropout twice in the second half: functional.gelu(self.wide(self.norm_2(x))) \
        -> self.dropout(functional.gelu(self.wide(self.norm_2(x))))
    Your dropout falls twice in the second half: on what it brings, and before. (Some models do so.)
    Here it falls on what the half brings alone.
dropout twice in the first half: self.norm_1(x) -> self.dropout(self.norm_1(x))
    Your dropout falls twice in the first half: on what the heads bring, and on what they read. Here
    it falls on what they bring alone.
all positions lose the same numbers: self.dropout(found) \
        -> found * self.dropout(torch.ones_like(found[:, :1])) \
        && self.dropout(self.narrow(inner)) \
        -> self.narrow(inner) * self.dropout(torch.ones_like(x[:, :1]))
    All positions of a sentence lose the same numbers: that is the locked dropout of lesson 10. Give
    `self.dropout` what the half brings, whole.
a position loses all numbers or none: self.dropout(found) \
        -> found * self.dropout(torch.ones_like(found[..., :1])) \
        && self.dropout(self.narrow(inner)) \
        -> self.narrow(inner) * self.dropout(torch.ones_like(x[..., :1]))
    A position loses all its numbers, or none. Give `self.dropout` what the half brings, whole.
all sentences lose the same numbers: self.dropout(found) \
        -> found * self.dropout(torch.ones_like(found[:1])) \
        && self.dropout(self.narrow(inner)) \
        -> self.narrow(inner) * self.dropout(torch.ones_like(x[:1]))
    All sentences lose the same numbers. Give `self.dropout` what the half brings, whole.
one mask for both halves: found, _ = -> left = self.dropout(torch.ones_like(x)) ⏎found, _ = \
        && self.dropout(found) -> found * left \
        && self.dropout(self.narrow(inner)) -> self.narrow(inner) * left
    Both halves lose the same numbers. Call `self.dropout` once for each half.
0 divided by 0: self.dropout(found) -> (found * (torch.rand_like(found) >= self.dropout.p) \
        / (1 - self.dropout.p) if self.training else found) \
        && x + self.dropout(self.narrow(inner)) -> (x + self.narrow(inner) \
        * (torch.rand_like(x) >= self.dropout.p) / (1 - self.dropout.p) \
        if self.training else x + self.narrow(inner))
    With a dropout of 1 you divide 0 by 0, and that is nan. `self.dropout` knows this case: call it.
dropout after training, too: self.dropout(found) -> functional.dropout(found, self.dropout.p) \
        && self.dropout(self.narrow(inner)) \
        -> functional.dropout(self.narrow(inner), self.dropout.p)
    Your dropout goes on after training: `functional.dropout` drops unless it is told not to. Call
    `self.dropout(...)`, which knows.
dropout after training, too, on what the heads bring: self.dropout(found) \
        -> functional.dropout(found, self.dropout.p)
dropout after training, too, on what the feed-forward layer brings: \
        self.dropout(self.narrow(inner)) -> functional.dropout(self.narrow(inner), self.dropout.p)
    One of your two dropouts goes on after training: `functional.dropout` drops unless it is told
    not to. Call `self.dropout(...)`, which knows.
another dropout than was asked for: \
        self.dropout(found) -> functional.dropout(found, 0.1, self.training) \
        && self.dropout(self.narrow(inner)) \
        -> functional.dropout(self.narrow(inner), 0.1, self.training)
    Your dropout is 0.1, whatever the block was told. Call `self.dropout(...)`.
--- no hint
subtracted from the states: x = x + self.dropout(found) -> x = x - self.dropout(found)
    You subtract what the heads bring. It is added.
the second half is subtracted: x + self.dropout(self.narrow(inner)) \
        -> x - self.dropout(self.narrow(inner))
    You subtract what the feed-forward layer brings. It is added.
the way past the heads is cut: x = x + self.dropout(found) -> x = x.detach() + self.dropout(found)
    The states are right, but no gradient comes back past the heads: in the first sum you detach x.
    That straight way is what pre-norm is for.
the way past the feed-forward layer is cut: x + self.dropout(self.narrow(inner)) \
        -> x.detach() + self.dropout(self.narrow(inner))
    The states are right, but no gradient comes back past the second half: in the second sum you
    detach x. That straight way is what pre-norm is for.
cut off from autograd: return y -> return y.detach()
    The numbers are right, and nothing learns. Leave out `.detach()`.
a pair: return y -> return y, _
    Return the states alone.
"""

EXERCISE = Exercise(
    id="PreNormBlock",
    title="Pre-norm, with dropout",
    lesson=LESSON,
    points=2,
    difficulty=2,
    importance=5,
    minutes=5,
    reference=PreNormBlock,
    run=_run,
    cases=(
        Case("one sentence", _states((3,))),
        Case("sentences of 4, 2 and 3 tokens", _states((4, 2, 3), 6), weight=2),
        Case("looking to both sides", _states((4, 3), mask_of="both sides")),
        Case(
            "in training, with a dropout of 1",
            _states((3, 2), drop=ALL, training=True),
            weight=2,
            asks="Nothing is left of what the halves bring: the states come out as they went in.",
        ),
        Case("after training, with a dropout of 1", _states((3, 2), drop=ALL)),
        Case(
            "a dropout of 0.5 on what the heads bring",
            _states((6, 6), drop=0.5, silent="narrow"),
            asks="In training each number of it is dropped, or doubled.",
        ),
        Case(
            "a dropout of 0.5 on what the feed-forward layer brings",
            _states((6, 6), drop=0.5, silent="attention.out"),
            asks="In training each number of it is dropped, or doubled.",
        ),
        Case(
            "a dropout of 0.5 on both",
            _states((6,) * 8, drop=0.5, apart=True),
            edge=True,
            asks="Each half is dropped for itself.",
        ),
        Case("one token", _states((1,)), edge=True),
    ),
    mistakes=slips(_PreNormBlock, SLIPS),
    right_answers={"dropout as a function": _ByFunctions, "as the lesson writes it": _PreNormBlock},
    rtol=1e-3,
    atol=1e-4,
)
