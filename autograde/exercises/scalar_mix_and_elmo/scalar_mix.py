"""Exercise `scalar_mix`: one vector out of all layers, equation (1)."""

import numpy as np
import torch
from torch import Tensor

from autograde.checking.exercise import Case, Exercise, Inputs, Random
from autograde.checking.slips import slips
from autograde.exercises.scalar_mix_and_elmo import LESSON
from autograde.exercises.scalar_mix_and_elmo.layers import CUT_OFF, layers, run_with_learned
from elmo_mini.models import elmo as plain


def _by_axes(layers: Tensor, w: Tensor, gamma: Tensor) -> Tensor:
    s = torch.softmax(w, 0)
    weighted = s.view(-1, *[1] * (layers.dim() - 1)) * layers
    return gamma * weighted.sum(0)


def _by_loop(layers: Tensor, w: Tensor, gamma: Tensor) -> Tensor:
    powers = [torch.exp(w_j - w.max()) for w_j in w]
    total = torch.zeros(layers.shape[1:])
    for power, layer in zip(powers, layers, strict=True):
        total = total + power / sum(powers) * layer
    return gamma * total


def _by_product(layers: Tensor, w: Tensor, gamma: Tensor) -> Tensor:
    flat = layers.reshape(len(w), -1)
    return (gamma * (w.softmax(0) @ flat)).reshape(layers.shape[1:])


@Case.drawn
def _case(
    rng: Random,
    lengths: tuple[int, ...],
    n_layers: int = 3,
    dim: int = 4,
    *,
    around: float = 1.0,
    apart: float = 0.0,
) -> Inputs:
    made = layers(lengths, n_layers, dim)(rng)
    w = rng.standard_normal(n_layers) + around + np.linspace(0.0, apart, n_layers)
    gamma = np.array(rng.uniform(0.2, 0.7), dtype=np.float32)
    return {**made, "w": w.astype(np.float32), "gamma": gamma}


SLIPS = f"""
--- hint 1
added up along the vector: sum(0) -> sum(-1)
    You add up along the last axis, the numbers of a vector. The layers lie along the first:
    `.sum(0)`.
added up over the sentences: sum(0) -> sum(1)
    You add up over the sentences. The layers lie along the first axis: `.sum(0)`.
weights along the last axis: s.view(-1, *[1] * (layers.dim() - 1)) -> s
    Your shares meet the numbers of each vector. They belong to the first axis, the layers.
--- hint 2
exponentials that are not divided: torch.softmax(w, 0) -> w.exp()
    Your exponentials are not divided by their sum, so the shares do not add up to one.
a softmax that overflows: torch.softmax(w, 0) -> w.exp() / w.exp().sum()
    `exp` of a large weight is infinite, in single precision from 89 on. Subtract the largest weight
    first, or let `torch.softmax` do it.
weights clamped before the softmax: softmax(w, 0) -> softmax(w.clamp(-50, 50), 0)
    Large weights are all alike in your softmax, as after a clamp: their shares become equal.
    Subtract the largest weight before `exp`, which changes no share, or let `torch.softmax` do it.
something else than the largest comes off before exp: \
        torch.softmax(w, 0) -> torch.exp(w - w.mean())⏎s = s / s.sum()
    What you subtract before `exp` is not the largest weight, so a weight far above it still
    overflows. Subtract `w.max()`, or let `torch.softmax` do it.
the last layer is left out: weighted.sum(0) -> weighted[:-1].sum(0)
    The last layer is never added. There are L + 1 of them, as many as `w` has numbers: look at
    where your loop ends.
the token layer is left out: weighted.sum(0) -> weighted[1:].sum(0)
    Layer 0 is never added. The token layer has a share, too: look at where your loop begins.
the layers in reverse: * layers return -> * layers.flip(0)⏎return
    Your first weight goes to the last layer. Weight j belongs to layer j, the token layer first.
the weighted layers are not added up: .sum(0) ->
    Your layers are weighted and still apart. Add them up: one vector for each token.
no softmax: torch.softmax(w, 0) -> w
    You use the weights `w` as they are. In equation (1) they go through a softmax first: s =
    softmax(w), so that the shares are positive and sum to one.
the plain average: weighted.sum(0) -> layers.mean(0)
    This is the plain average of the layers, whatever `w` is. Each layer has a share of its own,
    softmax(w).
the plain sum: weighted.sum(0) -> layers.sum(0)
    You add up the layers with equal weight. Multiply each by its share of softmax(w) first.
a softmax over something else: \
        torch.softmax(w, 0) -> w && * layers return -> * torch.softmax(layers, 0)⏎return
    Your softmax runs over the layers' vectors. It belongs to the weights: softmax(w).
weights divided by their sum: torch.softmax(w, 0) -> w / w.sum()
    You divide the weights by their sum. A softmax takes the exponential first: with a negative
    weight your shares leave the range from 0 to 1.
the softmax twice: torch.softmax(w, 0) -> torch.softmax(torch.softmax(w, 0), 0)
    Your weights go through a softmax twice, which brings the shares close to each other. Once is
    enough.
the shares of minus w: softmax(w, 0) -> softmax(-w, 0)
    Your largest weight gets the smallest share: the exponent has the wrong sign.
sigmoids: torch.softmax(w, 0) -> torch.sigmoid(w)
    You send each weight through a sigmoid on its own. A softmax lets the layers compete: the shares
    sum to one.
the logarithm of the softmax: torch.softmax -> torch.log_softmax
    You use log_softmax, whose numbers are negative. The shares are the softmax itself.
--- hint 3
gamma is forgotten: gamma * ->
    The shares are right and the scale is missing: multiply by `gamma` at the end.
neither softmax nor gamma: torch.softmax(w, 0) -> w && gamma * ->
    Two things of equation (1) are missing: the softmax of the weights, and the factor `gamma`.
only the top layer: weighted.sum(0) -> layers[-1]
    You return the top layer alone, as TagLM does. ELMo mixes all of them.
the layer with the largest weight: weighted.sum(0) -> layers[w.argmax()]
    You choose the layer with the largest weight. The mix takes a share of every layer.
gamma added: gamma * -> gamma +
    You add `gamma`. It is a factor.
gamma added to each share: softmax(w, 0) -> softmax(w, 0) + gamma && gamma * weighted -> weighted
    You add `gamma` to each share. It is a factor of the whole mix.
gamma twice: gamma * -> gamma * gamma *
    You multiply by `gamma` twice. Once is enough.
the exponential of gamma: gamma * -> gamma.exp() *
    You take the exponential of `gamma`. It multiplies the mix as it is.
divided by gamma: gamma * weighted.sum(0) -> weighted.sum(0) / gamma
    You divide by `gamma`. Multiply by it.
divided by the shares: * layers return -> / layers⏎return
    You divide shares by layers. Multiply them.
gamma over the mix: gamma * -> gamma /
    You divide `gamma` by the mix. Multiply them.
gamma inside the softmax: softmax(w, 0) -> softmax(gamma * w, 0) && gamma * weighted -> weighted
    `gamma` stands inside your softmax, where it changes how far the shares lie apart. It scales the
    finished vector: outside, after the sum.
the mean of the weighted layers: weighted.sum(0) -> weighted.mean(0)
    You take the mean of the weighted layers. The shares sum to one already: the sum is the weighted
    mean, and another division makes it too small.
--- no hint
cut off from both: gamma * weighted.sum(0) -> (gamma * weighted.sum(0)).detach()
    {CUT_OFF}
w is cut off: softmax(w, 0) -> softmax(w.detach(), 0)
    The numbers are right, and autograd cannot follow them back to `w`: the shares would stay as
    they are. No `.detach()`, `.data`, `.numpy()` or `torch.tensor` on the way.
gamma is cut off: gamma * -> gamma.item() *
    The numbers are right, and autograd cannot follow them back to `gamma`. Multiply by the tensor,
    without `float()`, `.item()` or `.detach()`.
"""

