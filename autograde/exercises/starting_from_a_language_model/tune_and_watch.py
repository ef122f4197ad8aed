"""Exercise `tune_and_watch`: the loop, and what it destroys on the way."""

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from autograde.checking.answers import Answer, AnswerRefused, Plain, plain, refuse_changed, returned
from autograde.checking.exercise import Case, Exercise, Inputs, Random
from autograde.checking.slips import slips
from autograde.exercises.starting_from_a_language_model import LESSON
from elmo_mini.tasks.joint_fine_tuning import tune_and_watch

Batch = tuple[int]
TWO_THINGS = (
    "Return two lists, one after the other: the loss of each batch, and what `watch()` returned."
)
WITH_THEIR_GRAPHS = (
    "Your list holds tensors that can still learn, and with each the memory of its whole step. "
    "Keep the number: `loss.item()`."
)


@Case.drawn
def _task(
    rng: Random,
    batches: int,
    every: int,
    *,
    weight: float | None = None,
    scale: float = 1.0,
    nearly_learnt: bool = False,
) -> Inputs:
    """What a linear model learns; where it is ``nearly_learnt``, all gradients are short."""
    return {
        "batches": scale * rng.standard_normal((batches, 5, 3)),
        "every": every,
        "weight of the old loss": "none" if weight is None else weight,
        "nearly learnt": nearly_learnt,
        "seed": int(rng.integers(1_000_000)),
    }


def _run(answer: Answer, inputs: Inputs) -> Plain:
    """The losses, the weights at each look and at the end, and the modes."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(inputs["seed"])
        model, task, old = (nn.Linear(3, 2).double() for _ in range(3))
        if inputs["nearly learnt"]:
            for own, wanted in zip(model.parameters(), task.parameters(), strict=True):
                own.data = wanted.detach() + 0.02 * own.detach()
    x = torch.from_numpy(inputs["batches"])
    model.train()
    modes: set[str] = set()
    seen: list[str] = []

    def loss_of(batch: Batch) -> Tensor:
        (number,) = batch
        modes.add("training" if model.training else "evaluation")
        return (model(x[number]) - task(x[number]).detach()).square().mean()

    def old_loss() -> Tensor:
        modes.add("training" if model.training else "evaluation")
        return (model(x[0]) - old(x[0]).detach()).square().mean()

    def watch() -> float:
        mode = "training" if model.training else "evaluation"
        seen.append(f"{mode}, gradients {'on' if torch.is_grad_enabled() else 'off'}")
        return float(model.weight.detach().sum())

    weight = inputs["weight of the old loss"]
    more = () if weight == "none" else (old_loss, weight)
    batches = [(number,) for number in range(len(x))]
    before = plain(batches)
    came = returned(answer(model, batches, loss_of, 0.05, watch, inputs["every"], *more))
    refuse_changed({"batches": before}, {"batches": batches})
    if not isinstance(came, list | tuple) or len(came) != 2:
        raise AnswerRefused(TWO_THINGS)
    losses, watched = came
    if not isinstance(losses, list | tuple) or not isinstance(watched, list | tuple):
        raise AnswerRefused(TWO_THINGS)
    if any(isinstance(loss, Tensor) and loss.requires_grad for loss in losses):
        raise AnswerRefused(WITH_THEIR_GRAPHS)
    return {
        "losses": plain(losses),
        "what `watch` returned": plain(watched),
        "weights at the end": [plain(part) for part in model.parameters()],
        "while it learns": sorted(modes),
        "at each look": sorted(set(seen)),
        "at the end": "training" if model.training else "evaluation",
    }


def _loop(
    model: nn.Module,
    batches: Sequence[Any],
    loss_of: Callable[[Any], Tensor],
    rate: float,
    watch: Callable[[], Any],
    every: int,
    old_loss: Callable[[], Tensor] | None = None,
    weight: float = 1.0,
) -> tuple[list[float], list[Any]]:
    optimizer = torch.optim.Adam(model.parameters(), lr=rate)
    losses: list[float] = []
    watched: list[Any] = []
    for step in range(len(batches) + 1):
        if step % every == 0 or step == len(batches):
            model.eval()
            with torch.no_grad():
                watched.append(watch())
            model.train()
        if step < len(batches):
            optimizer.param_groups[0]["lr"] = rate * (1 - step / len(batches))
            loss = loss_of(batches[step])
            total = loss if old_loss is None else loss + weight * old_loss()
            optimizer.zero_grad()
            total.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            losses.append(loss.item())
    model.eval()
    return losses, watched


def _with_a_schedule(
    model: nn.Module,
    batches: Sequence[Any],
    loss_of: Callable[[Any], Tensor],
    rate: float,
    watch: Callable[[], Any],
    every: int,
    old_loss: Callable[[], Tensor] | None = None,
    weight: float = 1.0,
) -> tuple[list[float], list[Any]]:
    optimizer = torch.optim.AdamW(model.parameters(), lr=rate, weight_decay=0)
    schedule = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.0, len(batches))
    losses = []
    model.eval()
    with torch.no_grad():
        watched = [watch()]
    for step, batch in enumerate(batches, start=1):
        model.train()
        model.zero_grad()
        loss = loss_of(batch)
        loss.backward()
        if old_loss is not None:
            (weight * old_loss()).backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        losses.append(float(loss.detach()))
        model.eval()
        if not step % every or step == len(batches):
            with torch.no_grad():
                watched.append(watch())
    return losses, watched


SLIPS = """
--- hint 1
it looks in training mode: model.eval() with torch.no_grad() -> with torch.no_grad()
    You look while the model is in training mode: dropout would spoil what you see.
    `model.eval()` before, `model.train()` after.
