"""Exercise `train_mix`: a task trains the mix."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from autograde.checking.answers import Answer, AnswerRefused, Plain, plain, refuse_changed, returned
from autograde.checking.exercise import Case, Exercise, Inputs, Random
from autograde.checking.slips import slips
from autograde.exercises.scalar_mix_and_elmo import LESSON
from course.scalar_mix_and_elmo.train_mix import train_mix
from elmo_mini.models.elmo import ScalarMix

DIM, LABELS = 4, 3


def _word_by_word(
    mix: Any,
    head: nn.Module,
    layers: Sequence[Tensor],
    mask: Tensor,
    labels: Tensor,
    steps: int,
    rate: float,
    decay: float,
) -> list[Tensor]:
    both = nn.ModuleList([mix, head])
    optimizer = torch.optim.Adam(both.parameters(), rate)
    found: list[Tensor] = []
    wanted = torch.where(mask, labels, -100)  # cross_entropy leaves these out
    while len(found) < steps:
        both.zero_grad()
        scores = head(mix(layers, mask)).flatten(0, 1)
        penalty = sum(number**2 for number in mix.w)
        (functional.cross_entropy(scores, wanted.flatten()) + decay * penalty).backward()
        optimizer.step()
        found.append(mix.w.detach().softmax(0).clone())
    return found


@Case.drawn
def _task(
    rng: Random,
    lengths: tuple[int, ...],
    steps: int,
    decay: float,
    *,
    rate: float = 0.1,
    norm: bool = False,
    frozen: bool = False,
) -> Inputs:
    longest = max(lengths)
    mask = np.arange(longest) < np.array(lengths)[:, None]
    layers = rng.standard_normal((3, len(lengths), longest, DIM)).astype(np.float32)
    layers *= np.array([0.5, 1.0, 2.0], np.float32)[:, None, None, None]
    labels = rng.integers(0, LABELS, mask.shape)
    layers[1, ..., 0] += 2 * labels  # one layer knows something of the labels
    layers += 5 * ~mask[..., None]
    return {
        "layers": layers,
        "mask": mask,
        "labels": labels,
        "settings": {
            "steps": steps,
            "rate": rate,
            "decay": decay,
            "do_layer_norm": norm,
            "w is frozen": frozen,
        },
        "seed": int(rng.integers(1_000_000)),
    }


def _run(answer: Answer, inputs: Inputs) -> Plain:
    """The shares, and what mix and head are after training."""
    settings = inputs["settings"]
    generator = torch.Generator().manual_seed(inputs["seed"])
    mix = ScalarMix(3, settings["do_layer_norm"])
    head = nn.Linear(DIM, LABELS)
    with torch.no_grad():
        mix.w.copy_(torch.randn(3, generator=generator))
        for parameter in head.parameters():
            parameter.copy_(0.5 * torch.randn(parameter.shape, generator=generator))
    mix.w.requires_grad_(not settings["w is frozen"])
    layers = [torch.from_numpy(layer.copy()) for layer in inputs["layers"]]
    mask, labels = (torch.from_numpy(inputs[name].copy()) for name in ("mask", "labels"))
    came = returned(
        answer(
            mix,
            head,
            layers,
            mask,
            labels,
            settings["steps"],
            settings["rate"],
            settings["decay"],
        )
    )
    if len(layers) != len(inputs["layers"]):
        raise AnswerRefused("Your answer changed the list `layers`. Build a new list.")
    given = {"layers": torch.stack(layers), "mask": mask, "labels": labels}
    refuse_changed(inputs, given)
    if isinstance(came, list | tuple):
        if not came:
            raise AnswerRefused("Your list of shares is empty. There is one row for each step.")
        came = torch.stack([torch.as_tensor(row) for row in came])
    return {
        "shares after each step": plain(came),
        "w and gamma at the end": [plain(mix.w), plain(mix.gamma)],
        "the head at the end": [plain(parameter) for parameter in head.parameters()],
    }


SLIPS = """
--- hint 1
the mix is not trained: [*mix.parameters(), *head.parameters()] -> [*head.parameters()]
    Your optimiser has the numbers of the head alone, so the mix stays as it is. Give it those of
    both modules.
