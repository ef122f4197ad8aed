"""Exercise `moved`: the causality test. Which states move when one word is replaced?"""

import operator
from itertools import chain
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from autograde.checking.exercise import (
    Answer,
    AnswerRefused,
    Case,
    Exercise,
    Inputs,
    Mistake,
    Plain,
    plain,
)
from autograde.exercises.bilm_from_scratch import LESSON
from autograde.exercises.bilm_from_scratch.stacked import stacked

TOLERANCE = 1e-6
SEVERAL = "You replace more than one word. Put `other` at place t alone: `changed[:, t] = other`."
DIRECTION_FIRST = (
    "Your axes are direction, layer, word. The order is layer, direction, word: (L + 1, 2, T)."
)
NO_ANSWERS = (
    "Your table holds other numbers than 0 and 1. It says True or False of each state: whether any "
    "of its numbers changed by more than 1e-6."
)
SAME_TWICE = (
    "Nothing moves: both times your model reads the same sentence. Put `other` at place t of a "
    "copy, and let the model read the copy."
)


def moved(model: Any, ids: Tensor, t: int, other: Tensor) -> Tensor:
    """(L + 1, 2, T): whether a forward or a backward state moves when `other` stands at t."""
    changed = ids.clone()
    changed[:, t] = other
    pairs = zip(model(ids)[0], model(changed)[0], strict=True)
    distance = torch.stack([(after - before)[0].abs() for before, after in pairs])  # (L + 1, T, 2H)
    return distance.unflatten(-1, (2, -1)).amax(-1).transpose(1, 2) > TOLERANCE


class _Reader(nn.Module):
    """Reads letters as one number a word; a state shows the sum of what was read, three times.

    What is shown holds traps for a test that looks at the first number of a state, asks that all
    of them move, or adds them up: no layer moves in all three ways.
    """

    SHOWN = ((0.0, 1.0, 2.0), (1.0, -0.5, -0.5), (1.0, 0.0, 1.0))
    LAYERS = len(SHOWN)

    def __init__(self, kind: str) -> None:
        super().__init__()
        self.kind, self.calls = kind, 0
        self.read: list[list[Any]] = []

    def forward(self, ids: Tensor) -> tuple[list[Tensor], Tensor]:
        """(1, T, letters) to [x ; x], two layers, and the mask."""
        self.calls += 1
        self.read.append(ids.tolist())
        x = (ids.double() * torch.arange(1, ids.shape[-1] + 1)).sum(-1, keepdim=True) / 100
        ahead = behind = x  # (1, T, 1)
        read = [(x, x)]
        for depth in range(2):
            if self.kind == "the directions meet" and depth:
                ahead = behind = ahead + 2 * behind
            if self.kind == "reads one word only":
                ahead, behind = 2 * ahead, 2 * behind
            else:
                ahead, behind = ahead.cumsum(1), behind.flip(1).cumsum(1).flip(1)
            read.append((ahead, behind))
        tremble = 2e-7 * self.calls if self.kind == "trembles" else 0.0
        base, scale = (1000, 1e-4) if self.kind == "moves a little" else (0, 1)
        shown_by: tuple[tuple[float, ...], ...] = self.SHOWN
        if self.kind == "one number of many":
            scale, shown_by = 2e-5, tuple((*(0.0,) * 31, one) for one in (1.0, -1.0, 1.0))
        layers = [
            base
            + scale
            * torch.cat([side * torch.tensor(shown, dtype=side.dtype) for side in sides], -1)
            + tremble
            for sides, shown in zip(read, shown_by, strict=True)
        ]
        return layers, (ids > 0).any(-1)


def _question(kind: str, words: int, place: int) -> Any:
    def make(rng: np.random.Generator) -> Inputs:
        return {
            "model": kind,
            "ids": rng.integers(1, 250, (1, words, 5)),
            "t": place,
            "other": rng.integers(1, 250, 5) + 10,
        }

    return make


