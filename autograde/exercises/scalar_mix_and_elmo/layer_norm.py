"""Exercise `layer_norm`: one mean and one variance for a whole layer, padding left out."""

from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor

from autograde.checking.differentiable import run_differentiably
from autograde.checking.exercise import Case, Exercise, Inputs, Mistake
from autograde.exercises.scalar_mix_and_elmo import LESSON
from autograde.exercises.scalar_mix_and_elmo.layers import layers
from elmo_mini.bilm import plain


def _normal(
    layer: Tensor,
    mask: Tensor,
    *,
    dims: tuple[int, ...] | None = None,
    padding: bool = False,
    unbiased: bool = False,
    of_words: bool = False,
    power: float = 0.5,
    centre: bool = True,
    squares: bool = False,
) -> Tensor:
    """The norm with one thing done otherwise."""
    kept = torch.ones_like(layer) if padding else mask.unsqueeze(-1).expand_as(layer).to(layer)
    axes = tuple(range(layer.dim())) if dims is None else dims
    count = kept.sum(axes, keepdim=True).clamp(min=1.0)
    if of_words:
        count = count / layer.shape[-1]
    mean = (layer * kept).sum(axes, keepdim=True) / count
    away = layer if squares else layer - mean
    variance = (away.square() * kept).sum(axes, keepdim=True) / (count - int(unbiased))
    return (away if centre else layer) / (variance + plain.TINY) ** power


def _chosen(layer: Tensor, mask: Tensor) -> Tensor:
    words = layer[mask]
    return (layer - words.mean()) / (words.var(unbiased=False) + plain.TINY).sqrt()


def _by_moments(layer: Tensor, mask: Tensor) -> Tensor:
    words = layer[mask]
    variance = (words**2).mean() - words.mean() ** 2
    return (layer - words.mean()) * torch.rsqrt(variance + plain.TINY)


def _padding_as_zero(layer: Tensor, mask: Tensor) -> Tensor:
    emptied = layer * mask.unsqueeze(-1)
    away = layer - emptied.mean()
    return away / (emptied.var(unbiased=False) + plain.TINY).sqrt()


def _padded_variance(layer: Tensor, mask: Tensor) -> Tensor:
    emptied = (layer - layer[mask].mean()) * mask.unsqueeze(-1)
    return (layer - layer[mask].mean()) / (emptied.square().mean() + plain.TINY).sqrt()


def _case(lengths: tuple[int, ...], dim: int = 4) -> Callable[[np.random.Generator], Inputs]:
    def make(rng: np.random.Generator) -> Inputs:
        made = layers(lengths, 1, dim, masked=True)(rng)
        return {"layer": 3.0 * made["layers"][0] + 0.7, "mask": made["mask"]}

    return make


def _flat(rng: np.random.Generator) -> Inputs:
    return {"layer": np.full((2, 3, 4), 2.5), "mask": np.ones((2, 3), dtype=bool)}


def _normalised(inputs: Inputs, outputs: object) -> object:
    """What stands at padding is nobody's affair, unless the shape is wrong."""
    if isinstance(outputs, np.ndarray) and outputs.shape == inputs["layer"].shape:
        return np.where(inputs["mask"][..., None], outputs, 0.0)
    return outputs


EXERCISE = Exercise(
    id="layer_norm",
    title="The norm of a layer",
    lesson=LESSON,
    points=2,
    difficulty=3,
    importance=2,
    minutes=10,
    reference=plain.layer_norm,
    run=run_differentiably,
    view=_normalised,  # type: ignore[arg-type]
    cases=(
        Case("two sentences of one length", _case((4, 4)), weight=2),
        Case("sentences of different lengths", _case((5, 2, 3)), weight=2),
        Case("one sentence", _case((6,))),
        Case("one word", _case((1,)), edge=True),
        Case("a layer whose numbers are all the same", _flat, edge=True),
    ),
    mistakes=(
        Mistake(
            "padding is counted",
            lambda h, m: _normal(h, m, padding=True),
            "Padding takes part in your mean and variance. Take both over the words alone: the "
            "mask says which these are.",
            hint=2,
        ),
        Mistake(
            "padding counts as zeros",
            _padding_as_zero,
            "You set padding to zero, and the zeros still count. Divide by the number of numbers "
            "that are there: words times the length of a vector.",
            hint=3,
        ),
        Mistake(
            "the variance divides by padding too",
            _padded_variance,
            "Your mean is right. The squares are added up over the words, and divided by the "
            "number of all places, padding among them.",
            hint=3,
        ),
        Mistake(
            "each token for itself",
            lambda h, m: _normal(h, m, dims=(-1,)),
            "You normalise each token's vector for itself, as `nn.LayerNorm` does. ELMo takes one "
            "mean and one variance over the whole layer of the batch.",
            hint=1,
        ),
        Mistake(
            "each number of the vector for itself",
            lambda h, m: _normal(h, m, dims=(0, 1)),
            "You take a mean for each position of the vector, as batch norm does. Here one mean "
            "and one variance serve the whole layer.",
            hint=1,
        ),
        Mistake(
            "each sentence for itself",
            lambda h, m: _normal(h, m, dims=(1, 2)),
            "You take a mean and a variance for each sentence. One pair serves the whole batch.",
            hint=1,
        ),
        Mistake(
            "the unbiased variance",
            lambda h, m: _normal(h, m, unbiased=True),
            "You divide the squares by n - 1, as `var` does unless told otherwise. Divide by n: "
            "`unbiased=False`.",
            hint=3,
        ),
        Mistake(
            "divided by the number of words",
            lambda h, m: _normal(h, m, of_words=True),
            "You divide by the number of words. Each word brings as many numbers as its vector "
            "is long: divide by the number of numbers.",
            hint=3,
        ),
        Mistake(
            "divided by the variance",
            lambda h, m: _normal(h, m, power=1.0),
            "You divide by the variance. Divide by its square root, the standard deviation.",
            hint=2,
        ),
        Mistake(
            "the mean is not taken off",
            lambda h, m: _normal(h, m, centre=False),
            "The scale is right, and the mean is still there: subtract it.",
            hint=2,
        ),
        Mistake(
            "squares around zero",
            lambda h, m: _normal(h, m, squares=True),
            "You divide by the root of the mean square and leave the mean where it is. The "
            "variance is the mean square of the distance from the mean.",
            hint=2,
        ),
        Mistake(
            "no small number under the root",
            lambda h, m: (h - h[m].mean()) / h[m].std(unbiased=False),
            "Where all numbers are the same, the variance is 0 and you divide 0 by 0. Add the "
            "small number under the root.",
            hint=2,
        ),
    ),
    right_answers={"by indexing": _chosen, "two moments": _by_moments, "sums over a mask": _normal},
)
