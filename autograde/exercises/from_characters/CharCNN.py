"""Exercise `CharCNN`: from letters to the vector of a word."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from autograde.checking.answers import Answer, AnswerRefused, Plain, refuse_changed
from autograde.checking.answers import plain as plain_copy
from autograde.checking.differentiable import OWN_FROZEN, tensor_of
from autograde.checking.exercise import Case, Exercise, Inputs, Random
from autograde.checking.given_weights import when_trained
from autograde.checking.slips import slips
from autograde.exercises.from_characters import LESSON
from autograde.exercises.from_characters.small_weights import WORDS, drawn_weights, ids_of
from autograde.exercises.from_characters.with_gradients import CUT_OFF, ONE_TENSOR, gradients
from elmo_mini.models import elmo as plain


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
    refuse_changed(inputs, {"ids": ids}, "Build a new tensor.")
    parameters = {
        name: part for name, part in model.named_parameters() if part.requires_grad or part.any()
    }
    learnt = [*gradients(result, parameters, OWN_FROZEN).values()] if parameters else []
    pairs = zip(parameters.values(), learnt, strict=True)
    numbers = sum(part.numel() - _idle(part, gradient) for part, gradient in pairs)
    found: dict[str, Any] = {
        "vectors": plain_copy(result),
        "numbers that an optimiser finds": f"{numbers:,}",
        "sum of all gradients": sum(
            float(np.abs(part).sum()) for part in learnt if isinstance(part, np.ndarray)
        ),
    }
    if inputs["trained"]:
        found["the given weights, when yours are trained"] = when_trained(
            model, lambda: plain_copy(answer(weights).forward(ids))
        )
    return found


def _idle(part: nn.Parameter, gradient: Any) -> int:
    """How many numbers lie in a row of zeros that never learns, as `padding_idx=0` keeps one."""
    learns = part.ndim != 2 or not isinstance(gradient, np.ndarray) or gradient[0].any()
    return 0 if learns or part[0].any() else part.shape[1]


@Case.drawn
def _model(
    rng: Random,
    words: Sequence[str],
    filters: Sequence[tuple[int, int]],
    *,
    no_word: int = 0,
    last_first: bool = False,
    trained: bool = False,
    **sizes: Any,
) -> Inputs:
    ids = np.concatenate([ids_of(words), np.zeros((no_word, 50), dtype=np.int64)])
    weights = drawn_weights(rng, filters, **sizes)
    if last_first:
        weights = dict(reversed(weights.items()))
    return {"weights": weights, "ids": ids, "trained": trained}


class _ByNames(nn.Module):
    """All weights in one ParameterDict, asked for by their names."""

    def __init__(self, weights: dict[str, Tensor]) -> None:
        super().__init__()
        self.weights = nn.ParameterDict({name: part.clone() for name, part in weights.items()})
        widths = [name for name in weights if name.startswith("CNN/W_cnn_")]
        highways = [name for name in weights if name.endswith("/W_carry")]
        self.widths, self.highways = range(len(widths)), range(len(highways))

    def letters(self, ids: Tensor) -> Tensor:
        rows = self.weights["char_embed"]
        table = functional.pad(rows, (0, 0, 1, 0))
        return table[ids]

    def forward(self, ids: Tensor) -> Tensor:
        w = self.weights
        letters = self.letters(ids).transpose(1, 2)
        found = []
        for i in self.widths:
            kernel = w[f"CNN/W_cnn_{i}"][0].permute(2, 1, 0)
            matches = functional.conv1d(letters, kernel, w[f"CNN/b_cnn_{i}"])
            found.append(matches.amax(-1))
        x = torch.relu(torch.cat(found, -1))
        for i in self.highways:
            g = torch.sigmoid(x @ w[f"CNN_high_{i}/W_carry"] + w[f"CNN_high_{i}/b_carry"])
            new = torch.relu(x @ w[f"CNN_high_{i}/W_transform"] + w[f"CNN_high_{i}/b_transform"])
            x = g * new + (1 - g) * x
        vectors: Tensor = x @ w["CNN_proj/W_proj"] + w["CNN_proj/b_proj"]
        return vectors


class _WithEmbedding(_ByNames):
    """PyTorch's table, whose row of zeros never learns."""

    def __init__(self, weights: dict[str, Tensor]) -> None:
        super().__init__({name: part for name, part in weights.items() if name != "char_embed"})
        table = weights["char_embed"]
        self.table = nn.Embedding(len(table) + 1, table.shape[1], padding_idx=0)
        with torch.no_grad():
            self.table.weight[1:] = table

    def letters(self, ids: Tensor) -> Tensor:
        return self.table(ids)


