"""Exercise `awd_loss`: cross-entropy with AR and TAR."""

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from autograde.checking.answers import Answer, AnswerRefused, Plain, plain, refuse_changed
from autograde.checking.differentiable import slopes, tensor_of
from autograde.checking.exercise import Case, Exercise, Inputs, Random
from autograde.checking.slips import slips
from autograde.exercises.awd_lstm import LESSON
from autograde.exercises.awd_lstm.masks import window_of
from elmo_mini.models.awd_lstm import awd_loss

LEAVES = ("logits", "outputs", "dropped")


def _run(answer: Answer, inputs: Inputs) -> Plain:
    """The loss, and its slope for the logits and both kinds of states."""
    given = {
        name: torch.from_numpy(value.copy()) if isinstance(value, np.ndarray) else value
        for name, value in inputs.items()
    } | {"targets": window_of(inputs["targets"])}
    leaves = {name: given[name].requires_grad_() for name in LEAVES}
    loss = tensor_of(lambda: answer(*given.values()))
    refuse_changed(inputs, given)
    if loss.ndim:
        raise AnswerRefused(
            f"Your loss has the shape {tuple(loss.shape)}. It is one number: means over all words "
            "and all numbers of the states."
        )
    found = slopes(loss, leaves)
    return {"loss": plain(loss)} | {
        f"slope for {name}": plain(torch.zeros_like(given[name]) if slope is None else slope)
        for name, slope in found.items()
    }


@Case.drawn
def _window(
    rng: Random, rows: int, steps: int, alpha: float, beta: float, words: int = 6
) -> Inputs:
    outputs = rng.standard_normal((rows, steps, 4)).astype(np.float32)
    mask = rng.choice((0.0, 2.0), (rows, 1, 4)).astype(np.float32)
    mask[0, 0, :2] = 0.0, 2.0
    return {
        "logits": rng.standard_normal((rows, steps, words)).astype(np.float32),
        "targets": rng.integers(0, words, (rows, steps)),
        "outputs": outputs,
        "dropped": outputs * mask,
        "alpha": alpha,
        "beta": beta,
    }


def _natural(
    logits: Tensor, targets: Tensor, outputs: Tensor, dropped: Tensor, alpha: float, beta: float
) -> Tensor:
    loss = functional.cross_entropy(logits.flatten(0, 1), targets.flatten())
    loss = loss + alpha * (dropped**2).mean()
    if outputs.shape[1] > 1:
        change = outputs[:, 1:] - outputs[:, :-1]
        loss = loss + beta * (change**2).mean()
    return loss


def _with_diff(
    logits: Tensor, targets: Tensor, outputs: Tensor, dropped: Tensor, alpha: float, beta: float
) -> Tensor:
    chances = logits.log_softmax(-1).gather(-1, targets.unsqueeze(-1))
    change = outputs.diff(dim=1)
    tar = change.square().sum() / max(1, change.numel())
    return -chances.mean() + alpha * dropped.pow(2).mean() + beta * tar


