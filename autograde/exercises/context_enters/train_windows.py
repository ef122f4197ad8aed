"""Exercise `train_windows`: the loop, with a state that is carried on and cut off."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from autograde.checking.answers import Answer, AnswerRefused, Plain, returned
from autograde.checking.exercise import Case, Exercise, Inputs, Random
from autograde.checking.slips import slips
from autograde.exercises.context_enters import LESSON
from elmo_mini.models.lstm_language_model import train_windows

State = tuple[Tensor, Tensor]
Windows = Sequence[tuple[Tensor, Tensor]]
NOT_DETACHED = (
    "At the second window autograd tries to go back into the first, which is over. Hand the state "
    "on without its past: `.detach()` h and c."
)
WITH_THEIR_GRAPHS = (
    "Your list holds tensors. Each of them keeps everything that its window has computed, and the "
    "memory fills up. Keep the number alone: `.item()`."
)


class _Seen(nn.Module):
    """A small language model that notes what it is given."""

    def __init__(self, seed: int) -> None:
        super().__init__()
        generator = torch.Generator().manual_seed(seed)
        self.table = nn.Embedding(7, 4)
        self.lstm = nn.LSTM(4, 4, batch_first=True)
        self.softmax = nn.Linear(4, 7)
        with torch.no_grad():
            for parameter in self.parameters():
                parameter.copy_(torch.randn(parameter.shape, generator=generator))
        self.windows: list[list[int]] = []
        self.states: list[str] = []

    def forward(self, ids: Any, state: Any = None) -> tuple[Tensor, State]:
        """Logits (B, T, 7), and the last (h, c), (B, 4) each."""
        if not isinstance(ids, Tensor) or ids.ndim != 2:
            raise AnswerRefused("The model is given the inputs of a window, (B, T).")
        self.windows.append(ids[0].tolist())
        if state is None:
            self.states.append("none")
            h = c = torch.zeros(len(ids), 4)
        else:
            if not isinstance(state, tuple | list) or len(state) != 2:
                raise AnswerRefused("The model is given None or the pair (h, c).")
            h, c = state
            self.states.append(f"{float(h.detach().sum()):.4f} {float(c.detach().sum()):.4f}")
        outputs, (h, c) = self.lstm(self.table(ids), (h[None], c[None]))
        return self.softmax(outputs), (h[0], c[0])


def _run(answer: Answer, inputs: Inputs) -> Plain:
    """What the model, the loss and the optimiser see, and where the weights end."""
    model = _Seen(inputs["seed"])
    optimiser = torch.optim.SGD(model.parameters(), lr=0.7, momentum=0.5, weight_decay=0.01)
    ids = torch.from_numpy(inputs["ids"].copy())
    windows = list(
        zip(
            ids[:, :-1].split(inputs["width"], 1), ids[:, 1:].split(inputs["width"], 1), strict=True
        )
    )
    asked: list[list[int]] = []
    seen: list[list[float]] = []

    def loss_of(logits: Any, targets: Any) -> Tensor:
        if not isinstance(logits, Tensor) or not isinstance(targets, Tensor) or logits.ndim != 3:
            raise AnswerRefused("`loss_of` takes the logits (B, T, V) and the targets (B, T).")
        asked.append(targets[0].tolist())
        return functional.cross_entropy(logits.flatten(0, 1), targets.flatten()) + 0.1

    def look(step: Any) -> None:
        seen.append([float(step), float(model.table.weight.detach().sum())])

    try:
        losses = returned(answer(model, windows, loss_of, optimiser, inputs["clip"], look))
    except RuntimeError as error:
        if not any(said in str(error) for said in ("second time", "by an inplace operation")):
            raise
        raise AnswerRefused(NOT_DETACHED) from error
    if not isinstance(losses, list | tuple | np.ndarray):
        raise AnswerRefused("Return a list with the loss of each window, as numbers: `.item()`.")
    if any(isinstance(loss, Tensor) for loss in losses):
        raise AnswerRefused(WITH_THEIR_GRAPHS)
    return {
        "what is read": model.windows,
        "what is asked": asked,
        "states at the start of each window": model.states,
        "steps that are looked at": [int(row[0]) for row in seen],
        "the table after each step": np.array([row[1] for row in seen]),
        "losses": np.array(losses, float),
        "weights at the end": np.array([float(p.detach().sum()) for p in model.parameters()]),
    }


@Case.drawn
def _text(rng: Random, rows: int, words: int, width: int, clip: float) -> Inputs:
    return {
        "ids": rng.integers(0, 7, (rows, words + 1)),
        "width": width,
        "clip": clip,
        "seed": int(rng.integers(1_000_000)),
    }


def _other(
    model: nn.Module,
    windows: Windows,
    loss_of: Callable[[Tensor, Tensor], Tensor],
    optimiser: torch.optim.Optimizer,
    clip: float,
    look: Callable[[int], Any],
) -> list[float]:
    losses: list[float] = []
    past: Any = None
    for number, window in enumerate(windows, start=1):
        for parameter in model.parameters():
            parameter.grad = None
        if past is not None:
            past = past[0].detach(), past[1].detach()
        said, past = model(window[0], past)
        loss = loss_of(said, window[1])
        loss.backward()
        torch.nn.utils.clip_grad_norm_([*model.parameters()], max_norm=clip)
        optimiser.step()
        look(number)
        losses += [float(loss.detach())]
    return losses


def _cleared_at_once(
    model: nn.Module,
    windows: Windows,
    loss_of: Callable[[Tensor, Tensor], Tensor],
    optimiser: torch.optim.Optimizer,
    clip: float,
    look: Callable[[int], Any],
) -> list[float]:
    losses: list[float] = []
    state = None
    for inputs, targets in windows:
        logits, last = model(inputs, state)
        state = tuple(part.detach() for part in last)
        loss = loss_of(logits, targets)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), clip)
        optimiser.step()
        optimiser.zero_grad()
        losses.append(loss.item())
        look(len(losses))
    return losses


SLIPS = """
--- hint 1
each window from nothing: state = h.detach(), c.detach() -> pass
    Each of your windows begins with None, so the model forgets what stands before it. Hand the last
    state on.
