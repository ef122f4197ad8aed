"""Exercise `safe_weight`: how much of the old loss a step needs, derived."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from autograde.checking.answers import Answer, AnswerRefused, Plain, refuse_changed, returned
from autograde.checking.exercise import Case, Exercise, Inputs, Random
from autograde.checking.slips import slips
from autograde.exercises.starting_from_a_language_model import LESSON
from elmo_mini.tasks.joint_fine_tuning import safe_weight

Shapes = Sequence[tuple[int, ...]]
A_NUMBER = "Return one plain number: `float(...)` makes it of a tensor with one number."


@Case.drawn
def _gradients(rng: Random, shapes: Shapes, along: float, length: float = 1.0) -> Inputs:
    """Gradients whose product is about `along` times the square of the old one's length."""
    along *= rng.uniform(0.8, 1.2)
    total = sum(int(np.prod(shape)) for shape in shapes)
    old, other = rng.standard_normal((2, total))
    other -= (other @ old) / (old @ old) * old
    rows = {"task": length * (along * old + other), "old": length * old}
    ends = np.cumsum([int(np.prod(shape)) for shape in shapes])[:-1]
    return {
        name: [part.reshape(shape) for part, shape in zip(np.split(row, ends), shapes, strict=True)]
        for name, row in rows.items()
    }


def _run(answer: Answer, inputs: Inputs) -> Plain:
    given = {name: [torch.from_numpy(x.copy()) for x in inputs[name]] for name in ("task", "old")}
    came = returned(answer(given["task"], given["old"]))
    refuse_changed(inputs, given)
    if isinstance(came, Tensor) and came.numel() == 1:
        came = came.item()
    if isinstance(came, bool) or not isinstance(came, int | float | np.floating | np.integer):
        raise AnswerRefused(A_NUMBER)
    return float(came)


def _in_one_row(task: Sequence[Tensor], old: Sequence[Tensor]) -> float:
    a, b = (torch.cat([part.flatten() for part in parts]) for parts in (task, old))
    return float((-(a @ b) / (b @ b)).clamp(min=0))


def _by_projection(task: Sequence[Tensor], old: Sequence[Tensor]) -> Any:
    length = torch.stack([b.norm() for b in old]).norm()
    along = sum(
        torch.dot(a.flatten(), (b / length).flatten()) for a, b in zip(task, old, strict=True)
    )
    return 0 if along >= 0 else (-along / length).item()


def _as_a_tensor(task: Sequence[Tensor], old: Sequence[Tensor]) -> Tensor:
    """A row of one number: the lesson goes on with it."""
    return torch.tensor([_in_one_row(task, old)])


