"""Exercise `highway`: a gate between the new and the old."""

from typing import Any

import numpy as np
import torch
from torch import Tensor

from autograde.checking.exercise import Case, Exercise, Inputs, Mistake
from autograde.exercises.from_characters import LESSON
from autograde.exercises.from_characters.with_gradients import (
    CUT_OFF,
    cut_off,
    run_with_gradients,
)


def reference(
    x: Tensor, W_transform: Tensor, b_transform: Tensor, W_carry: Tensor, b_carry: Tensor
) -> Tensor:
    """g * relu(x W_transform + b_transform) + (1 - g) * x, g = sigmoid(x W_carry + b_carry)."""
    g = torch.sigmoid(x @ W_carry + b_carry)
    return g * torch.relu(x @ W_transform + b_transform) + (1 - g) * x


def _sizes(words: int, filters: int, bias: float = 0.0, scale: float = 1.0) -> Any:
    def make(rng: np.random.Generator) -> Inputs:
        def draw(*shape: int) -> np.ndarray:
            return scale * rng.standard_normal(shape)

        return {
            "x": draw(words, filters),
            "W_transform": draw(filters, filters),
            "b_transform": draw(filters),
            "W_carry": draw(filters, filters),
            "b_carry": bias + draw(filters),
        }

    return make


def _by_lerp(x: Tensor, w: Tensor, b: Tensor, w_gate: Tensor, b_gate: Tensor) -> Tensor:
    new = torch.nn.functional.linear(x, w.T, b).clamp(min=0)
    return torch.lerp(x, new, torch.nn.functional.linear(x, w_gate.T, b_gate).sigmoid())


def _by_einsum(x: Tensor, w: Tensor, b: Tensor, w_gate: Tensor, b_gate: Tensor) -> Tensor:
    old_share = torch.sigmoid(-torch.einsum("nf,fg->ng", x, w_gate) - b_gate)
    new = torch.einsum("nf,fg->ng", x, w) + b
    return old_share * x + (1 - old_share) * torch.where(new > 0, new, torch.zeros_like(new))


def _parts(
    x: Tensor, w: Tensor, b: Tensor, w_gate: Tensor, b_gate: Tensor
) -> tuple[Tensor, Tensor]:
    return torch.sigmoid(x @ w_gate + b_gate), torch.relu(x @ w + b)


def _swapped(x: Tensor, *weights: Tensor) -> Tensor:
    g, new = _parts(x, *weights)
    return (1 - g) * new + g * x


def _no_carry(x: Tensor, *weights: Tensor) -> Tensor:
    g, new = _parts(x, *weights)
    return g * new


def _plain_sum(x: Tensor, *weights: Tensor) -> Tensor:
    g, new = _parts(x, *weights)
    return g * new + x


def _gate_on_the_old_alone(x: Tensor, *weights: Tensor) -> Tensor:
    g, new = _parts(x, *weights)
    return new + (1 - g) * x


def _half_and_half(x: Tensor, *weights: Tensor) -> Tensor:
    g, new = _parts(x, *weights)
    return g * new + g * x


def _old_taken_away(x: Tensor, *weights: Tensor) -> Tensor:
    g, new = _parts(x, *weights)
    return g * new - (1 - g) * x


def _new_taken_away(x: Tensor, *weights: Tensor) -> Tensor:
    g, new = _parts(x, *weights)
    return (1 - g) * x - g * new


def _relu_of_the_old(x: Tensor, *weights: Tensor) -> Tensor:
    g, new = _parts(x, *weights)
    return g * new + (1 - g) * torch.relu(x)


def _more_than_x(x: Tensor, *weights: Tensor) -> Tensor:
    g, new = _parts(x, *weights)
    return g * new + (1 + g) * x


def _share_alone(x: Tensor, *weights: Tensor) -> Tensor:
    g, new = _parts(x, *weights)
    return g * new + (1 - g)


def _one_gate_a_word(x: Tensor, *weights: Tensor) -> Tensor:
    g, new = _parts(x, *weights)
    g = g.mean(-1, keepdim=True)
    return g * new + (1 - g) * x


def _gate_of_the_new(x: Tensor, w: Tensor, b: Tensor, w_gate: Tensor, b_gate: Tensor) -> Tensor:
    new = torch.relu(x @ w + b)
    g = torch.sigmoid(new @ w_gate + b_gate)
    return g * new + (1 - g) * x


def _one_score_a_word(x: Tensor, w: Tensor, b: Tensor, w_gate: Tensor, b_gate: Tensor) -> Tensor:
    g = torch.sigmoid((x @ w_gate + b_gate).mean(-1, keepdim=True))
    return g * torch.relu(x @ w + b) + (1 - g) * x


