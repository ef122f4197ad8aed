"""Exercise `TwoWay`: the class that everybody writes first."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from autograde.checking.answers import Answer, AnswerRefused, Plain, plain, refuse_changed
from autograde.checking.exercise import Case, Exercise, Inputs, Random
from autograde.checking.slips import slips
from autograde.exercises.bilm_from_scratch import LESSON
from autograde.exercises.bilm_from_scratch.again import refuse_memory

NAMES = ("table", "bias", "lstm")


class TwoWay(nn.Module):
    """A bidirectional language model with PyTorch's own switch."""

    def __init__(self, words: int, size: int, layers: int = 2) -> None:
        super().__init__()
        self.table = nn.Embedding(words + 1, size)
        self.bias = nn.Parameter(torch.zeros(words))
        self.lstm = nn.LSTM(size, size, layers, bidirectional=True, batch_first=True)

    def forward(self, ids: Tensor) -> tuple[list[Tensor], Tensor]:
        """(B, T) to [x ; x] and the top states, (B, T, 2 size) each, and the mask (B, T)."""
        x = self.table(ids)
        states, _ = self.lstm(x)
        return [torch.cat([x, x], -1), states], ids > 0


class _WordsFirst(nn.Module):
    """The LSTM is given the words on the first axis, as it wants them without `batch_first`."""

    def __init__(self, words: int, size: int, layers: int = 2) -> None:
        super().__init__()
        self.lstm = nn.LSTM(size, size, num_layers=layers, bidirectional=True)
        self.bias = nn.Parameter(torch.zeros(words))
        self.table = nn.Embedding(words + 1, size, padding_idx=0)

    def forward(self, ids: Tensor) -> tuple[tuple[Tensor, Tensor], Tensor]:
        x = self.table(ids)
        states = self.lstm(x.transpose(0, 1))[0].transpose(0, 1)
        return (x.repeat(1, 1, 2), states), ids.ne(0)


@Case.drawn
def _ids(rng: Random, lengths: Sequence[int], size: int, layers: int = 2) -> Inputs:
    there = np.arange(max(lengths)) < np.array(lengths)[:, None]
    ids = rng.integers(1, 8, there.shape)
    ids[0, 0] = 7  # the last word
    return {"words": 7, "size": size, "layers": layers, "ids": ids * there}


def _run(answer: Answer, inputs: Inputs) -> Plain:
    """Both layers and the mask, with weights that are drawn by the parameters' names."""
    model = answer(inputs["words"], inputs["size"], inputs["layers"])
    if not isinstance(model, nn.Module):
        raise AnswerRefused(
            "`TwoWay(words, size, layers)` should give a module of PyTorch. Keep the first line, "
            "`class TwoWay(nn.Module):`."
        )
    found = dict(model.named_parameters())
    missing = [name for name in NAMES if not any(n.split(".")[0] == name for n in found)]
    if missing:
        raise AnswerRefused(
            f"There are no weights called `{missing[0]}`. Call the three parts `self.table`, "
            "`self.bias` and `self.lstm`: the cells below ask for them. `self.bias` is an "
            "`nn.Parameter`."
        )
    at_first = "bias" in found and not bool(found["bias"].any())
    sizes = {name: list(weight.shape) for name, weight in sorted(found.items())}
    with torch.no_grad():
        for name, weight in sorted(found.items()):
            generator = torch.Generator().manual_seed(sum(map(ord, name)))
            weight.copy_(torch.randn(weight.shape, generator=generator))
    ids = torch.from_numpy(inputs["ids"].copy())
    came = model(ids)
    refuse_changed(inputs, {"ids": ids})
    if not isinstance(came, tuple | list) or len(came) != 2 or isinstance(came[0], Tensor):
        raise AnswerRefused(
            "Return two things: the list of the two layers, and the mask: `return layers, mask`."
        )
    layers, mask = came
    refuse_memory(model, ids, layers)
    there = torch.from_numpy(inputs["ids"] > 0)[..., None]
    if isinstance(mask, Tensor) and mask.dtype != torch.bool:
        raise AnswerRefused("The mask says True or False: `ids > 0`.")
    return {
        "weights that a gradient reaches": [_reached(layer, found) for layer in layers],
        "layers": [plain(x * there if _is_of(x, there) else x) for x in layers],
        "mask": plain(mask),
        "weights": sizes,
        "the bias is 0 at first": at_first,
    }


def _is_of(layer: Any, there: Tensor) -> bool:
    return isinstance(layer, Tensor) and layer.shape[:2] == there.shape[:2]


def _reached(layer: Any, weights: Mapping[str, nn.Parameter]) -> str:
    """The names of the weights that learn through a layer."""
    if not isinstance(layer, Tensor) or not layer.requires_grad:
        return "none"
    found = torch.autograd.grad(
        layer.sum(), list(weights.values()), allow_unused=True, retain_graph=True
    )
    pairs = zip(weights, found, strict=True)
    return " and ".join(sorted({n.split(".")[0] for n, slope in pairs if slope is not None}))


