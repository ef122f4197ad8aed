"""Exercise `train_epoch`: one pass over the text in windows of drawn length."""

from collections.abc import Callable, Iterator
from itertools import cycle, pairwise
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from autograde.checking.answers import Answer, AnswerRefused, Plain, returned
from autograde.checking.exercise import Case, Exercise, Inputs, Random
from autograde.checking.slips import slips
from autograde.exercises.awd_lstm import LESSON

States = list[tuple[Tensor, Tensor]]
MOST_WINDOWS = 1_000
NOT_DETACHED = (
    "At the second window autograd tries to go back into the first, which is over. Hand the state "
    "on without its past: `.detach()` each h and c."
)


def train_epoch(
    model: nn.Module,
    optimiser: torch.optim.Optimizer,
    rows: Tensor,
    lengths: Iterator[int],
    bptt: int,
    rate: float,
    clip: float,
    loss_of: Callable[..., Tensor],
    after_step: Callable[[], Any],
) -> list[float]:
    """One pass over rows (B, L); the loss of each window."""
    model.train()
    start, last = 0, rows.shape[1] - 1
    state, losses = None, []
    while start < last:
        end = min(start + next(lengths), last)
        logits, state, outputs, dropped = model(rows[:, start:end], state)
        loss = loss_of(logits, rows[:, start + 1 : end + 1], outputs, dropped)
        for group in optimiser.param_groups:
            group["lr"] = rate * (end - start) / bptt
        optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), clip)
        optimiser.step()
        after_step()
        state = [(h.detach(), c.detach()) for h, c in state]
        losses.append(loss.item())
        start = end
    return losses


class Lengths(cycle):
    """The lengths again and again, for more windows than a text of a case has words."""

    taken = 0

    def __next__(self) -> int:
        self.taken += 1
        if self.taken > MOST_WINDOWS:
            raise AnswerRefused(
                f"You take more than {MOST_WINDOWS} lengths, and the text has fewer words. Take "
                "one for each window, with `next(lengths)`, and see that `start` moves on."
            )
        return int(super().__next__())


NOT_EACH_LAYER = (
    "The state is a list with a pair (h, c) for each layer, here of two, and you hand on something "
    "else. Detach each of them: `[(h.detach(), c.detach()) for h, c in state]`."
)
OTHER_ROWS = (
    "The model reads {} rows, and your targets have {}. All rows are read, from a column to "
    "another: `rows[:, start:end]`."
)


class _Seen(nn.Module):
    """A small language model that notes what it is given."""

    def __init__(self, seed: int) -> None:
        super().__init__()
        generator = torch.Generator().manual_seed(seed)
        self.table = nn.Embedding(7, 4)
        self.layers = nn.ModuleList(nn.LSTM(4, 4, batch_first=True) for _ in range(2))
        self.decoder = nn.Linear(4, 7)
        with torch.no_grad():
            for parameter in self.parameters():
                parameter.copy_(torch.randn(parameter.shape, generator=generator))
        self.windows: list[list[int]] = []
        self.states: list[str] = []
        self.modes: set[bool] = set()

    def forward(self, ids: Tensor, state: States | None = None) -> tuple[Tensor, States, Any, Any]:
        """Logits, the state as a list of two pairs, outputs, dropped outputs."""
        if not isinstance(ids, Tensor) or ids.ndim != 2:
            raise AnswerRefused("The model is given a window of the rows, (B, T).")
        if ids.shape[1] == 0:
            raise AnswerRefused(
                "The model is given a window without a step. The last id of a row is a target only."
            )
        self.windows.append(ids[0].tolist())
        self.modes.add(self.training)
        if state is None:
            self.states.append("none")
        elif len(state) != len(self.layers) or isinstance(state[0], Tensor):
            raise AnswerRefused(NOT_EACH_LAYER)
        else:
            self.states.append(" and ".join(f"{float(h.detach().sum()):.4f}" for h, _ in state))
        outputs, after = self.table(ids), []
        for layer, pair in zip(self.layers, state or (None,) * 2, strict=True):
            outputs, pair_after = layer(outputs, pair)
            after.append(pair_after)
        return self.decoder(outputs), after, outputs, outputs * 2