def _ones_and_twos(rng: np.random.Generator) -> Inputs:
    """Words so much alike that a state moves by a few millionths, in one number of 32."""
    ids, other = np.ones((1, 4, 5), int), np.full(5, 2)
    return {"model": "one number of many", "ids": ids, "t": 1, "other": other}


def _run(answer: Answer, inputs: Inputs) -> Plain:
    ids, other = (torch.from_numpy(inputs[name].copy()) for name in ("ids", "other"))
    model = _Reader(inputs["model"])
    came = stacked(plain(answer(model, ids, inputs["t"], other)))
    for name, now in (("ids", ids), ("other", other)):
        if not np.array_equal(now.numpy(), inputs[name]):
            twice = model.read[1:] == model.read[:-1] != []
            so = ", so the model reads the same sentence twice" if twice else ""
            raise AnswerRefused(
                f"Your answer changed its argument `{name}`{so}. Work on a copy: "
                f"`changed = {name}.clone()`."
            )
    if model.read[1:] and all(sentence == model.read[0] for sentence in model.read):
        raise AnswerRefused(SAME_TWICE)
    (words,) = ids.tolist()
    for sentence in chain(*model.read):
        if len(sentence) == len(words) and sum(map(operator.ne, sentence, words)) > 1:
            raise AnswerRefused(SEVERAL)
    if isinstance(came, np.ndarray):
        if came.shape == (2, model.LAYERS, ids.shape[1]):
            raise AnswerRefused(DIRECTION_FIRST)
        if not np.isin(came, (0, 1)).all():
            raise AnswerRefused(NO_ANSWERS)
    return came


def _measured(
    model: Any,
    ids: Tensor,
    t: int,
    other: Tensor,
    *,
    shift: int = 0,
    several: str = "amax",
    tolerance: float = TOLERANCE,
    halves: str = "halves",
) -> Tensor:
    changed = ids.clone()
    changed[:, (t + shift) % ids.shape[1]] = other
    rows = []
    for before, after in zip(model(ids)[0], model(changed)[0], strict=True):
        difference = (after - before)[0]  # (T, 2 H)
        hidden = difference.shape[-1] // 2
        sides = [difference[:, :hidden], difference[:, hidden:]]
        if halves == "even and odd":
            sides = [difference[:, ::2], difference[:, 1::2]]
        elif halves == "swapped":
            sides = sides[::-1]
        elif halves == "reshaped":
            sides = [*difference.reshape(2, -1, hidden)]
        elif halves == "both in each":
            sides = [difference, difference]
        rows.append([_size(side, several) for side in sides])
    return torch.stack([torch.stack(row) for row in rows]) > tolerance


def _size(difference: Tensor, several: str) -> Tensor:
    if several == "first":
        return difference[:, 0].abs()
    if several == "mean":
        return difference.abs().mean(-1)
    if several == "signed":
        return difference.amax(-1)
    if several == "sum":
        return difference.sum(-1).abs()
    if several == "squares":
        return difference.square().sum(-1)
    if several == "all":
        return difference.abs().amin(-1)
    return difference.abs().amax(-1)


def _by_loop(model: Any, ids: Tensor, t: int, other: Tensor) -> list[list[list[bool]]]:
    row = ids[0].tolist()
    row[t] = other.tolist()
    before, after = model(ids)[0], model(torch.tensor([row]))[0]
    hidden = before[0].shape[-1] // 2
    return [
        [
            [
                bool(((a[0, s, cut] - b[0, s, cut]).abs() > TOLERANCE).any())
                for s in range(ids.shape[1])
            ]
            for cut in (slice(hidden), slice(hidden, None))
        ]
        for a, b in zip(after, before, strict=True)
    ]


def _with_allclose(model: Any, ids: Tensor, t: int, other: Tensor) -> Tensor:
    changed = torch.cat([ids[:, :t], other.view(1, 1, -1), ids[:, t + 1 :]], 1)
    answers = []
    for before, after in zip(model(ids)[0], model(changed)[0], strict=True):
        near = torch.isclose(before[0], after[0], rtol=0, atol=TOLERANCE)
        answers.append(torch.stack([~half.all(-1) for half in near.chunk(2, -1)]))
    return torch.stack(answers)


