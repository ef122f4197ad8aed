"""Exercise `train_glove`: the loop that fits vectors to counts."""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import torch
from torch import Tensor

from autograde.checking.answers import Answer, AnswerRefused, Plain, plain, returned
from autograde.checking.exercise import Case, Exercise, Inputs, Random
from autograde.checking.slips import slips
from autograde.exercises.static_limits import LESSON
from autograde.exercises.word2vec.no_seed import SEED_IS_SET, no_seed
from elmo_mini.models.glove import train_glove

Loss = Callable[..., Tensor]
Look = Callable[[int, Tensor], object]
NAMES = ("vectors", "context vectors", "biases", "context biases")
SLOPES = (1.0, 2.0, 0.5, -1.0)  # of the loss of a case, for each part; the sum of tables moves
LOSSES = (10.0, 9.5, 10.0, 9.5, 9.5)  # who stops where a loss rises or stays is too early


def _with_parameters(
    counts: Tensor, loss_of: Loss, dimension: int, steps: int, rate: float, look: Look
) -> tuple[Tensor, list[float]]:
    size = len(counts)
    reach = 0.5 / dimension
    w = torch.nn.Parameter(torch.empty(size, dimension).uniform_(-reach, reach))
    c = torch.nn.Parameter(torch.empty(size, dimension).uniform_(-reach, reach))
    b, d = torch.nn.Parameter(torch.zeros(size)), torch.nn.Parameter(torch.zeros(size))
    optimiser = torch.optim.Adagrad([w, c, b, d], lr=rate)
    losses: list[float] = []
    while len(losses) < steps:
        loss = loss_of(w, c, b, d, counts)
        loss.backward()
        optimiser.step()
        optimiser.zero_grad()
        losses += [float(loss.detach())]
        look(len(losses), w.detach() + c.detach())
    return w.data + c.data, losses


def _one_tensor(
    counts: Tensor, loss_of: Loss, dimension: int, steps: int, rate: float, look: Look
) -> tuple[Tensor, list[float]]:
    both = torch.rand(2, len(counts), dimension).mul(2).sub(1) / (2 * dimension)
    biases = torch.zeros(2, len(counts)).requires_grad_()
    optimiser = torch.optim.Adagrad([both.requires_grad_(), biases], lr=rate)
    losses = []
    for number in range(1, steps + 1):
        optimiser.zero_grad()
        loss_of(both[1], both[0], biases[1], biases[0], counts).backward()
        losses.append(loss_of(both[1], both[0], *biases.flip(0), counts).item())
        optimiser.step()
        look(number, both.detach().sum(0))
    return both.detach().sum(0), losses


@Case.drawn
def _table(rng: Random, size: int, dimension: int, steps: int, rate: float) -> Inputs:
    return {
        "counts": rng.integers(0, 9, (size, size)).astype(float),
        "dimension": dimension,
        "steps": steps,
        "rate": rate,
    }