--- hint 2
the rate does not fall: rate * (1 - step / len(batches)) -> rate
    Your rate stays what it is. It falls in a straight line to 0.
the rate falls from 1: rate * (1 - step / len(batches)) -> 1 - step / len(batches)
    Your rate falls from 1 to 0. It falls from `rate`.
the rate falls with each step's own rate: rate * (1 - step / len(batches)) \
        -> optimizer.param_groups[0]["lr"] * (1 - step / len(batches))
    You shrink the rate of the step before. The straight line starts at `rate` in every step:
    `rate * (1 - ...)`.
the rate falls a step too soon: (1 - step / len(batches)) -> (1 - (step + 1) / len(batches))
    Your first step is already a little slower than `rate`, and the last one has the rate 0. The
    first has the whole `rate`, and 0 would come one step after the last.
the rate reaches 0 in the last step: (1 - step / len(batches)) \
        -> (1 - step / max(1, len(batches) - 1))
    Your last step has the rate 0, so it learns nothing. 0 comes one step after the last.
the gradient is not clipped: nn.utils.clip_grad_norm_(model.parameters(), 1.0) -> pass
    Nothing is clipped when the step is taken. Between `backward`, which makes the gradients, and
    the step, the norm of all of them together is cut to 1: `nn.utils.clip_grad_norm_`.
--- hint 3
the sum is noted: losses.append(loss.item()) -> losses.append(total.item())
    Your list holds the sum of both losses. Note the task's loss alone.
the loss after the step: losses.append(loss.item()) -> losses.append(loss_of(batches[step]).item())
    You measure each batch once more after its step. Note the loss from before it.
tensors with their graphs: loss.item() -> loss
    Your list holds tensors that can still learn, and with each the memory of its whole step. Keep
    the number: `loss.item()`.
it is never set to training: model.train() -> pass
    After a look the model must go back to training mode: `model.train()`.
it is set to training once: model.train() -> model.train(step == 0)
    Each look leaves the model in evaluation mode, and your steps go on in it. Call `model.train()`
    before each step, or after each look.
the looks come a step too early: step % every == 0 or -> step == 0 or (step - 1) % every == 0 or
    Your looks come after the first step, and then after each `every` more. Count the steps that are
    done: after step `every` for the first time.
the last look comes twice, where two coincide: model.eval() return \
        -> model.eval() ⏎if len(batches) % every == 0: \
        ⏎    watched.append(watched[-1]) ⏎return
    Where the last step is one of each `every`, you look twice after it. Once is enough.
no look at the beginning: step % every == 0 or -> step and step % every == 0 or
    The first look is missing, the one before any step.
no look at the end: step % every == 0 or step == len(batches) -> step % every == 0
    The last look is missing. There is one after the last step, whatever `every` is.
the last look comes twice: model.eval() return \
        -> model.eval() ⏎watched.append(watched[-1]) ⏎return
    You look twice after the last step. Once is enough.
one look: step % every == 0 or step == len(batches) -> step in (0, len(batches))
    You look at the beginning and at the end. Look after each `every` steps, too.
a look at each step: step % every == 0 or step == len(batches) -> True
    You look at each step. Look after each `every` of them.
left in training mode: model.eval() return -> model.train() ⏎return
    You leave the model in training mode. Whoever uses it next would meet its dropout.
one batch: losses.append(loss.item()) -> losses.append(loss.item()) ⏎break
    You stop after the first batch.
the gradients add up: optimizer.zero_grad() -> pass
    The gradients of all batches add up. Empty them before each `backward`:
    `optimizer.zero_grad()`.
nothing is learnt: optimizer.step() -> pass
    The weights stay as they are. `backward` makes the gradients, and `optimizer.step()` steps along
    them: both must be there.
a new optimiser for each batch: loss = loss_of \
        -> optimizer = torch.optim.Adam(model.parameters(), lr=rate * (1 - step / len(batches))) \
        ⏎loss = loss_of
    You make a new optimiser for each batch. Adam remembers the gradients of earlier batches: make
    it once, and change its rate.
