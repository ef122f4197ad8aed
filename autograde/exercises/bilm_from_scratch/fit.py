"""Exercise `fit`: the loop that trains a model."""

from collections.abc import Callable, Iterable

import torch
from torch import Tensor, nn

from autograde.checking.answers import Answer, AnswerRefused, Plain, plain, refuse_changed, returned
from autograde.checking.exercise import Case, Exercise, Inputs, Random
from autograde.checking.slips import slips
from autograde.exercises.bilm_from_scratch import LESSON

LossOf = Callable[[Tensor], Tensor]
Look = Callable[[int], object]
WITH_THEIR_GRAPHS = (
    "Your list holds tensors. Each of them keeps everything that its batch has computed, and the "
    "memory fills up. Keep the number alone: `.item()`."
)


def fit(
    model: nn.Module, loss_of: LossOf, batches: Iterable[Tensor], rate: float, look: Look
) -> list[float]:
    """Train with Adam on one batch after the other; the loss of each batch before its step."""
    optimizer = torch.optim.Adam(model.parameters(), lr=rate)
    losses = []
    for batch in batches:
        loss = loss_of(batch).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
        look(len(losses))
    return losses


def _each_direction(
    model: nn.Module, loss_of: LossOf, batches: Iterable[Tensor], rate: float, look: Look
) -> list[float]:
    optimizer = torch.optim.AdamW(model.parameters(), lr=rate, weight_decay=0)
    losses = []
    for step, batch in enumerate(batches, start=1):
        forward, backward = loss_of(batch)
        loss = (forward + backward) / 2
        model.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(float(loss))
        look(step)
    return losses


@Case.drawn
def _batches(rng: Random, number: int, rate: float, *, mode: bool = False) -> Inputs:
    return {
        "its mode counts": mode,
        "batches": rng.standard_normal((number, 4, 3)),
        "rate": rate,
        "seed": int(rng.integers(1_000_000)),
    }


def _run(answer: Answer, inputs: Inputs) -> Plain:
    """The losses, the weights at the end, and when `look` was called with which number."""
    torch.manual_seed(inputs["seed"])
    model, target = nn.Linear(3, 2).double(), nn.Linear(3, 2).double()
    looks, modes = [], []

    def loss_of(batch: Tensor) -> Tensor:
        modes.append(model.training)
        return (model(batch) - target(batch).detach()).square().mean(0)

    def look(step: int) -> None:
        looks.append([float(step), float(model.weight.detach().sum())])

    rows = torch.from_numpy(inputs["batches"].copy())
    losses = returned(answer(model, loss_of, iter(rows), inputs["rate"], look))
    refuse_changed(inputs, {"batches": rows})
    tensors = [x for x in losses if isinstance(x, Tensor)] if isinstance(losses, list) else []
    if any(x.requires_grad for x in tensors):
        raise AnswerRefused(WITH_THEIR_GRAPHS)
    if tensors:
        raise AnswerRefused("Your list holds tensors. It holds plain numbers: `loss.item()`.")
    return {
        "losses": plain(losses),
        "weights after training": plain([p.detach() for p in model.parameters()]),
        "`look` was called with, and the weights added up to": looks,
        "always in training mode": all(modes) or not inputs["its mode counts"],
    }


SLIPS = """
--- hint 1
nothing is learnt: optimizer.step() -> pass
    The weights stay as they are. Each round needs three lines in this order: empty the gradients,
    `loss.backward()` fills them, `optimizer.step()` uses them.
--- hint 2
plain gradient descent: torch.optim.Adam( -> torch.optim.SGD(
    You take steps of plain gradient descent. Adam is asked for: `torch.optim.Adam`.
weights that are pulled to 0: torch.optim.Adam( -> torch.optim.AdamW(
    You train with AdamW, which also pulls the weights towards 0. Adam is asked for:
    `torch.optim.Adam`.
a weight decay: lr=rate -> lr=rate, weight_decay=0.01
    You give Adam a weight decay. Nothing asks for it: leave it out.
the rate is not used: , lr=rate ->
    `rate` is never used: Adam takes 0.001 in its place. Give it `lr=rate`.
the gradients add up: optimizer.zero_grad() -> pass
    The gradients of all batches add up. `backward` adds to what is there: empty it before each
    batch, `optimizer.zero_grad()`.
a new optimiser for each batch: loss = loss_of -> \
        optimizer = torch.optim.Adam(model.parameters(), lr=rate) ⏎loss = loss_of
    You make a new optimiser for each batch. Adam remembers the gradients of earlier batches: make
    it once, before the loop.
tensors with their graphs: loss.item() -> loss
    Your list holds tensors. Each of them keeps everything that its batch has computed, and the
    memory fills up. Keep the number alone: `.item()`.
the model does not train in training mode: losses = [] -> losses = []⏎model.eval()
    Your model learns in `eval` mode, in which dropout is off. Leave it in the mode of training, or
    go back with `model.train()` before the next batch.
--- hint 3
the loss after the step: losses.append(loss.item()) -> losses.append(loss_of(batch).mean().item())
    You measure each batch once more after its step. The loss from before the step costs nothing
    more, and no step has been taken for that batch yet.
the last loss alone: return losses -> return losses[-1]
    You return the last loss. Return the list of all of them.
one batch: look(len(losses)) -> look(len(losses)) ⏎break
    You stop after the first batch. Go through all of them, and return after the loop.
counted from 0: look(len(losses)) -> look(len(losses) - 1)
    You count the steps from 0. `look` is told how many have been taken: 1 after the first.
`look` comes before the step: losses.append(loss.item()) -> losses.append(loss.item()) \
        && loss = loss_of -> look(len(losses) + 1) ⏎loss = loss_of && look(len(losses)) -> pass
    You call `look` before the step. Call it after: it shows the model as it is then.
`look` is never called: look(len(losses)) -> pass
    `look` is never called. Call it after each step, with the number of steps taken.
`look` is called once, at the end: look(len(losses)) -> pass \
        && return losses -> look(len(losses)) ⏎return losses
    `look` is called once, at the end. Call it after each step: it stands inside the loop.
the forward loss alone: loss_of(batch).mean() -> loss_of(batch)[0]
    You minimise the first of the two losses alone, so the other reader learns nothing. Minimise
    their mean.
the backward loss alone: loss_of(batch).mean() -> loss_of(batch)[1]
    You minimise the second of the two losses alone, so the other reader learns nothing. Minimise
    their mean.
the sum of both: loss_of(batch).mean() -> loss_of(batch).sum()
    Your losses are twice as large: you add the two directions. Take their mean.
"""

EXERCISE = Exercise(
    id="fit",
    title="The loop",
    lesson=LESSON,
    points=2,
    difficulty=2,
    importance=5,
    minutes=8,
    reference=fit,
    run=_run,
    cases=(
        Case("one batch", _batches(1, 0.1)),
        Case("two batches", _batches(2, 0.05)),
        Case("eight batches", _batches(8, 0.03), weight=2),
        Case(
            "a model that learns in training mode",
            _batches(2, 0.05, mode=True),
            edge=True,
            asks="It is given in training mode. In `eval` mode a dropout in it would be off.",
        ),
    ),
    mistakes=slips(fit, SLIPS),
    right_answers={"direction by direction": _each_direction},
)