the head is not trained: [*mix.parameters(), *head.parameters()] -> [*mix.parameters()]
    Your optimiser has the numbers of the mix alone. The head must learn, too: give it those of
    both modules.
gamma is left out: [*mix.parameters(), *head.parameters()] -> [mix.w, *head.parameters()]
    `gamma` never moves. Give the optimiser all of `mix.parameters()`.
the mix is cut off from the loss: head(mix(layers, mask)) -> head(mix(layers, mask).detach())
    No gradient comes from the loss to your mix, so the task teaches it nothing. Leave out
    `.detach()`.
padding is a word: head(mix(layers, mask))[mask] -> \
        head(mix(layers, mask)).flatten(0, 1) && labels[mask] -> labels.flatten()
    Your loss asks for labels at padding, too. Choose the words: `scores[mask]` and `labels[mask]`.
divided by all places: labels[mask]) -> labels[mask]) * mask.float().mean()
    You divide by the number of positions, padding among them. Take the mean over the words.
the mean of the sentences' means: functional.cross_entropy(scores, labels[mask]) \
        -> torch.stack([functional.cross_entropy(s[m], y[m]) \
        for s, y, m in zip(head(mix(layers, mask)), labels, mask)]).mean()
    You take the mean of each sentence, and then the mean of these. Every word counts alike: one
    mean over all of them.
label 0 is left out: labels[mask]) -> labels[mask], ignore_index=0)
    `ignore_index=0` leaves out the words with label 0, which is a label like any other. Which
    positions are words, `mask` says.
--- hint 2
the penalty does nothing: + decay * mix.w.square().sum() ->
    The penalty has no effect: it is missing, or `.detach()` or `.data` cuts it off, so that no
    gradient comes from it. Add `decay` times the sum of the squares of `mix.w`.
the penalty is computed once: weights = [] -> weights, once = [], decay * mix.w.square().sum() \
        && + decay * mix.w.square().sum() -> + once \
        && loss.backward() -> loss.backward(retain_graph=True)
    You compute the penalty once, before the loop, and w changes in each step. Compute it anew
    inside the loop.
the mix is computed once: weights = [] -> weights, mixed = [], mix(layers, mask) \
        && head(mix(layers, mask)) -> head(mixed) \
        && loss.backward() -> loss.backward(retain_graph=True)
    You compute the mix once, before the loop, and its numbers change in each step. Call
    `mix(layers, mask)` inside the loop.
the sum of the sizes: mix.w.square().sum() -> mix.w.abs().sum()
    Your penalty adds up how large the numbers of w are. It adds up their squares.
the mean of the squares: mix.w.square().sum() -> mix.w.square().mean()
    Your penalty is the mean of the squares. It is their sum.
the root of the sum: mix.w.square().sum() -> mix.w.norm()
    Your penalty is the length of w. It is the length squared: the sum of the squares.
not squared: mix.w.square().sum() -> mix.w.sum()
    Your penalty adds up the numbers of w themselves. It adds up their squares.
the shares are penalised: mix.w.square() -> torch.softmax(mix.w, 0).square()
    You penalise the shares. It is the numbers before the softmax, `mix.w`, that are pulled to 0.
gamma is penalised, too: mix.w.square().sum() -> (mix.w.square().sum() + mix.gamma**2)
    You penalise `gamma`, too. Only w is pulled to 0.
the head is penalised, too: mix.w.square().sum() -> \
        sum(p.square().sum() for p in [mix.w, *head.parameters()])
    You penalise the head, too. Only w is pulled to 0.
half of the penalty: decay * -> decay / 2 *
    Your penalty is half as large as asked: no 1/2 before the sum.
the penalty as Adam's weight decay: , lr=rate) -> , lr=rate, weight_decay=decay) \
        && + decay * mix.w.square().sum() ->
the penalty as AdamW's weight decay: torch.optim.Adam( -> torch.optim.AdamW( \
        && , lr=rate) -> , lr=rate, weight_decay=decay) && + decay * mix.w.square().sum() ->
    The optimiser's `weight_decay` pulls every number, the head and `gamma`, too. Only w is pulled
    to 0: add `decay` times the sum of its squares to the loss.