SLIPS = """
--- hint 1
AR of the outputs before their dropout: dropped**2 -> outputs**2
    You take AR of the states before their dropout. AR reads what the softmax reads: `dropped`.
TAR of what was dropped: every outputs[:, -> dropped[:,
    You take TAR of the dropped states. TAR asks how the LSTM's own states change: `outputs`.
the two are swapped: dropped**2 -> outputs**2 && every outputs[:, -> dropped[:,
    AR and TAR read each other's states. AR reads `dropped`, TAR `outputs`.
alpha and beta are swapped: alpha * -> beta * && beta * (change -> alpha * (change
    alpha and beta are swapped: alpha belongs to AR, beta to TAR.
AR is missing: + alpha * (dropped**2).mean() ->
    AR is missing: alpha times the mean square of the dropped states.
TAR is missing: loss + beta * (change**2).mean() -> loss
    TAR is missing: beta times the mean square of the change from step to step.
the cross-entropy is missing: loss = functional.cross_entropy(logits.flatten(0, 1), \
        targets.flatten()) -> loss = 0 * logits.sum()
    The cross-entropy is missing. AR and TAR are added to it.
--- hint 2
AR is a sum: (dropped**2).mean() -> (dropped**2).sum()
    Your AR is a sum. Take the mean over all numbers, so that it does not grow with the window.
TAR is a sum: (change**2).mean() -> (change**2).sum()
    Your TAR is a sum. Take the mean over all numbers.
AR without the square: (dropped**2).mean() -> dropped.mean()
AR is the square of the mean: (dropped**2).mean() -> dropped.mean() ** 2
    You take the mean of the states. They lie on both sides of 0: square them first.
TAR without the square: (change**2).mean() -> change.mean()
TAR is the square of the mean: (change**2).mean() -> change.mean() ** 2
    You take the mean of the change. Square it first.
absolute values in AR: (dropped**2).mean() -> dropped.abs().mean()
absolute values in TAR: (change**2).mean() -> change.abs().mean()
    You take absolute values. Both penalties are means of squares.
the changes over all steps: (change**2).mean() -> (change**2).sum() / outputs.numel()
    You divide by all T steps. Between them there are T - 1 changes.
the step before is cut off: outputs[:, :-1] -> outputs[:, :-1].detach()
the step after is cut off: outputs[:, 1:] -> outputs[:, 1:].detach()
    You cut one of the two steps off with `.detach()`. Both learn from their difference.
the dropped states are cut off: dropped**2 -> dropped.detach() ** 2
    You cut the dropped states off with `.detach()`, so AR teaches nothing. Leave it out.
AR is a mean over what is kept: (dropped**2).mean() -> (dropped[dropped != 0] ** 2).mean()
    Your AR is a mean over the numbers that are kept. The bar is a mean over all, the zeros, too.
TAR is subtracted: + beta * (change -> - beta * (change
    You subtract TAR. It is a price: add it.
AR is subtracted: + alpha * (dropped -> - alpha * (dropped
    You subtract AR. It is a price: add it.
neighbours are added: outputs[:, 1:] - outputs[:, :-1] -> outputs[:, 1:] + outputs[:, :-1]
    You add neighbouring states. Their difference is the change.
all but the first step: outputs[:, 1:] - outputs[:, :-1] -> outputs[:, 1:]
all but the last step: outputs[:, 1:] - outputs[:, :-1] -> outputs[:, :-1]
    You take the states themselves. TAR takes how they change from step to step.
the mean of the scores: functional.cross_entropy(logits.flatten(0, 1), targets.flatten()) \
        -> -logits.gather(-1, targets.unsqueeze(-1)).mean()
    Your first term is the mean score of the targets. It is their -log softmax.
the chances without their logarithm: functional.cross_entropy(logits.flatten(0, 1), \
        targets.flatten()) -> -logits.softmax(-1).gather(-1, targets.unsqueeze(-1)).mean()
    You take the probabilities of the targets as they are. The loss is -log of each.
the softmax twice: functional.cross_entropy(logits.flatten(0, 1) \
        -> functional.cross_entropy(logits.softmax(-1).flatten(0, 1)
    You take a softmax, and `cross_entropy` takes another. Hand it the logits.
change from row to row: outputs[:, 1:] - outputs[:, :-1] -> outputs[1:] - outputs[:-1] \
        && outputs.shape[1] > 1 -> len(outputs) > 1
    You compare rows of the batch, which are different texts. TAR compares a step with the step
    before, along axis 1.
change from number to number: outputs[:, 1:] - outputs[:, :-1] \
        -> outputs[:, :, 1:] - outputs[:, :, :-1]
    You compare neighbouring numbers of one state. TAR compares a step with the step before, along
    axis 1.
two steps apart: outputs[:, 1:] - outputs[:, :-1] -> outputs[:, 2:] - outputs[:, :-2] \
        && outputs.shape[1] > 1 -> outputs.shape[1] > 2
    You compare states that are two steps apart. Compare each with the one before.
AR is summed over the dimensions: (dropped**2).mean() -> (dropped**2).sum(-1).mean()
TAR is summed over the dimensions: (change**2).mean() -> (change**2).sum(-1).mean()
both are summed over the dimensions: (dropped**2).mean() -> (dropped**2).sum(-1).mean() \
        && (change**2).mean() -> (change**2).sum(-1).mean()
    You add up over the dimensions. The bar is a mean over them, too.
from the last step to the first: outputs[:, 1:] - outputs[:, :-1] -> outputs - outputs.roll(1, 1)
    You count a change from the window's last step to its first, too: `roll` goes round. T steps
    have T - 1 changes.
from nothing to the first step: outputs[:, 1:] - outputs[:, :-1] \
        -> outputs.diff(dim=1, prepend=torch.zeros_like(outputs[:, :1]))
    You count a change from zeros to the first step, too. T steps have T - 1 changes.
both are halved: + alpha * -> + alpha / 2 * && beta * (change -> beta / 2 * (change
    You halve both penalties. There is no half in the formula: alpha and beta stand as they are.
word 0 is not asked: targets.flatten()) -> targets.flatten(), ignore_index=0)
    You leave word 0 out of the cross-entropy. Here every target counts.
the changes are cut off: change**2 -> change.detach() ** 2
    You cut the changes off with `.detach()`, so TAR teaches nothing. Leave it out.
AR is a root: (dropped**2).mean() -> (dropped**2).mean().sqrt()
TAR is a root: (change**2).mean() -> (change**2).mean().sqrt()
both are roots: (dropped**2).mean() -> (dropped**2).mean().sqrt() \
        && (change**2).mean() -> (change**2).mean().sqrt()
    You take the root of a mean square. Both penalties are the mean of the squares as it is.
--- hint 3
no change in a window of two steps: outputs.shape[1] > 1 -> outputs.shape[1] > 2
    In a window of two steps you leave TAR out. There is one change: TAR is 0 in a window of one
    step alone.
words in another order than their targets: logits.flatten(0, 1), targets.flatten() \
        -> logits.transpose(0, 1).flatten(0, 1), targets.flatten()
    Your scores and your targets are flattened in different orders, so words are asked for the
    targets of others. Flatten both as they come: rows first, then steps.
the last step alone is asked: logits.flatten(0, 1), targets.flatten() \
        -> logits[:, -1], targets[:, -1]
    You ask at the last step alone. Every step of every row has a target.
AR is a norm: (dropped**2).mean() -> dropped.norm()
AR is the norm of each state: (dropped**2).mean() -> dropped.norm(dim=-1).mean()
    Your AR is a norm. The published code, and this lesson, take the mean of the squares.
TAR is a norm: (change**2).mean() -> change.norm()
TAR is the norm of each change: (change**2).mean() -> change.norm(dim=-1).mean()
    Your TAR is a norm. The published code, and this lesson, take the mean of the squares.
a window of one step: if outputs.shape[1] > 1: -> if True:
    In a window of one step nothing changes, and your mean over nothing is `nan`. One such window
    spoils all weights. There, TAR is 0.
nothing but the cross-entropy in a window of one step: \
        loss = loss + alpha * (dropped**2).mean() \
        -> if outputs.shape[1] == 1: return loss ⏎loss = loss + alpha * (dropped**2).mean()
    In a window of one step you return the cross-entropy alone. Nothing changes there, so TAR is 0;
    AR is added as always.
the loss is 0 in a window of one step: if outputs.shape[1] > 1: -> if True: \
        && return loss -> return torch.nan_to_num(loss)
    In a window of one step your whole loss is 0: the mean over no change is `nan`, and you replace
    the sum by 0. There, only TAR is 0.
targets side by side in memory: targets.flatten() -> targets.view(-1)
    The targets are a window of longer rows, so they do not lie side by side in memory. Take
    `.reshape(-1)` or `.flatten()` in place of `.view(-1)`.
the sum of the cross-entropy: targets.flatten()) -> targets.flatten(), reduction="sum")
    Your cross-entropy is a sum. Take the mean over all words of the window.
"""

EXERCISE = Exercise(
    id="awd_loss",
    title="Two gentle brakes",
    lesson=LESSON,
    points=3,
    difficulty=3,
    importance=4,
    minutes=10,
    reference=awd_loss,
    run=_run,
    cases=(
        Case("without penalties", _window(3, 4, 0.0, 0.0)),
        Case("AR alone", _window(3, 4, 2.0, 0.0)),
        Case("TAR alone", _window(3, 4, 0.0, 1.0)),
        Case("both", _window(2, 6, 2.0, 0.7), weight=2),
        Case("a window of two steps", _window(2, 2, 2.0, 1.0)),
        Case(
            "a window of one step",
            _window(3, 1, 2.0, 1.0),
            edge=True,
            asks="There is one step, so no change from step to step. The loss is still a number.",
        ),
    ),
    mistakes=slips(_natural, SLIPS),
    right_answers={"gathered, with diff": _with_diff},
)
