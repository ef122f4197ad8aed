"""Exercise `moved`: the causality test. Which states move when one word is replaced?"""

from itertools import chain
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from autograde.checking.answers import Answer, AnswerRefused, Plain, plain, refuse_changed
from autograde.checking.exercise import Case, Exercise, Inputs, Random
from autograde.checking.slips import slips
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
NOT_WHOLE = (
    "You do not put the whole of `other` there. All its letters go to place t: "
    "`changed[:, t] = other`."
)
AS_NUMBERS = (
    "Your table holds the numbers 0 and 1. Return True and False, without `.float()`, `.int()` or "
    "`torch.where(…, 1, 0)`."
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
        """(1, T, letters) or (1, T) to [x ; x], two layers, and the mask."""
        self.calls += 1
        self.read.append(ids.tolist())
        letters = ids.float() if ids.ndim == 3 else ids.float()[..., None]
        x = (letters * torch.arange(1, letters.shape[-1] + 1)).sum(-1, keepdim=True) / 100
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
        base, scale = (1000, 1e-4) if self.kind == "moves a little" else (0, 1)
        shown_by: tuple[tuple[float, ...], ...] = self.SHOWN
        tremble = (0, 0, 0)  # so many of a layer's numbers do
        if self.kind == "one number of many":
            scale, shown_by = 2e-5, tuple((*(0.0,) * 63, one) for one in (1.0, -10.0, 27.0))
        if self.kind == "trembles":  # small numbers: float32 holds 2e-7 beside them
            scale, shown_by = 1e-3, tuple(24 * shown for shown in shown_by)
            tremble = (72, 1, 9)
        layers = []
        for sides, shown, many in zip(read, shown_by, tremble, strict=True):
            shaken = 2e-7 * self.calls * (torch.arange(len(shown)) < many)
            halves = [scale * side * torch.tensor(shown) + shaken for side in sides]
            layers.append(base + torch.cat(halves, -1))
        return layers, (ids > 0).any(-1)


@Case.drawn
def _question(rng: Random, kind: str, words: int, place: int) -> Inputs:
    return {
        "model": kind,
        "ids": rng.integers(1, 250, (1, words, 5)),
        "t": place,
        "other": rng.integers(1, 250, 5) + 10,
    }


def _words_by_number(rng: Random) -> Inputs:
    ids = rng.integers(1, 250, (1, 4))
    return {"model": "two readers", "ids": ids, "t": 2, "other": np.array(300)}


def _ones_and_twos(rng: Random) -> Inputs:
    """Words so much alike that a state moves by 3e-6, 3e-5 or 8e-5, in one number of 64."""
    ids, other = np.ones((1, 4, 5), int), np.full(5, 2)
    return {"model": "one number of many", "ids": ids, "t": 1, "other": other}


def _run(answer: Answer, inputs: Inputs) -> Plain:
    ids, other = (torch.from_numpy(inputs[name].copy()) for name in ("ids", "other"))
    model = _Reader(inputs["model"])
    came = stacked(plain(answer(model, ids, inputs["t"], other)))
    twice = model.read[1:] == model.read[:-1] != []
    so = "The model reads the same sentence twice. " if twice else ""
    refuse_changed(inputs, {"ids": ids}, f"{so}Work on a copy: `changed = ids.clone()`.")
    refuse_changed(inputs, {"other": other})
    if model.read[1:] and all(sentence == model.read[0] for sentence in model.read):
        raise AnswerRefused(SAME_TWICE)
    (words,) = ids.tolist()
    for sentence in chain(*model.read):
        new = [word for word, old in zip(sentence, words, strict=False) if word != old]
        if len(sentence) == len(words) and len(new) > 1:
            raise AnswerRefused(SEVERAL)
        if len(sentence) == len(words) and new not in ([], [inputs["other"].tolist()]):
            raise AnswerRefused(NOT_WHOLE)
    if isinstance(came, np.ndarray):
        if came.shape == (2, model.LAYERS, ids.shape[1]):
            raise AnswerRefused(DIRECTION_FIRST)
        if not np.isin(came, (0, 1)).all():
            raise AnswerRefused(NO_ANSWERS)
        if came.dtype != bool:
            raise AnswerRefused(AS_NUMBERS)
    return came


def _by_halves(model: Any, ids: Tensor, t: int, other: Tensor) -> Tensor:
    changed = ids.clone()
    changed[:, t] = other
    answers = []
    for before, after in zip(model(ids)[0], model(changed)[0], strict=True):
        halves = (after - before)[0].chunk(2, -1)  # (T, H) each
        answers.append(torch.stack([half.abs().amax(-1) > 1e-6 for half in halves]))
    return torch.stack(answers)


def _by_loop(model: Any, ids: Tensor, t: int, other: Tensor) -> list[list[list[bool]]]:
    row = ids[0].tolist()
    row[t] = other.tolist()
    with torch.no_grad():
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


def _with_isclose(model: Any, ids: Tensor, t: int, other: Tensor) -> Tensor:
    changed = torch.cat([ids[:, :t], other[None, None], ids[:, t + 1 :]], 1)
    answers = []
    for before, after in zip(model(ids)[0], model(changed)[0], strict=True):
        near = torch.isclose(before[0], after[0], rtol=0, atol=TOLERANCE)
        answers.append(torch.stack([~half.all(-1) for half in near.chunk(2, -1)]))
    return torch.stack(answers)


SLIPS = """
--- hint 1
the model reads the same sentence twice: model(changed) -> model(ids)
    Nothing moves: both times your model reads the same sentence. Put `other` at position t of a
    copy, and let the model read the copy.
one number of each state: half.abs().amax(-1) -> half[:, 0].abs()
    You look at the first number of a state only. A state has moved if *any* of its numbers has.
every number must move: amax -> amin
    You ask whether all numbers of a state moved. One is enough: `.any(-1)`, or the largest
    distance.
asked of the whole sentence: half.abs().amax(-1) > 1e-6 \
        -> (half.abs().amax() > 1e-6).expand(len(half))
    In your table a direction moves at all positions or at none: you ask whether anything moved in
    the whole sentence. Ask at each position, over the numbers of its state: `.amax(-1)` or
    `.any(-1)`.
--- hint 2
the halves are swapped: in halves -> in halves[::-1]
    The first half of each vector is the forward state, the second half the backward one. Yours are
    swapped.
every second number: .chunk(2, -1) -> .unflatten(-1, (-1, 2)).unbind(-1)
    You take every second number for one direction. The first H numbers are the forward state, the
    other H the backward one.
split by reshape: .chunk(2, -1) -> .reshape(2, ids.shape[1], -1)
    `reshape(…, 2, T, H)` keeps the numbers in their order and mixes up positions and directions.
    Split the last axis first, `reshape(…, T, 2, H)`, and swap the two axes after that. Or cut:
    `[..., :H]` and `[..., H:]`.
both halves together: .chunk(2, -1) -> .expand(2, -1, -1)
    You compare the whole vector, both directions at once, so no leak can be seen. Compare the two
    halves apart.
only what grows: half.abs() -> half
only what falls: half.abs() -> (-half)
    You count a number that moves one way, and none that moves the other. A number that falls has
    moved, too: take `.abs()` of the differences before you compare them with 1e-6.
the mean of the differences: amax -> mean
    You average the differences of a state, so one number that moves is lost among many that do not.
    Take the largest: `.abs().amax(-1)`.
plus and minus cancel: half.abs().amax(-1) -> half.sum(-1).abs()
    You add up the differences of a state, and plus and minus cancel. Take `.abs()` first.
the {sum} of the differences: .abs().amax(-1) -> {code} \
        | sum code = sum .abs().sum(-1), length .norm(dim=-1)
    You take the {sum} of a state's differences, so many numbers that tremble by 2e-7 count as one
    that moved. Take the largest: `.abs().amax(-1)`.
place t itself is left out: torch.stack(answers) \
        -> torch.stack(answers) & (torch.arange(ids.shape[1]) != t)
    You leave out place t itself. The states at t have read the new word: they must move, and your
    table shows it.
asked over the words: half.abs().amax(-1) -> half.abs().amax(0)
    You ask over the words, and get an answer for each number of a state. Ask over the numbers of
    each state, the last axis: `.amax(-1)` or `.any(-1)`.
other everywhere: changed[:, t] = other -> changed[:] = other
    You replace more than one word. Put `other` at position t alone: `changed[:, t] = other`.
one letter alone: changed[:, t] = other -> changed[:, t, 0] = other[0]
    You do not put the whole of `other` there. All its letters go to position t: `changed[:, t] =
    other`.
a third index: changed[:, t] -> changed[:, t, :]
    `ids` may be (1, T), one number for each word, and your third index finds no axis there. One
    form serves both: `changed[:, t] = other`.
the word after: changed[:, t] -> changed[:, t + 1]
    You replace the word at t + 1. Replace the one at t.
the word before: changed[:, t] -> changed[:, t - 1]
    You replace the word at t - 1. Replace the one at t.
--- hint 3
as a share of the number: (after - before)[0] \
        -> ((after - before) / after).nan_to_num()[0]
    You divide the difference by the number itself. Count what changes by more than 1e-6 as it is.
squares: half.abs().amax(-1) -> half.square().sum(-1)
    You hold the *squares* of the differences to 1e-6, so a number may move by nearly 1e-3 unseen.
    Hold the differences to it: `.abs().amax(-1)`.
any difference at all: > 1e-6 -> > 0
    You count differences of 2e-7, which rounding makes. Count what is larger than 1e-6:
    `torch.isclose` and `torch.allclose` take it as `rtol=0, atol=1e-6`.
{much} in place of 1e-6: > 1e-6 -> > {much} | much = 1e-5, 1e-4
    You count what is larger than {much}, and a state may move by less. Count what is larger than
    1e-6.
the top layer alone: torch.stack(answers) -> answers[-1]
    Only the top layer is there, (2, T). Return all layers, (L + 1, 2, T).
without the token layer: stack(answers) -> stack(answers[1:])
    The token layer is missing. It shows that only the replaced word itself changed.
words before directions: in halves] -> in halves], 1
    Your axes are layer, word, direction. The order is layer, direction, word: (L + 1, 2, T).
direction before layer: stack(answers) -> stack(answers, 1)
    Your axes are direction, layer, word. The order is layer, direction, word: (L + 1, 2, T).
the distances: > 1e-6 ->
    Your table holds other numbers than 0 and 1. It says True or False of each state: whether any of
    its numbers changed by more than 1e-6.
numbers for True and False: torch.stack(answers) -> torch.stack(answers).float()
    Your table holds the numbers 0 and 1. Return True and False, without `.float()`, `.int()` or
    `torch.where(…, 1, 0)`.
one answer for the sentence: stack(answers) -> stack(answers).any(-1)
    You say of each layer whether anything moved. Which positions moved is the question: (L + 1, 2,
    T).
some number stayed: half.abs().amax(-1) > 1e-6 -> (half.abs() <= 1e-6).any(-1)
what stayed, not what moved: > 1e-6 -> <= 1e-6
    True stands where nothing moved. Turn it round: True where a state moved.
"""

SLIPS_OF_ISCLOSE = """
--- hint 3
a share of the numbers: rtol=0, ->
    You let a difference pass that is small beside the numbers themselves, as `torch.isclose` does.
    Count every difference above 1e-6: `rtol=0, atol=1e-6`.
isclose as it comes: , rtol=0, atol=TOLERANCE ->
    You leave `torch.isclose` its own tolerances, 1e-8 and a share of the numbers. Here it is 1e-6
    and no share: `rtol=0, atol=1e-6`.
"""

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
        Case("words by number, (1, T)", _words_by_number),
        Case("a sentence of one word", _question("two readers", 1, 0), edge=True),
    ),
    mistakes=(*slips(_by_halves, SLIPS), *slips(_with_isclose, SLIPS_OF_ISCLOSE)),
    right_answers={
        "lists of loops": _by_loop,
        "isclose": _with_isclose,
        "one half after the other": _by_halves,
    },
)
