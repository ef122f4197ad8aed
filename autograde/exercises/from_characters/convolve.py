"""Exercise `convolve`: a stencil slid along a word."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode

from autograde.checking.answers import Answer, AnswerRefused, Plain
from autograde.checking.exercise import Case, Exercise, Inputs, Random
from autograde.checking.slips import slips
from autograde.exercises.from_characters import LESSON
from autograde.exercises.from_characters.with_gradients import CUT_OFF, run_with_gradients

MANY = 200  # words, and filters, of the last case: who takes fewer steps loops over neither


def reference(letters: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    """(N, D, T) letters and (F, D, width) stencils to (N, F, T - width + 1)."""
    width = weight.shape[2]
    places = letters.shape[2] - width + 1
    matches = letters.new_zeros(len(letters), len(weight), places)
    for j in range(width):
        matches = matches + weight[:, :, j] @ letters[:, :, j : j + places]
    return matches + bias[:, None]


def _place_by_place(letters: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    width = weight.shape[2]
    places = letters.shape[2] - width + 1
    matches = torch.zeros(len(letters), len(weight), places)
    for start in range(places):
        window = letters[:, :, start : start + width]  # (N, D, width)
        matches[:, :, start] = window.flatten(1) @ weight.flatten(1).T + bias
    return matches


def _all_windows(letters: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    windows = letters.unfold(2, weight.shape[2], 1).transpose(1, 2)  # (N, places, D, width)
    products = windows.unsqueeze(1) * weight[None, :, None]  # (N, F, places, D, width)
    return products.sum((3, 4)) + bias.reshape(-1, 1)


class _ByHand(TorchFunctionMode):
    """Refuses PyTorch's own convolution, and loops that would take minutes on a vocabulary."""

    def __init__(self, words: int) -> None:
        super().__init__()
        self.steps, self.most = 0, MANY - 10 if words == MANY else 10_000

    def __torch_function__(
        self, func: Any, types: Any, args: Sequence[Any] = (), kwargs: Any = None
    ) -> Any:
        self.steps += 1
        if getattr(func, "__name__", "").startswith("conv"):
            raise AnswerRefused(
                "You call PyTorch's own convolution. It is right, and it is what you open up here: "
                "write it with windows, products and sums. Below you compare the two."
            )
        if self.steps > self.most:
            raise AnswerRefused(
                "Your loops take a step for every word or every filter. Below, 16,000 words go "
                "through 512 filters: let one product do all words and filters, and loop over the "
                "places, or over the letters of the stencil."
            )
        return func(*args, **(kwargs or {}))


def _run(answer: Answer, inputs: Inputs) -> Plain:
    def by_hand(*tensors: Tensor) -> Any:
        with _ByHand(len(inputs["letters"])):
            return answer(*tensors)

    return run_with_gradients(by_hand, inputs)


@Case.drawn
def _sizes(rng: Random, words: int, dim: int, characters: int, filters: int, width: int) -> Inputs:
    inputs = {
        "letters": rng.standard_normal((words, dim, characters)),
        "weight": rng.standard_normal((filters, dim, width)),
        "bias": rng.standard_normal(filters),
    }
    return {name: value.astype(np.float32) for name, value in inputs.items()}