SLIPS = """
--- hint 1
the words on the first axis: , batch_first=True ->
    Your LSTM takes the batch for the sentence: without `batch_first=True` it expects the words on
    the first axis.
no row for the padding: nn.Embedding(words + 1, size) -> nn.Embedding(words, size)
    Your table has no row for the last word. Row 0 is padding, so there are `words + 1` rows.
no row for the padding, and word 1 in its place: nn.Embedding(words + 1, size) \
        -> nn.Embedding(words, size) && self.table(ids) -> self.table((ids - 1).clamp(min=0))
    Your table has no row for the padding. The ids go from 0 to `words`: there are `words + 1` rows.
word 1 in the row of the padding: self.table(ids) -> self.table((ids - 1).clamp(min=0))
    You take 1 off the ids, so padding and word 1 share a row. The table has a row for each id, 0 to
    `words`: `self.table(ids)`.
--- hint 2
the padding is not read: states, _ = self.lstm(x) -> \
        n, rnn = (ids > 0).sum(1), nn.utils.rnn \
        ⏎packed = rnn.pack_padded_sequence(x, n, batch_first=True, enforce_sorted=False) \
        ⏎states = rnn.pad_packed_sequence(self.lstm(packed)[0], True, 0.0, ids.shape[1])[0]
    You pack, so padding is not read. That is the better way, and section 6 comes to it. Here the
    LSTM reads whole rows, `self.lstm(x)`: what that does is seen there.
the LSTM reads each vector twice: nn.LSTM(size, size, -> nn.LSTM(2 * size, size, \
        && self.lstm(x) -> self.lstm(torch.cat([x, x], -1))
    Your LSTM reads [x ; x]. That is the first layer of the list; the LSTM reads x alone, `size`
    numbers.
the state of the end alone: states, _ = self.lstm(x) -> _, (states, _) = self.lstm(x)
    You take the last states. The first thing that `nn.LSTM` returns has the state of each word.
the words learn nothing: x = self.table(ids) -> x = self.table(ids).detach()
    No gradient reaches your table, so no word ever learns. Leave out `.detach()`, `.data` and
    `torch.no_grad()`.
the bias counts the padding: torch.zeros(words) -> torch.zeros(words + 1)
    Your bias has a number for the padding, too. There is one for each of the `words`.
a bias of one number: torch.zeros(words) -> torch.zeros(1)
    Your bias is one number. There is one for each of the `words`.
a bias that does not begin with zeros: torch.zeros(words) -> torch.ones(words)
    Your bias does not begin with zeros. A new model should bet alike on all words.
one direction of twice the size: \
        nn.LSTM(size, size, layers, bidirectional=True -> nn.LSTM(size, 2 * size, layers
    Your LSTM reads in one direction, with states of twice the size. It has two directions of `size`
    numbers: `bidirectional=True`.
one direction: bidirectional=True -> bidirectional=False
    Your LSTM reads in one direction. The switch is `bidirectional=True`.
the last state alone: states, _ = self.lstm(x) -> \
        states = self.lstm(x)[1][0][-1:].transpose(0, 1).expand(-1, x.shape[1], -1).repeat(1, 1, 2)
    You take the state after the last word for all positions. The first thing that `nn.LSTM` returns
    has the state of each word.
--- hint 3
each number twice: torch.cat([x, x], -1) -> x.repeat_interleave(2, -1)
    You repeat each number. The whole vector stands beside itself: `torch.cat([x, x], -1)`.
the word vectors once: torch.cat([x, x], -1) -> x
    Your first layer has `size` numbers. Put each vector beside itself, so that both layers have
    `2 size`: the first half belongs to the forward reader, the second to the backward one.
the word vectors one sentence behind the other: torch.cat([x, x], -1) -> torch.cat([x, x], 1)
    You put the sentences behind each other. Put each vector beside itself, on the last axis.
the states alone: [torch.cat([x, x], -1), states] -> [states]
    The word vectors are missing: the list has two layers, the words' own vectors first.
the states first: [torch.cat([x, x], -1), states] -> [states, torch.cat([x, x], -1)]
    The word vectors come first, then the states.
the word vectors are added to the states: -1), states] -> -1), states + torch.cat([x, x], -1)]
    You add the word vectors to the states. The second layer is the states alone.
the mask is True everywhere: ids > 0 -> ids >= 0
    Your mask is True at padding, too. Padding is 0: `ids > 0`.
the mask is turned round: ids > 0 -> ids == 0
    Your mask is True at padding. It is True where there is a word.
the mask forgets the first word: ids > 0 -> ids > 1
    Your mask leaves out word 1. Padding alone is 0.
--- no hint
one layer: size, size, layers, -> size, size,
    Your LSTM has one layer whatever `layers` says. Give it on: `nn.LSTM(size, size, layers, ...)`.
always two layers: size, size, layers, -> size, size, 2,
    Your LSTM has two layers whatever `layers` says. Give it on.
half a state for each direction: nn.LSTM(size, size, -> nn.LSTM(size, size // 2,
    Each of your readers has `size // 2` numbers. Each shows `size`, so a state has `2 size`.
"""

EXERCISE = Exercise(
    id="TwoWay",
    title="The class that everybody writes first",
    lesson=LESSON,
    points=2,
    difficulty=2,
    importance=4,
    minutes=6,
    reference=TwoWay,
    run=_run,
    cases=(
        Case("one sentence", _ids((4,), 4)),
        Case("sentences of 5, 2 and 3 words", _ids((5, 2, 3), 4), weight=2),
        Case("one layer", _ids((3, 4), 2, layers=1)),
    ),
    mistakes=slips(TwoWay, SLIPS),
    right_answers={"words first, and turned back": _WordsFirst},
)