def _with_a_share(model: Any, ids: Tensor, t: int, other: Tensor) -> Tensor:
    changed = ids.clone()
    changed[:, t] = other
    pairs = zip(model(ids)[0], model(changed)[0], strict=True)
    near = torch.stack([torch.isclose(b[0], a[0], atol=TOLERANCE) for b, a in pairs])
    return ~near.unflatten(-1, (2, -1)).all(-1).transpose(1, 2)


def _everywhere(model: Any, ids: Tensor, t: int, other: Tensor) -> Tensor:
    changed = other.expand_as(ids)
    pairs = zip(model(ids)[0], model(changed)[0], strict=True)
    distance = torch.stack([(after - before)[0].abs() for before, after in pairs])
    return distance.unflatten(-1, (2, -1)).amax(-1).transpose(1, 2) > TOLERANCE


def _whole_sentence(answers: Tensor) -> Tensor:
    return answers.any(-1, keepdim=True).expand_as(answers)


def _distances(model: Any, ids: Tensor, t: int, other: Tensor) -> Tensor:
    changed = ids.clone()
    changed[:, t] = other
    distance = torch.stack(model(changed)[0])[:, 0] - torch.stack(model(ids)[0])[:, 0]
    return distance.abs().unflatten(-1, (2, -1)).amax(-1).transpose(1, 2)