class _WithLayers(nn.Module):
    """PyTorch's own layers, filled with the weights."""

    def __init__(self, weights: dict[str, Tensor]) -> None:
        super().__init__()
        self.table = nn.Parameter(weights["char_embed"].clone())
        self.convolutions = nn.ModuleList()
        for i in range(sum(name.startswith("CNN/W_cnn_") for name in weights)):
            kernel = weights[f"CNN/W_cnn_{i}"][0].permute(2, 1, 0)
            convolution = nn.Conv1d(kernel.shape[1], kernel.shape[0], kernel.shape[2])
            convolution.weight = nn.Parameter(kernel.clone())
            convolution.bias = nn.Parameter(weights[f"CNN/b_cnn_{i}"].clone())
            self.convolutions.append(convolution)
        self.gates, self.news = nn.ModuleList(), nn.ModuleList()
        for i in range(sum(name.endswith("/W_carry") for name in weights)):
            self.gates.append(self.linear(weights, f"CNN_high_{i}", "carry"))
            self.news.append(self.linear(weights, f"CNN_high_{i}", "transform"))
        self.projection = self.linear(weights, "CNN_proj", "proj")

    def linear(self, weights: dict[str, Tensor], name: str, part: str) -> nn.Linear:
        matrix, bias = weights[f"{name}/W_{part}"], weights[f"{name}/b_{part}"]
        layer = nn.Linear(*matrix.shape)
        layer.weight, layer.bias = nn.Parameter(matrix.T.clone()), nn.Parameter(bias.clone())
        return layer

    def forward(self, ids: Tensor) -> Tensor:
        letters = self.table[(ids - 1).clamp(min=0)] * (ids > 0).unsqueeze(-1)
        found = [c(letters.transpose(1, 2)).max(-1).values for c in self.convolutions]
        x = torch.relu(torch.cat(found, 1))
        for gate, new in zip(self.gates, self.news, strict=True):
            g = gate(x).sigmoid()
            x = x + g * (new(x).relu() - x)
        return self.projection(x)


