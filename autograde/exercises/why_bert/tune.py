"""Exercise `tune`: the loop of fine-tuning, with a pull to the start."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from autograde.checking.answers import Answer, AnswerRefused, Inputs, Plain, plain, returned
from autograde.checking.descent import Descent
from autograde.checking.exercise import Case, Exercise, Random
from autograde.checking.slips import slips
from autograde.exercises.why_bert import LESSON

Batches = Sequence[tuple[Tensor, Tensor, Tensor]]
WORDS, SIZE, CLASSES = 9, 4, 3


def tune(model: Any, batches: Batches, optimizer: Any, warm_up: int, pull: float) -> list[float]:
    """One step for each batch; the mean loss of each batch before its step."""
    body = list(model.body.parameters())
    start = [weight.detach().clone() for weight in body]
    highest = [group["lr"] for group in optimizer.param_groups]
    steps, losses = len(batches), []
    model.train()
    for step, (ids, mask, labels) in enumerate(batches):
        share = min((step + 1) / warm_up, (steps - step) / (steps - warm_up))
        for group, rate in zip(optimizer.param_groups, highest, strict=True):
            group["lr"] = rate * share
        loss = functional.cross_entropy(model(ids, mask), labels)
        away = sum(((now - then) ** 2).sum() for now, then in zip(body, start, strict=True))
        optimizer.zero_grad()
        (loss + pull / 2 * away).backward()
        optimizer.step()
        losses.append(loss.item())
    model.eval()
    return losses


def _by_slopes(
    model: Any, batches: Batches, optimizer: Any, warm_up: int, pull: float
) -> list[float]:
    start = {name: weight.detach().clone() for name, weight in model.body.named_parameters()}
    model.train()
    losses, highest = [], tuple(group["lr"] for group in optimizer.param_groups)
    for number, (ids, mask, labels) in enumerate(batches, 1):
        rising = number <= warm_up
        share = (
            number / warm_up if rising else (len(batches) + 1 - number) / (len(batches) - warm_up)
        )
        for place, rate in enumerate(highest):
            optimizer.param_groups[place]["lr"] = share * rate
        optimizer.zero_grad()
        logs = model(ids, mask).log_softmax(-1)
        loss = -logs[torch.arange(len(labels)), labels].mean()
        loss.backward()
        with torch.no_grad():
            for name, weight in model.body.named_parameters():
                weight.grad += pull * (weight - start[name])
        optimizer.step()
        losses.append(float(loss))
    model.eval()
    return losses


def _by_scheduler(
    model: Any, batches: Batches, optimizer: Any, warm_up: int, pull: float
) -> list[float]:
    steps, start = len(batches), [w.detach().clone() for w in model.body.parameters()]
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda n: min((n + 1) / warm_up, (steps - n) / (steps - warm_up))
    )
    model.train()
    losses: list[float] = []
    waiting = list(batches)

    def closure() -> Tensor:
        ids, mask, labels = waiting.pop(0)
        optimizer.zero_grad()
        loss = functional.cross_entropy(model(ids, mask), labels)
        losses.append(loss.item())
        there = zip(model.body.parameters(), start, strict=True)
        whole: Tensor = loss + pull / 2 * sum(((now - then) ** 2).sum() for now, then in there)
        whole.backward()
        return whole

    while waiting:
        optimizer.step(closure)
        schedule.step()
    model.eval()
    return losses


class Body(nn.Module):
    """Word vectors and a layer."""

    def __init__(self) -> None:
        super().__init__()
        self.word = nn.Embedding(WORDS, SIZE)
        self.mixed = nn.Linear(SIZE, SIZE)


class Small(nn.Module):
    """A stand-in with a body and a head, whose head says more while it learns."""

    def __init__(self) -> None:
        super().__init__()
        self.body, self.head = Body(), nn.Linear(SIZE, CLASSES)

    def forward(self, ids: Tensor, mask: Tensor) -> Tensor:
        """Word numbers and mask (B, T) to scores (B, K); other scores while it does not learn."""
        x = self.body.word(ids) * mask.unsqueeze(-1)
        x = torch.tanh(self.body.mixed(x.sum(1)))
        learns = self.body.mixed.training  # a part, as dropout would be
        scores: Tensor = self.head(x if learns else 0.5 * x)
        return scores


@Case.drawn
def _batches(
    rng: Random,
    steps: int,
    rows: int,
    warm_up: int,
    pull: float,
    *,
    groups: int = 2,
    comes: str = "evaluation",
    slopes: bool = False,
) -> Inputs:
    found = []
    for _ in range(steps):
        ids = rng.integers(1, WORDS, (rows, 5))
        mask = np.arange(5) < rng.integers(2, 6, (rows, 1))
        found.append([ids * mask, mask, rng.integers(0, CLASSES, rows)])
    return {
        "batches": found,
        "warm_up": warm_up,
        "pull": pull,
        "groups of the optimizer": groups,
        "the model comes in": f"{comes} mode",
        "it comes with gradients of before": slopes,
    }


def _run(answer: Answer, inputs: Inputs) -> Plain:
    """The losses, the rates of the steps, and what has become of body and head."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(4)
        model = Small().train(inputs["the model comes in"] == "training mode")
    if inputs["it comes with gradients of before"]:
        for weight in model.parameters():
            weight.grad = torch.ones_like(weight)
    batches = [
        tuple(torch.from_numpy(part.copy()) for part in batch) for batch in inputs["batches"]
    ]
    rates: list[tuple[Any, float]] = [(model.body.parameters(), 0.2)]
    if inputs["groups of the optimizer"] == 3:  # lower layers more slowly, as in lesson 11
        rates = [(model.body.word.parameters(), 0.1), (model.body.mixed.parameters(), 0.2)]
    optimizer = Descent(*rates, (model.head.parameters(), 0.5))
    came = returned(answer(model, batches, optimizer, inputs["warm_up"], inputs["pull"]))
    if not isinstance(came, list | tuple) or any(isinstance(x, Tensor) for x in came):
        raise AnswerRefused(
            "Return a list of plain numbers, one loss for each batch: `loss.item()`. A tensor "
            "would keep the whole way of its computation in memory."
        )

    def numbers(part: nn.Module) -> Plain:
        return plain(torch.cat([w.detach().flatten() for w in part.parameters()])[::3])

    return {
        "rates of the steps": plain(optimizer.rates),
        "losses": plain(list(came)),
        "body afterwards": numbers(model.get_submodule("body")),
        "head afterwards": numbers(model.head),
        "in training mode afterwards": any(part.training for part in model.modules()),
    }


