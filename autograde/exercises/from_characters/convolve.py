"""Exercise `convolve`: a stencil slid along a word."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode

from autograde.checking.exercise import (
    Answer,
    AnswerRefused,
    Case,
    Exercise,
    Inputs,
    Mistake,
    Plain,
)
from autograde.exercises.from_characters import LESSON
from autograde.exercises.from_characters.with_gradients import (
    CUT_OFF,
    cut_off,
    run_with_gradients,
)


def reference(letters: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    """(N, D, T) letters and (F, D, width) stencils to (N, F, T - width + 1)."""
    windows = letters.unfold(2, weight.shape[2], 1)  # (N, D, places, width)
    return torch.einsum("ndpw,fdw->nfp", windows, weight) + bias[:, None]


class _ByHand(TorchFunctionMode):
    """Refuses PyTorch's own convolution, and loops that would take minutes on a vocabulary."""

    STEPS = 1_500

    def __init__(self) -> None:
        super().__init__()
        self.steps = 0

    def __torch_function__(
        self, func: Any, types: Any, args: Sequence[Any] = (), kwargs: Any = None
    ) -> Any:
        self.steps += 1
        if getattr(func, "__name__", "").startswith("conv"):
            raise AnswerRefused(
                "You call PyTorch's own convolution. It is right, and it is what you open up here: "
                "write it with windows, products and sums. Below you compare the two."
            )
        if self.steps > self.STEPS:
            raise AnswerRefused(
                "Your loops take a step for every word or every filter. Below, 16,000 words go "
                "through 512 filters: let one product do all words and filters, and loop over the "
                "places, or over the letters of the stencil."
            )
        return func(*args, **(kwargs or {}))


def _run(answer: Answer, inputs: Inputs) -> Plain:
    def by_hand(*tensors: Tensor) -> Any:
        with _ByHand():
            return answer(*tensors)

    return run_with_gradients(by_hand, inputs)


def _sizes(words: int, dim: int, characters: int, filters: int, width: int) -> Any:
    def make(rng: np.random.Generator) -> Inputs:
        return {
            "letters": rng.standard_normal((words, dim, characters)),
            "weight": rng.standard_normal((filters, dim, width)),
            "bias": rng.standard_normal(filters),
        }

    return make