EXERCISE = Exercise(
    id="moved",
    title="The causality test",
    lesson=LESSON,
    points=3,
    difficulty=3,
    importance=5,
    minutes=12,
    reference=moved,
    run=_run,
    cases=(
        Case("two readers, the third of five words", _question("two readers", 5, 2), weight=2),
        Case("a model whose directions meet", _question("the directions meet", 5, 2), weight=2),
        Case("the first of four words", _question("two readers", 4, 0)),
        Case("a model that reads one word only", _question("reads one word only", 4, 3)),
        Case("a model whose numbers tremble by 2e-7", _question("trembles", 4, 1), edge=True),
        Case("large numbers that move a little", _question("moves a little", 5, 2), edge=True),
        Case("one number of many moves", _ones_and_twos, edge=True),
        Case("a sentence of one word", _question("two readers", 1, 0), edge=True),
    ),
    mistakes=(
        Mistake(
            "what stayed, not what moved",
            lambda *a: ~moved(*a),
            "True stands where nothing moved. Turn it round: True where a state moved.",
            hint=2,
        ),
        Mistake(
            "the halves are swapped",
            lambda *a: _measured(*a, halves="swapped"),
            "The first half of each vector is the forward state, the second half the backward one. "
            "Yours are swapped.",
            hint=2,
        ),
        Mistake(
            "every second number",
            lambda *a: _measured(*a, halves="even and odd"),
            "You take every second number for one direction. The first H numbers are the forward "
            "state, the other H the backward one.",
            hint=2,
        ),
        Mistake(
            "split by reshape",
            lambda *a: _measured(*a, halves="reshaped"),
            "`reshape(…, 2, T, H)` keeps the numbers in their order and mixes up places and "
            "directions. Split the last axis first, `reshape(…, T, 2, H)`, and swap the two axes "
            "after that. Or cut: `[..., :H]` and `[..., H:]`.",
            hint=2,
        ),
        Mistake(
            "both halves together",
            lambda *a: _measured(*a, halves="both in each"),
            "You compare the whole vector, both directions at once, so no leak can be seen. "
            "Compare the two halves apart.",
            hint=2,
        ),
        Mistake(
            "one number of each state",
            lambda *a: _measured(*a, several="first"),
            "You look at the first number of a state only. A state has moved if *any* of its "
            "numbers has.",
            hint=2,
        ),
        Mistake(
            "every number must move",
            lambda *a: _measured(*a, several="all"),
            "You ask whether all numbers of a state moved. One is enough: `.any(-1)`, or the "
            "largest distance.",
            hint=2,
        ),
        Mistake(
            "only what grows",
            lambda *a: _measured(*a, several="signed"),
            "You count a number that grows, and none that shrinks. The largest difference is the "
            "one without its sign: `.abs()` before `.amax(-1)`.",
            hint=2,
        ),
        Mistake(
            "the mean of the differences",
            lambda *a: _measured(*a, several="mean"),
            "You average the differences of a state, so one number that moves is lost among many "
            "that do not. Take the largest: `.abs().amax(-1)`.",
            hint=2,
        ),
        Mistake(
            "plus and minus cancel",
            lambda *a: _measured(*a, several="sum"),
            "You add up the differences of a state, and plus and minus cancel. Take `.abs()` "
            "first.",
            hint=2,
        ),
        Mistake(
            "squares",
            lambda *a: _measured(*a, several="squares"),
            "You hold the *squares* of the differences to 1e-6, so a number may move by "
            "nearly 1e-3 unseen. Hold the differences to it: `.abs().amax(-1)`.",
            hint=3,
        ),
        Mistake(
            "any difference at all",
            lambda *a: _measured(*a, tolerance=0.0),
            "You count differences of 2e-7, which rounding makes. Count what is larger than 1e-6: "
            "`torch.isclose` and `torch.allclose` take it as `rtol=0, atol=1e-6`.",
            hint=3,
        ),
        Mistake(
            "a share of the numbers",
            _with_a_share,
            "You let a difference pass that is small beside the numbers themselves, as "
            "`torch.isclose` does. Count every difference above 1e-6: `rtol=0, atol=1e-6`.",
            hint=3,
        ),
        Mistake(
            "other everywhere",
            _everywhere,
            SEVERAL,
            hint=1,
        ),
        Mistake(
            "asked of the whole sentence",
            lambda *a: _whole_sentence(moved(*a)),
            "In your table a direction moves at all places or at none: you ask whether anything "
            "moved in the whole sentence. Ask at each place, over the numbers of its state: "
            "`.amax(-1)` or `.any(-1)`.",
            hint=2,
        ),
        Mistake(
            "the word after",
            lambda *a: _measured(*a, shift=1),
            "You replace the word at t + 1. Replace the one at t.",
            hint=1,
        ),
        Mistake(
            "the word before",
            lambda *a: _measured(*a, shift=-1),
            "You replace the word at t - 1. Replace the one at t.",
            hint=1,
        ),
        Mistake(
            "the top layer alone",
            lambda *a: moved(*a)[-1],
            "Only the top layer is there, (2, T). Return all layers, (L + 1, 2, T).",
            hint=3,
        ),
        Mistake(
            "without the token layer",
            lambda *a: moved(*a)[1:],
            "The token layer is missing. It shows that only the replaced word itself changed.",
            hint=3,
        ),
        Mistake(
            "words before directions",
            lambda *a: moved(*a).transpose(1, 2),
            "Your axes are layer, word, direction. The order is layer, direction, word: "
            "(L + 1, 2, T).",
            hint=3,
        ),
        Mistake(
            "direction before layer",
            lambda *a: moved(*a).transpose(0, 1),
            DIRECTION_FIRST,
            hint=3,
        ),
        Mistake("the distances", _distances, NO_ANSWERS, hint=3),
        Mistake(
            "one answer for the sentence",
            lambda *a: moved(*a).any(-1),
            "You say of each layer whether anything moved. Which places moved is the question: "
            "(L + 1, 2, T).",
            hint=3,
        ),
        Mistake(
            "the model reads the same sentence twice",
            lambda model, ids, t, other: moved(model, ids, t, ids[0, t]),
            SAME_TWICE,
            hint=1,
        ),
    ),
    right_answers={
        "lists of loops": _by_loop,
        "isclose": _with_allclose,
        "one half after the other": _measured,
    },
)