SLIPS = """
--- hint 2
zeros for the padding of a word: table[ids] -> table[ids] * (ids != 261)[..., None]
    You blank out id 261. The padding behind a word is a mark like a letter, with a row of its own
    in the table, and the windows see it. Only id 0 is nothing.
letters only, no marks: table[ids] -> table[ids] * (ids < 257)[..., None]
    You blank out the marks for begin, end and padding. They have rows in the table, and the windows
    see them. Only id 0 is nothing.
row -1 for no word: functional.pad(rows, (0, 0, 1, 0)) -> rows && [ids] -> [ids - 1]
    `char_embed[ids - 1]` is right for every letter, and for id 0 it reads row −1, the last one: the
    padding of a word. Put a row of zeros in front, and take `[ids]`.
row 0 for no word: functional.pad(rows, (0, 0, 1, 0)) -> rows && [ids] -> [(ids - 1).clamp(min=0)]
    Every letter finds its row, and id 0 finds the table's first row, that of another id. Put a row
    of zeros in front, and take `[ids]`.
ids one row off: functional.pad(rows, (0, 0, 1, 0)) -> rows
    The table has 261 rows, and ids run from 0 to 261: id 1 is its first row. Put a row of zeros in
    front.
two rows in front: (0, 0, 1, 0) -> (0, 0, 2, 0)
    Every id finds the row before its own. Put one row of zeros in front, not two, and take no 1
    away besides.
the row of zeros at the end: (0, 0, 1, 0) -> (0, 0, 0, 1)
    The row of zeros belongs in front of the table, so that id 0 finds it and id 1 finds the table's
    first row.
the row of zeros learns: functional.pad(rows, (0, 0, 1, 0)) -> rows && in weights.items()}) -> \
        in (weights | {"char_embed": functional.pad(weights["char_embed"], (0, 0, 1, 0))}).items()})
    The row of zeros is a part of your parameter, so it would learn and no longer mean *no word*.
    Put it in front in `forward`, or use `nn.Embedding(..., padding_idx=0)`.
the letters are reshaped: transpose(1, 2) -> reshape(len(ids), -1, 50)
    `reshape` and `view` keep the numbers in their order and mix up the letters. The table gives (N,
    50, D): turn it into (N, D, 50) with `transpose(1, 2)`.
the stencils are reshaped: \
        [0].permute(2, 1, 0) -> .reshape(len(w[f"CNN/b_cnn_{i}"]), letters.shape[1], -1)
    `reshape` and `view` keep the numbers in their order and mix up the axes. Turn (width, D, F)
    into (F, D, width) with `permute(2, 1, 0)`.
the stencils are turned around: permute(2, 1, 0) -> permute(2, 1, 0).flip(2)
    Your stencils lie backwards on the letters. `permute(2, 1, 0)` keeps their direction.
--- hint 3
no relu after the maximum: torch.relu(torch.cat -> (torch.cat
    What is below 0 after the maximum goes on. Cut it off with relu.
tanh for relu: torch.relu(torch.cat -> torch.tanh(torch.cat
    After the maximum comes relu, not tanh.
the mean over the positions: amax(-1) -> mean(-1)
relu, then the mean over the positions: matches.amax(-1) -> torch.relu(matches).mean(-1)
    You take the mean over the positions. A filter reports its best position: the maximum.
the sum over the places: amax(-1) -> sum(-1)
    You add up over the positions. A filter reports its best position: the maximum.
the last place: matches.amax(-1) -> matches[..., -1]
    You take the last position. A filter reports its best position: the maximum.
the first place: matches.amax(-1) -> matches[..., 0]
    You take the first position. A filter reports its best position: the maximum.
the minimum over the places: amax(-1) -> amin(-1)
    You take the minimum over the positions. A filter reports its best position: the maximum.
the maximum over the filters: amax(-1) -> amax(1)
    You take the maximum over the filters. It goes over the positions, the last axis: each filter
    keeps one number.
where, not how strong: amax(-1) -> argmax(-1).float()
    You keep the position of the best match. Keep its strength, `amax`.
the filters in the other order: in self.widths -> in reversed(self.widths)
    The filters are put side by side from the last width to the first. The highway's weights expect
    the order of their numbers.
highway 0 every time: every CNN_high_{i} -> CNN_high_0
    Each highway has weights of its own, and you take those of highway 0 every time.
--- hint 1
the filters in the order of the dict: range(len(widths)) -> [int(name[10:]) for name in widths]
    You put the filters side by side in the order in which the dict lists them. A dict may list them
    in any order: count `i` from 0, and ask for `CNN/W_cnn_{i}`.
the highways in the order of the dict: range(len(highways)) -> [int(name[9]) for name in highways]
    You take the highways in the order in which the dict lists them. A dict may list them in any
    order: count `i` from 0, and ask for `CNN_high_{i}`.
filters and highways in the order of the dict: range(len(widths)), range(len(highways)) -> \
        [int(name[10:]) for name in widths], [int(name[9]) for name in highways]
    You take filters and highways in the order in which the dict lists them. A dict may list them in
    any order: count `i` from 0, and ask for `CNN/W_cnn_{i}`.
the filters in the order of the alphabet: \
        range(len(widths)) -> [int(name[10:]) for name in sorted(widths)]
    You put the filters side by side in the alphabetical order of their names, and in it 10 comes
    before 2. Count `i` from 0, and ask for `CNN/W_cnn_{i}`.
the last highway is left out: in self.highways -> in self.highways[:-1]
    The last highway is never used. `range` leaves its end out: look at where it ends.
the first highway is left out: in self.highways -> in self.highways[1:]
    Highway 0 is never used. Count the highways from 0.
only the first highway: in self.highways -> in self.highways[:1]
    Only the first highway is used. The published model has two: count them in the names.
an optimiser would find nothing: nn.ParameterDict( -> dict(
    An optimiser would find no weights: they are plain tensors, or stand in a plain dict or list,
    which hides them. `nn.ParameterDict` makes parameters of a whole dict, and shows them.
the weights are not copied: part.clone() -> part
    Your parameters share their numbers with the dict that was given, so training would change
    `weights`, too. Keep a copy of each: `part.clone()`.
--- hint 3
the bias twice: matches.amax(-1) -> matches.amax(-1) + w[f"CNN/b_cnn_{i}"]
    You add the bias of the convolution twice. `conv1d` has added it already.
the projection is reshaped: w["CNN_proj/W_proj"] \
        -> w["CNN_proj/W_proj"].reshape(w["CNN_proj/W_proj"].T.shape).T
    `reshape` and `view` keep the numbers in their order and mix up the axes. `nn.Linear` wants
    `W_proj` transposed: `.T`.
windows that begin in the padding are left out: matches.amax(-1) -> matches.masked_fill( \
        (ids == 261)[:, None, : matches.shape[2]], -1e9).amax(-1)
windows behind the longest word are left out: matches.amax(-1) -> matches[:, :, \
        : (ids != 261).sum(1).max() - kernel.shape[2] + 1].amax(-1)
    You leave windows over the padding out of the maximum. The padding is a mark like a letter, with
    a row of its own in the table: all windows count.
the strongest match, whatever its sign: matches.amax(-1) -> matches.abs().amax(-1)
    You take the largest match without its sign. Take the maximum as it is.
no highway: in self.highways -> in ()
    The highways are missing.
the last highway first: in self.highways -> in reversed(self.highways)
    The highways come in the other order. Highway 0 is the first.
no relu in the highway: new = torch.relu( -> new = (
    The new of your highway is not cut off at 0: relu is missing there.
the highway has no gate: x = g * new + (1 - g) * x -> x = new
    Your highway gives the new alone. Its gate shares out: g of the new, 1 − g of the old.
the highway moves away from the new: g * new + (1 - g) * x -> x - g * (new - x)
    Your highway goes away from the new. It is x + g (new − x), and yours takes g (new − x) away.
the gate is the other way round: g * new + (1 - g) * x -> (1 - g) * new + g * x
    Your highway's gate multiplies the old. g goes with the new.
transform and carry in each other's place: {i}/W_carry"] + w[f"CNN_high_{i}/b_carry"] -> \
        {i}/W_transform"] + w[f"CNN_high_{i}/b_transform"] \
        && {i}/W_transform"] + w[f"CNN_high_{i}/b_transform"] -> \
        {i}/W_carry"] + w[f"CNN_high_{i}/b_carry"]
    The highway gets the carry weights where it wants the transform weights. Its order is
    W_transform, b_transform, W_carry, b_carry.
relu after the highways only: torch.relu(torch.cat -> (torch.cat \
        && x @ w["CNN_proj -> torch.relu(x) @ w["CNN_proj
    Your relu comes after the highways. It comes before them, after the maximum.
the projection is transposed: w["CNN_proj/W_proj"] -> w["CNN_proj/W_proj"].T
    `CNN_proj/W_proj` has shape (F, H) and stands on the right: `x @ W_proj`.
no projection: x @ w["CNN_proj/W_proj"] + w["CNN_proj/b_proj"] -> x
    The projection is missing: what comes out is as long as there are filters.
no bias in the projection: + w["CNN_proj/b_proj"] ->
    `CNN_proj/b_proj` is missing.
relu at the end: return vectors -> return torch.relu(vectors)
    Nothing comes after the projection. Yours cuts off what is below 0.
--- no hint
the table is cut off: self.weights["char_embed"] -> self.weights["char_embed"].detach()
    The vectors are right, and the table of letters never learns. Leave out `.detach()` and `.data`.
no word, no vector: return vectors -> return vectors * (ids > 0).any(-1, keepdim=True)
    Right for every word. For a row of zeros you return zeros; here such a row goes through like any
    other, and whoever reads the sentence leaves it out by the mask.
cut off from autograd: return vectors -> return vectors.detach()
    {cut_off}
no bias in the convolution: kernel, w[f"CNN/b_cnn_{i}"] -> kernel
    `CNN/b_cnn_0` and its kind are missing.
only the first word: return vectors -> return vectors[0]
    Only the first word's vector comes back. Return one for each row of `ids`.
"""