def _exchanged(x: Tensor, w: Tensor, b: Tensor, w_gate: Tensor, b_gate: Tensor) -> Tensor:
    g = torch.relu(x @ w_gate + b_gate)
    return g * torch.sigmoid(x @ w + b) + (1 - g) * x


def _gate_of_the_uncut(x: Tensor, w: Tensor, b: Tensor, w_gate: Tensor, b_gate: Tensor) -> Tensor:
    new = x @ w + b
    g = torch.sigmoid(new @ w_gate + b_gate)
    return g * torch.relu(new) + (1 - g) * x


def _gate_of_the_uncut_relu_at_the_end(
    x: Tensor, w: Tensor, b: Tensor, w_gate: Tensor, b_gate: Tensor
) -> Tensor:
    new = x @ w + b
    g = torch.sigmoid(new @ w_gate + b_gate)
    return torch.relu(g * new + (1 - g) * x)


def _swapped_without_relu(
    x: Tensor, w: Tensor, b: Tensor, w_gate: Tensor, b_gate: Tensor
) -> Tensor:
    return torch.lerp(x @ w + b, x, torch.sigmoid(x @ w_gate + b_gate))


def _softmax_gate(x: Tensor, w: Tensor, b: Tensor, w_gate: Tensor, b_gate: Tensor) -> Tensor:
    g = torch.softmax(x @ w_gate + b_gate, -1)
    return g * torch.relu(x @ w + b) + (1 - g) * x


def _sigmoid_by_hand(x: Tensor, w: Tensor, b: Tensor, w_gate: Tensor, b_gate: Tensor) -> Tensor:
    g = 1 / (1 + torch.exp(-(x @ w_gate + b_gate)))
    return g * torch.relu(x @ w + b) + (1 - g) * x


def _other_activation(activation: Any) -> Any:
    def answer(x: Tensor, w: Tensor, b: Tensor, w_gate: Tensor, b_gate: Tensor) -> Tensor:
        g = torch.sigmoid(x @ w_gate + b_gate)
        return g * activation(x @ w + b) + (1 - g) * x

    return answer


def _rest_of_x(x: Tensor, *weights: Tensor) -> Tensor:
    g, new = _parts(x, *weights)
    return g * new + g * (1 - x)


def _open_gate(x: Tensor, w: Tensor, b: Tensor, w_gate: Tensor, b_gate: Tensor) -> Tensor:
    g = x @ w_gate + b_gate
    return g * torch.relu(x @ w + b) + (1 - g) * x


def _open_old_share(x: Tensor, w: Tensor, b: Tensor, w_gate: Tensor, b_gate: Tensor) -> Tensor:
    old_share = -(x @ w_gate + b_gate)
    return (1 - old_share) * torch.relu(x @ w + b) + old_share * x


def _relu_in_the_gate(x: Tensor, w: Tensor, b: Tensor, w_gate: Tensor, b_gate: Tensor) -> Tensor:
    g = torch.sigmoid(torch.relu(x @ w_gate + b_gate))
    return g * torch.relu(x @ w + b) + (1 - g) * x


def _bias_behind_sigmoid(x: Tensor, w: Tensor, b: Tensor, w_gate: Tensor, b_gate: Tensor) -> Tensor:
    g = torch.sigmoid(x @ w_gate) + b_gate
    return g * torch.relu(x @ w + b) + (1 - g) * x


def _tanh_gate(x: Tensor, w: Tensor, b: Tensor, w_gate: Tensor, b_gate: Tensor) -> Tensor:
    g = torch.tanh(x @ w_gate + b_gate)
    return g * torch.relu(x @ w + b) + (1 - g) * x


def _bias_behind_relu(x: Tensor, w: Tensor, b: Tensor, w_gate: Tensor, b_gate: Tensor) -> Tensor:
    g = torch.sigmoid(x @ w_gate + b_gate)
    return g * (torch.relu(x @ w) + b) + (1 - g) * x