the windows in reverse: in windows: -> in windows[::-1]:
    You read the windows in reverse. The state goes on from one to the next: keep their order.
the state after each other window: state = h.detach(), c.detach() \
        -> state = (h.detach(), c.detach()) if len(losses) % 2 else None
    You drop the state at every second window. It is carried through all of them.
--- hint 2
not detached: h.detach(), c.detach() -> h, c
    At the second window autograd tries to go back into the first, which is over. Hand the state on
    without its past: `.detach()` h and c.
gradients pile up: optimiser.zero_grad() -> pass
    Your gradients pile up: `backward` adds to what is there. Clear them for each window, inside the
    loop.
not clipped: nn.utils.clip_grad_norm_(model.parameters(), clip) -> pass
    The gradients are not clipped, or too early, or too late: their norm is cut down to `clip` once
    `backward` has made them, and before the step.
clipped one by one: clip_grad_norm_ -> clip_grad_value_
    You clip each number. It is the norm of all gradients together that is clipped.
made as long as `clip` in any case: nn.utils.clip_grad_norm_(model.parameters(), clip) \
        -> [p.grad.mul_(clip / norm) for norm in [torch.cat( \
        [p.grad.flatten() for p in model.parameters()]).norm()] for p in model.parameters()]
    You bring the norm to `clip` even where it is smaller. Only a norm above `clip` is cut down.
one step, at the end: optimiser.step() -> pass && return losses -> optimiser.step()⏎return losses
    You take one step, after the last window. Take one for each window, inside the loop.
clipped at 1: model.parameters(), clip) -> model.parameters(), 1.0)
    You clip at 1. The largest norm is an argument, `clip`.