SLIPS_OF_EMBEDDING = """
--- hint 1
the table twice: super().__init__({name: part for name, part in weights.items() \
        if name != "char_embed"}) -> super().__init__(weights)
    An optimiser finds the table twice: once in your embedding, once among the other weights. Leave
    `char_embed` out of one of them.
"""

SLIPS_OF_LAYERS = """
--- hint 1
the last highway is not built: range(sum(name.endswith -> range(-1 + sum(name.endswith
    The last highway is never built. `range` leaves its end out: look at where it ends.
the first highway is not built: range(sum(name.endswith -> range(1, sum(name.endswith
    Highway 0 is never built. Count the highways from 0.
an optimiser would not find all: every nn.ModuleList() -> []
    An optimiser would find some of the weights only: what stands in a Python list is hidden from
    it. `nn.ParameterDict` takes a whole dict.
"""

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
        Case(
            "training leaves the given weights alone",
            _model(("cat",), ((1, 2),), trained=True),
            edge=True,
            asks="Training moves your copies. The dict that was given keeps its numbers.",
        ),
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
        *slips(_ByNames, SLIPS.replace("{cut_off}", CUT_OFF)),
        *slips(_WithEmbedding, SLIPS_OF_EMBEDDING),
        *slips(_WithLayers, SLIPS_OF_LAYERS),
    ),
    right_answers={
        "one ParameterDict": _ByNames,
        "PyTorch's own layers": _WithLayers,
        "an embedding with a row that never learns": _WithEmbedding,
    },
    atol=1e-5,
)