ONE_GATE = "You have one gate for a whole word. Every number of the vector has its own."
GATE_OF_THE_NEW = "Your gate is made from the new. It is made from x."
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
        Case("scores of a thousand", _sizes(3, 4, scale=40.0), edge=True),
    ),
    mistakes=(
        Mistake(
            "the gate is the other way round",
            _swapped,
            "Your gate multiplies the old. The name of `W_carry` says so, and the files mean the "
            "opposite: g goes with the new, 1 − g with x.",
            hint=1,
        ),
        Mistake(
            "nothing is carried",
            _no_carry,
            "The second half is missing: what the gate does not let through from the new comes "
            "from x, with 1 − g.",
            hint=1,
        ),
        Mistake(
            "nothing new is made",
            lambda x, *weights: (1 - _parts(x, *weights)[0]) * x,
            "The first half is missing: g times the new, relu(x W_transform + b_transform).",
            hint=1,
        ),
        Mistake(
            "the new's bias is subtracted",
            lambda x, w, b, c, d: reference(x, w, -b, c, d),
            "You subtract `b_transform`. Add it before relu.",
            hint=2,
        ),
        Mistake(
            "the new is taken away",
            _new_taken_away,
            "You subtract the new. Its share, g times the new, is added.",
            hint=1,
        ),
        Mistake(
            "all of x is carried",
            _plain_sum,
            "You add all of x. A highway shares out: g of the new, 1 − g of the old. (Adding all "
            "of it is a residual connection.)",
            hint=1,
        ),
        Mistake(
            "the new is not gated",
            _gate_on_the_old_alone,
            "The new comes through whole. Multiply it by g.",
            hint=1,
        ),
        Mistake(
            "g twice",
            _half_and_half,
            "Both halves are multiplied by g. The old has 1 − g.",
            hint=1,
        ),
        Mistake(
            "the old is taken away",
            _old_taken_away,
            "Your share of x is negative. Add (1 − g) x; g − 1 is below 0.",
            hint=1,
        ),
        Mistake(
            "1 + g for 1 - g",
            _more_than_x,
            "You carry (1 + g) x. What the new gets, the old loses: (1 − g) x.",
            hint=1,
        ),
        Mistake(
            "x is not carried",
            _share_alone,
            "You add 1 − g by itself. It is the share of x that is carried: multiply it by x.",
            hint=1,
        ),
        Mistake(
            "relu of the old, too",
            _relu_of_the_old,
            "You take relu of x as well. It belongs to the new alone; x is carried as it is.",
            hint=2,
        ),
        Mistake(
            "no relu",
            _other_activation(lambda new: new),
            "The new is not cut off at 0: relu is missing.",
            hint=2,
        ),
        Mistake(
            "tanh for relu",
            _other_activation(torch.tanh),
            "The new goes through tanh. Here it is relu.",
            hint=2,
        ),
        Mistake(
            "sigmoid for relu",
            _other_activation(torch.sigmoid),
            "The new goes through a sigmoid. Only the gate does; the new goes through relu.",
            hint=2,
        ),
        Mistake(
            "relu at the end",
            lambda x, w, b, c, d: torch.relu(_other_activation(lambda new: new)(x, w, b, c, d)),
            "You take relu of the whole. It belongs to the new alone; x may stay negative.",
            hint=2,
        ),
        Mistake(
            "relu of everything",
            lambda *a: torch.relu(reference(*a)),
            "You take relu a second time, of the whole. x may stay negative.",
            hint=2,
        ),
        Mistake(
            "both matrices transposed",
            lambda x, w, b, c, d: reference(x, w.T, b, c.T, d),
            "Both matrices are turned around, as `nn.Linear` stores them. In the official files "
            "the vector stands on the left: `x @ W`.",
            hint=3,
        ),
        Mistake(
            "the gate's matrix transposed",
            lambda x, w, b, c, d: reference(x, w, b, c.T, d),
            "The gate's matrix is turned around. The vector stands on the left: `x @ W_carry`.",
            hint=3,
        ),
        Mistake(
            "the new's matrix transposed",
            lambda x, w, b, c, d: reference(x, w.T, b, c, d),
            "The matrix of the new is turned around. Write `x @ W_transform`.",
            hint=3,
        ),
        Mistake(
            "no bias at the gate",
            lambda x, w, b, c, d: reference(x, w, b, c, 0 * d),
            "`b_carry` is missing. It is the number that the next section is about.",
            hint=3,
        ),
        Mistake(
            "the gate's bias is subtracted",
            lambda x, w, b, c, d: reference(x, w, b, c, -d),
            "You subtract `b_carry`. Add it: the gate is sigmoid(x W_carry + b_carry).",
            hint=2,
        ),
        Mistake(
            "one sign is turned in the gate",
            lambda x, w, b, c, d: reference(x, w, b, -c, d),
            "In your gate `x @ W_carry` and `b_carry` have opposite signs. g is the sigmoid of "
            "their sum, and 1 − g the sigmoid of minus the whole sum.",
            hint=2,
        ),
        Mistake(
            "no bias at the new",
            lambda x, w, b, c, d: reference(x, w, 0 * b, c, d),
            "`b_transform` is missing.",
            hint=3,
        ),
        Mistake(
            "the weights are in each other's place",
            lambda x, w, b, c, d: reference(x, c, d, w, b),
            "You use the carry weights for the new and the transform weights for the gate.",
            hint=3,
        ),
        Mistake(
            "one set of weights for both",
            lambda x, w, b, c, d: reference(x, w, b, w, b),
            "Gate and new come from the same weights. The gate has its own, `W_carry`.",
            hint=3,
        ),
        Mistake(
            "the gate looks at the new",
            _gate_of_the_new,
            GATE_OF_THE_NEW,
            hint=2,
        ),
        Mistake(
            "one gate for the whole word",
            _one_gate_a_word,
            ONE_GATE,
            hint=1,
        ),
        Mistake("one score for the whole word", _one_score_a_word, ONE_GATE, hint=1),
        Mistake(
            "relu and sigmoid in each other's place",
            _exchanged,
            "relu and sigmoid stand in each other's place. The gate is a sigmoid, from 0 to 1, and "
            "the new goes through relu.",
            hint=2,
        ),
        Mistake(
            "the gate is the other way round, and no relu",
            _swapped_without_relu,
            "Two things. Your gate multiplies the old: g goes with the new, 1 − g with x. And the "
            "new is not cut off at 0: relu is missing.",
            hint=1,
        ),
        Mistake(
            "the gate looks at the new before relu",
            _gate_of_the_uncut,
            GATE_OF_THE_NEW,
            hint=2,
        ),
        Mistake(
            "the gate looks at the new, and relu comes at the end",
            _gate_of_the_uncut_relu_at_the_end,
            f"Two things. {GATE_OF_THE_NEW} And you take relu of the whole: it belongs to the new "
            "alone, and x may stay negative.",
            hint=2,
        ),
        Mistake(
            "tanh for relu, and no bias at the gate",
            lambda x, w, b, c, d: _other_activation(torch.tanh)(x, w, b, c, 0 * d),
            "Two things. The new goes through tanh, and here it is relu. And `b_carry` is missing.",
            hint=2,
        ),
        Mistake(
            "1 - x for 1 - g",
            _rest_of_x,
            "You carry g (1 − x). It is the gate that is taken from 1: (1 − g) x.",
            hint=1,
        ),
        Mistake(
            "no sigmoid",
            _open_gate,
            "Your gate has no sigmoid, so it leaves the range from 0 to 1.",
            hint=2,
        ),
        Mistake(
            "no sigmoid, from the other side",
            _open_old_share,
            "The share that you carry has no sigmoid, so it leaves the range from 0 to 1. 1 − g is "
            "sigmoid(−(x W_carry + b_carry)).",
            hint=2,
        ),
        Mistake(
            "the bias outside the sigmoid",
            _bias_behind_sigmoid,
            "You add `b_carry` behind the sigmoid, so your gate leaves the range from 0 to 1. It "
            "belongs inside: sigmoid(x W_carry + b_carry).",
            hint=2,
        ),
        Mistake(
            "tanh for the gate",
            _tanh_gate,
            "Your gate is a tanh, which falls to −1. A gate runs from 0 to 1: sigmoid.",
            hint=2,
        ),
        Mistake(
            "the start of the bias is added again",
            lambda x, w, b, c, d: reference(x, w, b, c, d - 2),
            "Your gate has a −2 of its own. It is where `b_carry` starts in training; the "
            "`b_carry` that you are given has it inside.",
            hint=3,
        ),
        Mistake(
            "relu inside the gate",
            _relu_in_the_gate,
            "Your gate has a relu inside its sigmoid, so it never shuts below one half. The "
            "sigmoid alone makes the gate.",
            hint=2,
        ),
        Mistake(
            "the bias behind relu",
            _bias_behind_relu,
            "You add `b_transform` after relu. It belongs inside: relu(x W + b).",
            hint=2,
        ),
        Mistake(
            "no bias at all",
            lambda x, w, b, c, d: reference(x, w, 0 * b, c, 0 * d),
            "Both biases are missing.",
            hint=3,
        ),
        Mistake(
            "softmax for sigmoid",
            _softmax_gate,
            "You take a softmax, and the gates compete. Each opens and shuts by itself: sigmoid.",
            hint=2,
        ),
        Mistake(
            "the sigmoid by hand",
            _sigmoid_by_hand,
            "The values are right, and with large scores the gradient is no number: the "
            "exponential overflows on the way back. `torch.sigmoid` does not.",
            hint=2,
        ),
        Mistake("cut off from autograd", cut_off(reference), CUT_OFF),
    ),
    right_answers={"lerp": _by_lerp, "einsum, from the other side": _by_einsum},
)