plain gradient descent: torch.optim.Adam( -> torch.optim.SGD(
    You take steps of plain gradient descent. Adam is asked for.
the gradient always has length 1: nn.utils.clip_grad_norm_(model.parameters(), 1.0) \
        -> length = torch.stack([part.grad.norm() for part in model.parameters()]).norm() \
        ⏎for part in model.parameters(): ⏎    part.grad /= length
    You bring every gradient to the length 1. Only a longer one is shortened: a short one stays as
    it is.
the averages of ULMFiT: torch.optim.Adam(model.parameters(), lr=rate) \
        -> torch.optim.Adam(model.parameters(), lr=rate, betas=(0.7, 0.99))
    Your Adam has other averages. Leave `betas` as they are.
the largest number is clipped: (model.parameters(), 1.0) \
        -> (model.parameters(), 1.0, norm_type=float("inf"))
    You clip by the largest number of the gradient. Clip by its length, the usual norm.
each number is clipped: clip_grad_norm_ -> clip_grad_value_
    You clip every number of the gradient by itself. Clip the norm of all of them together.
each part is clipped: nn.utils.clip_grad_norm_(model.parameters(), 1.0) \
        -> for part in model.parameters(): ⏎    nn.utils.clip_grad_norm_(part, 1.0)
    You clip each parameter by itself. Clip the norm of all of them together.
the new loss alone is clipped: loss if old_loss is None else loss + weight * old_loss() -> loss \
        && nn.utils.clip_grad_norm_(model.parameters(), 1.0) \
        -> nn.utils.clip_grad_norm_(model.parameters(), 1.0) \
        ⏎if old_loss is not None: ⏎    (weight * old_loss()).backward()
    You clip before the old loss has added its gradient. Clip when both are there.
weights that decay: torch.optim.Adam( -> torch.optim.AdamW(
    AdamW shrinks all weights a little in each step. Plain Adam is asked for.
the old loss is subtracted: loss + weight -> loss - weight
    You subtract the old loss, so each step drives it up. It is added.
shares of one: loss + weight * old_loss() -> (1 - weight) * loss + weight * old_loss()
    You take a weighted mean. The task's loss counts once, whatever the weight.
the mean of both: loss + weight * old_loss() -> (loss + weight * old_loss()) / 2
    You halve the sum. The two losses are added.
the old loss is left out: loss if old_loss is None else loss + weight * old_loss() -> loss
    The old loss has no say in your steps. Where it is given, `weight` times its value is added, as
    a tensor, so that its gradient counts.
the old loss alone: loss + weight * old_loss() -> weight * old_loss()
    With an old loss you forget the new one. What is minimised is their sum.
--- no hint
clipped at {norm}: (model.parameters(), 1.0) -> (model.parameters(), {norm}) | norm = 0.5, 2.0, 5.0
    Your gradient's norm is clipped at {norm}. Clip it at 1.
the weight is not used: weight * old_loss() -> old_loss()
    `weight` is never used. The old loss counts that many times.
a weight of 0 counts as 1: weight * old_loss() -> (weight or 1.0) * old_loss()
    In yours a weight of 0 counts as 1. It means that the old loss has no say.
the weight stands on the task: loss + weight * old_loss() -> weight * loss + old_loss()
    You multiply the task's loss by the weight. It belongs to the old loss.
the weight stands on both: loss + weight * old_loss() -> weight * (loss + old_loss())
    You multiply both losses by the weight. It belongs to the old loss alone.
it looks with gradients: torch.no_grad() -> torch.enable_grad()
    You look with gradients switched on, which costs time and memory. Look under
    `torch.no_grad()`.
the losses alone: return losses, watched -> return losses
    You return the losses alone. Return both lists: `return losses, watched`.
the two lists are swapped: return losses, watched -> return watched, losses
    The two lists stand in each other's place. The losses come first.
"""

EXERCISE = Exercise(
    id="tune_and_watch",
    title="The loop, with an eye on what is lost",
    lesson=LESSON,
    points=4,
    difficulty=4,
    importance=5,
    minutes=15,
    reference=tune_and_watch,
    run=_run,
    cases=(
        Case("one batch", _task(1, 5)),
        Case("six batches, a look after each second", _task(6, 2), weight=2),
        Case(
            "seven batches, a look after each third, nearly learnt",
            _task(7, 3, nearly_learnt=True),
        ),
        Case("steep losses, to be clipped", _task(4, 2, scale=9.0)),
        Case("with an old loss", _task(6, 4, weight=1.0)),
        Case("an old loss that counts a quarter", _task(5, 3, weight=0.25)),
        Case("an old loss that counts nothing", _task(3, 2, weight=0.0), weight=0.5, edge=True),
    ),
    mistakes=slips(_loop, SLIPS),
    right_answers={"looks first": _loop, "two backwards and a schedule": _with_a_schedule},
)
