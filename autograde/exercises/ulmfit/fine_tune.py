"""Exercise `fine_tune`: the loop of stages 2 and 3."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from autograde.checking.answers import (
    Answer,
    AnswerRefused,
    Inputs,
    Plain,
    plain,
    refuse_changed,
    returned,
)
from autograde.checking.exercise import Case, Exercise, Random
from autograde.checking.slips import slips
from autograde.exercises.ulmfit import LESSON
from elmo_mini.models.ulmfit import (
    chain_thaw,
    constant,
    fine_tune,
    parameter_groups,
    slanted_triangular,
)

LAYERS = ("bottom", "middle", "top")
Row = tuple[int, int]


class Small(nn.Module):
    """Three layers, and what is noted of them while they learn."""

    def __init__(self) -> None:
        super().__init__()
        self.bottom, self.middle, self.top = nn.Linear(3, 4), nn.Linear(4, 4), nn.Linear(4, 2)
        self.modes: list[str] = []
        self.awake: list[str] = []

    def layers(self) -> list[list[nn.Parameter]]:
        """Their parameters, from the bottom to the top."""
        return [list(getattr(self, name).parameters()) for name in LAYERS]

    def learning(self) -> str:
        """The names of the layers of which a part can learn."""
        pairs = zip(LAYERS, self.layers(), strict=True)
        awake = [name for name, layer in pairs if any(p.requires_grad for p in layer)]
        return ", ".join(awake) or "none"

    def forward(self, x: Tensor) -> Tensor:
        """(B, 3) to (B, 2)."""
        self.modes.append("training" if self.training else "evaluation")
        self.awake.append(self.learning())
        return self.top(torch.tanh(self.middle(torch.tanh(self.bottom(x)))))


@Case.drawn
def _task(
    rng: Random,
    sizes: Sequence[int],
    waking: str = "gradual",
    slanted: bool = True,
    steep: float = 1.0,
) -> Inputs:
    """Epochs of so many batches each."""
    return {
        "sizes": list(sizes),
        "x": rng.standard_normal((sum(sizes), 6, 3)).astype(np.float32),
        "y": rng.integers(0, 2, (sum(sizes), 6)),
        "seed": int(rng.integers(1 << 30)),
        "waking": waking,
        "slanted": slanted,
        "steep": steep,
    }


def _run(answer: Answer, inputs: Inputs) -> Plain:
    """The losses, the weights, who was awake, and how the model is left."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(inputs["seed"])
        model = Small().eval()
    rows: list[Row] = [(row, row) for row in range(len(inputs["x"]))]
    epochs, first = [], 0
    for size in inputs["sizes"]:
        epochs.append(rows[first : first + size])
        first += size
    x, y = torch.from_numpy(inputs["x"]), torch.from_numpy(inputs["y"])
    asked: list[Row] = []

    def loss_of(batch: Row) -> Tensor:
        asked.append(batch)
        return inputs["steep"] * nn.functional.cross_entropy(model(x[batch[0]]), y[batch[0]])

    before = plain(epochs)
    losses = returned(
        answer(
            model,
            epochs,
            loss_of,
            lambda epoch: _groups_of(model.layers(), inputs["waking"], epoch),
            slanted_triangular if inputs["slanted"] else constant,
        )
    )
    refuse_changed({"epochs": before}, {"epochs": epochs})
    if not isinstance(losses, list | tuple):
        raise AnswerRefused("Return a list: the loss of each batch, in their order.")
    if any(isinstance(loss, Tensor) and loss.requires_grad for loss in losses):
        raise AnswerRefused(
            "You keep losses that can still learn, and with each the memory of its whole step. "
            "Keep the number: `loss.item()`."
        )
    if any(isinstance(loss, Tensor) for loss in losses):
        raise AnswerRefused("You keep tensors. Keep plain numbers: `loss.item()`.")
    if asked and asked != rows:
        raise AnswerRefused("Ask `loss_of` once for each batch, epoch by epoch, in their order.")
    frozen = [name for name, value in model.named_parameters() if not value.requires_grad]
    return {
        "losses": [float(loss) for loss in losses],
        "weights at the end": {name: plain(value) for name, value in model.named_parameters()},
        "mode while it learns": sorted(set(model.modes)),
        "mode at the end": "training" if model.training else "evaluation",
        "awake at each step": model.awake,
        "frozen at the end": ", ".join(frozen) or "nothing",
    }


