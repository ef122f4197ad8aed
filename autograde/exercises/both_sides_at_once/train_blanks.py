"""Exercise `train_blanks`: the loss of the hidden words, and the loop that lowers it."""

from collections.abc import Callable, Iterable
from itertools import count
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from autograde.checking.answers import Answer, AnswerRefused, Inputs, Plain, plain, returned
from autograde.checking.descent import Descent
from autograde.checking.exercise import Case, Exercise, Random
from autograde.checking.slips import slips
from autograde.exercises.both_sides_at_once import LESSON

Corrupt = Callable[[Tensor], tuple[Tensor, Tensor]]
Batches = Iterable[tuple[Tensor, Tensor, Tensor]]
WORDS, SIZE, PROBED = 12, 6, 24


def train_blanks(model: Any, batches: Batches, corrupt: Corrupt, optimizer: Any) -> list[float]:
    """Take a step for each batch; the mean loss of its hidden words, in nats."""
    losses = []
    for ids, mask, segments in batches:
        inputs, targets = corrupt(ids)
        chosen = targets >= 0
        if not chosen.any():
            continue
        states = model(inputs, mask, segments)
        scores = model.scores(states[chosen])
        loss = functional.cross_entropy(scores, targets[chosen])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def _by_ignoring(model: Any, batches: Batches, corrupt: Corrupt, optimizer: Any) -> list[float]:
    losses = []
    for ids, mask, segments in batches:
        optimizer.zero_grad()
        inputs, targets = corrupt(ids)
        scores = model.scores(model(inputs, mask, segments))
        loss = functional.cross_entropy(scores.flatten(0, 1), targets.flatten(), ignore_index=-1)
        if torch.isfinite(loss):
            loss.backward()
            optimizer.step()
            losses.append(float(loss))
    return losses


def _by_logs(model: Any, batches: Batches, corrupt: Corrupt, optimizer: Any) -> list[float]:
    def loss_of(ids: Tensor, mask: Tensor, segments: Tensor) -> Tensor | None:
        inputs, targets = corrupt(ids)
        where = (targets != -1).nonzero(as_tuple=True)
        if not len(where[0]):
            return None
        logs = model.scores(model(inputs, mask, segments)[where]).log_softmax(-1)
        return -logs.gather(-1, targets[where][:, None]).mean()

    losses = []
    for batch in batches:
        loss = loss_of(*batch)
        if loss is not None:
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
    return losses


class Small(nn.Module):
    """A stand-in whose states hang on the words, the mask and the segments."""

    def __init__(self) -> None:
        super().__init__()
        self.word, self.segment = nn.Embedding(WORDS, SIZE), nn.Embedding(2, SIZE)
        self.mixed = nn.Linear(SIZE, SIZE)
        self.bias = nn.Parameter(torch.zeros(WORDS))
        self.modes: set[bool] = set()

    def forward(self, ids: Tensor, mask: Tensor, segments: Tensor) -> Tensor:
        """(B, T) each to states (B, T, D): every word, and the mean of the real ones."""
        self.modes.add(self.training)
        x = self.word(ids) + self.segment(segments)
        real = mask.unsqueeze(-1).to(x.dtype)
        mean = (x * real).sum(1, keepdim=True) / real.sum(1, keepdim=True).clamp(min=1)
        return torch.tanh(self.mixed(mean) + x)

    def scores(self, states: Tensor) -> Tensor:
        """(..., D) to (..., V)."""
        return states @ self.word.weight.T + self.bias


def _hide(ids: Tensor, every: int, call: int) -> tuple[Tensor, Tensor]:
    """Every n-th ordinary word is asked for, others at each call; half of them are hidden."""
    number = torch.arange(ids.numel()).view(ids.shape) + 2 * call
    chosen = (ids >= 5) & (number % every == 1)
    fate = number // every % 4  # hidden, swapped, hidden, left
    inputs = torch.where(chosen & (fate % 2 == 0), 4, ids)
    inputs = torch.where(chosen & (fate == 1), 5 + (ids + 3) % (WORDS - 5), inputs)
    return inputs, torch.where(chosen, ids, -1)


