"""Exercise `CharCNN`: from letters to the vector of a word."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from autograde.checking.differentiable import OWN_FROZEN, tensor_of
from autograde.checking.exercise import (
    Answer,
    AnswerRefused,
    Case,
    Exercise,
    Inputs,
    Mistake,
    Plain,
)
from autograde.checking.exercise import plain as plain_copy
from autograde.exercises.from_characters import LESSON, highway
from autograde.exercises.from_characters.small_weights import WORDS, drawn_weights, ids_of
from autograde.exercises.from_characters.with_gradients import CUT_OFF, ONE_TENSOR, gradients
from elmo_mini.bilm import plain

Tensors = dict[str, Tensor]


def _run(answer: Answer, inputs: Inputs) -> Plain:
    """Vectors of the words, what an optimiser finds, and what the letters would learn."""
    weights = {name: torch.from_numpy(value).float() for name, value in inputs["weights"].items()}
    model = answer(weights)
    if not isinstance(model, nn.Module):
        raise AnswerRefused(
            "`CharCNN(weights)` gives no `nn.Module`. Keep the line `class CharCNN(nn.Module):`, "
            "and `super().__init__()` as the first line of `__init__`."
        )
    ids = torch.from_numpy(inputs["ids"].copy())
    result = tensor_of(lambda: model.forward(ids), ONE_TENSOR)
    if not torch.equal(ids, torch.from_numpy(inputs["ids"])):
        raise AnswerRefused("Your answer changed `ids`. Build a new tensor.")
    parameters = {
        name: part for name, part in model.named_parameters() if part.requires_grad or part.any()
    }
    learnt = [*gradients(result, parameters, OWN_FROZEN).values()] if parameters else []
    pairs = zip(parameters.values(), learnt, strict=True)
    numbers = sum(part.numel() - _idle(part, gradient) for part, gradient in pairs)
    return {
        "vectors": plain_copy(result),
        "numbers that an optimiser finds": f"{numbers:,}",
        "sum of all gradients": sum(
            float(np.abs(part).sum()) for part in learnt if isinstance(part, np.ndarray)
        ),
    }


def _idle(part: nn.Parameter, gradient: Any) -> int:
    """How many numbers lie in a row of zeros that never learns, as `padding_idx=0` keeps one."""
    learns = part.ndim != 2 or not isinstance(gradient, np.ndarray) or gradient[0].any()
    return 0 if learns or part[0].any() else part.shape[1]


def _model(
    words: Sequence[str],
    filters: Sequence[tuple[int, int]],
    *,
    no_word: int = 0,
    last_first: bool = False,
    **sizes: Any,
) -> Any:
    def make(rng: np.random.Generator) -> Inputs:
        ids = np.concatenate([ids_of(words), np.zeros((no_word, 50), dtype=np.int64)])
        weights = drawn_weights(rng, filters, **sizes)
        if last_first:
            weights = dict(reversed(weights.items()))
        return {"weights": weights, "ids": ids}

    return make


def _count(weights: Iterable[str], name: str) -> int:
    return sum(key.startswith(name) for key in weights)


class _Varied(nn.Module):
    """The encoder with one thing done otherwise: the wrong answers are built from this."""

    def __init__(self, weights: Tensors) -> None:
        super().__init__()
        self.names = [*weights]
        self.weights = nn.ParameterDict(weights)

    def forward(self, ids: Tensor) -> Any:
        x = self.activation(self.found(self.letters(ids)))
        for i in self.floors(_count(self.weights, "CNN_high_") // 4):
            x = self.highway(x, i)
        return self.project(x)

    def letters(self, ids: Tensor) -> Tensor:
        table = self.weights["char_embed"]
        return functional.pad(table, (0, 0, 1, 0))[ids]

    def found(self, letters: Tensor) -> Tensor:
        x = self.strip(letters)
        order = self.widths(_count(self.weights, "CNN/W_cnn_"))
        return torch.cat(
            [self.pool(functional.conv1d(x, self.kernel(i), self.bias(i))) for i in order], -1
        )

    def strip(self, letters: Tensor) -> Tensor:
        return letters.transpose(1, 2)

    def widths(self, number: int) -> Sequence[int]:
        return range(number)

    def floors(self, number: int) -> Sequence[int]:
        return range(number)

    def kernel(self, i: int) -> Tensor:
        kernel: Tensor = self.weights[f"CNN/W_cnn_{i}"][0].permute(2, 1, 0)
        return kernel

    def bias(self, i: int) -> Tensor:
        bias: Tensor = self.weights[f"CNN/b_cnn_{i}"]
        return bias

    def pool(self, matches: Tensor) -> Tensor:
        return matches.amax(-1)

    def activation(self, x: Tensor) -> Tensor:
        return torch.relu(x)

    def highway(self, x: Tensor, i: int) -> Tensor:
        names = ("W_transform", "b_transform", "W_carry", "b_carry")
        return highway.reference(x, *(self.weights[f"CNN_high_{i}/{name}"] for name in names))

    def project(self, x: Tensor) -> Tensor:
        vectors: Tensor = x @ self.weights["CNN_proj/W_proj"] + self.weights["CNN_proj/b_proj"]
        return vectors


def varied(**methods: Callable[..., Any]) -> type[nn.Module]:
    """A class with some methods of `_Varied` replaced."""
    return type("CharCNN", (_Varied,), methods)


def _by_names(names: Iterable[str], start: str, end: str = "") -> list[int]:
    """The numbers in those names, in the order in which they come."""
    chosen = [name for name in names if name.startswith(start) and name.endswith(end)]
    return [int(name.removesuffix(end).removeprefix(start)) for name in chosen]


def _widths_as_listed(self: _Varied, number: int) -> Sequence[int]:
    return _by_names(self.names, "CNN/W_cnn_")


def _widths_by_alphabet(self: _Varied, number: int) -> Sequence[int]:
    return _by_names(sorted(self.names), "CNN/W_cnn_")


def _floors_as_listed(self: _Varied, number: int) -> Sequence[int]:
    return _by_names(self.names, "CNN_high_", "/W_carry")


class _WithEmbedding(_Varied):
    """Another right answer: PyTorch's table, whose row of zeros never learns."""

    def __init__(self, weights: Tensors) -> None:
        super().__init__({name: part for name, part in weights.items() if name != "char_embed"})
        table = weights["char_embed"]
        self.table = nn.Embedding(len(table) + 1, table.shape[1], padding_idx=0)
        with torch.no_grad():
            self.table.weight[1:] = table

    def letters(self, ids: Tensor) -> Tensor:
        letters: Tensor = self.table(ids)
        return letters


