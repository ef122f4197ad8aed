"""Exercise `ScalarMix`: the mix as a module, with the norm of a layer."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from autograde.checking.differentiable import OWN_FROZEN, slopes, tensor_of
from autograde.checking.exercise import (
    Answer,
    AnswerRefused,
    Case,
    Exercise,
    Inputs,
    Mistake,
    Plain,
    plain,
)
from autograde.exercises.scalar_mix_and_elmo import LESSON
from autograde.exercises.scalar_mix_and_elmo.layers import layers
from elmo_mini.bilm.plain import TINY, ScalarMix, layer_norm, scalar_mix

Norm = Callable[[Tensor, Tensor], Tensor]


def _case(
    lengths: tuple[int, ...],
    norm: bool,
    *,
    n_layers: int = 3,
    dim: int = 4,
    flat: bool = False,
) -> Callable[[np.random.Generator], Inputs]:
    def make(rng: np.random.Generator) -> Inputs:
        made = layers(lengths, n_layers, dim, masked=True)(rng)
        rows = 3.0 * made["layers"] + 0.7
        if flat:
            rows[0] = 2.5
        return {
            "n_layers": n_layers,
            "do_layer_norm": norm,
            "layers": rows,
            "mask": made["mask"],
            "w": rng.standard_normal(n_layers),
            "gamma": float(rng.uniform(0.2, 0.7)),
        }

    return make


def _run(answer: Answer, inputs: Inputs) -> Plain:
    """What it gives at the start, with other weights, and what these learn."""
    mix = answer(inputs["n_layers"], inputs["do_layer_norm"])
    if not isinstance(mix, nn.Module):
        raise AnswerRefused(
            "`ScalarMix(n_layers, do_layer_norm)` should give a module of PyTorch. Keep the first "
            "line, `class ScalarMix(nn.Module):`."
        )
    w, gamma = (getattr(mix, name, None) for name in ("w", "gamma"))
    for name, found, size in (("w", w, inputs["n_layers"]), ("gamma", gamma, 1)):
        if not isinstance(found, nn.Parameter):
            raise AnswerRefused(
                f"`self.{name}` is no parameter, so no optimiser will find it. Write "
                f"`self.{name} = nn.Parameter(...)` in `__init__`."
            )
        if found.numel() != size:
            numbers = "one number" if size == 1 else f"{size} numbers, one for each layer"
            raise AnswerRefused(f"`self.{name}` holds {found.numel()} numbers. It takes {numbers}.")
    assert isinstance(w, Tensor)
    assert isinstance(gamma, Tensor)
    if w.max() > w.min():
        raise AnswerRefused(
            "The numbers of `self.w` differ at the start. Start them at zeros: then the mix begins "
            "as the plain average."
        )
    starts_at_zeros = bool((w == 0).all())
    mix.double()
    given = [torch.from_numpy(layer.copy()) for layer in inputs["layers"]]
    rows = list(given)
    mask = torch.from_numpy(inputs["mask"].copy())
    at_the_start = tensor_of(lambda: mix(rows, mask))
    with torch.no_grad():
        w.copy_(torch.from_numpy(inputs["w"]).view_as(w))
        gamma.fill_(inputs["gamma"])
    mixed = tensor_of(lambda: mix(rows, mask))
    if [*map(id, rows)] != [*map(id, given)]:
        raise AnswerRefused(
            "Your mix changed the list of layers that it was given. Build a new list: whoever "
            "called it still needs the layers as they were."
        )
    for layer, before in zip(rows, inputs["layers"], strict=True):
        if not np.array_equal(layer.numpy(), before):
            raise AnswerRefused("Your mix changed a layer that it was given. Build a new tensor.")
    there = mask.unsqueeze(-1)
    loss = (mixed * there).square().sum() if mixed.shape == rows[0].shape else mixed.sum()
    taught = [*slopes(loss, {"self.w": w, "self.gamma": gamma}, OWN_FROZEN).values()]
    return {
        "w starts at zeros": starts_at_zeros,
        "vectors at the start": plain(at_the_start),
        "vectors with other weights": plain(mixed),
        "their gradient for `w`": None if taught[0] is None else plain(taught[0].flatten()),
        "their gradient for `gamma`": None if taught[1] is None else float(taught[1].sum()),
    }


def _at_words(inputs: Inputs, outputs: Plain) -> Plain:
    """What stands at padding is nobody's affair, unless the shape is wrong."""
    if not isinstance(outputs, dict):
        return outputs

    def view(value: Any) -> Any:
        if isinstance(value, np.ndarray) and value.shape == inputs["layers"].shape[1:]:
            return np.where(inputs["mask"][..., None], value, 0.0)
        return value

    return {name: view(value) for name, value in outputs.items()}


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
    return (away if centre else layer) / (variance + TINY) ** power