@Case.drawn
def _batches(
    rng: Random,
    count: int,
    rows: int,
    width: int,
    every: int,
    empty: bool = False,
    used: bool = False,
) -> Inputs:
    """Sentences in pairs, the second row shorter; with `empty`, a batch of marks alone.

    A model that was `used` before arrives with gradients.
    """
    found = []
    for number in range(count):
        ids = rng.integers(5, WORDS, (rows, width))
        ids[:, 0], ids[:, width // 2] = 2, 3
        mask = np.ones((rows, width), bool)
        mask[1:, width - 2 :] = False
        ids[~mask] = 0
        segments = np.tile(np.arange(width) > width // 2, (rows, 1)).astype(np.int64)
        if empty and number == 1:
            ids = np.where(ids >= 5, 1, ids)
        found.append([ids, mask, segments])
    return {"batches": found, "every": every, "used": used}


def _run(answer: Answer, inputs: Inputs) -> Plain:
    """The losses, what the model has become, and how many steps that took."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(3)
        model = Small()
    if inputs["used"]:
        for weight in model.parameters():
            weight.grad = torch.full_like(weight, 0.1)
    batches = [tuple(torch.from_numpy(part.copy()) for part in b) for b in inputs["batches"]]
    optimizer = Descent((model.parameters(), 0.5))
    calls = count()
    came = returned(
        answer(model, batches, lambda ids: _hide(ids, inputs["every"], next(calls)), optimizer)
    )
    if not isinstance(came, list | tuple) or any(isinstance(x, Tensor) for x in came):
        raise AnswerRefused(
            "Return a list of plain numbers, one loss for each batch: `loss.item()`. A tensor "
            "would keep the whole way of its computation in memory."
        )
    with torch.no_grad():
        weights = torch.cat([p.flatten() for p in model.parameters()])
    return {
        "losses": plain(list(came)),
        "weights afterwards": plain(weights[:: max(1, len(weights) // PROBED)]),
        "steps taken": len(optimizer.rates),
        "evaluation mode is switched on": False in model.modes,
    }


SLIPS = """
--- hint 1
what is read is asked: cross_entropy(scores, targets[chosen]) \
        -> cross_entropy(scores, inputs[chosen])
    You ask for what stands in `inputs`, so the model learns to answer `[MASK]`. The words to find
    are in `targets`.
nothing is hidden: model(inputs, mask -> model(ids, mask
    Your model reads the text as it was, so the answer stands before it. It reads `inputs`.
--- no hint
the mask is all true: model(inputs, mask, segments) \
        -> model(inputs, torch.ones_like(mask), segments)
    Your model reads padding. Hand `mask` on.
the mask is negated: model(inputs, mask, segments) -> model(inputs, ~mask, segments)
    Your mask is negated: the model reads the padding and not the words.
no segments: model(inputs, mask, segments) -> model(inputs, mask, torch.zeros_like(segments))
    Your model does not hear which sentence a word belongs to. Hand `segments` on.
the states are cut off: model.scores(states[chosen]) -> model.scores(states[chosen].detach())
    Only the scores learn: you cut the states off, so no slope comes back into the model. Leave out
    `.detach()`.
evaluation mode is switched on: losses = [] -> losses = [] ⏎model.eval()
    You switch to evaluation mode, in which no dropout is at work. This is training: leave out
    `model.eval()`.
rounded: loss.item() -> round(loss.item(), 2)
    You round the losses. Round where you print them.
--- hint 3
the slopes are cleared after the step alone: \
        optimizer.zero_grad() loss.backward() optimizer.step() \
        -> loss.backward() ⏎optimizer.step() ⏎optimizer.zero_grad()
    You set the slopes to zero after the step, so the first batch takes along what the model arrived
    with. Set them to zero before each `backward()`.
the slopes add up: optimizer.zero_grad() ->
the slopes of the batches add up: optimizer.zero_grad() -> \
        && losses = [] -> losses = [] ⏎optimizer.zero_grad()
    The slopes of all batches so far add up. Set them to zero before each `backward()`.
no step: optimizer.step() ->
    The weights never change: a step with fresh slopes is missing. Each batch sets the slopes to
    zero, goes `backward()`, and takes a `step()`, in this order.
a step too early: optimizer.zero_grad() loss.backward() optimizer.step() \
        -> optimizer.step() ⏎optimizer.zero_grad() ⏎loss.backward()
    You take the step before `backward()`, with the slopes of the batch before.
two steps: optimizer.step() -> optimizer.step() ⏎optimizer.step()
    You take two steps for each batch. One.
corrupted twice: corrupt(ids) -> (corrupt(ids)[0], corrupt(ids)[1])
corrupted twice, the targets first: corrupt(ids) -> (corrupt(ids)[1], corrupt(ids)[0])[::-1]
    You call `corrupt` twice for a batch, and each call hides other words: what you ask for is not
    what is hidden. Take both tables from one call.
--- hint 2
the loss is summed: targets[chosen]) -> targets[chosen], reduction="sum")
    You add the losses up. Take their mean: otherwise a batch with more hidden words takes a longer
    step.
over all places: loss = functional.cross_entropy(scores, targets[chosen]) \
        -> loss = functional.cross_entropy(scores, targets[chosen], reduction="sum") / \
        targets.numel()
    You divide by the number of all positions. The mean is over the chosen ones.
over the sentences: loss = functional.cross_entropy(scores, targets[chosen]) \
        -> loss = functional.cross_entropy(scores, targets[chosen], reduction="sum") / len(ids)
    You divide by the number of sentences. The mean is over the chosen positions.
over the real places: loss = functional.cross_entropy(scores, targets[chosen]) \
        -> loss = functional.cross_entropy(scores, targets[chosen], reduction="sum") / mask.sum()
    You divide by the number of all words. The mean is over the chosen ones.
without a logarithm: functional.cross_entropy(scores, targets[chosen]) \
        -> -scores.softmax(-1).gather(-1, targets[chosen][:, None]).mean()
    You take the chance itself, not its logarithm. The loss is the mean of -log p.
softmax before cross_entropy: scores = model.scores(states[chosen]) \
        -> scores = model.scores(states[chosen]).softmax(-1)
    `cross_entropy` takes the softmax itself. Hand it the scores as they are.
every word is asked for: chosen = targets >= 0 -> targets = ids ⏎chosen = mask
    You ask for every word. The model sees five of six of them and learns to copy. Only the chosen
    positions count: those where `targets` is not -1.
every place is asked for: chosen = targets >= 0 -> targets = ids ⏎chosen = targets >= 0
    You ask at every position, padding and marks too. Only the chosen positions count: those where
    `targets` is not -1.
what is not asked for counts as word 0: scores = model.scores(states[chosen]) \
        -> scores = model.scores(states).flatten(0, 1) \
        && functional.cross_entropy(scores, targets[chosen]) \
        -> functional.cross_entropy(scores, targets.flatten().clamp(min=0)) \
        && if not chosen.any(): continue ->
    You turn the -1 of `targets` into word 0, and ask for that word. Where `targets` is -1, nothing
    is asked: those positions do not count.
the others are asked for: chosen = targets >= 0 -> targets = torch.where(targets < 0, ids, -1) \
        ⏎chosen = targets >= 0
    You ask for the words that were not chosen. `targets` is -1 where nothing is asked.
only the hidden ones: chosen = targets >= 0 -> chosen = inputs == 4
only the changed ones: targets >= 0 -> inputs != ids
    You ask only where `[MASK]` stands, or where `inputs` differs from `ids`. The chosen words that
    were swapped or left are asked for, too: all positions where `targets` is not -1.
--- hint 3
one step at the end: optimizer.zero_grad() loss.backward() optimizer.step() \
        -> loss.backward() && return losses -> optimizer.step() ⏎return losses
    You take one step, after all batches. Take one for each.
the loss after the step: losses.append(loss.item()) \
        -> losses.append(functional.cross_entropy(model.scores(\
        model(inputs, mask, segments)[chosen]), targets[chosen]).item())
    You compute the loss anew after the step. Report the one that the step was taken for.
--- hint 2
the mean of the sentences' means: loss = functional.cross_entropy(scores, targets[chosen]) \
        -> each = functional.cross_entropy(scores, targets[chosen], reduction="none") \
        ⏎row = chosen.nonzero()[:, 0] \
        ⏎loss = torch.stack([each[row == r].mean() for r in row.unique()]).mean()
    You take the mean of each sentence and then the mean of these. A word of a sentence with many
    hidden words weighs less then: take one mean over all of them.
--- hint 3
a step where nothing is asked: if not chosen.any(): continue \
        -> if not chosen.any(): optimizer.step() ⏎if not chosen.any(): continue
    You take a step for a batch in which nothing was chosen, with the slopes of the batch before.
    Leave that batch out altogether.
the batch where nothing is asked stops it: if not chosen.any(): continue \
        -> if not chosen.any(): break
    Your loop ends at a batch in which nothing was chosen. Leave that batch out, and go on.
a loss of 0 where nothing is asked: if not chosen.any(): continue \
        -> if not chosen.any(): losses.append(0.0) ⏎if not chosen.any(): continue
    You report a loss of 0 for a batch in which nothing was chosen. Nothing was asked, so there is
    no loss: leave it out.
a batch in which nothing is asked is not left out: if not chosen.any(): continue ->
    In one batch nothing was chosen. The mean of no loss is no number: your list holds a nan. Leave
    such a batch out.
a step for nothing: if not chosen.any(): continue -> && losses.append(loss.item()) \
        -> if chosen.any(): losses.append(loss.item())
    You take a step for a batch in which nothing was chosen. Adam would walk on by its momentum
    there, and the rate would count a step. Leave that batch out before the step.
a tensor: loss.item() -> loss.detach()
    Return plain numbers, `loss.item()`.
the last loss: return losses -> return losses[-1:]
    Only the last loss is returned. Return one for each batch.
the mean loss: return losses -> return [sum(losses) / len(losses)]
    You return the mean of the losses. Return one for each batch.
the first batch alone: losses.append(loss.item()) -> losses.append(loss.item()) ⏎break
    Your loop ends after the first batch.
"""

SLIPS_OF_LOGS = """
--- hint 2
the logarithm over the places: log_softmax(-1) -> log_softmax(0)
    Your softmax runs over the positions. It runs over the words, the last axis.
without the minus: return -logs -> return logs
    The minus is missing: your steps make the right words less likely. The loss is -log p.
--- no hint
what is asked for a mask: model(inputs, mask -> model(inputs, targets
    You hand `targets` on as the mask. The second argument says which positions are tokens.
"""

EXERCISE = Exercise(
    id="train_blanks",
    title="Learn from the blanks",
    lesson=LESSON,
    points=4,
    difficulty=3,
    importance=5,
    minutes=20,
    reference=train_blanks,
    run=_run,
    rtol=1e-3,
    atol=1e-4,
    cases=(
        Case("one batch", _batches(1, 2, 9, 3)),
        Case("four batches", _batches(4, 3, 9, 3), weight=3),
        Case("few words are asked for", _batches(3, 4, 8, 7)),
        Case(
            "a batch in which nothing is chosen",
            _batches(3, 2, 9, 3, empty=True),
            edge=True,
            asks="The mean of no loss is no number: leave that batch out.",
        ),
        Case(
            "a model that arrives with gradients",
            _batches(2, 2, 9, 3, used=True),
            edge=True,
            asks="Gradients of before are still there: clear them before the first `backward()`.",
        ),
    ),
    mistakes=(*slips(train_blanks, SLIPS), *slips(_by_logs, SLIPS_OF_LOGS)),
    right_answers={
        "cross_entropy leaves -1 out": _by_ignoring,
        "logarithms by hand": _by_logs,
    },
)