def _run(answer: Answer, inputs: Inputs) -> Plain:
    """What each step was given and did, what `look` saw, and what came back."""
    counts = torch.as_tensor(inputs["counts"], dtype=torch.float32)
    size, dimension = len(counts), inputs["dimension"]
    shapes = [(size, dimension), (size, dimension), (size,), (size,)]
    seen: list[list[Tensor]] = []
    looked: list[list[Any]] = []

    def loss_of(w: Tensor, c: Tensor, b: Tensor, d: Tensor, given: Tensor) -> Tensor:
        parts = [w, c, b, d]
        for name, part, shape in zip(NAMES, parts, shapes, strict=True):
            if not isinstance(part, Tensor) or tuple(part.shape) != shape:
                raise AnswerRefused(
                    f"`loss_of` takes the {name} in the shape {shape}. It takes vectors, context "
                    "vectors, biases, context biases and counts, in this order."
                )
            if not part.requires_grad:
                raise AnswerRefused(f"The {name} do not learn: `requires_grad_()` is missing.")
        if not isinstance(given, Tensor) or given.shape != counts.shape or (given != counts).any():
            raise AnswerRefused("`loss_of` takes the counts last, as they were given to you.")
        now = [part.detach().clone() for part in parts]
        if not seen or not all(map(torch.equal, seen[-1], now)):  # else it is asked once more
            seen.append(now)
        slopes = zip(parts, SLOPES, strict=True)
        moved = torch.stack([slope * (part - part.detach()).sum() for part, slope in slopes]).sum()
        return len(seen) * moved + (*LOSSES, 9.5 - len(seen) / 8)[min(len(seen), 6) - 1]

    def look(number: int, table: Tensor) -> None:
        looked.append([float(number), table.detach().clone()])

    with no_seed(5):
        rest = (dimension, inputs["steps"], inputs["rate"], look)
        came = returned(answer(counts.clone(), loss_of, *rest))
    if not isinstance(came, tuple | list) or len(came) != 2:
        raise AnswerRefused("Return two things: the sum of both tables, and the losses.")
    vectors, losses = came
    if isinstance(losses, list | tuple) and any(isinstance(loss, Tensor) for loss in losses):
        raise AnswerRefused(
            "Your list holds tensors, and the lesson draws a curve of plain numbers: `loss.item()`."
        )
    if isinstance(vectors, Tensor) and vectors.requires_grad:
        raise AnswerRefused("Your vectors still carry gradients: `.detach()` them.")
    if not seen:
        raise AnswerRefused("Your loop never calls `loss_of`.")
    start = dict(zip(NAMES, seen[0], strict=True))
    sums = [parts[0] + parts[1] for parts in seen]
    shown = [vectors, *(table for _, table in looked[-1:])]
    steps = len(seen) - any(_same(scale * table, sums[-1]) for table in shown for scale in (1, 2))
    return {
        **{f"{name} at the start": _of_start(part, dimension) for name, part in start.items()},
        "steps taken": steps,
        "the two tables start alike": bool((seen[0][0] == seen[0][1]).all()),
        "by how much a step moves each part": [
            [round(float((b - a).mean()), 3) for a, b in zip(one, other, strict=True)]
            for one, other in pairwise(seen[: max(1, steps)])
        ],
        "`look` was told": [number for number, _ in looked],
        "`look` sees the sum of both tables": [
            _when(table, sums) for _, table in looked[: max(1, steps) - 1]
        ],
        "what you return": _returned(vectors, looked),
        "losses": plain(losses),
    }


def _returned(vectors: Any, looked: list[list[Any]]) -> str:
    """Which table came back, beside the one that `look` saw last."""
    if not looked:
        return "`look` was never called"
    last = looked[-1][1]
    if _same(vectors, last):
        return "what `look` saw last"
    return "half of what `look` saw last" if _same(2 * vectors, last) else "another table"


def _when(table: Tensor, sums: list[Tensor]) -> str:
    """After how many steps the sum of both tables was this one."""
    steps = [number for number, total in enumerate(sums) if _same(table, total)]
    return f"after step {steps[0]}" if steps else "another table"


def _of_start(part: Tensor, size: int) -> str:
    """How the numbers of a part are spread: one that is normal has some far from its middle."""
    if not part.any():
        return "zeros"
    low, high, spread = float(part.min()), float(part.max()), float(part.std())
    if high - low > 4.6 * spread:
        return "normal"
    if low >= 0:
        return "nothing below 0"
    reach = max(high, -low)
    ranges = {
        "from -1/(2D) to 1/(2D)": 1 / (2 * size),
        "from -1/2 to 1/2": 1 / 2,
        "from -D/2 to D/2": size / 2,
        "from -1/D to 1/D": 1 / size,
        "from -1/(4D) to 1/(4D)": 1 / (4 * size),
        "from -1/(2V) to 1/(2V)": 1 / (2 * len(part)),
    }
    if min(high, -low) > 0.9 * reach:
        for name, right in ranges.items():
            if 0.9 * right < reach <= 1.0001 * right:
                return name
    return "even, over another range"


def _same(one: Any, other: Tensor) -> bool:
    return isinstance(one, Tensor) and one.shape == other.shape and bool(torch.allclose(one, other))