def _padding_as_zero(layer: Tensor, mask: Tensor) -> Tensor:
    emptied = layer * mask.unsqueeze(-1)
    away = layer - emptied.mean()
    return away / (emptied.var(unbiased=False) + TINY).sqrt()


def _padded_variance(layer: Tensor, mask: Tensor) -> Tensor:
    emptied = (layer - layer[mask].mean()) * mask.unsqueeze(-1)
    return (layer - layer[mask].mean()) / (emptied.square().mean() + TINY).sqrt()


def _by_squares(layer: Tensor, mask: Tensor, variance: Tensor) -> Tensor:
    return (layer - layer[mask].mean()) / (variance + TINY).sqrt()


def _of_padding(layer: Tensor, mask: Tensor) -> Tensor:
    return layer_norm(layer, ~mask) if not mask.all() else layer * float("nan")


class _Variant(nn.Module):
    """The mix with one thing done otherwise."""

    def __init__(
        self,
        n_layers: int,
        do_layer_norm: bool = False,
        *,
        norm: Norm = layer_norm,
        when: str = "asked",
        together: bool = False,
        mix: Callable[[Tensor, Tensor, Tensor], Tensor] = scalar_mix,
        w: float = 0.0,
        gamma: float = 1.0,
    ) -> None:
        super().__init__()
        self.w = nn.Parameter(torch.full((n_layers,), w))
        self.gamma = nn.Parameter(torch.tensor(gamma))
        asked = {
            "asked": do_layer_norm,
            "always": True,
            "never": False,
            "turned": not do_layer_norm,
        }
        self.asked, self.norm = asked.get(when, do_layer_norm), norm
        self.after, self.together, self.mix = when == "after", together, mix

    def forward(self, layers: Sequence[Tensor], mask: Tensor) -> Tensor:
        """The mixed vectors."""
        stacked = torch.stack(list(layers))
        if self.asked and self.together:
            stacked = self.norm(stacked, mask.expand(len(stacked), *mask.shape))
        elif self.asked and not self.after:
            stacked = torch.stack([self.norm(layer, mask) for layer in stacked])
        mixed = self.mix(stacked, self.w, self.gamma)
        return self.norm(mixed, mask) if self.asked and self.after else mixed


def _variant(**otherwise: Any) -> Answer:
    return lambda n_layers, do_layer_norm: _Variant(n_layers, do_layer_norm, **otherwise)


class _ByIndexing(nn.Module):
    def __init__(self, n_layers: int, do_layer_norm: bool = False) -> None:
        super().__init__()
        self.w = nn.Parameter(torch.zeros(n_layers))
        self.gamma = nn.Parameter(torch.ones(1))
        self.do_layer_norm = do_layer_norm

    def forward(self, layers: Sequence[Tensor], mask: Tensor) -> Tensor:
        """The mixed vectors, layer by layer."""
        shares = self.w.softmax(0)
        total = torch.zeros_like(layers[0])
        for share, layer in zip(shares, layers, strict=True):
            h = layer
            if self.do_layer_norm:
                words = layer[mask]
                variance = (words**2).mean() - words.mean() ** 2
                h = (layer - words.mean()) * torch.rsqrt(variance + TINY)
            total = total + share * h
        return self.gamma * total