SLIPS_OF_LOOP = """
--- hint 2
the share is upside down: power / sum(powers) -> sum(powers) / power
    Your shares are upside down. A share is the exponential divided by the sum of all.
no exponentials in the loop: torch.exp(w_j - w.max()) -> w_j - w.max()
    The exponential is missing: the shares are exp(w_j), divided by the sum of all of them.
the shares of minus w, in a loop: w_j - w.max() -> w.max() - w_j
    Your largest weight gets the smallest share: the exponent has the wrong sign.
the loop leaves out the token layer: \
        zip(powers, layers, strict=True) -> list(zip(powers, layers, strict=True))[1:]
    Layer 0 is never added. The token layer has a share, too: look at where your loop begins.
the loop leaves out the last layer: \
        zip(powers, layers, strict=True) -> list(zip(powers, layers, strict=True))[:-1]
    The last layer is never added. There are L + 1 of them, as many as `w` has numbers: look at
    where your loop ends.
--- no hint
each turn of the loop begins anew: total = total + power -> total = power
    Each turn of your loop throws away the sum so far, and the last layer is left alone. Add to it:
    `total = total + ...`.
the loop ends after one turn: sum(powers) * layer -> sum(powers) * layer⏎return gamma * total
    Your loop ends after its first turn, with layer 0 alone. `return` stands behind the loop, as far
    in as `for`.
"""

EXERCISE = Exercise(
    id="scalar_mix",
    title="One vector out of all layers",
    lesson=LESSON,
    points=2,
    difficulty=2,
    importance=5,
    minutes=8,
    reference=plain.scalar_mix,
    run=run_with_learned,
    cases=(
        Case("three layers, one sentence", _case((4,))),
        Case("three layers, three sentences", _case((5, 3, 4)), weight=2),
        Case("as many layers as sentences and words", _case((3, 3, 3), 3, dim=3)),
        Case("weights of a hundred", _case((2,), around=100.0), edge=True),
        Case("weights far apart", _case((2,), apart=1500.0), edge=True),
        Case("one layer alone", _case((3, 2), n_layers=1), edge=True),
        Case("five layers", _case((2, 4), n_layers=5), edge=True),
    ),
    mistakes=(*slips(_by_axes, SLIPS), *slips(_by_loop, SLIPS_OF_LOOP)),
    right_answers={"by axes": _by_axes, "a loop": _by_loop, "a matrix product": _by_product},
    atol=2e-5,
)