all numbers are penalised: mix.w.square().sum() -> \
        sum(p.square().sum() for p in [*mix.parameters(), *head.parameters()])
    Your penalty pulls every number, the head and `gamma`, too, in the loss or by the optimiser's
    `weight_decay`. Only w is pulled to 0: add `decay` times the sum of its squares to the loss.
weight decay beside the penalty: , lr=rate) -> , lr=rate, weight_decay=decay)
    You penalise twice: in the loss, and once more by the optimiser's `weight_decay`, which pulls
    the head and `gamma`, too. Leave that out.
w in place of its shares: torch.softmax(mix.w.detach(), 0) -> mix.w.detach().clone()
    You keep w itself. The shares are its softmax.
--- hint 3
the penalty pulls up: + decay -> - decay
    Your penalty is subtracted, so it pushes w away from 0. Add it to the loss.
one row, many times: torch.softmax(mix.w.detach(), 0) -> mix.w.detach() \
        && torch.stack(weights) -> torch.stack(weights).softmax(1)
    All your rows are the last one. `.detach()` still looks at the same memory, which every step
    changes. Keep the softmax of each moment, or a `.clone()`.
the last row alone: torch.stack(weights) -> weights[-1]
    You return the shares at the end. Return those after every step, (steps, L + 1).
the gradients add up: optimizer.zero_grad() -> pass
    The gradients of all steps add up. Empty them before each: `optimizer.zero_grad()`.
no step is taken: optimizer.step() -> pass
    Nothing moves. After `loss.backward()` comes `optimizer.step()`.
the shares before the step: optimizer.zero_grad() -> \
        weights.append(torch.softmax(mix.w.detach(), 0)) ⏎optimizer.zero_grad() \
        && weights.append(torch.softmax(mix.w.detach(), 0)) -> pass
    Your rows are the shares before each step. Append them after it.
--- no hint
the sum of the losses: labels[mask]) -> labels[mask], reduction="sum")
    You add up what the words cost. Take the mean, as `cross_entropy` does: the penalty is weighed
    against it.
a softmax too many: head(mix(layers, mask))[mask] -> head(mix(layers, mask))[mask].softmax(-1)
    You put a softmax before `cross_entropy`, which has one of its own. Give it the scores.
the average in place of the mix: mix(layers, mask) -> torch.stack(list(layers)).mean(0)
    You never ask the mix: `mix(layers, mask)` mixes the layers.
the top layer in place of the mix: mix(layers, mask) -> layers[-1]
    You classify the top layer. `mix(layers, mask)` mixes all layers.
a new optimiser in each step: scores = \
        -> optimizer = torch.optim.Adam([*mix.parameters(), *head.parameters()], lr=rate)⏎scores =
    You make a new optimiser in each step. Adam remembers the gradients of earlier steps: make it
    once, before the loop.
weights that are pulled to 0: torch.optim.Adam( -> torch.optim.AdamW(
    You train with AdamW, which also pulls all numbers towards 0. Adam is asked for:
    `torch.optim.Adam`.
plain gradient descent: torch.optim.Adam( -> torch.optim.SGD(
    You take steps of plain gradient descent. Adam is asked for.
the rate is not used: , lr=rate ->
    `rate` is never used: Adam takes 0.001 in its place.
"""

EXERCISE = Exercise(
    id="train_mix",
    title="A task trains the mix",
    lesson=LESSON,
    points=3,
    difficulty=3,
    importance=5,
    minutes=12,
    reference=train_mix,
    run=_run,
    cases=(
        Case("one step, one length", _task((3, 3), 1, 0.0)),
        Case("five steps", _task((4, 4), 5, 0.0)),
        Case("sentences of different lengths", _task((5, 2, 3), 6, 0.0, rate=0.05), weight=2),
        Case("with a penalty", _task((4, 3), 6, 0.3), weight=2),
        Case("a mix with layer norm", _task((4, 2), 4, 0.1, norm=True), edge=True),
        Case(
            "a mix whose w is frozen",
            _task((3, 2), 4, 0.1, frozen=True),
            edge=True,
            asks="`mix.w` may have no gradient (`requires_grad=False`). Then it stays as it is.",
        ),
    ),
    mistakes=slips(train_mix, SLIPS),
    right_answers={"padding left out by its number": _word_by_word},
    atol=1e-4,
)