SLIPS = f"""
--- no hint
the seed is set: losses = [] -> torch.manual_seed(0)⏎losses = []
the seed is set before the tables are drawn: size = -> torch.manual_seed(0)⏎size =
    {SEED_IS_SET}
--- hint 1
a new optimiser in each step: loss = loss_of(*parts, counts) \
        -> optimiser = torch.optim.Adagrad(parts, lr=rate)⏎loss = loss_of(*parts, counts)
    You make a new optimiser in each step, so AdaGrad forgets how much each number has moved. Make
    it once, before the loop.
--- hint 2
the biases do not step: torch.optim.Adagrad(parts, -> torch.optim.Adagrad(parts[:2],
    Only your two tables learn. The optimiser gets all four parts.
the context vectors do not step: torch.optim.Adagrad(parts, \
        -> torch.optim.Adagrad([w, *parts[2:]],
    Your context vectors do not learn. The optimiser gets all four parts.
both tables are one: parts = -> c = w.clone()⏎parts =
    Your context vectors are a copy of the vectors. Draw both tables.
one bias vector, given twice: loss_of(*parts, counts) \
        -> loss_of(*parts[:3], parts[2], counts)
    You give the loss one vector of biases for both tables. Each table has its own.
gradients left on: return (w + c).detach(), -> return (w + c),
    Your vectors still carry gradients: `.detach()` them.
--- hint 3
`look` is never called: look(number + 1, (w + c).detach()) -> pass
    `look` is never called. Call it after each step, with the number of steps and the sum of both
    tables.
`look` comes before the step: look(number + 1, (w + c).detach()) -> pass \
        && loss = loss_of(*parts, counts) \
        -> look(number + 1, (w + c).detach())⏎loss = loss_of(*parts, counts)
    You call `look` before the step. Call it after.
`look` comes before the step, counted from 0: look(number + 1, (w + c).detach()) -> pass \
        && loss = loss_of(*parts, counts) \
        -> look(number, (w + c).detach())⏎loss = loss_of(*parts, counts)
    You call `look` before the step. Call it after, with the number of steps taken.
`look` is shown one sum all the time: losses = [] -> losses, table = [], (w + c).detach() \
        && look(number + 1, (w + c).detach()) -> look(number + 1, table)
one sum all the time is shown and returned: losses = [] -> losses, table = [], (w + c).detach() \
        && look(number + 1, (w + c).detach()) -> look(number + 1, table) \
        && return (w + c).detach() -> return table
    You add up the two tables once, before the loop. The sum is a new tensor, which does not move:
    add them up anew after each step.
counted from 0: look(number + 1, -> look(number,
    You count the steps from 0. `look` is told how many have been taken: 1 after the first.
`look` sees one table: look(number + 1, (w + c).detach()) -> look(number + 1, w.detach().clone())
    You show `look` one table. It looks at the sum of both.
one table alone: return (w + c).detach(), -> return w.detach(),
    You return the first table alone. GloVe's vectors are the sum of both.
the mean of both: return (w + c).detach(), -> return ((w + c) / 2).detach(),
    You return the mean of both tables. GloVe's vectors are their sum.
the loss after the step: losses.append(loss.item()) \
        -> losses.append(loss_of(*parts, counts).item())
    You write down the loss after the step. The loss of a step is the one that it started from.
it stops where the loss rises: loss = loss_of(*parts, counts) \
        -> loss = loss_of(*parts, counts)⏎if losses and loss > losses[-1]: break
it stops behind a loss that rose: look(number + 1, (w + c).detach()) \
        -> look(number + 1, (w + c).detach())⏎if losses[-1] > losses[max(0, len(losses) - 2)]: break
it stops behind a loss that rose, before `look`: losses.append(loss.item()) \
        -> losses.append(loss.item())⏎if losses[-1] > losses[max(0, len(losses) - 2)]: break
it stops behind a loss that stayed: look(number + 1, (w + c).detach()) \
        -> look(number + 1, (w + c).detach())⏎if losses[-1:] == losses[-2:-1]: break
it stops behind a loss that stayed, before `look`: losses.append(loss.item()) \
        -> losses.append(loss.item())⏎if losses[-1:] == losses[-2:-1]: break
    You stop early, by the loss. It may rise or stay before it falls: take all `steps`.
the last loss alone: detach(), losses -> detach(), losses[-1]
    You return the last loss. Return the list of all of them.
the losses first: return (w + c).detach(), losses -> return losses, (w + c).detach()
    You return the losses first. The vectors come first.
gradients are never emptied: optimiser.zero_grad() -> pass
    You never empty the gradients, so each step adds to those before: `optimiser.zero_grad()`.
no step: optimiser.step() -> pass
    Nothing moves: `optimiser.step()` is missing, or the gradients are emptied just before it.
two steps for one loss: optimiser.step() -> optimiser.step()⏎optimiser.step()
    You step twice for each loss. Step once.
--- no hint
the tables start at zero: (torch.rand(size, dimension) - 0.5) / dimension \
        -> torch.zeros(size, dimension)
    Your tables start with zeros. Then every gradient of a vector is zero, and no vector ever moves:
    start with small random numbers.
the start is not shifted: (torch.rand(size, dimension) - 0.5) -> torch.rand(size, dimension)
    Your tables start above 0 everywhere. `torch.rand` draws between 0 and 1: take 0.5 away.
the start is not divided: - 0.5) / dimension -> - 0.5)
    Your tables start with numbers up to one half. Divide them by the dimension.
the start is multiplied: - 0.5) / dimension -> - 0.5) * dimension
    Your tables start from −D/2 to D/2: the dimension multiplies, and it should divide. (In Python
    `1 / 2 * dimension` is half the dimension: write `1 / (2 * dimension)`.)
the start is twice as wide: (torch.rand(size, dimension) - 0.5) / dimension \
        -> (2 * torch.rand(size, dimension) - 1) / dimension
    Your tables start from −1/D to 1/D. Halve that: from −1/(2D) to 1/(2D).
the start is half as wide: - 0.5) / dimension -> - 0.5) / (2 * dimension)
    Your tables start from −1/(4D) to 1/(4D). `torch.rand(...) - 0.5` ends at one half already:
    divide by the dimension alone.
the start is divided by the number of words: - 0.5) / dimension -> - 0.5) / size
    Your tables start with numbers divided by the number of words. Divide them by the dimension.
the start is not in brackets: (torch.rand(size, dimension) - 0.5) / dimension \
        -> torch.rand(size, dimension) - 0.5 / dimension
    Your tables start with even numbers over another range. It goes from −1/(2D) to 1/(2D); in
    `a - b / c` only `b` is divided: put brackets round `a - b`.
a start from the normal distribution: (torch.rand(size, dimension) - 0.5) \
        -> torch.randn(size, dimension)
    Your tables start with normal random numbers. Even ones are asked for, from -1/2 to 1/2, over
    the dimension.
the biases start at random: (w, c, torch.zeros(size), torch.zeros(size)) \
        -> (w, c, torch.rand(size), torch.rand(size))
    Your biases start with random numbers. They start with zeros.
plain gradient descent: torch.optim.Adagrad -> torch.optim.SGD
    You take plain gradient descent. AdaGrad is asked for: `torch.optim.Adagrad`.
Adam: torch.optim.Adagrad -> torch.optim.Adam
    You take Adam. AdaGrad is asked for: `torch.optim.Adagrad`.
another rate: lr=rate -> lr=0.05
    You take a learning rate of your own. Hand the argument `rate` on.
the standard rate: , lr=rate ->
    You take AdaGrad's standard learning rate. Hand the argument `rate` on.
one step too few: range(steps) -> range(steps - 1)
    You take one step too few. There are `steps` of them.
one step too many: range(steps) -> range(steps + 1)
    You take one step too many. There are `steps` of them.
one step: look(number + 1, (w + c).detach()) -> look(number + 1, (w + c).detach())⏎break
    You stop after the first step. Go on, and return after the loop.
"""

EXERCISE = Exercise(
    id="train_glove",
    title="The loop",
    lesson=LESSON,
    points=3,
    difficulty=3,
    importance=5,
    minutes=8,
    reference=train_glove,
    run=_run,
    cases=(
        Case("six steps", _table(30, 20, 6, 0.2), weight=2),
        Case("three steps at another rate", _table(25, 30, 3, 0.4)),
        Case("one step", _table(40, 12, 1, 0.3), edge=True, asks="One step, and then the end."),
    ),
    mistakes=slips(train_glove, SLIPS),
    right_answers={
        "with nn.Parameter": _with_parameters,
        "one tensor, and the loss asked twice": _one_tensor,
    },
)