SLIPS = """
--- hint 1
the rate is never set: group["lr"] = rate * share -> pass
    Your rates are the highest ones all the time. Set `group["lr"]` in each group, before each step:
    it rises in the warm-up, and falls afterwards.
no warm-up: min((step + 1) / warm_up, (steps - step) / (steps - warm_up)) \
        -> min(1.0, (steps - step) / (steps - warm_up))
    Your warm-up is missing: the first steps already go at the highest rate.
no fall: min((step + 1) / warm_up, (steps - step) / (steps - warm_up)) \
        -> min(1.0, (step + 1) / warm_up)
    After the warm-up your rate stays. It falls in a straight line.
the first step has a rate of 0: (step + 1) / warm_up -> step / warm_up
    Your first step has a rate of 0 and is lost. The highest rate is reached in the last step of the
    warm-up.
two lines, counted from 0: min((step + 1) / warm_up, (steps - step) / (steps - warm_up)) \
        -> step / warm_up if step < warm_up else (steps + 1 - step) / (steps - warm_up)
    Your steps are counted from 0, so the first has a rate of 0, and the fall begins above the
    highest rate. Count them from 1.
0 in the last step: (steps - step) / (steps - warm_up) -> (steps - 1 - step) / (steps - warm_up)
    Your last step has a rate of 0 and is lost. The line reaches 0 one step later.
0 in the last step, from the highest before: (steps - step) / (steps - warm_up) \
        -> (steps - 1 - step) / (steps - 1 - warm_up)
0 in the last step, from the highest before, but in a fall of one: \
        (steps - step) / (steps - warm_up) \
        -> (steps - 1 - step) / (steps - 1 - warm_up) if steps > warm_up + 1 else 1.0
    Your line reaches 0 in the last step, which is lost. It reaches 0 one step later.
never below a share of {least}: share = min((step + 1) / warm_up, \
        (steps - step) / (steps - warm_up)) -> share = max({least}, min((step + 1) / warm_up, \
        (steps - step) / (steps - warm_up))) | least = 0.1
    Your rate stays above a bound. In a long fall its line goes on, and reaches 0 one step after the
    last.
the warm-up is turned round: (step + 1) / warm_up -> warm_up / (step + 1)
    Your warm-up is turned round. The share is the step, counted from 1, over the steps of the
    warm-up.
the fall is turned round: (steps - step) / (steps - warm_up) \
        -> (steps - warm_up) / (steps - step)
    Your fall is turned round: it grows. The share is the steps that are left, over the steps of the
    fall.
one step late: min((step + 1) / warm_up, (steps - step) / (steps - warm_up)) \
        -> min(step / warm_up, (steps + 1 - step) / (steps - warm_up))
    Your rates come one step late: the first step has a rate of 0. Count the steps from 1; a
    scheduler counts them from 0.
the rate is set after the step: group["lr"] = rate * share -> pass \
        && optimizer.step() -> optimizer.step() \
        ⏎for group, rate in zip(optimizer.param_groups, highest, strict=True): \
        ⏎    group["lr"] = rate * share
    You set the rates after the step, so each counts for the next one, and the first step goes at
    the highest. Set them before `optimizer.step()`.
a scheduler that goes first: (step + 1) / warm_up -> (step + 2) / warm_up \
        && (steps - step) -> (steps - 1 - step)
    Your rates are one step ahead: the first is skipped, and the last is 0. A scheduler's `step()`
    comes after the optimizer's.
--- hint 2
the fall begins at warm_up: / (steps - warm_up)) -> / (steps - warm_up + 1))
    Your fall begins one step too early. Its line meets the highest rate at step `warm_up + 1`.
falls over the whole run: (steps - step) / (steps - warm_up) -> (steps - step) / steps
    Your fall is measured over the whole run. It begins when the warm-up ends, from the highest
    rate.
falls over the whole run, from above: \
        min((step + 1) / warm_up, (steps - step) / (steps - warm_up)) \
        -> (step + 1) / warm_up if step < warm_up else (steps - step) / steps
    Your fall is measured over the whole run. It begins when the warm-up ends, from the highest
    rate.
the pull is to 0: ((now - then) ** 2).sum() -> (now ** 2).sum()
    You pull the body to 0. That is weight decay. It belongs where it stood at the beginning.
the head is pulled, too: body = list(model.body.parameters()) -> body = list(model.parameters())
    You pull the head, too. It has never been trained: its start is nothing to stay near.
the head alone is pulled: model.body.parameters() -> model.head.parameters()
    You pull the head, which has never been trained, and leave the body free.
the pull never acts: (loss + pull / 2 * away).backward() -> loss.backward()
    The pull never acts. Either it is not added to what is minimised, or its start is not a fixed
    copy: what is only detached moves along with the weights, and what is only cloned still hangs on
    them, so that both gradients cancel. Take `weight.detach().clone()` once, before the first step.
the distance is not squared: ((now - then) ** 2).sum() -> (now - then).abs().sum()
    You add up distances. Add up their squares.
distances added up: ((now - then) ** 2).sum() -> (now - then).norm()
    The distance is not squared. Add up the squares of all differences.
the mean in place of the sum: ((now - then) ** 2).sum() -> ((now - then) ** 2).mean()
    You take the mean of the squares of each tensor. Their sum is the squared distance.
the mean over the whole body: (loss + pull / 2 * away).backward() \
        -> (loss + pull / 2 * away / sum(w.numel() for w in body)).backward()
    You divide the squared distance by the number of weights, as `mse_loss` does. It is a sum.
the biases are free: body = list(model.body.parameters()) \
        -> body = [w for w in model.body.parameters() if w.ndim > 1]
    You leave out the biases. All of the body is pulled.
the sum of the differences, squared: ((now - then) ** 2).sum() -> (now - then).sum() ** 2
    You add up the differences of a tensor and square their sum, in which they cancel. First square
    each, then add up.
shared out over the batch: pull / 2 * away -> pull / 2 / len(ids) * away
    You divide the pull by the number of rows. Its strength is `pull` in each batch, large or small.
pulled after the step, each at the last rate: (loss + pull / 2 * away).backward() \
        -> loss.backward() && optimizer.step() -> optimizer.step() ⏎with torch.no_grad(): \
        ⏎    for now, then in zip(body, start, strict=True): \
        now -= optimizer.param_groups[-1]["lr"] * pull * (now - then)
pulled after the step: (loss + pull / 2 * away).backward() -> loss.backward() \
        && optimizer.step() -> optimizer.step() ⏎with torch.no_grad(): \
        ⏎    for now, then in zip(body, start, strict=True): \
        now -= optimizer.param_groups[0]["lr"] * pull * (now - then)
    You pull the body after the step, from where the step has led. The pull is a part of what is
    minimised: add it before `backward()`.
the root of it: pull / 2 * away -> pull / 2 * away ** 0.5
the root of it, without a gradient at 0: pull / 2 * away -> pull / 2 * away.clamp(min=1e-12).sqrt()
the root of it, whole: pull / 2 * away -> pull * away.clamp(min=1e-12).sqrt()
    You take the distance itself. Its square is asked for.
--- hint 3
the pull is in the losses: losses.append(loss.item()) \
        -> losses.append((loss + pull / 2 * away).item())
    Your losses hold the pull. Return those of the labels alone, so that runs can be compared.
the pull is in the losses, without its half: losses.append(loss.item()) \
        -> losses.append((loss + pull * away).item()) && (loss + pull / 2 -> (loss + pull
    Your losses hold the pull; return those of the labels alone. And the pull is twice as strong: a
    half stands before the square.
the parts never in training mode: model.train() -> model.training = True
    Your model's parts stay in evaluation mode, so its dropout sleeps. Call `model.train()` before
    the first step: it reaches every part, which setting `training` does not.
the parts left in training mode: model.eval() -> model.training = False
    Your model's parts are left in training mode. Call `model.eval()` at the end: it reaches every
    part, which setting `training` does not.
the mode that it came in: model.train() -> came = model.training ⏎model.train() \
        && model.eval() -> model.train(came)
    You give the model back in the mode in which it came. It is to be left in evaluation mode.
two steps: optimizer.step() -> optimizer.step() ⏎optimizer.step()
    You take two steps for each batch. One.
the last loss: return losses -> return losses[-1:]
    Only the last loss is returned. Return one for each batch.
the mean loss: return losses -> return [sum(losses) / len(losses)]
    You return the mean of the losses. Return one for each batch.
the loss after the step: losses.append(loss.item()) \
        -> losses.append(functional.cross_entropy(model(ids, mask), labels).item())
    You return the loss after the step. It is asked for before it.
the gradients add up: optimizer.zero_grad() ->
    The gradients of all batches so far add up. Set them to zero before each `backward()`.
the gradients are cleared after the step alone: optimizer.zero_grad() -> \
        && optimizer.step() -> optimizer.step() ⏎optimizer.zero_grad()
    A model may come with gradients of before, and in your first step they are still there. Set them
    to zero before `backward()`.
the gradients are cleared before the step: optimizer.zero_grad() -> \
        && .backward() -> .backward() ⏎optimizer.zero_grad()
    You set the gradients to zero between `backward()` and `step()`, so no step has any. First zero,
    then backward, then step.
no step: optimizer.step() ->
    The weights never change: a step with fresh gradients is missing.
one group alone: group["lr"] = rate * share -> group["lr"] = rate * share ⏎break
    You set the rate of the first group alone. An optimizer may have several.
the last group alone: group["lr"] = rate * share -> pass \
        && loss = functional -> group["lr"] = rate * share ⏎loss = functional
    You set the rate of the last group alone: the line stands outside the loop over the groups.
two groups, by their places: for group, rate in zip(optimizer.param_groups, highest, strict=True): \
        -> for group, rate in zip(optimizer.param_groups[:2], highest):
    You set the rates of two groups. An optimizer may have more.
one rate for all groups: group["lr"] = rate * share -> group["lr"] = highest[0] * share
    You give all groups the rate of the first. Each comes with its own highest rate.
the rates multiply: group["lr"] = rate * share -> group["lr"] = group["lr"] * share
    You multiply the rate of the step before. Keep the highest rates, which the groups came with:
    each step's rate is that, times its share.
the pull has the wrong sign: (loss + pull / 2 -> (loss - pull / 2
    Your pull pushes the body away from its start.
without the half: pull / 2 * away -> pull * away
    Your pull is twice as strong. The square brings a 2, so a half stands before it.
--- no hint
the loss is summed: model(ids, mask), labels) -> model(ids, mask), labels, reduction="sum")
    You add the losses up. Take their mean.
softmax before cross_entropy: model(ids, mask), labels) -> model(ids, mask).softmax(-1), labels)
    `cross_entropy` takes the softmax itself. Hand it the scores as they are.
the mask is all true: model(ids, mask) -> model(ids, torch.ones_like(mask))
    Your model reads padding. Hand `mask` on.
a tensor: loss.item() -> loss.detach()
    Return plain numbers, `loss.item()`.
"""