class _ByEinsum(nn.Module):
    def __init__(self, n_layers: int, do_layer_norm: bool = False) -> None:
        super().__init__()
        self.w = nn.Parameter(torch.zeros(n_layers, 1))
        self.gamma = nn.Parameter(torch.tensor(1.0))
        self.norm = do_layer_norm

    def forward(self, layers: Sequence[Tensor], mask: Tensor) -> Tensor:
        """The mixed vectors, all layers at once."""
        h = torch.stack(tuple(layers))
        if self.norm:
            kept = mask[None, :, :, None].to(h.dtype)
            count = kept.sum() * h.shape[-1]
            mean = (h * kept).sum((1, 2, 3), keepdim=True) / count
            variance = ((h - mean).square() * kept).sum((1, 2, 3), keepdim=True) / count
            h = (h - mean) / (variance + TINY).sqrt()
        return self.gamma * torch.einsum("j,jbtd->btd", torch.softmax(self.w[:, 0], 0), h)


NORM_MISTAKES: tuple[tuple[str, Norm, str, int], ...] = (
    (
        "padding is counted",
        lambda h, m: _normal(h, m, padding=True),
        "Padding takes part in your mean and variance. Take both over the words alone: "
        "`layer[mask]` are their numbers.",
        2,
    ),
    (
        "padding counts as zeros",
        _padding_as_zero,
        "You set padding to zero, and the zeros still count. Divide by the number of numbers "
        "that are there: words times the length of a vector.",
        3,
    ),
    (
        "the variance divides by padding too",
        _padded_variance,
        "Your mean is right. The squares are added up over the words, and divided by the "
        "number of all places, padding among them.",
        3,
    ),
    (
        "the norm of the padding",
        _of_padding,
        "You take mean and variance over padding. The mask is True at words: `layer[mask]`.",
        2,
    ),
    (
        "each token for itself",
        lambda h, m: _normal(h, m, dims=(-1,)),
        "You normalise each token's vector for itself, as `nn.LayerNorm` does. ELMo takes one "
        "mean and one variance over the whole layer of the batch.",
        1,
    ),
    (
        "each number of the vector for itself",
        lambda h, m: _normal(h, m, dims=(0, 1)),
        "You take a mean for each position of the vector, as batch norm does. Here one mean "
        "and one variance serve the whole layer.",
        1,
    ),
    (
        "each sentence for itself",
        lambda h, m: _normal(h, m, dims=(1, 2)),
        "You take a mean and a variance for each sentence. One pair serves the whole batch.",
        1,
    ),
    (
        "the padding's squares are counted",
        lambda h, m: _by_squares(h, m, (h - h[m].mean()).square().sum() / h[m].numel()),
        "Your mean is right, and padding takes part in the variance. Take both over the words "
        "alone: `layer[mask]` are their numbers.",
        2,
    ),
    (
        "padding counts as zeros in the squares",
        lambda h, m: _by_squares(
            h, m, (h * m.unsqueeze(-1) - h[m].mean()).square().sum() / h[m].numel()
        ),
        "Your mean is right, and padding takes part in the variance: as a zero, whose distance "
        "from the mean counts. Take the variance over the words alone: `layer[mask]` are their "
        "numbers.",
        2,
    ),
    (
        "the squares are those of the numbers",
        lambda h, m: _by_squares(h, m, h[m].square().mean()),
        "You take the mean off, and divide by the root of the mean square of the numbers as they "
        "were. The variance is the mean square of the distance from the mean.",
        2,
    ),
    (
        "the unbiased variance",
        lambda h, m: _normal(h, m, unbiased=True),
        "You divide the squares by n - 1, as `var` and `std` do unless told otherwise. Divide by "
        "n: `unbiased=False`.",
        3,
    ),
    (
        "divided by the number of words",
        lambda h, m: _normal(h, m, of_words=True),
        "You divide by the number of words. Each word brings as many numbers as its vector "
        "is long: divide by the number of numbers.",
        3,
    ),
    (
        "divided by the variance",
        lambda h, m: _normal(h, m, power=1.0),
        "You divide by the variance. Divide by its square root, the standard deviation.",
        2,
    ),
    (
        "divided by the variance, and the mean is not taken off",
        lambda h, m: _normal(h, m, power=1.0, centre=False),
        "Two things. The mean is still there: subtract it. And you divide by the variance: divide "
        "by its square root, the standard deviation.",
        2,
    ),
    (
        "the mean is not taken off",
        lambda h, m: _normal(h, m, centre=False),
        "The scale of your norm is right, and the mean is still there: subtract it.",
        2,
    ),
    (
        "only the mean is taken off",
        lambda h, m: h - h[m].mean(),
        "You subtract the mean and leave the scale. Divide by the standard deviation, too.",
        2,
    ),
    (
        "squares around zero",
        lambda h, m: _normal(h, m, squares=True),
        "You divide by the root of the mean square and leave the mean where it is. The "
        "variance is the mean square of the distance from the mean.",
        2,
    ),
    (
        "multiplied by the deviation",
        lambda h, m: (h - h[m].mean()) * (h[m].var(unbiased=False) + TINY).sqrt(),
        "You multiply by the standard deviation. Divide by it.",
        2,
    ),
    (
        "the norm upside down",
        lambda h, m: (h[m].var(unbiased=False) + TINY).sqrt() / (h - h[m].mean()),
        "Your fraction is upside down: the distance from the mean over the standard deviation.",
        2,
    ),
    (
        "the mean is added",
        lambda h, m: (h + h[m].mean()) / (h[m].var(unbiased=False) + TINY).sqrt(),
        "You add the mean. Subtract it.",
        2,
    ),
    (
        "the sum is taken off",
        lambda h, m: (h - h[m].sum()) / (h[m].var(unbiased=False) + TINY).sqrt(),
        "You subtract the sum of the numbers. Subtract their mean.",
        2,
    ),
    (
        "the first sentence's mean and variance",
        lambda h, m: (h - h[0].mean()) / (h[0].var(unbiased=False) + TINY).sqrt(),
        "You take mean and variance of the first sentence. Take them over the words of all: "
        "`layer[mask]`.",
        2,
    ),
    (
        "no small number under the root",
        lambda h, m: (h - h[m].mean()) / h[m].std(unbiased=False),
        "Where all numbers of a layer are the same, the variance is 0 and you divide 0 by 0. Add "
        "1e-13 under the root.",
        2,
    ),
)
EXERCISE = Exercise(
    id="ScalarMix",
    title="The mixing desk as a module",
    lesson=LESSON,
    points=3,
    difficulty=3,
    importance=5,
    minutes=12,
    reference=ScalarMix,
    run=_run,
    view=_at_words,
    cases=(
        Case("two sentences of one length", _case((4, 4), False)),
        Case("sentences of different lengths", _case((5, 2, 3), False)),
        Case("with layer norm, one length", _case((4, 4), True), weight=2),
        Case("with layer norm, different lengths", _case((5, 2, 3), True), weight=2),
        Case("layer norm of one sentence, two layers", _case((6,), True, n_layers=2)),
        Case("as many layers as sentences and words", _case((3, 3, 3), True, dim=3), edge=True),
        Case("one layer alone", _case((3, 2), False, n_layers=1), edge=True),
        Case("a layer whose numbers are all the same", _case((3, 2), True, flat=True), edge=True),
    ),
    mistakes=(
        Mistake(
            "the layer norm is never done",
            _variant(when="never"),
            "`do_layer_norm=True` changes nothing. Keep it in `__init__`, and normalise each layer "
            "before the mix where it is True.",
            hint=2,
        ),
        Mistake(
            "the layer norm is always done",
            _variant(when="always"),
            "You normalise the layers although `do_layer_norm` is False.",
            hint=2,
        ),
        Mistake(
            "the layer norm the other way round",
            _variant(when="turned"),
            "You normalise where `do_layer_norm` is False, and not where it is True.",
            hint=2,
        ),
        Mistake(
            "the mix is normalised",
            _variant(when="after"),
            "You normalise the finished mix. Each layer is normalised on its own, before it is "
            "mixed.",
            hint=2,
        ),
        Mistake(
            "the mix is normalised, with the unbiased variance",
            _variant(when="after", norm=lambda h, m: _normal(h, m, unbiased=True)),
            "Two things. You normalise the finished mix: each layer is normalised on its own, "
            "before it is mixed. And you divide the squares by n - 1: divide by n.",
            hint=2,
        ),
        Mistake(
            "one norm for all layers together",
            _variant(together=True),
            "You take one mean and one variance over all layers together. Each layer has its own.",
            hint=2,
        ),
        *(
            Mistake(name, _variant(norm=norm), says, hint=hint)
            for name, norm, says, hint in NORM_MISTAKES
        ),
        Mistake(
            "w starts at ones",
            _variant(w=1.0),
            "All is right but the start of `self.w`. Start it at zeros: "
            "`nn.Parameter(torch.zeros(n_layers))`.",
            hint=2,
        ),
        Mistake(
            "gamma starts at 0",
            _variant(gamma=0.0),
            "`gamma` starts at 0, so every vector is 0 at the start and the shares learn nothing. "
            "It starts at 1.",
            hint=1,
        ),
        Mistake(
            "no softmax",
            _variant(mix=lambda h, w, g: g * torch.einsum("j,j...->...", w, h)),
            "Your mix uses `w` as it is. The shares are softmax(w), as in your `scalar_mix`.",
            hint=2,
        ),
        Mistake(
            "gamma twice",
            _variant(mix=lambda h, w, g: g * scalar_mix(h, w, g)),
            "You multiply by `gamma` twice. Your `scalar_mix` does so already.",
            hint=2,
        ),
        Mistake(
            "the softmax twice",
            _variant(mix=lambda h, w, g: scalar_mix(h, w.softmax(0), g)),
            "Your weights go through a softmax twice. Your `scalar_mix` has one already: hand it "
            "`self.w` as it is.",
            hint=2,
        ),
        Mistake(
            "gamma is forgotten",
            _variant(mix=lambda h, w, g: scalar_mix(h, w, torch.ones_like(g))),
            "`self.gamma` is never used. Hand it to your `scalar_mix`.",
            hint=2,
        ),
        Mistake(
            "the plain average",
            _variant(mix=lambda h, w, g: g * h.mean(0)),
            "Your module gives the plain average, whatever `w` is. Hand `self.w` to your "
            "`scalar_mix`.",
            hint=2,
        ),
        Mistake(
            "the top layer",
            lambda n_layers, do_layer_norm: _TopLayer(n_layers),
            "You return the top layer. Mix all layers with your `scalar_mix`.",
            hint=1,
        ),
        Mistake(
            "cut off from autograd",
            _variant(mix=lambda h, w, g: scalar_mix(h, w.detach(), g.detach())),
            "The numbers are right, and nothing learns. Hand `self.w` and `self.gamma` on as they "
            "are, without `.detach()`, `.data` or `float()`.",
            hint=2,
        ),
    ),
    right_answers={
        "layer by layer": _ByIndexing,
        "einsum and sums over a mask": _ByEinsum,
        "the definition": _variant(),
    },
    rtol=1e-6,
    atol=1e-9,
)


class _TopLayer(nn.Module):
    def __init__(self, n_layers: int) -> None:
        super().__init__()
        self.w, self.gamma = nn.Parameter(torch.zeros(n_layers)), nn.Parameter(torch.ones(()))

    def forward(self, layers: Sequence[Tensor], mask: Tensor) -> Tensor:
        """The top layer."""
        return layers[-1] + 0 * self.w.sum() * self.gamma