def _groups_of(layers: list[list[nn.Parameter]], waking: str, epoch: int) -> list[dict[str, Any]]:
    if waking == "gradual":
        return parameter_groups(layers, 0.05, epoch)
    everything = parameter_groups(layers, 0.05, len(layers))
    return everything if waking == "all" else chain_thaw(everything, epoch)


Groups = Callable[[int], list[dict[str, Any]]]
Rates = Callable[[int, int], float]


def _loop(
    model: nn.Module, epochs: Any, loss_of: Any, groups_of: Groups, schedule: Rates
) -> list[float]:
    steps = sum(len(batches) for batches in epochs)
    done, losses = 0, []
    model.train()
    for epoch, batches in enumerate(epochs):
        groups = groups_of(epoch)
        model.requires_grad_(False)
        for group in groups:
            for parameter in group["params"]:
                parameter.requires_grad_(True)
        optimizer = torch.optim.Adam(groups, betas=(0.7, 0.99))
        highest = [group["lr"] for group in optimizer.param_groups]
        for batch in batches:
            for group, rate in zip(optimizer.param_groups, highest, strict=True):
                group["lr"] = rate * schedule(done, steps)
            loss = loss_of(batch)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
            done = done + 1
    model.requires_grad_(True)
    model.eval()
    return losses


def _with_a_scheduler(
    model: nn.Module, epochs: Any, loss_of: Any, groups_of: Groups, schedule: Rates
) -> list[float]:
    steps = len([batch for batches in epochs for batch in batches])
    losses: list[float] = []
    for epoch, batches in enumerate(epochs):
        model.train()
        awake = {id(p) for group in groups_of(epoch) for p in group["params"]}
        for parameter in model.parameters():
            parameter.requires_grad = id(parameter) in awake
            parameter.grad = None
        optimizer = torch.optim.Adam(groups_of(epoch), betas=(0.7, 0.99))
        first = len(losses)

        def factor(t: int, first: int = first) -> float:
            return schedule(first + t, steps)

        rates = torch.optim.lr_scheduler.LambdaLR(optimizer, factor)
        for batch in batches:
            loss = loss_of(batch)
            loss.backward()
            optimizer.step()
            rates.step()
            optimizer.zero_grad()
            losses.append(float(loss))
    for parameter in model.parameters():
        parameter.requires_grad = True
    model.eval()
    return losses


