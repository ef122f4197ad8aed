"""Exercise `concat_pool`: three looks at a text, none of them at padding."""

import numpy as np
import torch
from torch import Tensor

from autograde.checking.answers import Answer, Plain
from autograde.checking.differentiable import run_differentiably
from autograde.checking.exercise import Case, Exercise, Inputs, Random
from autograde.checking.slips import slips
from autograde.exercises.ulmfit import LESSON
from elmo_mini.models.ulmfit import concat_pool

LOOKS = ("last state", "maximum", "mean")


@Case.drawn
def _texts(
    rng: Random, lengths: tuple[int, ...], size: int, below: float = 0.0, padding: float = 0.0
) -> Inputs:
    """Texts of these lengths; their states are lowered by `below`.

    A `padding` above 0 grows with the position, so that what was taken from where can be told.
    """
    mask = np.arange(max(lengths)) < np.array(lengths)[:, None]
    states = rng.standard_normal((*mask.shape, size)).astype(np.float32) - np.float32(below)
    states[~mask] = padding
    if padding > 0:
        states += (~mask * np.arange(mask.shape[1], dtype=np.float32))[..., None]
    return {"states": states, "mask": mask}


def _run(answer: Answer, inputs: Inputs) -> Plain:
    """The three looks, and those through which a gradient comes back."""
    pooled = run_differentiably(answer, inputs)
    states = torch.from_numpy(inputs["states"].copy()).requires_grad_()
    again = answer(states.clone(), mask := torch.from_numpy(inputs["mask"].copy()))
    parts = again.chunk(3, 1) if again.shape == (len(states), 3 * states.shape[-1]) else ()
    cut = [look for look, part in zip(LOOKS, parts, strict=False) if _cut(part, states, mask)]
    return {"the looks": pooled, "looks that no gradient comes through": cut}


def _cut(part: Tensor, states: Tensor, mask: Tensor) -> bool:
    (slope,) = torch.autograd.grad(part.sum(), states, retain_graph=True, allow_unused=True)
    return slope is None or not slope[mask].nan_to_num().any()


def _pool(states: Tensor, mask: Tensor) -> Tensor:
    lengths = mask.sum(1)
    last = states[torch.arange(len(states)), lengths - 1]
    outside = ~mask.unsqueeze(-1)
    largest = states.masked_fill(outside, -torch.inf).amax(1)
    mean = states.masked_fill(outside, 0).sum(1) / lengths.unsqueeze(1)
    return torch.cat([last, largest, mean], 1)


def _one_text_at_a_time(states: Tensor, mask: Tensor) -> Tensor:
    rows = []
    for text, here in zip(states, mask, strict=True):
        words = text[here]
        rows.append(torch.cat([words[-1], words.max(0).values, words.mean(0)]))
    return torch.stack(rows)


def _by_where(states: Tensor, mask: Tensor) -> Tensor:
    real, lengths = mask[..., None], mask.sum(1, keepdim=True)
    last = states.gather(1, (lengths - 1)[..., None].expand(-1, -1, states.shape[-1]))[:, 0]
    largest = torch.where(real, states, states.new_tensor(-torch.inf)).max(1)[0]
    mean = torch.where(real, states, states.new_tensor(0.0)).sum(1) / lengths
    return torch.hstack([last, largest, mean])


