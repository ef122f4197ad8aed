"""Exercise `scalar_mix`: one vector out of all layers, equation (1)."""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor

from autograde.checking.exercise import Case, Exercise, Inputs, Mistake
from autograde.exercises.scalar_mix_and_elmo import LESSON
from autograde.exercises.scalar_mix_and_elmo.layers import CUT_OFF, layers, run_with_learned
from elmo_mini.bilm import plain


def _weighted(layers: Tensor, s: Tensor) -> Tensor:
    return torch.einsum("j,j...->...", s, layers)


def _shares_from(w: Tensor, lowered: Tensor) -> Tensor:
    powers = torch.exp(w - lowered)
    return powers / powers.sum()


def _by_loop(layers: Any, w: Tensor, gamma: Tensor) -> Tensor:
    powers = [torch.exp(w_j - w.max()) for w_j in w]
    total = torch.zeros_like(layers[0])
    for power, layer in zip(powers, layers, strict=True):
        total = total + power / sum(powers) * layer
    return gamma * total


def _by_product(layers: Tensor, w: Tensor, gamma: Tensor) -> Tensor:
    flat = layers.reshape(len(w), -1)
    return (gamma * (w.softmax(0) @ flat)).reshape(layers.shape[1:])


def _case(
    lengths: tuple[int, ...],
    n_layers: int = 3,
    dim: int = 4,
    *,
    around: float = 1.0,
    apart: float = 0.0,
) -> Callable[[np.random.Generator], Inputs]:
    def make(rng: np.random.Generator) -> Inputs:
        return {
            **layers(lengths, n_layers, dim)(rng),
            "w": rng.standard_normal(n_layers) + around + np.linspace(0.0, apart, n_layers),
            "gamma": np.array(rng.uniform(0.2, 0.7)),
        }

    return make


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
        Case("weights of a thousand", _case((2, 3), around=1000.0), edge=True),
        Case("weights far apart", _case((2, 3), apart=1500.0), edge=True),
        Case("one layer alone", _case((3, 2), n_layers=1), edge=True),
        Case("five layers", _case((2, 4), n_layers=5), edge=True),
    ),
    mistakes=(
        Mistake(
            "no softmax",
            lambda h, w, g: g * _weighted(h, w),
            "You use the weights `w` as they are. In equation (1) they go through a softmax first: "
            "s = softmax(w), so that the shares are positive and sum to one.",
            hint=1,
        ),
        Mistake(
            "gamma is forgotten",
            lambda h, w, g: _weighted(h, w.softmax(0)),
            "The shares are right and the scale is missing: multiply by `gamma` at the end.",
            hint=1,
        ),
        Mistake(
            "neither softmax nor gamma",
            lambda h, w, g: _weighted(h, w),
            "Two things of equation (1) are missing: the softmax of the weights, and the factor "
            "`gamma`.",
            hint=1,
        ),
        Mistake(
            "gamma inside the softmax",
            lambda h, w, g: _weighted(h, (g * w).softmax(0)),
            "`gamma` stands inside your softmax, where it changes how far the shares lie apart. It "
            "scales the finished vector: outside, after the sum.",
            hint=2,
        ),
        Mistake(
            "the plain average",
            lambda h, w, g: g * h.mean(0),
            "This is the plain average of the layers, whatever `w` is. Each layer has a share of "
            "its own, softmax(w).",
            hint=1,
        ),
        Mistake(
            "the plain sum",
            lambda h, w, g: g * h.sum(0),
            "You add up the layers with equal weight. Multiply each by its share of softmax(w) "
            "first.",
            hint=1,
        ),
        Mistake(
            "the mean of the weighted layers",
            lambda h, w, g: g * _weighted(h, w.softmax(0)) / len(w),
            "You take the mean of the weighted layers. The shares sum to one already: the sum is "
            "the weighted mean, and another division makes it too small.",
            hint=2,
        ),
        Mistake(
            "a softmax over something else",
            lambda h, w, g: g * (h.softmax(0) * w.view(-1, *[1] * (h.dim() - 1))).sum(0),
            "Your softmax runs over the layers' vectors. It belongs to the weights: softmax(w).",
            hint=1,
        ),
        Mistake(
            "weights divided by their sum",
            lambda h, w, g: g * _weighted(h, w / w.sum()),
            "You divide the weights by their sum. A softmax takes the exponential first: with a "
            "negative weight your shares leave the range from 0 to 1.",
            hint=1,
        ),
        Mistake(
            "exponentials that are not divided",
            lambda h, w, g: g * _weighted(h, w.exp()),
            "Your exponentials are not divided by their sum, so the shares do not add up to one.",
            hint=2,
        ),
        Mistake(
            "a softmax that overflows",
            lambda h, w, g: g * _weighted(h, w.exp() / w.exp().sum()),
            "`exp` of a large weight is infinite, in single precision from 89 on. Subtract the "
            "largest weight first, or let `torch.softmax` do it.",
            hint=2,
        ),
        Mistake(
            "weights clamped before the softmax",
            lambda h, w, g: g * _weighted(h, w.clamp(-50, 50).softmax(0)),
            "Large weights are all alike in your softmax, as after a clamp: their shares become "
            "equal. Subtract the largest weight before `exp`, which changes no share, or let "
            "`torch.softmax` do it.",
            hint=2,
        ),
        Mistake(
            "something else than the largest comes off before exp",
            lambda h, w, g: g * _weighted(h, _shares_from(w, w.mean())),
            "What you subtract before `exp` is not the largest weight, so a weight far above it "
            "still overflows. Subtract `w.max()`, or let `torch.softmax` do it.",
            hint=2,
        ),
        Mistake(
            "the last layer is left out",
            lambda h, w, g: g * _weighted(h[:-1], w.softmax(0)[:-1]),
            "The last layer is never added. There are L + 1 of them, as many as `w` has "
            "numbers: look at where your loop ends.",
            hint=2,
        ),
        Mistake(
            "the token layer is left out",
            lambda h, w, g: g * _weighted(h[1:], w.softmax(0)[1:]),
            "Layer 0 is never added. The token layer has a share, too: look at where your "
            "loop begins.",
            hint=2,
        ),
        Mistake(
            "the softmax twice",
            lambda h, w, g: g * _weighted(h, w.softmax(0).softmax(0)),
            "Your weights go through a softmax twice, which brings the shares close to each "
            "other. Once is enough.",
            hint=1,
        ),
        Mistake(
            "the shares of minus w",
            lambda h, w, g: g * _weighted(h, (-w).softmax(0)),
            "Your largest weight gets the smallest share: the exponent has the wrong sign.",
            hint=1,
        ),
        Mistake(
            "sigmoids",
            lambda h, w, g: g * _weighted(h, w.sigmoid()),
            "You send each weight through a sigmoid on its own. A softmax lets the layers compete: "
            "the shares sum to one.",
            hint=1,
        ),
        Mistake(
            "only the top layer",
            lambda h, w, g: g * h[-1],
            "You return the top layer alone, as TagLM does. ELMo mixes all of them.",
            hint=1,
        ),
        Mistake(
            "the layer with the largest weight",
            lambda h, w, g: g * h[w.argmax()],
            "You choose the layer with the largest weight. The mix takes a share of every layer.",
            hint=1,
        ),
        Mistake(
            "cut off from both",
            lambda h, w, g: _weighted(h, w.detach().softmax(0)) * float(g.detach()),
            CUT_OFF,
            hint=2,
        ),
        Mistake(
            "w is cut off",
            lambda h, w, g: g * _weighted(h, w.detach().softmax(0)),
            "The numbers are right, and autograd cannot follow them back to `w`: the shares would "
            "stay as they are. No `.detach()`, `.data`, `.numpy()` or `torch.tensor` on the way.",
            hint=2,
        ),
        Mistake(
            "gamma is cut off",
            lambda h, w, g: float(g.detach()) * _weighted(h, w.softmax(0)),
            "The numbers are right, and autograd cannot follow them back to `gamma`. Multiply by "
            "the tensor, without `float()`, `.item()` or `.detach()`.",
            hint=2,
        ),
        Mistake(
            "the layers in reverse",
            lambda h, w, g: g * _weighted(h.flip(0), w.softmax(0)),
            "Your first weight goes to the last layer. Weight j belongs to layer j, the token "
            "layer first.",
            hint=2,
        ),
        Mistake(
            "gamma added",
            lambda h, w, g: g + _weighted(h, w.softmax(0)),
            "You add `gamma`. It is a factor.",
            hint=1,
        ),
        Mistake(
            "gamma added to each share",
            lambda h, w, g: _weighted(h, w.softmax(0) + g),
            "You add `gamma` to each share. It is a factor of the whole mix.",
            hint=1,
        ),
        Mistake(
            "weights divided by their sum, and gamma added",
            lambda h, w, g: g + _weighted(h, w / w.sum()),
            "Two things. You divide the weights by their sum: a softmax takes the exponential "
            "first. And you add `gamma`, which is a factor.",
            hint=1,
        ),
        Mistake(
            "the logarithm of the softmax, and no gamma",
            lambda h, w, g: _weighted(h, w.log_softmax(0)),
            "Two things. You use log_softmax: the shares are the softmax itself. And `gamma` is "
            "missing: multiply by it at the end.",
            hint=1,
        ),
        Mistake(
            "divided by gamma",
            lambda h, w, g: _weighted(h, w.softmax(0)) / g,
            "You divide by `gamma`. Multiply by it.",
            hint=1,
        ),
        Mistake(
            "the weighted layers are not added up",
            lambda h, w, g: g * h * w.softmax(0).view(-1, *[1] * (h.dim() - 1)),
            "Your layers are weighted and still apart. Add them up: one vector for each token.",
            hint=2,
        ),
        Mistake(
            "added up along the vector",
            lambda h, w, g: g * (h * w.softmax(0).view(-1, *[1] * (h.dim() - 1))).sum(-1),
            "You add up along the last axis, the numbers of a vector. The layers lie along the "
            "first: `.sum(0)`.",
            hint=2,
        ),
        Mistake(
            "added up over the sentences",
            lambda h, w, g: g * (h * w.softmax(0).view(-1, *[1] * (h.dim() - 1))).sum(1),
            "You add up over the sentences. The layers lie along the first axis: `.sum(0)`.",
            hint=2,
        ),
        Mistake(
            "the logarithm of the softmax",
            lambda h, w, g: g * _weighted(h, w.log_softmax(0)),
            "You use log_softmax, whose numbers are negative. The shares are the softmax itself.",
            hint=1,
        ),
        Mistake(
            "divided by the shares",
            lambda h, w, g: g * sum(s_j / h_j for s_j, h_j in zip(w.softmax(0), h, strict=True)),
            "You divide shares by layers. Multiply them.",
            hint=1,
        ),
        Mistake(
            "gamma over the mix",
            lambda h, w, g: g / _weighted(h, w.softmax(0)),
            "You divide `gamma` by the mix. Multiply them.",
            hint=1,
        ),
        Mistake(
            "weights along the last axis",
            lambda h, w, g: (
                g * (h * w.softmax(0)).sum(0)
                if h.shape[-1] in (1, len(w))
                else g * (h * w.softmax(0)[:1]).sum(0)
            ),
            "Your shares meet the numbers of each vector. They belong to the first axis, the "
            "layers.",
            hint=2,
        ),
    ),
    right_answers={
        "einsum": lambda h, w, g: g * _weighted(h, w.softmax(0)),
        "a loop": _by_loop,
        "a matrix product": _by_product,
    },
)