each parameter is clipped for itself: nn.utils.clip_grad_norm_(model.parameters(), clip) \
        -> [nn.utils.clip_grad_norm_([p], clip) for p in model.parameters()]
    You clip each parameter's gradient for itself. It is the norm of all of them together that is
    clipped.
--- hint 3
no step: optimiser.step() -> pass
    The weights never move. Does the optimiser make its step? Is there a `backward()` before it, and
    are the gradients cleared before `backward` and not behind it?
two steps: optimiser.step() -> optimiser.step()⏎optimiser.step()
    You make two steps for each window. One is enough.
the loss after the step: losses.append(loss.item()) \
        -> losses.append(loss_of(model(inputs, None)[0], targets).item())
    You measure each window once more after its step. Keep the loss that the step was made with.
nobody looks: look(len(losses)) -> pass
    `look` is never called. Call it after each step, with the number of steps taken.
looked at once, at the end: look(len(losses)) -> pass \
        && return losses -> look(len(losses))⏎return losses
    `look` is called once, at the end. Call it after each step: it stands inside the loop.
counted from 0: look(len(losses)) -> look(len(losses) - 1)
    You count the steps from 0. `look` is told how many have been taken: 1 after the first.
`look` comes before the step: optimiser.step() -> look(len(losses) + 1)⏎optimiser.step() \
        && look(len(losses)) -> pass
    You call `look` before the step. Call it after: it shows the model as it is then.
one loss: return losses -> return losses[-1]
    You return one number. Return the list of the losses of all windows.
tensors with their graphs: loss.item() -> loss
    Your list holds tensors. Each of them keeps everything that its window has computed, and the
    memory fills up. Keep the number alone: `.item()`.
one window: look(len(losses)) -> look(len(losses))⏎break
    You stop after the first window. Go through all of them, and return after the loop.
the last window is left out: in windows: -> in windows[:-1]:
    You leave the last window out.
the first window again and again: inputs, targets in windows: \
        -> _ in windows: ⏎    inputs, targets = windows[0]
    You read the first window again and again.
{letter} twice: h.detach(), c.detach() -> {letter}.detach(), {letter}.detach() | letter = h, c
    You hand on {letter} twice. The state is the pair (h, c).
h and c change places: h.detach(), c.detach() -> c.detach(), h.detach()
    You hand on c as h and h as c. The pair is (h, c), in this order.
the cells are forgotten: h.detach(), c.detach() -> h.detach(), torch.zeros_like(c)
    You carry h on and not c. Both belong to the state.
the state is forgotten, the cells are kept: h.detach(), c.detach() \
        -> torch.zeros_like(h), c.detach()
    You carry c on and not h. Both belong to the state.
zeros for the first window: state = None -> state = (torch.ones(len(windows[0][0]), 4),) * 2
    Your first window begins with a state of its own. It begins with None.
--- no hint
the targets are read: model(inputs, state) -> model(targets, state)
    You give the model the targets to read. It reads the inputs.
asked for what it reads: loss_of(logits, targets) -> loss_of(logits, inputs)
    You give the loss the inputs. It takes the targets: the next words.
"""

EXERCISE = Exercise(
    id="train_windows",
    title="The loop",
    lesson=LESSON,
    points=4,
    difficulty=3,
    importance=5,
    minutes=12,
    reference=train_windows,
    run=_run,
    cases=(
        Case("one window", _text(2, 3, 3, 100.0)),
        Case("three windows, nothing to clip", _text(2, 12, 4, 100.0), weight=2),
        Case("five windows, gradients that must be clipped", _text(3, 18, 4, 0.25), weight=2),
        Case("one row, windows of one word", _text(1, 4, 1, 0.3), edge=True),
    ),
    mistakes=slips(train_windows, SLIPS),
    right_answers={
        "cut off before the window": _other,
        "gradients cleared after the step": _cleared_at_once,
    },
)
