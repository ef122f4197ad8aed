"""Exercise `diagnose`: from the symptoms of a run to its fault."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from autograde.checking.exercise import Case, Exercise, Inputs, Mistake
from autograde.exercises.bilm_from_scratch import LESSON

SOUND, MEET, TARGETS, PADDING = (
    "sound",
    "the directions meet",
    "a wrong target",
    "padding is read",
)
TOO_LOW, TREMBLING = 2.0, 1e-4
Moves = NDArray[np.bool_]
Numbers = NDArray[np.float64]


def diagnose(losses: Numbers, ahead: Moves, behind: Moves, alone: Numbers) -> str:
    """The fault behind held-out losses (steps, 2), moved states (T, T) twice, distances (2,)."""
    if np.tril(ahead, -1).any() or np.triu(behind, 1).any():
        return MEET
    if alone.max() > TREMBLING:
        return PADDING
    return TARGETS if losses[-1].min() < TOO_LOW else SOUND


def _rules(
    losses: Numbers,
    ahead: Moves,
    behind: Moves,
    alone: Numbers,
    *,
    order: str = "mpt",
    diagonal: bool = False,
    swapped: bool = False,
    everything: bool = False,
    look_behind: bool = True,
    look_ahead: bool = True,
    both_low: bool = False,
    whole_curve: bool = False,
    loss_of: tuple[int, ...] = (0, 1),
    trembling: float = TREMBLING,
    too_low: float = TOO_LOW,
    distance_of: tuple[int, ...] = (0, 1),
    turned: str = "",
    gap: int = 0,
) -> str:
    """The rules, with one thing done otherwise.

    `order` is that of the questions; in `turned` are those whose answer is turned round;
    `gap` cells beside the diagonal are not looked at.
    """
    s, t = np.indices(ahead.shape)  # word s replaced, state t
    if swapped:
        s, t = t, s
    wrong = (t <= s, t >= s) if diagonal else (t < s - gap, t > s + gap)
    leaks = bool(
        (look_ahead and (ahead & wrong[0]).any()) or (look_behind and (behind & wrong[1]).any())
    )
    if everything:
        leaks = bool(ahead.all() or behind.all())
    last = (losses.mean(0) if whole_curve else losses[-1])[list(loss_of)]
    low = bool((last < too_low).all() if both_low else (last < too_low).any())
    found = {
        "m": (leaks, MEET),
        "p": (bool((alone[list(distance_of)] > trembling).any()), PADDING),
        "t": (low, TARGETS),
    }
    return next((found[k][1] for k in order if found[k][0] is not (k in turned)), SOUND)


def _run_with(
    fault: str,
    *,
    side: int | None = None,
    steps: int = 12,
    short_sighted: bool = False,
    reach: int = 99,
    of_word: int | None = None,
    lowest: float = 3.2,
    apart: float = 0.05,
    at_the_end: bool = False,
) -> Any:
    """Symptoms of a made-up run.

    `side` is the direction that is ill, where only one is; `of_word` the word that leaks, where
    only one does; a sound loss ends above `lowest`; padding moves the states by `apart` or more.
    With `at_the_end` only the last of the losses is too low.
    """

    def make(rng: np.random.Generator) -> Inputs:
        words = int(rng.integers(4, 7))
        down = np.exp(-np.arange(steps) / rng.uniform(1.5, 3))[:, None]
        floor = rng.uniform(lowest, lowest + 1, 2)
        if fault in (MEET, TARGETS):
            sick = np.array([True, True] if side is None else [side == 0, side == 1])
            floor[sick] = rng.uniform(1.0, 1.6, int(sick.sum()))
        losses = floor + (7.5 - floor) * down + 0.05 * rng.standard_normal((steps, 2)) * down
        if at_the_end:
            losses[:-1] = np.maximum(losses[:-1], TOO_LOW + 0.1)
        s, t = np.indices((words, words))
        ahead, behind = (t == s, t == s) if short_sighted else (t >= s, t <= s)
        if fault == MEET:
            leaking = s >= 0 if of_word is None else s == of_word % words
            if side in (None, 0):
                ahead = (t >= s) | (leaking & (t >= s - reach))
            if side in (None, 1):
                behind = (t <= s) | (leaking & (t <= s + reach))
        alone = rng.uniform(1e-8, 3e-7, 2)
        if fault == PADDING:
            alone[[1] if side is None else [side]] = rng.uniform(apart, 12 * apart)
        return {"losses": losses, "ahead": ahead, "behind": behind, "alone": alone}

    return make


def _by_indices(losses: Numbers, ahead: Moves, behind: Moves, alone: Numbers) -> str:
    replaced, state = np.indices(ahead.shape)
    if (ahead & (state < replaced)).any() or (behind & (state > replaced)).any():
        return MEET
    if (alone > TREMBLING).any():
        return PADDING
    return TARGETS if (losses[-1] < TOO_LOW).any() else SOUND


def _by_loop(losses: Numbers, ahead: Moves, behind: Moves, alone: Numbers) -> str:
    for s in range(len(ahead)):
        if any(ahead[s, t] for t in range(s)) or any(
            behind[s, t] for t in range(s + 1, len(ahead))
        ):
            return MEET
    if any(distance > TREMBLING for distance in alone):
        return PADDING
    if losses[-1, 0] < TOO_LOW or losses[-1, 1] < TOO_LOW:
        return TARGETS
    return SOUND


EXERCISE = Exercise(
    id="diagnose",
    title="Three broken runs",
    lesson=LESSON,
    points=3,
    difficulty=3,
    importance=5,
    minutes=15,
    reference=diagnose,
    cases=(
        Case("a sound run", _run_with(SOUND)),
        Case("a run whose directions meet", _run_with(MEET), weight=2),
        Case("a run with wrong backward targets", _run_with(TARGETS, side=1), weight=2),
        Case("a run that reads padding", _run_with(PADDING), weight=2),
        Case("wrong forward targets", _run_with(TARGETS, side=0), edge=True),
        Case("only the forward reader sees the other", _run_with(MEET, side=0), edge=True),
        Case("only the backward reader sees the other", _run_with(MEET, side=1), edge=True),
        Case("padding in front of the forward reader", _run_with(PADDING, side=0), edge=True),
        Case("forward, a leak from the next word", _run_with(MEET, side=0, reach=1), edge=True),
        Case("backward, a leak from the word before", _run_with(MEET, side=1, reach=1), edge=True),
        Case("a leak in the first row only", _run_with(MEET, side=1, of_word=0), edge=True),
        Case("a leak in the last row only", _run_with(MEET, side=0, of_word=-1), edge=True),
        Case("little padding is read", _run_with(PADDING, apart=2e-4), edge=True),
        Case("a sound run that ends above 2 nats", _run_with(SOUND, lowest=2.05), edge=True),
        Case("wrong targets in both directions", _run_with(TARGETS), edge=True),
        Case("a long run with wrong targets", _run_with(TARGETS, side=1, steps=80), edge=True),
        Case("a loss too low in the last row", _run_with(TARGETS, at_the_end=True), edge=True),
        Case("a sound reader of single words", _run_with(SOUND, short_sighted=True), edge=True),
    ),
    mistakes=(
        Mistake(
            "the state of the word itself counts as a leak",
            lambda *a: _rules(*a, diagonal=True),
            "A sound run is ill for you. When word s is replaced, both states of s *itself* move, "
            "and must: they have read it. A leak is a forward state *before* s, or a backward "
            "state *after* it.",
            hint=2,
        ),
        Mistake(
            "rows and columns are swapped",
            lambda *a: _rules(*a, swapped=True),
            "You read the table the wrong way round. Row s: word s was replaced. Column t: did the "
            "state at t move? A forward state may move at t >= s.",
            hint=2,
        ),
        Mistake(
            "the loss is looked at first",
            lambda *a: _rules(*a, order="tmp"),
            "A leak makes the loss too low as well, so a low loss alone does not say which of the "
            "two it is. Ask the causality test first; blame the targets if it is clean.",
            hint=3,
        ),
        Mistake(
            "only the forward table",
            lambda *a: _rules(*a, look_behind=False),
            "You look for leaks in the forward states only. The backward ones can leak as well: "
            "the cells `behind[s, t]` right of the diagonal.",
            hint=2,
        ),
        Mistake(
            "only the backward table",
            lambda *a: _rules(*a, look_ahead=False),
            "You look for leaks in the backward states only. The forward ones can leak as well: "
            "the cells `ahead[s, t]` left of the diagonal.",
            hint=2,
        ),
        Mistake(
            "a leak only if everything moved",
            lambda *a: _rules(*a, everything=True),
            "You call it a leak only if every state moved. One forbidden cell is enough: "
            "`np.tril(ahead, -1).any()`.",
            hint=2,
        ),
        Mistake(
            "a leak from right beside is overlooked",
            lambda *a: _rules(*a, gap=1),
            "You leave out the cells right beside the diagonal. A forward state at s - 1 that "
            "moves has seen the next word: `np.tril(ahead, -1)` and `np.triu(behind, 1)`.",
            hint=2,
        ),
        Mistake(
            "any distance at all",
            lambda *a: _rules(*a, trembling=0.0),
            "You take a distance of 1e-7 for an illness. Rounding makes such distances. Count what "
            "is larger than 1e-4.",
            hint=3,
        ),
        Mistake(
            "both losses must be too low",
            lambda *a: _rules(*a, both_low=True),
            "A wrong target in one direction shows in one loss. You ask that both are too low, or "
            "take their mean. Look at each: `losses[-1].min()`.",
            hint=3,
        ),
        Mistake(
            "the mean of the whole curve",
            lambda *a: _rules(*a, whole_curve=True),
            "You average the whole curve, start included. Look at its last row.",
            hint=3,
        ),
        Mistake(
            "only the backward loss",
            lambda *a: _rules(*a, loss_of=(1,)),
            "You look at the backward loss only. The forward targets can be wrong, too.",
            hint=3,
        ),
        Mistake(
            "only the forward loss",
            lambda *a: _rules(*a, loss_of=(0,)),
            "You look at the forward loss only. The backward targets can be wrong, too.",
            hint=3,
        ),
        Mistake(
            "only the backward distance",
            lambda *a: _rules(*a, distance_of=(1,)),
            "You look at the backward distance only. Padding can stand in front of the forward "
            "reader as well: look at both numbers of `alone`.",
            hint=3,
        ),
        Mistake(
            "padding is never found",
            lambda *a: _rules(*a, order="mt"),
            "A run that reads padding is sound for you. Nothing leaks, and no loss is too low. "
            "Look at `alone`: a sentence must not change when a longer one stands beside it.",
            hint=3,
        ),
        Mistake(
            "wrong targets are never found",
            lambda *a: _rules(*a, order="mp"),
            "A run with wrong targets is sound for you. The causality test cannot see it: the "
            "states are right, the question is wrong. Look at the last row of `losses`.",
            hint=3,
        ),
        Mistake(
            "a clean test is a leak",
            lambda *a: _rules(*a, turned="m"),
            "You say that the directions meet where no forbidden cell is True. Turn the first "
            "question round: they meet if any forbidden cell is True.",
            hint=2,
        ),
        Mistake(
            "a small distance is an illness",
            lambda *a: _rules(*a, turned="p"),
            "You say that padding is read where the distances are small. Turn the question round: "
            "it is read if either number of `alone` is above 1e-4.",
            hint=3,
        ),
        Mistake(
            "a low loss is sound",
            lambda *a: _rules(*a, turned="t"),
            "You blame the targets where both losses are honest. Turn the last question round: "
            "they are wrong if either loss ends below 2.",
            hint=3,
        ),
        Mistake(
            "everything is sound",
            lambda *a: SOUND,
            'You say "sound" to every run.',
            hint=1,
        ),
    ),
    right_answers={"tables of places": _by_indices, "loops": _by_loop},
)