def _run(answer: Answer, inputs: Inputs) -> Plain:
    """What the model, the loss and the optimiser see, and where the weights end."""
    model = _Seen(inputs["seed"]).eval()
    if inputs["used"]:
        for parameter in model.parameters():
            parameter.grad = torch.full_like(parameter, 0.1)
    groups = [{"params": part.parameters()} for part in (model.table, model.layers, model.decoder)]
    optimiser = torch.optim.SGD(groups, lr=inputs["rate"], weight_decay=0.01)
    rows = torch.from_numpy(inputs["rows"].copy())
    targets: list[list[int]] = []
    steps: list[list[float]] = []
    tables: list[float] = []

    def loss_of(logits: Tensor, asked: Tensor, outputs: Tensor, dropped: Tensor) -> Tensor:
        if asked.ndim != 2 or asked.is_floating_point():
            raise AnswerRefused(
                "`loss_of` takes the logits, then the targets, the word numbers (B, T): "
                "`loss_of(logits, targets, outputs, dropped)`."
            )
        if len(logits) != len(asked):
            raise AnswerRefused(OTHER_ROWS.format(len(logits), len(asked)))
        if logits.shape[:2] != asked.shape:
            raise AnswerRefused(
                f"The model says {logits.shape[1]} words of each row, and your targets have "
                f"{asked.shape[-1]}. There is one target for each word that is read, in the last "
                "window, too."
            )
        targets.append(asked[0].tolist())
        own = functional.cross_entropy(logits.flatten(0, 1), asked.flatten())
        return own + 0.3 * dropped.square().mean() + 0.2 * outputs.mean()

    def before_step(*_: Any) -> None:
        norm = sum(float(p.grad.square().sum()) for p in model.parameters() if p.grad is not None)
        steps.append([*(group["lr"] for group in optimiser.param_groups), norm**0.5])

    def after_step() -> None:
        tables.append(float(model.table.weight.detach().sum()))

    optimiser.register_step_pre_hook(before_step)  # what a step uses may be put back after it
    settings = [inputs[name] for name in ("bptt", "rate", "clip")]
    try:
        losses = returned(
            answer(
                model, optimiser, rows, Lengths(inputs["lengths"]), *settings, loss_of, after_step
            )
        )
    except RuntimeError as error:
        if not any(said in str(error) for said in ("second time", "by an inplace operation")):
            raise
        raise AnswerRefused(NOT_DETACHED) from error
    if isinstance(losses, Tensor | float) or not all(isinstance(x, float) for x in losses):
        raise AnswerRefused("Return a list with the loss of each window, as numbers: `.item()`.")
    return {
        "what is read": model.windows,
        "what is asked": targets,
        "in training mode": model.modes == {True},
        "rates": np.array([step[:-1] for step in steps]),
        "norms of the gradients": np.array([step[-1] for step in steps]),
        "states at the start of each window": model.states,
        "the table after each step": np.array(tables),
        "losses": np.array(losses),
        "weights at the end": np.array([float(p.detach().sum()) for p in model.parameters()]),
    }


@Case.drawn
def _text(
    rng: Random,
    rows: int,
    length: int,
    lengths: tuple[int, ...],
    bptt: int,
    clip: float,
    used: bool = False,
) -> Inputs:
    """Rows of a text; a model that was `used` before arrives with gradients."""
    return {
        "rows": rng.integers(0, 7, (rows, length)),
        "lengths": lengths,
        "bptt": bptt,
        "rate": 0.7,
        "clip": clip,
        "used": used,
        "seed": int(rng.integers(1_000_000)),
    }


