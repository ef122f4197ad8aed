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
SLOPES = (1.0, -2.0, 0.5, -1.0)  # of the loss of a case, for each part


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
        seen.append([part.detach().clone() for part in parts])
        slopes = zip(parts, SLOPES, strict=True)
        moved = torch.stack([slope * (part - part.detach()).sum() for part, slope in slopes]).sum()
        return len(seen) * moved + 10.0 - len(seen) / 8

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
    sums = [parts[0] + parts[1] for parts in seen[1:]]
    return {
        **{f"{name} at the start": _of_start(part, dimension) for name, part in start.items()},
        "steps taken": len(seen),
        "the two tables start alike": bool((seen[0][0] == seen[0][1]).all()),
        "by how much a step moves each part": [
            [round(float((b - a).mean()), 3) for a, b in zip(one, other, strict=True)]
            for one, other in pairwise(seen)
        ],
        "`look` was told": [number for number, _ in looked],
        "`look` sees the sum of both tables, after the step": [
            _same(table, total) for (_, table), total in zip(looked, sums, strict=False)
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


def _of_start(part: Tensor, size: int) -> Plain:
    if not part.any():
        return "zeros"
    low, high = (float(value * size) for value in (part.min(), part.max()))
    if -0.5001 <= low < -0.4 and 0.4 < high <= 0.5001:
        return "from -1/2 to 1/2, over D"
    if low >= 0:
        return "nothing below 0"
    if 0.4 < float(part.abs().max()) <= 0.5001:
        return "from -1/2 to 1/2, not over D"
    return "not even" if high > 1.5 else "over D, but not from -1/2 to 1/2"


def _same(one: Any, other: Tensor) -> bool:
    return isinstance(one, Tensor) and one.shape == other.shape and bool(torch.allclose(one, other))


SLIPS = f"""
--- no hint
the seed is set: losses = [] -> torch.manual_seed(0)⏎losses = []
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
both tables are one: for part in (w, c, \
        -> for part in (w, w.detach().clone(),
    Your context vectors are a copy of the vectors. Draw both tables.
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
counted from 0: look(number + 1, -> look(number,
    You count the steps from 0. `look` is told how many have been taken: 1 after the first.
`look` sees one table: look(number + 1, (w + c).detach()) -> look(number + 1, w.detach().clone())
    You show `look` one table. It looks at the sum of both.
one table alone: return (w + c).detach(), -> return w.detach(),
    You return the first table alone. GloVe's vectors are the sum of both.
the mean of both: return (w + c).detach(), -> return ((w + c) / 2).detach(),
    You return the mean of both tables. GloVe's vectors are their sum.
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
        Case("four steps", _table(30, 20, 4, 0.2), weight=2),
        Case("three steps at another rate", _table(25, 30, 3, 0.4)),
        Case("one step", _table(40, 12, 1, 0.3), edge=True, asks="One step, and then the end."),
    ),
    mistakes=slips(train_glove, SLIPS),
    right_answers={"with nn.Parameter": _with_parameters},
)