SLIPS = """
--- hint 1
the last place of the table: lengths - 1 -> -1
    Your last state is that of the table's last position. For a short text that is padding: its last
    word stands at its own length minus 1.
counted from the end: lengths - 1] -> 1 - lengths]
    Your last state stands at a position counted from the end. It is position `lengths - 1` from the
    start.
one word too early: lengths - 1] -> (lengths - 2).clamp(min=0)]
one word too late: lengths - 1] -> lengths]
    Your last state is not that of the last word. Positions count from 0: the last of n words stands
    at position n - 1.
always the second state: lengths - 1] -> 1]
    You take the second state of each text. The last word stands at its length minus 1.
each text at the first one's end: states[torch.arange(len(states)), lengths - 1] \
        -> states[:, lengths[0] - 1]
    You read all texts at the position where the first one ends. Each has its own last word: index
    with `torch.arange(len(states))` and the lengths minus 1, both at once.
the first state: lengths - 1 -> lengths * 0
    You take the state after the first word. The last one has read the whole text.
the last state is missing: [last, largest, mean] -> [largest, mean]
the largest is missing: [last, largest, mean] -> [last, mean]
the mean is missing: [last, largest, mean] -> [last, largest]
    A part is missing. Three stand side by side, (B, 3 H): last state, largest, mean.
another order: [last, largest, mean] -> [last, mean, largest]
the largest first: [last, largest, mean] -> [largest, last, mean]
the largest first, the last at the end: [last, largest, mean] -> [largest, mean, last]
the mean first: [last, largest, mean] -> [mean, last, largest]
the mean first, the last at the end: [last, largest, mean] -> [mean, largest, last]
    The parts are right, in another order. Last state, largest, mean.
woven together: torch.cat([last, largest, mean], 1) \
        -> torch.stack([last, largest, mean], -1).flatten(1)
    You weave the three together, number by number. Each stands whole beside the next: `torch.cat`
    along axis 1.
below one another: [last, largest, mean], 1 -> [last, largest, mean], 0
    You put the parts below one another, (3 B, H). They stand side by side: `dim=1`.
--- hint 2
the largest of all places: states.masked_fill(outside, -torch.inf).amax -> states.amax
    Padding takes part in your largest number. Where all states of a unit are below what stands at
    padding, padding wins: put minus infinity there first.
something large is taken off: states.masked_fill(outside, -torch.inf).amax \
        -> (states - outside * 1e9).amax
padding times 0, and something large taken off: states.masked_fill(outside, -torch.inf).amax \
        -> (states * ~outside - outside * 1e9).amax
    You reckon with what stands at padding. Where infinity or `nan` stands there, it stays: write
    minus infinity in its place, with `masked_fill` or `torch.where`.
padding is {number}: -torch.inf -> {number} | number = -1.0, -10.0, -100.0, -1000.0
    Padding holds a finite number in your answer, and a state may lie lower. Take minus infinity.
zeros where padding was: masked_fill(outside, -torch.inf) -> masked_fill(outside, 0)
    You write 0 at padding before you take the largest number. A unit whose states are all negative
    then has 0. Write minus infinity.
the smallest: masked_fill(outside, -torch.inf).amax -> masked_fill(outside, torch.inf).amin
    You take the smallest number of each unit. Take the largest.
of the magnitudes: masked_fill(outside, -torch.inf).amax(1) -> abs().masked_fill(outside, 0).amax(1)
    You take the largest magnitude. A large negative number is no large number.
the largest over the units: largest = states.masked_fill(outside, -torch.inf).amax(1) \
        -> largest = states.masked_fill(outside, -torch.inf).amax(2)
    You take the largest number of each *word*. Each unit has one, over the words: `dim=1`.
the places of the largest: masked_fill(outside, -torch.inf).amax(1) \
        -> masked_fill(outside, -torch.inf).argmax(1).float()
    You return where the largest numbers stand. Return the numbers.
--- hint 3
padding in the mean's sum: states.masked_fill(outside, 0).sum -> states.sum
    Padding takes part in your sum. Write 0 there before you add up.
padding multiplied by 0: states.masked_fill(outside, 0).sum -> (states * ~outside).sum
    You multiply padding by 0. Where infinity or `nan` stands there, that gives `nan`: write 0 in
    its place, with `masked_fill` or `torch.where`.
minus infinity in the mean's sum: masked_fill(outside, 0) -> masked_fill(outside, -torch.inf)
    Your sum meets the minus infinity that you wrote for the largest. Before the sum, padding must
    hold 0: fill a second copy.
the mean over all texts: states.masked_fill(outside, 0).sum(1) / lengths.unsqueeze(1) \
        -> states[mask].mean(0).expand(len(states), -1)
    Your mean runs over the words of all texts, so each text has the same one. Each has its own:
    over its words alone.
divided by the table's width: / lengths.unsqueeze(1) -> / states.shape[1]
    You divide by the width of the table. A text has as many words as its row of the mask has True.
the mean of everything: states.masked_fill(outside, 0).sum(1) / lengths.unsqueeze(1) \
        -> states.mean(1)
    Your mean is over all positions, with padding. Add up the words alone, and divide by their
    number.
multiplied by the length: / lengths.unsqueeze(1) -> * lengths.unsqueeze(1)
    You multiply by the number of words. Divide by it.
rounded down: / lengths.unsqueeze(1) -> // lengths.unsqueeze(1)
    `//` rounds down to whole numbers. Divide with `/`.
divided twice: masked_fill(outside, 0).sum(1) / -> masked_fill(outside, 0).mean(1) /
    Your mean is divided twice: by the width of the table, and by the number of words. Add up with
    `sum(1)`.
over the units: masked_fill(outside, 0).sum(1) / lengths.unsqueeze(1) \
        -> masked_fill(outside, 0).mean(2)
    Your mean is one number for each *word*. Each unit has one, over the words: `dim=1`.
the sum: / lengths.unsqueeze(1) ->
    You return the sum. Divide by the number of words.
the square root of the length: / lengths.unsqueeze(1) -> / lengths.unsqueeze(1) ** 0.5
    You divide by the root of the number of words. Divide by the number itself.
one word less: / lengths.unsqueeze(1) -> / (lengths.unsqueeze(1) - 1).clamp(min=1)
    You divide by one word too few.
the mask turned round: outside = ~mask.unsqueeze(-1) -> outside = mask.unsqueeze(-1)
    You empty the words and keep the padding. `mask` is True at words: turn it round with `~`.
the {look} is cut off: [last, largest, mean], 1) -> {parts}, 1) | look parts = \
        state [last.detach(),largest,mean], maximum [last,largest.detach(),mean], \
        mean [last,largest,mean.detach()]
    No gradient comes back through one of your three looks, so nothing below can learn from it.
    Leave out `.detach()`.
cut off from autograd: [last, largest, mean], 1) -> [last, largest, mean], 1).detach()
    The numbers are right, and nothing can be learnt through them. Leave out `.detach()` and
    `.data`.
"""

