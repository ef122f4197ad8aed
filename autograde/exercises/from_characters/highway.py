"""Exercise `highway`: a gate between the new and the old."""

import numpy as np
import torch
from torch import Tensor

from autograde.checking.exercise import Case, Exercise, Inputs, Random
from autograde.checking.slips import slips
from autograde.exercises.from_characters import LESSON
from autograde.exercises.from_characters.with_gradients import CUT_OFF, run_with_gradients


def reference(
    x: Tensor, W_transform: Tensor, b_transform: Tensor, W_carry: Tensor, b_carry: Tensor
) -> Tensor:
    """g * relu(x W_transform + b_transform) + (1 - g) * x, g = sigmoid(x W_carry + b_carry)."""
    new = torch.relu(x @ W_transform + b_transform)
    g = torch.sigmoid(x @ W_carry + b_carry)
    return g * new + (1 - g) * x


def _by_lerp(x: Tensor, w: Tensor, b: Tensor, w_gate: Tensor, b_gate: Tensor) -> Tensor:
    new = torch.nn.functional.linear(x, w.T, b).clamp(min=0)
    return torch.lerp(x, new, torch.nn.functional.linear(x, w_gate.T, b_gate).sigmoid())


def _by_einsum(x: Tensor, w: Tensor, b: Tensor, w_gate: Tensor, b_gate: Tensor) -> Tensor:
    old_share = torch.sigmoid(-torch.einsum("nf,fg->ng", x, w_gate) - b_gate)
    new = torch.einsum("nf,fg->ng", x, w) + b
    return old_share * x + (1 - old_share) * torch.where(new > 0, new, torch.zeros_like(new))


@Case.drawn
def _sizes(rng: Random, words: int, filters: int, bias: float = 0.0) -> Inputs:
    inputs = {
        "x": rng.standard_normal((words, filters)),
        "W_transform": rng.standard_normal((filters, filters)),
        "b_transform": rng.standard_normal(filters),
        "W_carry": rng.standard_normal((filters, filters)),
        "b_carry": bias + rng.standard_normal(filters),
    }
    return {name: value.astype(np.float32) for name, value in inputs.items()}


def _scores_of_a_thousand(rng: Random) -> Inputs:
    inputs: Inputs = _sizes(3, 4)(rng)
    return inputs | {"b_carry": np.array([1000, -1000, 1000, -1000], dtype=np.float32)}