SLIPS = f"""
--- hint 2
the stencil is turned around: weight[:, :, j] -> weight[:, :, -1 - j]
    You lay the stencil on backwards. That is the convolution of mathematics. Networks slide it as
    it is: its first letter on the window's first letter.
the first word's matches for all: letters[:, :, j -> letters[0, :, j
    Every word of yours gets the matches of the first: `letters[0]` is that word alone. Keep the
    axis of the words, `letters[:, ...]`.
the last column for all: weight[:, :, j] -> weight[:, :, -1]
    One column of the stencil meets all letters of the window. Each has its own: `weight[:, :, j]`.
--- hint 3
no bias: + bias[:, None] ->
    The bias is missing. Each filter adds one number of its own at every position.
the bias is subtracted: + bias -> - bias
    You subtract the bias. Add it: one number for each filter, at every position.
the products are subtracted: matches + weight -> matches - weight
    You subtract the products from the bias. Add them.
the stencil's first column is missing: range(width) -> range(1, width)
    The first column of the stencil meets no letter. Begin at k = 0.
the stencil's last column alone: matches = matches + weight -> matches = weight
    Only the last column of the stencil is left: `=` in your loop forgets the columns before. Add
    each to what is there.
the stencil's last column is missing: range(width) -> range(width - 1)
    The last column of the stencil meets no letter. There are `width` columns, so `range(width)`.
a mean over the window: matches + bias -> matches / width + bias
    You divide by the width. The products are added up, without a mean.
a mean over the window, with the bias in it: matches + bias[:, None] \
        -> (matches + bias[:, None]) / width
    You divide by the width. The products are added up, without a mean, and so is the bias.
the bias for every letter of the stencil: \
        + bias[:, None] -> && matches + weight -> matches + bias[:, None] + weight
    You add the bias for each letter of the stencil. Add it once for each window.
the bias along the places: bias[:, None] -> bias
    The bias lies along the positions. There is one for each filter, and filters are the second
    axis: `bias[:, None]` has shape (F, 1).
--- hint 1
the last window is missing: - width + 1 -> - width
    The last window is missing. A word of T letters has T − width + 1 windows.
as many places as letters: places = letters -> \
        letters = torch.nn.functional.pad(letters, ((width - 1) // 2, width // 2))⏎places = letters
    You fill up both ends, so that there are as many positions as letters. The stencil stays inside
    the word: T − width + 1 positions.
windows that hang over the end: places = letters -> \
        letters = torch.nn.functional.pad(letters, (0, width - 1))⏎places = letters
    Your last windows hang over the end of the word. The stencil stays inside: T − width + 1
    positions.
steps as wide as the stencil: matches + bias[:, None] -> (matches + bias[:, None])[:, :, ::width]
    Your windows stand side by side. They overlap: the stencil moves on by one letter.
--- hint 2
a mean over all products: matches + bias -> matches / weight[0].numel() + bias
    You take the mean of the products. Add them up.
--- no hint
relu already: matches + bias[:, None] -> torch.relu(matches + bias[:, None])
    You cut off what is below 0. That comes later; a convolution may be negative.
the maximum already: matches + bias[:, None] -> (matches + bias[:, None]).amax(-1)
    You have taken the maximum over the positions, too. That is the next step; return all positions
    here.
cut off from autograd: matches + bias[:, None] -> (matches + bias[:, None]).detach()
    {CUT_OFF}
--- hint 3
places before filters: matches + bias[:, None] -> (matches + bias[:, None]).transpose(1, 2)
    The axes are in another order. Filters come before positions: (N, F, T − width + 1).
places before words: matches + bias[:, None] -> (matches + bias[:, None]).permute(2, 0, 1)
    The axes are in another order: positions come first. `torch.stack(..., 2)` puts them last: (N,
    F, T − width + 1).
filters before words: matches + bias[:, None] -> (matches + bias[:, None]).transpose(0, 1)
    The axes are in another order. Words come first: (N, F, T − width + 1).
one bias for all filters: bias[:, None] -> bias.sum()
    You add the sum of all biases. Each filter has its own: `bias[:, None]`.
--- hint 2
the stencil is added up before it slides: j : j + places -> :places
    Every column of your stencil meets the same letter, as if you added the columns up before it
    slides, so it cannot tell *-ing* from *gni*. Each column meets the letter below it; then add up.
stencil and window are both added up first: weight[:, :, j] -> weight.sum(2)
    You add up the columns of the stencil, and those of the window, and multiply then. Each column
    meets the letter below it: multiply first, add up after.
the numbers of a letter are added up first: weight[:, :, j] @ letters[:, :, j : j + places] -> \
        weight[:, :, j].sum(1)[:, None] @ letters[:, :, j : j + places].sum(1, keepdim=True)
    You add up the numbers of each letter before the product. Number d of the letter meets number d
    of the stencil: multiply first, add up after.
--- hint 3
only the first word: return matches -> return matches[:1]
    Only the first word of the batch comes back.
"""

SLIPS_OF_PLACES = """
--- hint 1
the last place stays 0: range(places) -> range(places - 1)
    The last position is never filled. A word of T letters has T − width + 1 positions, and `range`
    leaves its end out.
--- hint 2
the stencil's axes are mixed up: window.flatten(1) -> window.transpose(1, 2).flatten(1)
    Window and stencil are laid out differently: one runs through the letters first, the other
    through the numbers of a letter. Number must meet number, letter must meet letter.
"""

SLIPS_OF_WINDOWS = """
--- hint 2
the numbers of a letter are not added up: products.sum((3, 4)) -> products.sum(4).mT \
        && reshape(-1, 1) -> reshape(-1, 1, 1)
    There is still a number for each dimension of the letters. Add up over them as well as over the
    letters of the window.
"""

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
        Case(f"{MANY} words, {MANY} filters", _sizes(MANY, 2, 4, MANY, 2), edge=True),
    ),
    mistakes=(
        *slips(reference, SLIPS),
        *slips(_place_by_place, SLIPS_OF_PLACES),
        *slips(_all_windows, SLIPS_OF_WINDOWS),
    ),
    right_answers={"place by place": _place_by_place, "all windows at once": _all_windows},
    atol=1e-4,
)