SLIPS = """
--- hint 2
divided by the task's own length: (b * b).sum() for b in old -> (a * a).sum() for a in task
    You divide by the squared length of the task's gradient. What the weight multiplies is the old
    one.
divided by the length, not squared: together / length -> together / length**0.5
    You divide by the length of the old gradient. The weight multiplies the old gradient, and that
    is multiplied with the old gradient once more: the square of the length.
a cosine: together / length \
        -> together / (length * sum((a * a).sum() for a in task)) ** 0.5
    You return the cosine of the two gradients, with its sign turned round. It says whether they
    agree, and not how much weight is needed.
the quotient of the lengths: max(0.0, -float(together / length)) \
        -> float((sum((a * a).sum() for a in task) / length) ** 0.5)
    You divide the length of the task's gradient by that of the old one. Whether the two agree does
    not come in: their product does.
divided by the fourth power: together / length -> together / length**2
    You divide by the square of the squared length.
times the squared length: together / length -> together * length
    You multiply by the squared length of the old gradient. A long gradient needs less weight:
    divide.
a two too many: together / length -> 2 * together / length
    A factor 2 is too many. The change of a loss by a small step is rate times slope times
    direction, with no 2.
a two too few: together / length -> together / (2 * length)
    A factor 1/2 is too many.
the other way round: together / length -> length / together
    You have the inverse. Solve *product plus weight times squared length is 0* for the weight.
the sign is lost: -float(together / length) -> float(together / length)
    Your sign is turned round. A step goes *down* both gradients: where they point the same way, the
    task's step lowers the old loss by itself, and no weight is needed.
never below 0 is forgotten: max(0.0, -float(together / length)) -> -float(together / length)
    Where the two gradients agree, your weight is below 0: it would push the old loss up. Then none
    is needed, and the smallest weight is 0.
the size of it: max(0.0, -float(together / length)) -> abs(float(together / length))
    You take the size. Where the two gradients agree, no weight is needed: 0.
the product alone: -float(together / length) -> -float(together)
    You have minus the product of the two gradients. How fast does the weight's own part lower the
    old loss? Divide by that.
--- hint 3
the first tensor alone: (a * b).sum() for a, b in zip(task, old, strict=True) \
        -> (a * b).sum() for a, b in zip(task[:1], old[:1]) && for b in old) -> for b in old[:1])
    You use the first tensor alone. All parameters together make one long gradient.
tensor by tensor: together = sum((a * b).sum() for a, b in zip(task, old, strict=True)) \
        -> together = sum((a * b).sum() / (b * b).sum() for a, b in zip(task, old, strict=True)) \
        && together / length -> together
    You find a weight for each tensor and add them. There is one weight, so sum products and squares
    over all tensors first, then divide.
the mean over the tensors: together = sum((a * b).sum() for a, b in zip(task, old, strict=True)) \
        -> together = sum((a * b).sum() / (b * b).sum() for a, b in zip(task, old, strict=True)) \
        / len(old) && together / length -> together
    You find a weight for each tensor and take their mean. There is one weight, so sum products and
    squares over all tensors first, then divide.
the mean over the tensors, none below 0: max(0.0, -float(together / length)) \
        -> sum(max(0.0, -float((a * b).sum() / (b * b).sum())) for a, b in zip(task, old)) \
        / len(old)
    You find a weight for each tensor, none below 0, and take their mean. There is one weight, so
    sum products and squares over all tensors first, then divide.
the worst tensor: max(0.0, -float(together / length)) \
        -> max(0.0, *(-float((a * b).sum() / (b * b).sum()) for a, b in zip(task, old)))
    You take the largest of one weight for each tensor. All parameters together make one long
    gradient.
means in place of sums: (a * b).sum() for -> (a * b).mean() for && (b * b).sum() -> (b * b).mean()
    You take means over each tensor, so that a small tensor counts as much as a large one. Sum over
    all numbers.
a mean in the product: (a * b).sum() for -> (a * b).mean() for
    You take the mean of the products and the sum of the squares. Sum both over all numbers.
a mean in the squares: (b * b).sum() -> (b * b).mean()
    You take the sum of the products and the mean of the squares. Sum both over all numbers.
{whose} alone in the product: (a * b).sum() -> {one}.sum() \
        | whose one = task a, old b
    You add up the numbers of one gradient. What counts is the product of the two, number by
    number.
not squared: (b * b).sum() -> b.sum()
    You divide by the sum of the old gradient's numbers. Divide by the sum of their squares.
a quotient in place of the product: (a * b).sum() -> (a / b).sum()
    You divide the two gradients, number by number. Multiply them.
the smaller of the two: max(0.0, -float -> min(0.0, -float
    You take the smaller of 0 and your weight. Where the gradients agree no weight is needed, so it
    is the larger one.
1 at least: max(0.0, -> max(1.0,
    You return 1 or more. Where the two gradients agree no weight is needed: 0.
--- no hint
never above 1: max(0.0, -float(together / length)) -> min(1.0, max(0.0, -float(together / length)))
    You stop at 1. Where the old gradient is short and the task's long, more is needed.
"""

EXERCISE = Exercise(
    id="safe_weight",
    title="How much of the old loss does a step need? (derive it)",
    lesson=LESSON,
    points=3,
    difficulty=4,
    importance=4,
    minutes=11,
    reference=safe_weight,
    run=_run,
    cases=(
        Case("one parameter tensor, against each other", _gradients([(3,)], -0.5)),
        Case("a matrix and two vectors", _gradients([(3, 4), (4,), (2,)], -0.3), weight=2),
        Case("they agree", _gradients([(2, 3), (3,)], 2.4)),
        Case("a short old gradient", _gradients([(5,), (2, 2)], -7.0, length=0.2)),
        Case("gradients of a thousand", _gradients([(4, 2), (3,)], -0.05, length=1000.0)),
    ),
    mistakes=slips(safe_weight, SLIPS),
    right_answers={
        "in one row": _in_one_row,
        "by projection": _by_projection,
        "a tensor of one number": _as_a_tensor,
    },
)