SLIPS = f"""
--- hint 1
the gate is the other way round: g * new + (1 - g) * x -> (1 - g) * new + g * x
    Your gate multiplies the old. The name of `W_carry` says so, and the files mean the opposite: g
    goes with the new, 1 − g with x.
nothing is carried: + (1 - g) * x ->
    The second half is missing: what the gate does not let through from the new comes from x, with
    1 − g.
nothing new is made: g * new + ->
    The first half is missing: g times the new, relu(x W_transform + b_transform).
--- hint 2
one gate for the whole word: return g -> g = g.mean(-1, keepdim=True)⏎return g
one score for the whole word: \
        x @ W_carry + b_carry -> (x @ W_carry + b_carry).mean(-1, keepdim=True)
    You have one gate for a whole word. Every number of the vector has its own.
--- hint 1
all of x is carried: (1 - g) * x -> x
    You add all of x. A highway shares out: g of the new, 1 − g of the old. (Adding all of it is a
    residual connection.)
the new is not gated: g * new -> new
    The new comes through whole. Multiply it by g.
g twice: (1 - g) -> g
    Both halves are multiplied by g. The old has 1 − g.
1 + g for 1 - g: 1 - g -> 1 + g
    You carry (1 + g) x. What the new gets, the old loses: (1 − g) x.
--- hint 2
relu of the old, too: (1 - g) * x -> (1 - g) * torch.relu(x)
    You take relu of x as well. It belongs to the new alone; x is carried as it is.
no relu: torch.relu( -> (
    The new is not cut off at 0: relu is missing.
tanh for relu: torch.relu -> torch.tanh
    The new goes through tanh. Here it is relu.
sigmoid for relu: torch.relu -> torch.sigmoid
    The new goes through a sigmoid. Only the gate does; the new goes through relu.
relu at the end: torch.relu( -> ( && g * new + (1 - g) * x -> torch.relu(g * new + (1 - g) * x)
    You take relu of the whole. It belongs to the new alone; x may stay negative.
relu of everything: g * new + (1 - g) * x -> torch.relu(g * new + (1 - g) * x)
    You take relu a second time, of the whole. x may stay negative.
relu and sigmoid in each other's place: torch.relu -> torch.sigmoid && torch.sigmoid -> torch.relu
    relu and sigmoid stand in each other's place. The gate is a sigmoid, from 0 to 1, and the new
    goes through relu.
no sigmoid: torch.sigmoid( -> (
    Your gate has no sigmoid, so it leaves the range from 0 to 1.
tanh for the gate: torch.sigmoid -> torch.tanh
    Your gate is a tanh, which falls to −1. A gate runs from 0 to 1: sigmoid.
relu inside the gate: x @ W_carry + b_carry -> torch.relu(x @ W_carry + b_carry)
    Your gate has a relu inside its sigmoid, so it never shuts below one half. The sigmoid alone
    makes the gate.
softmax for sigmoid: \
        torch.sigmoid(x @ W_carry + b_carry) -> torch.softmax(x @ W_carry + b_carry, -1)
    You take a softmax, and the gates compete. Each opens and shuts by itself: sigmoid.
the sigmoid by hand: \
        torch.sigmoid(x @ W_carry + b_carry) -> 1 / (1 + torch.exp(-(x @ W_carry + b_carry)))
    The values are right, and with large scores the gradient is no number: the exponential overflows
    on the way back. `torch.sigmoid` does not.
--- hint 3
the exponential above and below the line: torch.sigmoid(x @ W_carry + b_carry) \
        -> torch.exp(x @ W_carry + b_carry) / (1 + torch.exp(x @ W_carry + b_carry))
    The formula is right, and breaks for large scores: infinity by infinity is no number. Use
    `torch.sigmoid`.
scores beyond {{limit}} are cut off: torch.sigmoid(x @ W_carry + b_carry) \
        -> torch.sigmoid((x @ W_carry + b_carry).clamp(-{{limit}}, {{limit}})) | limit = 5, 10
    You cut the scores off at {{limit}}, so the gate is never quite open or shut. `torch.sigmoid`
    needs no help.
the carried x is cut off: (1 - g) * x -> (1 - g) * x.detach()
    The numbers are right, and nothing is learnt through the x that is carried. Leave out
    `.detach()`.
the gate is cut off: torch.sigmoid(x @ W_carry + b_carry) \
        -> torch.sigmoid(x @ W_carry + b_carry).detach()
    The numbers are right, and the gate never learns. Leave out `.detach()`.
both matrices transposed: x @ W_transform -> x @ W_transform.T && x @ W_carry -> x @ W_carry.T
    Both matrices are turned around, as `nn.Linear` stores them. In the official files the vector
    stands on the left: `x @ W`.
the gate's matrix transposed: x @ W_carry -> x @ W_carry.T
    The gate's matrix is turned around. The vector stands on the left: `x @ W_carry`.
the new's matrix transposed: x @ W_transform -> x @ W_transform.T
    The matrix of the new is turned around. Write `x @ W_transform`.
no bias at the gate: + b_carry ->
    `b_carry` is missing. It is the number that the next section is about.
no bias at the new: + b_transform ->
    `b_transform` is missing.
no bias at all: + b_transform -> && + b_carry ->
    Both biases are missing.
the weights are in each other's place: W_transform + b_transform -> W_carry + b_carry \
        && W_carry + b_carry -> W_transform + b_transform
    You use the carry weights for the new and the transform weights for the gate.
one set of weights for both: W_carry + b_carry -> W_transform + b_transform
    Gate and new come from the same weights. The gate has its own, `W_carry`.
the start of the bias is added again: + b_carry -> + b_carry - 2
    Your gate has a −2 of its own. It is where `b_carry` starts in training; the `b_carry` that you
    are given has it inside.
the new's bias is subtracted: + b_transform -> - b_transform
    You subtract `b_transform`. Add it before relu.
the new is taken away: g * new + (1 - g) * x -> (1 - g) * x - g * new
    You subtract the new. Its share, g times the new, is added.
the old is taken away: + (1 - g) -> - (1 - g)
    Your share of x is negative. Add (1 − g) x; g − 1 is below 0.
the new is left out: g * new -> g
    You add g by itself. It is the share of the new: multiply it by relu(x W_transform +
    b_transform).
x is not carried: (1 - g) * x -> (1 - g)
    You add 1 − g by itself. It is the share of x that is carried: multiply it by x.
1 - x for 1 - g: (1 - g) * x -> g * (1 - x)
    You carry g (1 − x). It is the gate that is taken from 1: (1 − g) x.
the gate's bias is subtracted: + b_carry -> - b_carry
    You subtract `b_carry`. Add it: the gate is sigmoid(x W_carry + b_carry).
one sign is turned in the gate: x @ W_carry -> -x @ W_carry
    In your gate `x @ W_carry` and `b_carry` have opposite signs. g is the sigmoid of their sum, and
    1 − g the sigmoid of minus the whole sum.
the gate looks at the new: x @ W_carry -> new @ W_carry
the gate looks at the new before relu: \
        torch.relu( -> ( && x @ W_carry -> new @ W_carry && g * new -> g * torch.relu(new)
    Your gate is made from the new. It is made from x.
the bias outside the sigmoid: W_carry + b_carry) -> W_carry) + b_carry
    You add `b_carry` behind the sigmoid, so your gate leaves the range from 0 to 1. It belongs
    inside: sigmoid(x W_carry + b_carry).
the bias behind relu: W_transform + b_transform) -> W_transform) + b_transform
    You add `b_transform` after relu. It belongs inside: relu(x W + b).
--- no hint
cut off from autograd: g * new + (1 - g) * x -> (g * new + (1 - g) * x).detach()
    {CUT_OFF}
"""

SLIPS_OF_THE_OTHER_SIDE = """
--- hint 2
no sigmoid, from the other side: torch.sigmoid(-torch -> (-torch
    The share that you carry has no sigmoid, so it leaves the range from 0 to 1. 1 − g is
    sigmoid(−(x W_carry + b_carry)).
"""

EXERCISE = Exercise(
    id="highway",
    title="A gate between the new and the old",
    lesson=LESSON,
    points=2,
    difficulty=2,
    importance=4,
    minutes=8,
    reference=reference,
    run=run_with_gradients,
    cases=(
        Case("one word, two numbers", _sizes(1, 2)),
        Case("five words, four numbers", _sizes(5, 4), weight=2),
        Case("as many words as numbers", _sizes(3, 3)),
        Case("a gate nearly shut", _sizes(3, 4, bias=-30.0), edge=True),
        Case("scores of a thousand", _scores_of_a_thousand, edge=True),
    ),
    mistakes=(*slips(reference, SLIPS), *slips(_by_einsum, SLIPS_OF_THE_OTHER_SIDE)),
    right_answers={"lerp": _by_lerp, "einsum, from the other side": _by_einsum},
    atol=1e-5,
)