ONE_BY_ONE = """
--- hint 3
the mean over the units, one text at a time: words.mean(0) -> words.mean(1)
    Your mean is one number for each *word*. Each unit has one, over the words.
"""

EXERCISE = Exercise(
    id="concat_pool",
    title="Three looks at a text",
    lesson=LESSON,
    points=2,
    difficulty=2,
    importance=5,
    minutes=10,
    reference=concat_pool,
    run=_run,
    cases=(
        Case("one text of four words", _texts((4,), 3)),
        Case("texts of 2, 5 and 3 words", _texts((2, 5, 3), 4), weight=2),
        Case("states below zero, padding of 0", _texts((2, 4), 3, 3.0), weight=2),
        Case("padding that holds 100", _texts((1, 6, 2), 3, 0.0, 100.0), weight=1),
        Case(
            "states far below zero",
            _texts((2, 4), 3, 2000.0),
            edge=True,
            asks="All states are about -2000. The largest is that nearest to 0, of a word.",
        ),
        Case("a text of one word", _texts((1,), 2), edge=True),
        Case(
            "padding that holds infinity",
            _texts((2, 3), 3, 0.0, np.inf),
            edge=True,
            asks="At padding stands infinity. It changes nothing, as no number does there.",
        ),
    ),
    mistakes=(*slips(_pool, SLIPS), *slips(_one_text_at_a_time, ONE_BY_ONE)),
    right_answers={
        "masked_fill": _pool,
        "one text at a time": _one_text_at_a_time,
        "where and gather": _by_where,
    },
)