SLIPS_OF_SLOPES = """
--- hint 2
the first tensor is free: in model.body.named_parameters(): weight.grad \
        -> in list(model.body.named_parameters())[1:]: ⏎    weight.grad
    You leave out the first tensor of the body. All of it is pulled.
--- hint 3
the pull in place of the gradient: weight.grad += pull -> weight.grad = pull
    You write the pull over the gradients of the labels. Add it to them.
--- no hint
the softmax over the texts: log_softmax(-1) -> log_softmax(0)
    Your softmax runs over the texts of the batch. It runs over the classes, the last axis.
"""

EXERCISE = Exercise(
    id="tune",
    title="The loop of fine-tuning",
    lesson=LESSON,
    points=4,
    difficulty=4,
    importance=5,
    minutes=22,
    reference=tune,
    run=_run,
    rtol=1e-3,
    atol=1e-5,
    cases=(
        Case("two batches, no pull", _batches(2, 2, 1, 0.0)),
        Case("six batches, no pull", _batches(6, 3, 2, 0.0), weight=2),
        Case("six batches and a pull", _batches(6, 3, 2, 0.7), weight=3),
        Case("a long warm-up", _batches(5, 2, 4, 0.3), edge=True),
        Case("a long fall", _batches(12, 1, 1, 0.0), edge=True),
        Case(
            "gradients of before",
            _batches(2, 2, 1, 0.0, slopes=True),
            edge=True,
            asks="The model comes with gradients of before. They belong to none of these batches.",
        ),
        Case(
            "three groups, and a model that comes in training mode",
            _batches(4, 2, 2, 0.3, groups=3, comes="training"),
            edge=True,
        ),
    ),
    mistakes=(*slips(tune, SLIPS), *slips(_by_slopes, SLIPS_OF_SLOPES)),
    right_answers={
        "the slope of the pull, added by hand": _by_slopes,
        "a scheduler and a closure": _by_scheduler,
    },
)