def _place_by_place(letters: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    width = weight.shape[2]
    found = []
    for start in range(letters.shape[2] - width + 1):
        window = letters[:, :, start : start + width]  # (N, D, width)
        found.append(window.flatten(1) @ weight.flatten(1).T + bias)
    return torch.stack(found, 2)


def _letter_by_letter(letters: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    width = weight.shape[2]
    places = letters.shape[2] - width + 1
    total = bias.view(1, -1, 1)
    for k in range(width):
        total = total + weight[:, :, k] @ letters[:, :, k : k + places]
    return total


def _products_and_sums(letters: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    windows = letters.unfold(2, weight.shape[2], 1).transpose(1, 2)  # (N, places, D, width)
    products = windows.unsqueeze(1) * weight[None, :, None]  # (N, F, places, D, width)
    return products.sum((3, 4)) + bias.reshape(-1, 1)


def _weight_reshaped(letters: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    windows = letters.unfold(2, weight.shape[2], 1)  # (N, D, places, width)
    rows = windows.permute(0, 2, 3, 1).flatten(2)  # (N, places, width * D)
    return (rows @ weight.flatten(1).T + bias).transpose(1, 2)


def _stencil_summed(letters: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    places = letters.shape[2] - weight.shape[2] + 1
    return weight.sum(2) @ letters[:, :, :places] + bias[:, None]


def _both_summed(letters: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    windows = letters.unfold(2, weight.shape[2], 1).sum(3)  # (N, D, places)
    return weight.sum(2) @ windows + bias[:, None]


def _letter_summed(letters: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    return reference(letters.sum(1, keepdim=True).expand_as(letters), weight, bias)


def _one_window_short(letters: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    return reference(letters, weight, bias)[:, :, :-1]


def _same_length(letters: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    width = weight.shape[2]
    padded = torch.nn.functional.pad(letters, ((width - 1) // 2, width // 2))
    return reference(padded, weight, bias)


def _filled_at_the_end(letters: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    padded = torch.nn.functional.pad(letters, (0, weight.shape[2] - 1))
    return reference(padded, weight, bias)


def _steps_of_width(letters: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    return reference(letters, weight, bias)[:, :, :: weight.shape[2]]


def _without_column(weight: Tensor, k: int) -> Tensor:
    kept = torch.ones(weight.shape[2])
    kept[k] = 0
    return weight * kept


def _last_place_blank(letters: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    matches = reference(letters, weight, bias)
    return torch.cat([matches[:, :, :-1], torch.zeros_like(matches[:, :, -1:])], 2)


EXERCISE = Exercise(
    id="convolve",
    title="A stencil slid along a word",
    lesson=LESSON,
    points=3,
    difficulty=3,
    importance=5,
    minutes=15,
    reference=reference,
    run=_run,
    cases=(
        Case("one word, one filter of width 1", _sizes(1, 2, 3, 1, 1)),
        Case("one word, three filters of width 2", _sizes(1, 2, 5, 3, 2), weight=2),
        Case("several words, width 3", _sizes(4, 5, 7, 2, 3), weight=2),
        Case("as many numbers a letter as letters in the stencil", _sizes(2, 3, 6, 2, 3)),
        Case("as many filters as places", _sizes(2, 3, 5, 4, 2), edge=True),
        Case("the stencil is as wide as the word", _sizes(2, 3, 4, 5, 4), edge=True),
        Case("twenty words, thirty filters", _sizes(20, 3, 20, 30, 3), edge=True),
    ),
    mistakes=(
        Mistake(
            "the stencil is turned around",
            lambda letters, weight, bias: reference(letters, weight.flip(2), bias),
            "You lay the stencil on backwards. That is the convolution of mathematics. Networks "
            "slide it as it is: its first letter on the window's first letter.",
            hint=2,
        ),
        Mistake(
            "no bias",
            lambda letters, weight, bias: reference(letters, weight, 0 * bias),
            "The bias is missing. Each filter adds one number of its own at every place.",
            hint=3,
        ),
        Mistake(
            "the bias is subtracted",
            lambda letters, weight, bias: reference(letters, weight, -bias),
            "You subtract the bias. Add it: one number for each filter, at every place.",
            hint=3,
        ),
        Mistake(
            "the products are subtracted",
            lambda letters, weight, bias: reference(letters, -weight, bias),
            "You subtract the products from the bias. Add them.",
            hint=3,
        ),
        Mistake(
            "the stencil's first column is missing",
            lambda letters, weight, bias: reference(letters, _without_column(weight, 0), bias),
            "The first column of the stencil meets no letter. Begin at k = 0.",
            hint=2,
        ),
        Mistake(
            "the stencil's last column is missing",
            lambda letters, weight, bias: reference(letters, _without_column(weight, -1), bias),
            "The last column of the stencil meets no letter. There are `width` columns, so "
            "`range(width)`.",
            hint=2,
        ),
        Mistake(
            "the bias for every letter of the stencil",
            lambda letters, weight, bias: reference(letters, weight, bias * weight.shape[2]),
            "You add the bias for each letter of the stencil. Add it once for each window.",
            hint=3,
        ),
        Mistake(
            "the bias along the places",
            lambda letters, weight, bias: reference(letters, weight, 0 * bias) + bias,
            "The bias lies along the places. There is one for each filter, and filters are the "
            "second axis: `bias[:, None]` has shape (F, 1).",
            hint=3,
        ),
        Mistake(
            "the last window is missing",
            _one_window_short,
            "The last window is missing. A word of T letters has T − width + 1 windows.",
            hint=1,
        ),
        Mistake(
            "as many places as letters",
            _same_length,
            "You fill up both ends, so that there are as many places as letters. The stencil stays "
            "inside the word: T − width + 1 places.",
            hint=1,
        ),
        Mistake(
            "windows that hang over the end",
            _filled_at_the_end,
            "Your last windows hang over the end of the word. The stencil stays inside: T − width "
            "+ 1 places.",
            hint=1,
        ),
        Mistake(
            "steps as wide as the stencil",
            _steps_of_width,
            "Your windows stand side by side. They overlap: the stencil moves on by one letter.",
            hint=1,
        ),
        Mistake(
            "a mean over the window",
            lambda letters, weight, bias: (
                reference(letters, weight, 0 * bias) / weight.shape[2] + bias[:, None]
            ),
            "You divide by the width. The products are added up, without a mean.",
            hint=2,
        ),
        Mistake(
            "a mean over all products",
            lambda letters, weight, bias: (
                reference(letters, weight, 0 * bias) / weight[0].numel() + bias[:, None]
            ),
            "You take the mean of the products. Add them up.",
            hint=2,
        ),
        Mistake(
            "relu already",
            lambda letters, weight, bias: torch.relu(reference(letters, weight, bias)),
            "You cut off what is below 0. That comes later; a convolution may be negative.",
        ),
        Mistake(
            "the maximum already",
            lambda letters, weight, bias: reference(letters, weight, bias).amax(-1),
            "You have taken the maximum over the places, too. That is the next step; return all "
            "places here.",
        ),
        Mistake(
            "places before filters",
            lambda letters, weight, bias: reference(letters, weight, bias).transpose(1, 2),
            "The axes are in another order. Filters come before places: (N, F, T − width + 1).",
            hint=3,
        ),
        Mistake(
            "places before words",
            lambda letters, weight, bias: reference(letters, weight, bias).permute(2, 0, 1),
            "The axes are in another order: places come first. `torch.stack(..., 2)` puts them "
            "last: (N, F, T − width + 1).",
            hint=3,
        ),
        Mistake(
            "the last place stays 0",
            _last_place_blank,
            "The last place is never filled. A word of T letters has T − width + 1 places, and "
            "`range` leaves its end out.",
            hint=1,
        ),
        Mistake(
            "one bias for all filters",
            lambda letters, weight, bias: reference(letters, weight, 0 * bias) + bias.sum(),
            "You add the sum of all biases. Each filter has its own: `bias[:, None]`.",
            hint=3,
        ),
        Mistake(
            "filters before words",
            lambda letters, weight, bias: reference(letters, weight, bias).transpose(0, 1),
            "The axes are in another order. Words come first: (N, F, T − width + 1).",
            hint=3,
        ),
        Mistake(
            "the stencil's axes are mixed up",
            _weight_reshaped,
            "Window and stencil are laid out differently: one runs through the letters first, the "
            "other through the numbers of a letter. Number must meet number, letter must meet "
            "letter.",
            hint=2,
        ),
        Mistake(
            "the stencil is added up before it slides",
            _stencil_summed,
            "You add up the columns of the stencil before it slides, so it cannot tell *-ing* from "
            "*gni*. Each column meets the letter below it; then add up.",
            hint=2,
        ),
        Mistake(
            "stencil and window are both added up first",
            _both_summed,
            "You add up the columns of the stencil, and those of the window, and multiply then. "
            "Each column meets the letter below it: multiply first, add up after.",
            hint=2,
        ),
        Mistake(
            "the numbers of a letter are added up first",
            _letter_summed,
            "You add up the numbers of each letter before the product. Number d of the letter "
            "meets number d of the stencil: multiply first, add up after.",
            hint=2,
        ),
        Mistake(
            "only the first word",
            lambda letters, weight, bias: reference(letters[:1], weight, bias),
            "Only the first word of the batch comes back.",
            hint=3,
        ),
        Mistake(
            "the first word's matches for all",
            lambda letters, weight, bias: reference(letters[:1], weight, bias).expand(
                len(letters), -1, -1
            ),
            "Every word of yours gets the matches of the first: `letters[0]` is that word alone. "
            "Keep the axis of the words, `letters[:, ...]`.",
            hint=3,
        ),
        Mistake(
            "turned around, and no bias",
            lambda letters, weight, bias: reference(letters, weight.flip(2), 0 * bias),
            "Two things. You lay the stencil on backwards: its first letter belongs on the "
            "window's first letter. And the bias is missing.",
            hint=2,
        ),
        Mistake(
            "over the end, and relu already",
            lambda letters, weight, bias: torch.relu(_filled_at_the_end(letters, weight, bias)),
            "Two things. Your last windows hang over the end of the word: there are T − width + 1 "
            "places. And you cut off what is below 0, which comes later.",
            hint=1,
        ),
        Mistake(
            "the numbers of a letter are not added up",
            lambda letters, weight, bias: torch.einsum(
                "ndpw,fdw->nfdp", letters.unfold(2, weight.shape[2], 1), weight
            ),
            "There is still a number for each dimension of the letters. Add up over them as well "
            "as over the letters of the window.",
            hint=2,
        ),
        Mistake("cut off from autograd", cut_off(reference), CUT_OFF, hint=3),
    ),
    right_answers={
        "place by place": _place_by_place,
        "letter by letter of the stencil": _letter_by_letter,
        "products, then a sum": _products_and_sums,
    },
)
