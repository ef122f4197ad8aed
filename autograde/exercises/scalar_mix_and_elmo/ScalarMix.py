"""Exercise `ScalarMix`: the mix as a module, with the norm of a layer."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from autograde.checking.answers import Answer, AnswerRefused, Plain, plain, refuse_changed
from autograde.checking.differentiable import OWN_FROZEN, slopes, tensor_of
from autograde.checking.exercise import Case, Exercise, Inputs, Random
from autograde.checking.slips import slips
from autograde.exercises.scalar_mix_and_elmo import LESSON
from autograde.exercises.scalar_mix_and_elmo.layers import layers
from elmo_mini.models.elmo import TINY, ScalarMix, layer_norm, scalar_mix


@Case.drawn
def _case(
    rng: Random,
    lengths: tuple[int, ...],
    norm: bool,
    *,
    n_layers: int = 3,
    dim: int = 4,
    flat: bool = False,
    size: float = 1.0,
) -> Inputs:
    made = layers(lengths, n_layers, dim, masked=True)(rng)
    rows = np.float32(size) * (3.0 * made["layers"] + 0.7)
    if flat:
        rows[0] = 0
    return {
        "n_layers": n_layers,
        "do_layer_norm": norm,
        "layers": rows,
        "mask": made["mask"],
        "w": rng.standard_normal(n_layers).astype(np.float32),
        "gamma": float(rng.uniform(0.2, 0.7)),
    }


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
        if name == "w" and found.ndim != 1:
            raise AnswerRefused(
                f"`self.w` has shape {tuple(found.shape)}. It is ({size},): who reads the shares "
                "takes `torch.softmax(mix.w, 0)`."
            )
    assert isinstance(w, Tensor)
    assert isinstance(gamma, Tensor)
    if w.max() > w.min():
        raise AnswerRefused(
            "The numbers of `self.w` differ at the start. Start them at zeros: then the mix begins "
            "as the plain average."
        )
    starts_at_zeros = bool((w == 0).all())
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
    refuse_changed(inputs, {"layers": torch.stack(rows), "mask": mask}, "Build a new tensor.")
    there = mask.unsqueeze(-1)
    loss = (mixed * there).square().mean() if mixed.shape == rows[0].shape else mixed.mean()
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
        self.w = nn.Parameter(torch.zeros(n_layers))
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
        return self.gamma * torch.einsum("j,jbtd->btd", torch.softmax(self.w, 0), h)


SLIPS = """
--- hint 2
one norm for all layers together: [layer_norm(layer, mask) for layer in layers] -> \
        layer_norm(torch.stack(list(layers)), mask.expand(len(layers), *mask.shape))
    You take one mean and one variance over all layers together. Each layer has its own.
padding is counted: words = layer[mask] -> words = layer
    Padding takes part in your mean and variance. Take both over the words alone: `layer[mask]` are
    their numbers.
the norm of the padding: words = layer[mask] -> words = layer[~mask]
    You take mean and variance over padding. The mask is True at words: `layer[mask]`.
the padding's squares are counted: \
        words.var(unbiased=False) -> (layer - words.mean()).square().sum() / words.numel()
    Your mean is right, and padding takes part in the variance. Take both over the words alone:
    `layer[mask]` are their numbers.
padding counts as zeros in the squares: words.var(unbiased=False) -> \
        (layer * mask.unsqueeze(-1) - words.mean()).square().sum() / words.numel()
    Your mean is right, and padding takes part in the variance: as a zero, whose distance from the
    mean counts. Take the variance over the words alone: `layer[mask]` are their numbers.
the squares are those of the numbers: words.var(unbiased=False) -> words.square().mean()
    You take the mean off, and divide by the root of the mean square of the numbers as they were.
    The variance is the mean square of the distance from the mean.
squares around zero: \
        (layer - words.mean()) -> layer && words.var(unbiased=False) -> words.square().mean()
    You divide by the root of the mean square and leave the mean where it is. The variance is the
    mean square of the distance from the mean.
the first sentence's mean and variance: words = layer[mask] -> words = layer[0]
    You take mean and variance of the first sentence. Take them over the words of all:
    `layer[mask]`.
w does not start at zeros: torch.zeros(n_layers) -> torch.ones(n_layers)
    All is right but the start of `self.w`. Start it at zeros:
    `nn.Parameter(torch.zeros(n_layers))`.
padding counts as zeros: words = layer[mask] -> words = layer * mask.unsqueeze(-1)
    You set padding to zero, and the zeros still count. Divide by the number of numbers that are
    there: words times the length of a vector.
the variance divides by padding too: words.var(unbiased=False) -> \
        ((layer - words.mean()) * mask.unsqueeze(-1)).square().mean()
    Your mean is right. The squares are added up over the words, and divided by the number of all
    positions, padding among them.
the unbiased variance: unbiased=False -> unbiased=True
    You divide the squares by n - 1, as `var` and `std` do unless told otherwise. Divide by n:
    `unbiased=False`.
divided by the number of words: words.mean() -> words.sum() / len(words) \
        && words.var(unbiased=False) -> \
        (words - words.sum() / len(words)).square().sum() / len(words)
    You divide by the number of words. Each word brings as many numbers as its vector is long:
    divide by the number of numbers.
each token for itself: words.mean() -> layer.mean(-1, keepdim=True) \
        && words.var(unbiased=False) -> layer.var(-1, unbiased=False, keepdim=True)
    You normalise each token's vector for itself, as `nn.LayerNorm` does. ELMo takes one mean and
    one variance over the whole layer of the batch.