def _other(
    model: nn.Module,
    optimiser: torch.optim.Optimizer,
    rows: Tensor,
    lengths: Iterator[int],
    bptt: int,
    rate: float,
    clip: float,
    loss_of: Callable[..., Tensor],
    after_step: Callable[[], Any],
) -> list[float]:
    cuts = [0]
    while cuts[-1] < rows.size(1) - 1:
        cuts.append(min(cuts[-1] + next(lengths), rows.size(1) - 1))
    losses: list[float] = []
    state: States | None = None
    for first, behind in pairwise(cuts):
        said = model.train()(rows[:, first:behind], state)
        state = [tuple(part.detach() for part in pair) for pair in said[1]]
        loss = loss_of(said[0], rows[:, first + 1 : behind + 1], *said[2:])
        for parameter in model.parameters():
            parameter.grad = None
        loss.backward()
        torch.nn.utils.clip_grad_norm_([*model.parameters()], clip)
        for group in optimiser.param_groups:
            group.update(lr=rate / bptt * (behind - first))
        optimiser.step()
        after_step()
        losses += [float(loss.detach())]
    return losses


def _put_back(
    model: nn.Module,
    optimiser: torch.optim.Optimizer,
    rows: Tensor,
    lengths: Iterator[int],
    bptt: int,
    rate: float,
    clip: float,
    loss_of: Callable[..., Tensor],
    after_step: Callable[[], Any],
) -> list[float]:
    """As the published code: the rate is put back after the step."""
    model.train()
    state: Any = None
    losses, first, columns = [], 0, rows.shape[1] - 1
    for length in lengths:
        targets = rows[:, 1:][:, first : first + length]
        optimiser.zero_grad()
        logits, state, *outputs = model(rows[:, :-1][:, first : first + length], state)
        loss = loss_of(logits, targets, *outputs)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), clip)
        usual = [group["lr"] for group in optimiser.param_groups]
        for group in optimiser.param_groups:
            group["lr"] = rate * targets.shape[1] / bptt
        optimiser.step()
        for group, before in zip(optimiser.param_groups, usual, strict=True):
            group["lr"] = before
        after_step()
        state = [tuple(part.detach() for part in pair) for pair in state]
        losses.append(float(loss))
        first += length
        if first >= columns:
            break
    return losses