class _TableTwice(_WithEmbedding):
    """The table is a parameter beside the embedding, too."""

    def __init__(self, weights: Tensors) -> None:
        super().__init__(weights)
        self.again = nn.Parameter(weights["char_embed"])


class _ZerosLearn(_Varied):
    """The row of zeros is a part of the table's parameter."""

    def __init__(self, weights: Tensors) -> None:
        table = functional.pad(weights["char_embed"], (0, 0, 1, 0))
        super().__init__(weights | {"char_embed": table})

    def letters(self, ids: Tensor) -> Tensor:
        letters: Tensor = self.weights["char_embed"][ids]
        return letters


class _WithLinear(nn.Module):
    """Another right answer: PyTorch's own layers, filled with the weights."""

    def __init__(self, weights: Tensors) -> None:
        super().__init__()
        table = torch.cat([torch.zeros_like(weights["char_embed"][:1]), weights["char_embed"]])
        self.table = nn.Parameter(table[1:])
        self.convolutions = nn.ModuleList()
        for i in range(_count(weights, "CNN/W_cnn_")):
            kernel = weights[f"CNN/W_cnn_{i}"][0].permute(2, 1, 0)
            convolution = nn.Conv1d(kernel.shape[1], kernel.shape[0], kernel.shape[2])
            convolution.weight = nn.Parameter(kernel.contiguous())
            convolution.bias = nn.Parameter(weights[f"CNN/b_cnn_{i}"].clone())
            self.convolutions.append(convolution)
        self.gates = nn.ModuleList()
        self.news = nn.ModuleList()
        for i in range(_count(weights, "CNN_high_") // 4):
            self.gates.append(self.linear(weights, f"CNN_high_{i}", "carry"))
            self.news.append(self.linear(weights, f"CNN_high_{i}", "transform"))
        self.projection = self.linear(weights, "CNN_proj", "proj")

    def linear(self, weights: Tensors, name: str, part: str) -> nn.Linear:
        matrix, bias = weights[f"{name}/W_{part}"], weights[f"{name}/b_{part}"]
        layer = nn.Linear(*matrix.shape)
        layer.weight, layer.bias = nn.Parameter(matrix.T.clone()), nn.Parameter(bias.clone())
        return layer

    def forward(self, ids: Tensor) -> Tensor:
        letters = self.table[(ids - 1).clamp(min=0)] * (ids > 0).unsqueeze(-1)
        x = letters.transpose(1, 2)
        x = torch.cat([torch.relu(c(x)).max(-1).values for c in self.convolutions], 1)
        for gate, new in zip(self.gates, self.news, strict=True):
            g = gate(x).sigmoid()
            x = x + g * (new(x).relu() - x)
        vectors: Tensor = self.projection(x)
        return vectors


class _Unregistered(_WithLinear):
    """The weights stay plain tensors."""

    def __init__(self, weights: Tensors) -> None:
        super().__init__(weights)
        self.kept = [_WithLinear(weights).requires_grad_(False)]
        for name in list(self._modules):
            del self._modules[name]
        self._parameters.clear()

    def forward(self, ids: Tensor) -> Tensor:
        vectors: Tensor = self.kept[0](ids)
        return vectors


class _SomeUnregistered(_WithLinear):
    """Lists where PyTorch needs an nn.ModuleList."""

    def __init__(self, weights: Tensors) -> None:
        super().__init__(weights)
        parts = list(self.convolutions), list(self.gates), list(self.news)
        del self.convolutions, self.gates, self.news
        self.convolutions, self.gates, self.news = parts  # type: ignore[assignment]


class _LastHighwayLeftOut(_WithLinear):
    """As PyTorch's own layers, and one highway is never made."""

    place = -1

    def __init__(self, weights: Tensors) -> None:
        super().__init__(weights)
        if len(self.gates):
            del self.gates[self.place], self.news[self.place]


class _FirstHighwayLeftOut(_LastHighwayLeftOut):
    place = 0


class _CutOff(_Varied):
    def forward(self, ids: Tensor) -> Any:
        return super().forward(ids).detach()


class _FirstWord(_Varied):
    def forward(self, ids: Tensor) -> Any:
        return super().forward(ids)[0]


class _Masked(_Varied):
    def forward(self, ids: Tensor) -> Any:
        return super().forward(ids) * (ids > 0).any(-1, keepdim=True)


def _padding_blank(self: _Varied, ids: Tensor) -> Tensor:
    return _Varied.letters(self, ids) * (ids != 261).unsqueeze(-1)


def _last_row_for_nothing(self: _Varied, ids: Tensor) -> Tensor:
    letters: Tensor = self.weights["char_embed"][ids - 1]
    return letters


def _first_row_for_nothing(self: _Varied, ids: Tensor) -> Tensor:
    letters: Tensor = self.weights["char_embed"][(ids - 1).clamp(min=0)]
    return letters


def _shifted_twice(self: _Varied, ids: Tensor) -> Tensor:
    letters: Tensor = functional.pad(self.weights["char_embed"], (0, 0, 2, 0))[ids]
    return letters


def _not_shifted(self: _Varied, ids: Tensor) -> Tensor:
    letters: Tensor = self.weights["char_embed"][ids]
    return letters


def _zero_at_the_end(self: _Varied, ids: Tensor) -> Tensor:
    letters: Tensor = functional.pad(self.weights["char_embed"], (0, 0, 0, 1))[ids]
    return letters


def _letters_only(self: _Varied, ids: Tensor) -> Tensor:
    return _Varied.letters(self, ids) * (ids < 257).unsqueeze(-1)


def _reshaped_kernel(self: _Varied, i: int) -> Tensor:
    kernel = self.weights[f"CNN/W_cnn_{i}"]
    return kernel.reshape(kernel.shape[3], kernel.shape[2], kernel.shape[1])


def _other_highway(**changes: Callable[..., Any]) -> Callable[..., Tensor]:
    def layer(self: _Varied, x: Tensor, i: int) -> Tensor:
        w = {n: self.weights[f"CNN_high_{i}/{n}"] for n in ("W_transform", "b_transform")}
        w |= {n: self.weights[f"CNN_high_{i}/{n}"] for n in ("W_carry", "b_carry")}
        result: Tensor = changes["by"](x, w)
        return result

    return layer


_exchanged = _other_highway(
    by=lambda x, w: highway.reference(
        x, w["W_carry"], w["b_carry"], w["W_transform"], w["b_transform"]
    )
)
_no_relu = _other_highway(
    by=lambda x, w: torch.lerp(
        x, x @ w["W_transform"] + w["b_transform"], torch.sigmoid(x @ w["W_carry"] + w["b_carry"])
    )
)
_ungated = _other_highway(by=lambda x, w: torch.relu(x @ w["W_transform"] + w["b_transform"]))
_moved_away = _other_highway(
    by=lambda x, w: (
        2 * x - highway.reference(x, w["W_transform"], w["b_transform"], w["W_carry"], w["b_carry"])
    )
)
_gate_swapped = _other_highway(
    by=lambda x, w: highway._swapped(
        x, *(w[n] for n in ("W_transform", "b_transform")), *(w[n] for n in ("W_carry", "b_carry"))
    )
)


EXERCISE = Exercise(
    id="CharCNN",
    title="From letters to the vector of a word",
    lesson=LESSON,
    points=4,
    difficulty=4,
    importance=5,
    minutes=20,
    reference=plain.CharCNN,
    run=_run,
    cases=(
        Case("one word, one width, no highway", _model(("cat",), ((2, 3),), n_highway=0)),
        Case("one word, three widths, one highway", _model(("cat",), ((1, 2), (2, 3), (3, 2)))),
        Case(
            "eight words, as many numbers out as filters",
            _model(WORDS, ((1, 2), (3, 3)), hidden=5),
            weight=2,
        ),
        Case(
            "two highways, as in the published model",
            _model(WORDS[:4], ((1, 1), (2, 2), (5, 2)), n_highway=2),
        ),
        Case("a row of zeros: no word", _model(("cat",), ((1, 6), (2, 8)), no_word=1), edge=True),
        Case("a word of 60 letters", _model(("taumata" * 9,), ((3, 4),)), edge=True),
        Case(
            "eleven widths, the last named first",
            _model(("cat",), [(1 + i % 3, 1) for i in range(11)], last_first=True),
            edge=True,
        ),
        Case(
            "two highways, the last named first",
            _model(("cat",), ((2, 3),), n_highway=2, last_first=True),
            edge=True,
        ),
    ),
    mistakes=(
        Mistake(
            "zeros for the padding of a word",
            varied(letters=_padding_blank),
            "You blank out id 261. The padding behind a word is a mark like a letter, with a row "
            "of its own in the table, and the windows see it. Only id 0 is nothing.",
            hint=2,
        ),
        Mistake(
            "letters only, no marks",
            varied(letters=_letters_only),
            "You blank out the marks for begin, end and padding. They have rows in the table, and "
            "the windows see them. Only id 0 is nothing.",
            hint=2,
        ),
        Mistake(
            "row -1 for no word",
            varied(letters=_last_row_for_nothing),
            "`char_embed[ids - 1]` is right for every letter, and for id 0 it reads row −1, the "
            "last one: the padding of a word. Put a row of zeros in front, and take `[ids]`.",
            hint=2,
        ),
        Mistake(
            "row 0 for no word",
            varied(letters=_first_row_for_nothing),
            "Every letter finds its row, and id 0 finds the table's first row, that of another id. "
            "Put a row of zeros in front, and take `[ids]`.",
            hint=2,
        ),
        Mistake(
            "ids one row off",
            varied(letters=_not_shifted),
            "The table has 261 rows, and ids run from 0 to 261: id 1 is its first row. Put a row "
            "of zeros in front.",
            hint=2,
        ),
        Mistake(
            "two rows in front",
            varied(letters=_shifted_twice),
            "Every id finds the row before its own. Put one row of zeros in front, not two, and "
            "take no 1 away besides.",
            hint=2,
        ),
        Mistake(
            "the row of zeros at the end",
            varied(letters=_zero_at_the_end),
            "The row of zeros belongs in front of the table, so that id 0 finds it and id 1 finds "
            "the table's first row.",
            hint=2,
        ),
        Mistake(
            "the letters are reshaped",
            varied(strip=lambda self, found: found.reshape(found.mT.shape)),
            "`reshape` and `view` keep the numbers in their order and mix up the letters. The "
            "table gives (N, 50, D): turn it into (N, D, 50) with `transpose(1, 2)`.",
            hint=2,
        ),
        Mistake(
            "the stencils are reshaped",
            varied(kernel=_reshaped_kernel),
            "`reshape` and `view` keep the numbers in their order and mix up the axes. Turn "
            "(width, D, F) into (F, D, width) with `permute(2, 1, 0)`.",
            hint=2,
        ),
        Mistake(
            "no relu after the maximum",
            varied(activation=lambda self, x: x),
            "What is below 0 after the maximum goes on. Cut it off with relu.",
            hint=3,
        ),
        Mistake(
            "tanh for relu",
            varied(activation=lambda self, x: torch.tanh(x)),
            "After the maximum comes relu, not tanh.",
            hint=3,
        ),
        Mistake(
            "the mean over the places",
            varied(
                pool=lambda self, m: m.mean(-1),
            ),
            "You take the mean over the places. A filter reports its best place: the maximum.",
            hint=3,
        ),
        Mistake(
            "the sum over the places",
            varied(pool=lambda self, m: m.sum(-1)),
            "You add up over the places. A filter reports its best place: the maximum.",
            hint=3,
        ),
        Mistake(
            "the last place",
            varied(pool=lambda self, m: m[..., -1]),
            "You take the last place. A filter reports its best place: the maximum.",
            hint=3,
        ),
        Mistake(
            "the first place",
            varied(pool=lambda self, m: m[..., 0]),
            "You take the first place. A filter reports its best place: the maximum.",
            hint=3,
        ),
        Mistake(
            "the minimum over the places",
            varied(pool=lambda self, m: m.amin(-1)),
            "You take the minimum over the places. A filter reports its best place: the maximum.",
            hint=3,
        ),
        Mistake(
            "the maximum over the filters",
            varied(pool=lambda self, m: m.amax(1)),
            "You take the maximum over the filters. It goes over the places, the last axis: each "
            "filter keeps one number.",
            hint=3,
        ),
        Mistake(
            "where, not how strong",
            varied(pool=lambda self, m: m.argmax(-1).to(m)),
            "You keep the place of the best match. Keep its strength, `amax`.",
            hint=3,
        ),
        Mistake(
            "the filters in the other order",
            varied(widths=lambda self, n: range(n)[::-1]),
            "The filters are put side by side from the last width to the first. The highway's "
            "weights expect the order of their numbers.",
            hint=3,
        ),
        Mistake(
            "the filters in the order of the dict",
            varied(widths=_widths_as_listed),
            "You put the filters side by side in the order in which the dict lists them. A dict "
            "may list them in any order: count `i` from 0, and ask for `CNN/W_cnn_{i}`.",
            hint=1,
        ),
        Mistake(
            "the highways in the order of the dict",
            varied(floors=_floors_as_listed),
            "You take the highways in the order in which the dict lists them. A dict may list them "
            "in any order: count `i` from 0, and ask for `CNN_high_{i}`.",
            hint=1,
        ),
        Mistake(
            "filters and highways in the order of the dict",
            varied(widths=_widths_as_listed, floors=_floors_as_listed),
            "You take filters and highways in the order in which the dict lists them. A dict may "
            "list them in any order: count `i` from 0, and ask for `CNN/W_cnn_{i}`.",
            hint=1,
        ),
        Mistake(
            "the filters in the order of the alphabet",
            varied(widths=_widths_by_alphabet),
            "You put the filters side by side in the alphabetical order of their names, and in it "
            "10 comes before 2. Count `i` from 0, and ask for `CNN/W_cnn_{i}`.",
            hint=1,
        ),
        Mistake(
            "the table twice",
            _TableTwice,
            "The vectors are right, and an optimiser finds the table twice: once in your "
            "embedding, once among the other weights. Leave `char_embed` out of one of them.",
            hint=1,
        ),
        Mistake(
            "the row of zeros learns",
            _ZerosLearn,
            "The row of zeros is a part of your parameter, so it would learn and no longer mean "
            "*no word*. Put it in front in `forward`, or use `nn.Embedding(..., padding_idx=0)`.",
            hint=2,
        ),
        Mistake(
            "no highway",
            varied(floors=lambda self, n: range(0)),
            "The highways are missing.",
            hint=3,
        ),
        Mistake(
            "the last highway is left out",
            varied(floors=lambda self, n: range(n - 1)),
            "The last highway is never used. `range` leaves its end out: look at where it ends.",
            hint=1,
        ),
        Mistake(
            "the first highway is left out",
            varied(floors=lambda self, n: range(1, n)),
            "Highway 0 is never used. Count the highways from 0.",
            hint=1,
        ),
        Mistake(
            "the last highway is not built",
            _LastHighwayLeftOut,
            "The last highway is never built. `range` leaves its end out: look at where it ends.",
            hint=1,
        ),
        Mistake(
            "the first highway is not built",
            _FirstHighwayLeftOut,
            "Highway 0 is never built. Count the highways from 0.",
            hint=1,
        ),
        Mistake(
            "no relu in the highway",
            varied(highway=_no_relu),
            "The new of your highway is not cut off at 0: relu is missing there.",
            hint=3,
        ),
        Mistake(
            "the highway has no gate",
            varied(highway=_ungated),
            "Your highway gives the new alone. Its gate shares out: g of the "
            "new, 1 − g of the old.",
            hint=3,
        ),
        Mistake(
            "the highway moves away from the new",
            varied(highway=_moved_away),
            "Your highway goes away from the new. It is x + g (new − x), and yours takes g (new − "
            "x) away.",
            hint=3,
        ),
        Mistake(
            "only the first highway",
            varied(floors=lambda self, n: range(min(n, 1))),
            "Only the first highway is used. The published model has two: count them in the names.",
            hint=1,
        ),
        Mistake(
            "highway 0 every time",
            varied(highway=lambda self, x, i: _Varied.highway(self, x, 0)),
            "Each highway has weights of its own, and you take those of highway 0 every time.",
            hint=1,
        ),
        Mistake(
            "relu after the highways only",
            varied(
                activation=lambda self, x: x,
                project=lambda self, x: _Varied.project(self, torch.relu(x)),
            ),
            "Your relu comes after the highways. It comes before them, after the maximum.",
            hint=3,
        ),
        Mistake(
            "relu, then the mean over the places",
            varied(pool=lambda self, m: torch.relu(m).mean(-1)),
            "You take the mean over the places. A filter reports its best place: the maximum.",
            hint=3,
        ),
        Mistake(
            "the stencils are turned around",
            varied(kernel=lambda self, i: _Varied.kernel(self, i).flip(2)),
            "Your stencils lie backwards on the letters. `permute(2, 1, 0)` keeps their direction.",
            hint=2,
        ),
        Mistake(
            "the projection is transposed",
            varied(
                project=lambda self, x: (
                    x @ self.weights["CNN_proj/W_proj"].T + self.weights["CNN_proj/b_proj"]
                )
            ),
            "`CNN_proj/W_proj` has shape (F, H) and stands on the right: `x @ W_proj`.",
            hint=3,
        ),
        Mistake(
            "only the first word",
            _FirstWord,
            "Only the first word's vector comes back. Return one for each row of `ids`.",
            hint=3,
        ),
        Mistake(
            "the last highway first",
            varied(floors=lambda self, n: range(n)[::-1]),
            "The highways come in the other order. Highway 0 is the first.",
            hint=3,
        ),
        Mistake(
            "transform and carry in each other's place",
            varied(highway=_exchanged),
            "The highway gets the carry weights where it wants the transform weights. Its order is "
            "W_transform, b_transform, W_carry, b_carry.",
            hint=3,
        ),
        Mistake(
            "transform and carry in each other's place, and no relu after the maximum",
            varied(highway=_exchanged, activation=lambda self, x: x),
            "Two things. The highway gets the carry weights where it wants the transform weights: "
            "its order is W_transform, b_transform, W_carry, b_carry. And relu is missing after "
            "the maximum.",
            hint=3,
        ),
        Mistake(
            "the mean over the places, and relu at the end",
            varied(
                pool=lambda self, m: m.mean(-1),
                project=lambda self, x: torch.relu(_Varied.project(self, x)),
            ),
            "Two things. You take the mean over the places: a filter reports its best place, the "
            "maximum. And nothing comes after the projection: yours cuts off what is below 0.",
            hint=3,
        ),
        Mistake(
            "the gate is the other way round",
            varied(highway=_gate_swapped),
            "Your highway's gate multiplies the old. g goes with the new.",
            hint=3,
        ),
        Mistake(
            "no projection",
            varied(project=lambda self, x: x),
            "The projection is missing: what comes out is as long as there are filters.",
            hint=3,
        ),
        Mistake(
            "no bias in the projection",
            varied(project=lambda self, x: x @ self.weights["CNN_proj/W_proj"]),
            "`CNN_proj/b_proj` is missing.",
            hint=3,
        ),
        Mistake(
            "relu at the end",
            varied(project=lambda self, x: torch.relu(_Varied.project(self, x))),
            "Nothing comes after the projection. Yours cuts off what is below 0.",
            hint=3,
        ),
        Mistake(
            "no bias in the convolution",
            varied(bias=lambda self, i: 0 * self.weights[f"CNN/b_cnn_{i}"]),
            "`CNN/b_cnn_0` and its kind are missing.",
            hint=3,
        ),
        Mistake(
            "an optimiser would find nothing",
            _Unregistered,
            "The vectors are right, and an optimiser would find no weights: they are plain "
            "tensors. Wrap them: `nn.Parameter(tensor)`, or all at once, "
            "`self.weights = nn.ParameterDict(weights)`.",
            hint=1,
        ),
        Mistake(
            "an optimiser would not find all",
            _SomeUnregistered,
            "The vectors are right, and an optimiser would find some of the weights only: what "
            "stands in a Python list is hidden from it. `nn.ParameterDict(weights)` takes all.",
            hint=1,
        ),
        Mistake(
            "no word, no vector",
            _Masked,
            "Right for every word. For a row of zeros you return zeros; here such a row goes "
            "through like any other, and whoever reads the sentence leaves it out by the mask.",
        ),
        Mistake("cut off from autograd", _CutOff, CUT_OFF),
    ),
    right_answers={
        "one ParameterDict": _Varied,
        "PyTorch's own layers": _WithLinear,
        "an embedding with a row that never learns": _WithEmbedding,
    },
    atol=1e-5,
)