each number of the vector for itself: \
        words.mean() -> words.mean(0) && words.var(unbiased=False) -> words.var(0, unbiased=False)
    You take a mean for each position of the vector, as batch norm does. Here one mean and one
    variance serve the whole layer.
each sentence for itself: [layer_norm(layer, mask) for -> \
        [torch.stack([layer_norm(*pair) for pair in zip(layer, mask)]) for
    You take a mean and a variance for each sentence. One pair serves the whole batch.
the squares are divided by the number of words: words.var(unbiased=False) -> \
        (words - words.mean()).square().sum() / len(words)
    Your mean is right, and the squares are divided by the number of words. Each word brings as many
    numbers as its vector is long: divide by the number of numbers.
w of two axes: torch.zeros(n_layers) -> torch.zeros(n_layers, 1) \
        && (layers, self.w, -> (layers, self.w[:, 0],
    Your `self.w` has two axes. It is (n_layers,): `torch.zeros(n_layers)`.
--- hint 3
the layer norm is never done: if self.do_layer_norm -> if False
    `do_layer_norm=True` changes nothing. Keep it in `__init__`, and normalise each layer before the
    mix where it is True.
the layer norm is always done: if self.do_layer_norm -> if True
    You normalise the layers although `do_layer_norm` is False.
the layer norm the other way round: if self.do_layer_norm -> if not self.do_layer_norm
    You normalise where `do_layer_norm` is False, and not where it is True.
the mix is normalised: layers = [layer_norm(layer, mask) for layer in layers] -> \
        return layer_norm(scalar_mix(layers, self.w, self.gamma), mask)
    You normalise the finished mix. Each layer is normalised on its own, before it is mixed.
the mix is normalised, before gamma: \
        layers = [layer_norm(layer, mask) for layer in layers] -> \
        return layer_norm(scalar_mix(layers, self.w, torch.ones(())), mask) * self.gamma
    You normalise the mix. Each layer is normalised on its own, before it is mixed.
divided by the variance: / torch.sqrt( -> / (
    You divide by the variance. Divide by its square root, the standard deviation.
the mean is not taken off: (layer - words.mean()) -> layer
    The scale of your norm is right, and the mean is still there: subtract it.
only the mean is taken off: / torch.sqrt(words.var(unbiased=False) + TINY) ->
    You subtract the mean and leave the scale. Divide by the standard deviation, too.
multiplied by the deviation: / torch.sqrt -> * torch.sqrt
    You multiply by the standard deviation. Divide by it.
the norm upside down: (layer - words.mean()) / torch.sqrt(words.var(unbiased=False) + TINY) -> \
        torch.sqrt(words.var(unbiased=False) + TINY) / (layer - words.mean())
    Your fraction is upside down: the distance from the mean over the standard deviation.
the mean is added: layer - words.mean() -> layer + words.mean()
    You add the mean. Subtract it.
the sum is taken off: words.mean() -> words.sum()
    You subtract the sum of the numbers. Subtract their mean.
no small number under the root: + TINY ->
    Where all numbers of a layer are the same, the variance is 0 and you divide 0 by 0. Add 1e-13
    under the root.
{tiny} under the root: + TINY -> + {tiny} | tiny = 1e-5, 1e-6, 1e-7, 1e-8
    You add {tiny} under the root, and the variance of a quiet layer may be as small. Add 1e-13.
{tiny} beside the root: torch.sqrt(words.var(unbiased=False) + TINY) \
        -> (words.std(unbiased=False) + {tiny}) | tiny = 1e-4, 1e-5, 1e-6
    You add {tiny} to the deviation, and that of a quiet layer may be as small. Add 1e-13 to the
    variance, before the root.
no softmax: torch.softmax(w, 0) -> w
    Your mix uses `w` as it is. The shares are softmax(w), as in your `scalar_mix`.
gamma twice: return gamma * -> return gamma * gamma *
    You multiply by `gamma` twice. Your `scalar_mix` does so already.
the softmax twice: torch.softmax(w, 0) -> torch.softmax(torch.softmax(w, 0), 0)
    Your weights go through a softmax twice. Your `scalar_mix` has one already: hand it `self.w` as
    it is.
gamma is forgotten: return gamma * -> return
    `self.gamma` is never used. Hand it to your `scalar_mix`.
the plain average: torch.stack(weighted).sum(0) -> sum(layers) / len(layers)
    Your module gives the plain average, whatever `w` is. Hand `self.w` to your `scalar_mix`.
the top layer: scalar_mix(layers, self.w, self.gamma) -> layers[-1]
    You return the top layer. Mix all layers with your `scalar_mix`.
--- no hint
cut off from autograd: self.w, self.gamma) -> self.w.detach(), self.gamma.detach())
    The numbers are right, and nothing learns. Hand `self.w` and `self.gamma` on as they are,
    without `.detach()`, `.data` or `float()`.
gamma starts at 0: torch.ones(()) -> torch.zeros(())
    `gamma` starts at 0, so every vector is 0 at the start and the shares learn nothing. It starts
    at 1.
"""

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
        Case(
            "layer norm of layers of very small numbers",
            _case((3, 2), True, size=1e-4),
            edge=True,
            asks="The number under the root is 1e-13: a larger one outweighs such variances.",
        ),
        Case("one layer alone", _case((3, 2), False, n_layers=1), edge=True),
        Case("a layer whose numbers are all the same", _case((3, 2), True, flat=True), edge=True),
    ),
    mistakes=slips(ScalarMix, SLIPS, scalar_mix, layer_norm),
    right_answers={"layer by layer": _ByIndexing, "einsum and sums over a mask": _ByEinsum},
    atol=1e-4,
)