SLIPS = """
--- hint 1
gradients are never cleared: optimizer.zero_grad() ->
    Your gradients add up from step to step. Clear them before each `backward()`:
    `optimizer.zero_grad()`.
no step is taken: optimizer.step() ->
    Nothing moves. A step is three calls in this order: `optimizer.zero_grad()`, `loss.backward()`,
    `optimizer.step()`. Is one missing, or in another's place?
the model is never told to learn: model.train() ->
    The model came in evaluation mode and stayed in it: no dropout, and batch norm stands still.
    `model.train()` switches.
the model stays in training mode: model.eval() ->
    You leave the model in training mode. Whoever asks it next gets dropout: end with
    `model.eval()`.
the mean loss alone: return losses -> return [sum(losses) / len(losses)]
    Return the loss of each batch, not their mean.
the last loss of each epoch: losses.append(loss.item()) \
        -> ⏎if batch == batches[-1]: losses.append(loss.item())
    You keep one loss an epoch. Keep one for each batch.
--- hint 2
nothing sleeps: model.requires_grad_(False) ->
    Layers without a group still take part in gradients. They do not move, but the work is done.
    Switch them off: `requires_grad_(False)`.
what is awake is never switched on: parameter.requires_grad_(True) -> pass
    Everything sleeps, the groups' parameters too. Switch those on.
layers stay frozen at the end: model.requires_grad_(True) ->
    You leave layers frozen. Whoever trains the model next would not notice: switch everything on
    again.
what sleeps once is never woken: model.requires_grad_(False) \
        -> awake = {id(p) for group in groups for p in group["params"]} \
        ⏎for p in model.parameters(): p.requires_grad_(p.requires_grad and id(p) in awake) \
        && parameter.requires_grad_(True) -> pass
    What sleeps in your first epoch is never woken. In each epoch switch on what is in its groups.
everything is frozen at the end: model.requires_grad_(True) -> model.requires_grad_(False)
    You leave the model frozen. Switch everything on again.
the groups of the first epoch: groups = groups_of(epoch) -> groups = groups_of(0)
    In every epoch you take the groups of the first. Ask `groups_of(epoch)`.
one optimiser for all epochs: torch.optim.Adam(groups, betas=(0.7, 0.99)) -> torch.optim.Adam( \
        [{"params": [p], "lr": 0} for p in model.parameters()], betas=(0.7, 0.99)) \
        if epoch == 0 else optimizer⏎rates = {p: g["lr"] for g in groups for p in g["params"]} \
        ⏎for group in optimizer.param_groups: group["lr"] = rates.get(group["params"][0], 0)
    You keep one optimiser, so Adam's averages go on from epoch to epoch. Each epoch has its own.
epochs counted from 1: groups = groups_of(epoch) -> groups = groups_of(epoch + 1)
    Your epochs count from 1, so each layer wakes too early. The first epoch is 0.
the averages of Adam as they come: , betas=(0.7, 0.99) ->
    Your Adam has its usual averages. Here they are `betas=(0.7, 0.99)`.
Adam with averages of {betas}: betas=(0.7, 0.99)) -> betas={betas}) \
        | betas = (0.99,0.7), (0.7,0.999), (0.9,0.99)
    Your Adam has other averages. Here they are `betas=(0.7, 0.99)`, in this order.
weights that decay: torch.optim.Adam(groups, -> torch.optim.AdamW(groups,
    AdamW shrinks all weights a little in each step. Plain Adam is asked for.
one rate for all groups: Adam(groups, betas -> \
        Adam([{"params": g["params"], "lr": groups[-1]["lr"]} for g in groups], betas
    All of your groups learn at one rate. Give the groups to the optimiser as they are: each brings
    its own.
plain gradient descent: torch.optim.Adam(groups, betas=(0.7, 0.99)) -> torch.optim.SGD(groups)
    You take SGD. The optimiser is Adam, with `betas=(0.7, 0.99)`.
--- hint 3
the gradient is clipped: optimizer.step() \
        -> torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)⏎optimizer.step()
the numbers of the gradient are clipped: optimizer.step() \
        -> torch.nn.utils.clip_grad_value_(model.parameters(), 0.5)⏎optimizer.step()
    You clip the gradient. That is not asked for here: leave it as it comes.
divided by the length of the batch: loss.item() -> loss.item() / len(batch)
    You divide the loss. Note it as `loss_of` gives it.
the schedule is not asked: rate * schedule(done, steps) -> rate
    Your rates stand still. At each step a group's rate is its highest rate times `schedule(step,
    steps)`.
the schedule is the rate: rate * schedule(done, steps) -> schedule(done, steps)
    You take the factor for the rate. Multiply the group's highest rate with it.
factors pile up: group["lr"] = rate * schedule -> group["lr"] = group["lr"] * schedule
    You multiply the rate of the step before, so the factors pile up. Multiply the *highest* rate:
    keep it when the epoch begins.
the schedule is ahead: schedule(done, steps) -> schedule(done + 1, steps)
the schedule is ahead, but at the end: schedule(done, steps) \
        -> schedule(min(done + 1, steps - 1), steps)
    Your schedule is one step ahead. The first step is step 0.
each epoch has its own triangle: schedule(done, steps) \
        -> schedule(batches.index(batch), len(batches))
    Each of your epochs has a triangle of its own. There is one for the whole run: count the steps
    of all epochs.
the triangle of an epoch's length: steps = sum(len(batches) for batches in epochs) \
        -> steps = max(len(batches) for batches in epochs) && schedule(done, steps) \
        -> schedule(done % steps, steps)
    Your triangle is as long as one epoch. There is one for the whole run.
all steps as if epochs were equally long: sum(len(batches) for batches in epochs) \
        -> len(epochs) * len(epochs[0])
    You count the steps as if all epochs had as many batches as the first. Add up their lengths.
the number of epochs for that of steps: schedule(done, steps) -> schedule(epoch, len(epochs))
    You ask the schedule once an epoch. It is asked for every step.
only the first group follows the schedule: zip(optimizer.param_groups, highest, strict=True) \
        -> zip(optimizer.param_groups[:1], highest[:1], strict=True)
    Only one group follows the schedule. Set the rate of each.
only the last group follows the schedule: zip(optimizer.param_groups, highest, strict=True) \
        -> zip(optimizer.param_groups[-1:], highest[-1:], strict=True)
    Only one group follows the schedule. Set the rate of each.
steps counted anew in each epoch: schedule(done, steps) -> schedule(batches.index(batch), steps)
    Your count of steps begins anew in each epoch, so every epoch climbs the same first slope. Count
    on through the run: the losses so far are as many as the steps so far.
the rate is set after the step: schedule(done, steps) \
        -> (schedule(done, steps) if batch != batches[0] else 1)
the rate of the step before: schedule(done, steps) \
        -> (schedule(done - 1, steps) if batch != batches[0] else 1)
    The first step of each of your epochs has the highest rate. Set the rates *before* the step, the
    first one too.
--- hint 2
nothing is put to sleep again: model.requires_grad_(False) \
        -> if epoch == 0: model.requires_grad_(False)
    What was awake in one of your epochs takes part in gradients in all that follow. Switch
    everything off in *each* epoch, before the groups are switched on.
the first epoch's optimiser goes on: torch.optim.Adam(groups, betas=(0.7, 0.99)) \
        -> torch.optim.Adam(groups, betas=(0.7, 0.99)) if epoch == 0 else optimizer
all groups from the start, one optimiser: torch.optim.Adam(groups, betas=(0.7, 0.99)) \
        -> torch.optim.Adam(groups_of(len(epochs) - 1), betas=(0.7, 0.99)) \
        if epoch == 0 else optimizer
    You make one optimiser for the whole run. Make one in each epoch, from its groups: they change,
    Adam's averages begin anew, and the highest rates are read afresh.
an optimiser for each step: optimizer.step() \
        -> torch.optim.Adam(optimizer.param_groups, betas=(0.7, 0.99)).step()
    You make an optimiser for each step, so its averages never gather. Make it once an epoch, before
    the first batch.
evaluation after the first epoch: groups = groups_of(epoch) \
        -> groups = groups_of(epoch)⏎if epoch: model.eval()
    After your first epoch the model goes on in evaluation mode. `model.eval()` comes once, after
    the last epoch.
the first group's rate for all: rate * schedule(done, steps) -> highest[0] * schedule(done, steps)
    All of your groups learn at one group's rate. Each has its own highest rate: go through groups
    and rates together, with `zip`.
"""

EXERCISE = Exercise(
    id="fine_tune",
    title="The loop",
    lesson=LESSON,
    points=4,
    difficulty=4,
    importance=5,
    minutes=25,
    reference=fine_tune,
    run=_run,
    cases=(
        Case("one epoch, all awake, one rate for all steps", _task((3,), "all", False), weight=2),
        Case("one epoch of twelve steps, a triangle", _task((12,), "all", steep=20.0), weight=2),
        Case("four epochs, one layer more in each", _task((5, 5, 5, 5)), weight=2),
        Case("two epochs of different length", _task((4, 7)), weight=1),
        Case("one layer alone in each epoch", _task((2, 2, 3), "chain"), edge=True),
    ),
    mistakes=slips(_loop, SLIPS),
    right_answers={"counted steps": _loop, "a scheduler": _with_a_scheduler},
)