SLIPS = """
--- hint 1
the last window is left out: while start < last: -> while start + bptt < last:
    You stop before the end of the rows. The last window takes what is left, however little.
a short last window is left out: end = min(start + next(lengths), last) \
        -> end = start + next(lengths)⏎if end > last: break
    You stop before the end of the rows. The last window takes what is left, however little.
a last word too few: rows.shape[1] - 1 -> rows.shape[1] - 2
    The last word of a row is never asked for. The last input stands at L - 2, so windows end at
    L - 1.
the target is the word itself: rows[:, start + 1 : end + 1] -> rows[:, start:end]
    The targets are the words that are read. Each word is asked for the next one: shift by one.
the target is two words on: rows[:, start + 1 : end + 1] -> rows[:, start + 2 : end + 2]
    The targets are shifted by two. The target of a word is the next one.
a second draw to go on: start = end -> start += next(lengths)
    You draw a second length to go on. The next window begins where this one ends: `start = end`.
the next one begins bptt words on: start = end -> start += bptt
    You go on by `bptt` words, however long the window was. The next window begins where this one
    ends: `start = end`.
a word between two windows: start = end -> start = end + 1
    Your next window begins one word too far, so a word is never asked for. It begins where this one
    ends: `start = end`.
windows overlap: start = end -> start = end - 1 if end < last else end
    Your windows overlap by one word, so the carried state has read it already. The next window
    begins where this one ends.
two draws for a window: while start < last: -> while start < last and next(lengths):
    You draw two lengths for each window. `next(lengths)` is called once for each: keep what it
    gives.
one length for all: next(lengths) -> bptt
    All your windows have `bptt` steps. Take the next of `lengths` for each.
one draw for all: start, last = -> drawn = next(lengths)⏎start, last = && next(lengths) -> drawn
    You draw one length and keep it. Take the next of `lengths` for each window.
--- hint 2
the rate is not scaled: rate * (end - start) / bptt -> rate
    The rate is the same for all windows. A short window's mean weighs its few words as much as a
    long one's many: scale the rate by T / bptt.
scaled the other way: rate * (end - start) / bptt -> rate * bptt / (end - start)
    You take larger steps for short windows. It is the other way round: T / bptt.
scaled by T alone: rate * (end - start) / bptt -> rate * (end - start)
    You multiply by T and do not divide by bptt. A window of bptt words has the rate itself.
scaled by the drawn length: end = min(start + next(lengths), last) -> drawn = next(lengths) \
        ⏎end = min(start + drawn, last) && rate * (end - start) / bptt -> rate * drawn / bptt
    You scale the rate by the length that was drawn. The last window may be shorter: take the steps
    that it has.
the loss is scaled in place of the rate: rate * (end - start) / bptt -> rate \
        && loss.backward() -> (loss * (end - start) / bptt).backward()
    You scale the loss, and the gradients are clipped after that. It is the rate that is scaled.
a length is drawn for the rate: rate * (end - start) -> rate * next(lengths)
    You draw a length a second time for the rate. Take the steps that the window has.
the rate is scaled on and on: rate * (end - start) / bptt -> group["lr"] * (end - start) / bptt
    You scale the rate of the window before. Begin from `rate` each time.
only the first group's rate: in optimiser.param_groups: -> in optimiser.param_groups[:1]:
    You set the rate of the first group of parameters. There may be several: set it in each.
the rate comes too late: for group in optimiser.param_groups: -> for group in []: \
        && start = end -> [g.update(lr=rate * (end - start) / bptt) \
        for g in optimiser.param_groups]⏎start = end
    You set the rate after the step, so each window uses that of the window before.
not detached: [(h.detach(), c.detach()) for h, c in state] -> state
    At the second window autograd tries to go back into the first, which is over. Hand the state on
    without its past: `.detach()` each h and c.
not clipped: nn.utils.clip_grad_norm_(model.parameters(), clip) -> pass
    The gradients are not clipped, or too early, or too late: their norm is at most `clip` once
    `backward` has made them, and before the step.
clipped one by one: clip_grad_norm_ -> clip_grad_value_
    You clip each number. It is the norm of all gradients together that is clipped.
each parameter is clipped for itself: nn.utils.clip_grad_norm_(model.parameters(), clip) \
        -> [nn.utils.clip_grad_norm_([p], clip) for p in model.parameters()]
    You clip each parameter's gradient for itself. It is the norm of all of them together that is
    clipped.
short gradients are stretched: nn.utils.clip_grad_norm_(model.parameters(), clip) \
        -> norm = nn.utils.clip_grad_norm_(model.parameters(), torch.inf) \
        ⏎for p in model.parameters(): p.grad *= clip / norm
    You give the gradients the norm `clip` in every window. Clipping shortens those that are longer
    than `clip`, and leaves the others as they are.
--- hint 3
zeros are handed on: [(h.detach(), c.detach()) for h, c in state] \
        -> [(torch.zeros_like(h), torch.zeros_like(c)) for h, c in state]
    You hand zeros on. The state goes on as it is, and only its past is cut: `.detach()`.
the first layer's pair for all: [(h.detach(), c.detach()) for h, c in state] \
        -> [(h.detach(), c.detach()) for h, c in [state[0]] * len(state)]
    You hand the first layer's pair to every layer. Each layer has its own: go through all of
    `state`.
each window from zeros: [(h.detach(), c.detach()) for h, c in state] -> None
    Each window begins from zeros. Carry the state on, without its past.
h and c change places: [(h.detach(), c.detach()) for -> [(c.detach(), h.detach()) for
    You hand on c as h and h as c. The pair is (h, c), in this order.
h in place of c: [(h.detach(), c.detach()) for -> [(h.detach(), h.detach()) for
    You hand on h twice. The pair is (h, c).
the outputs twice: outputs, dropped) -> outputs, outputs)
    You hand the outputs to the loss twice. Its last argument is what is left of them after dropout.
the cells are forgotten: [(h.detach(), c.detach()) for h, c in state] \
        -> [(h.detach(), torch.zeros_like(c)) for h, c in state]
    You carry h on and not c. Both belong to the state.
gradients are cleared after the step alone: optimiser.zero_grad() -> pass \
        && after_step() -> optimiser.zero_grad()⏎after_step()
    You clear the gradients after the step, so the first window takes along what the model arrived
    with. Clear them before each `backward()`.
gradients pile up: optimiser.zero_grad() -> pass
gradients of the windows pile up: optimiser.zero_grad() -> pass \
        && model.train() -> model.train()⏎optimiser.zero_grad()
    Each step takes the gradients of all windows before along. Set them to zero before each
    `backward()`.
gradients are cleared before the step: optimiser.zero_grad() -> pass \
        && nn.utils.clip_grad_norm_(model.parameters(), clip) -> optimiser.zero_grad()
    You clear the gradients between `backward` and `step`, so nothing is learnt.
the clip is scaled in place of the rate: rate * (end - start) / bptt -> rate \
        && model.parameters(), clip) -> model.parameters(), clip * (end - start) / bptt)
    You scale `clip` by T / bptt. It is the rate that is scaled; the norm is at most `clip` in
    every window.
the clip is scaled, too: model.parameters(), clip) \
        -> model.parameters(), clip * (end - start) / bptt)
    You scale `clip`, too. Only the rate is scaled; the norm is at most `clip` in every window.
no step: optimiser.step() -> pass
    The optimiser never makes its step.
nobody is told: after_step() -> pass
    You never call `after_step()`. The average of the weights is taken there, after each step.
two steps for one: optimiser.step() -> optimiser.step()⏎optimiser.step()
one more step after it is told: after_step() -> after_step()⏎optimiser.step()
    You let the optimiser make two steps with the same gradients. It makes one for each window.
told once: after_step() -> pass && return losses -> after_step()⏎return losses
    You call `after_step()` once, at the end. It is called after each step.
told too early: optimiser.step() -> after_step()⏎optimiser.step() && after_step() -> pass
    You call `after_step()` before the step. It has to see the new weights.
not in training mode: model.train() -> pass
    The model came in evaluation mode, and stays there: no dropout. Begin with `model.train()`.
the states are swapped: outputs, dropped) -> dropped, outputs)
    You hand the two kinds of states to the loss in the wrong order: first the outputs, then what
    is left of them after dropout.
losses are sums: losses.append(loss.item()) -> losses.append(loss.item() * (end - start))
    You multiply each loss by its steps. The list holds what `loss_of` gives.
the last loss alone: return losses -> return losses[-1:]
    You return the last loss. Return one for each window.
"""

EXERCISE = Exercise(
    id="train_epoch",
    title="The loop",
    lesson=LESSON,
    points=5,
    difficulty=4,
    importance=5,
    minutes=20,
    reference=train_epoch,
    run=_run,
    cases=(
        Case("one window", _text(2, 5, (4,), 4, 100.0)),
        Case("three windows of one length", _text(2, 13, (4,), 4, 100.0)),
        Case("windows of drawn length", _text(3, 24, (5, 9, 2, 6), 5, 0.25), weight=2),
        Case(
            "two rows, a last window of one step",
            _text(2, 12, (5, 5, 7), 6, 0.25),
            edge=True,
            asks="The rows have 12 ids, so 11 targets: windows of 5, 5 and 1 steps.",
        ),
        Case(
            "a model that arrives with gradients",
            _text(2, 9, (4,), 4, 100.0, used=True),
            edge=True,
            asks="Gradients of before are still there: clear them before the first `backward()`.",
        ),
    ),
    mistakes=slips(train_epoch, SLIPS),
    right_answers={"cuts first": _other, "the rate is put back": _put_back},
)
