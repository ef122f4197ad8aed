"""Exercise `diagnose_probe`: from the symptoms of a probe to its fault."""

import numpy as np
from numpy.typing import NDArray

from autograde.checking.exercise import Case, Exercise, Inputs, Mistake, Random
from autograde.checking.slips import slips
from autograde.exercises.what_the_layers_know import LESSON

SOUND, LEAK, SHIFTED, BLIND = (
    "sound",
    "test sentences in training",
    "labels shifted",
    "no context",
)
GAP, TREMBLING = 0.05, 1e-6
Numbers = NDArray[np.float64]


def diagnose_probe(test: float, fresh: float, offsets: Numbers, moved: float) -> str:
    """The fault behind two scores, agreement with three neighbours' labels, and a movement."""
    if offsets.argmax() != 1:
        return SHIFTED
    if moved <= TREMBLING:
        return BLIND
    return LEAK if test - fresh > GAP else SOUND


@Case.drawn
def _probe_with(
    rng: Random,
    fault: str,
    *,
    side: int = 2,
    graded_so: bool = True,
    good: float = 0.82,
    chance: float = 0.02,
    gap: float | None = None,
    moved: float | None = None,
    close: bool = False,
    between: bool = False,
) -> Inputs:
    """Symptoms of a made-up probe.

    `side` is where the labels came from when they are shifted, and `graded_so` says whether the
    test labels are shifted, too; a sound probe is right in a share of about `good`, and its two
    scores differ by up to `chance`. With `close` the neighbours' labels agree nearly as often;
    with `between` the middle of shifted ones is far above the other neighbour's.
    """
    fresh = good + rng.uniform(-0.03, 0.03)
    test = fresh + (rng.uniform(-chance, chance) if gap is None else gap)
    offsets = rng.uniform(0.12, 0.2, 3)
    if close:
        offsets = fresh - rng.uniform(0.01, 0.03, 3)
    offsets[1] = fresh
    distance = rng.uniform(0.2, 0.9) if moved is None else moved
    if fault == LEAK:
        test = fresh + (rng.uniform(0.11, 0.14) if gap is None else gap)
    if fault == BLIND:
        distance = rng.uniform(0, 3e-7) if moved is None else moved
    if fault == SHIFTED:
        offsets[[1, side]] = offsets[[side, 1]]
        offsets[2 - side] = min(offsets[2 - side], offsets[1] - 0.02)  # seen from one side only
        if between:
            offsets[1] = offsets[side] - 0.1
        fresh = float(offsets[1])
        test = good if graded_so else fresh + rng.uniform(-chance, chance)
    return {
        "test": float(test),
        "fresh": float(fresh),
        "offsets": offsets,
        "moved": float(distance),
    }


def _by_neighbours(test: float, fresh: float, offsets: Numbers, moved: float) -> str:
    before, own, after = offsets
    if before > own or after > own:
        return SHIFTED
    if moved <= TREMBLING:
        return BLIND
    if test > fresh + GAP:
        return LEAK
    return SOUND


def _leak_last(test: float, fresh: float, offsets: Numbers, moved: float) -> str:
    found = {
        SHIFTED: list(offsets).index(max(offsets)) != 1,
        BLIND: abs(moved) <= TREMBLING,
        LEAK: test - fresh > GAP,
    }
    return next((fault for fault, there in found.items() if there), SOUND)


def _blind_first(test: float, fresh: float, offsets: Numbers, moved: float) -> str:
    if moved <= TREMBLING:
        return BLIND
    if np.argmax(offsets) == 1:
        return LEAK if test - fresh > GAP else SOUND
    return SHIFTED


SLIPS = """
--- hint 1
fresh minus test: test - fresh -> fresh - test
    You subtract the wrong way round. A leak raises `test`: ask whether test - fresh is above 0.05.
a high score is a leak: test - fresh > GAP -> test > 0.95
    You call a high test score a leak. A task can be easy, and a weak probe can leak. Compare `test`
    with `fresh`.
leaks are never found: LEAK if test - fresh > GAP else SOUND -> SOUND
    A probe that has seen its test sentences is sound for you. Compare `test` with `fresh`.
a small gap is the fault: test - fresh > GAP -> test - fresh <= GAP
    You call it a leak where the gap is small. Turn that question round.
--- hint 2
only the label of the next word: offsets.argmax() != 1 -> offsets[2] > offsets[1]
only the label of the word before: offsets.argmax() != 1 -> offsets[0] > offsets[1]
    You look at one neighbour only. Labels can be shifted either way: compare the middle of
    `offsets` with both others, or ask whether `offsets.argmax()` is 1.
agreement below a half is a shift: offsets.argmax() != 1 -> offsets[1] < 0.5
    You call labels shifted when the agreement is below 0.5. A weak probe is no shift: ask whether a
    *neighbour's* label agrees more often than the word's own.
the middle below the mean is a shift: offsets.argmax() != 1 -> offsets[1] < offsets.mean()
    A probe is sound for you whose middle of `offsets` is high, though a neighbour's is higher.
    Above the mean is not enough: ask whether it is the *largest*, `offsets.argmax() == 1`.
the middle below the neighbours' sum is a shift: offsets.argmax() != 1 \
        -> offsets[1] < offsets[0] + offsets[2]
    You call labels shifted where the neighbours agree nearly as often as the word itself. Compare
    the middle of `offsets` with each of them, without a sum or a margin: is it the largest?
the middle below the mean is a shift, and a small movement is none: \
        offsets.argmax() != 1 -> offsets[1] < offsets.mean() && moved <= TREMBLING -> moved <= 1e-3
    Two things. The middle of `offsets` must be the *largest*, not above the mean:
    `offsets.argmax() == 1`. And everything that moves by more than 1e-6 is context.
agreement below a half is a shift, and leaks are never found: \
        offsets.argmax() != 1 -> offsets[1] < 0.5 && LEAK if test - fresh > GAP else SOUND -> SOUND
    Two things. A weak probe is no shift: ask whether a *neighbour's* label agrees more often than
    the word's own. And no leak is found: `test` and `fresh` are shares, and a gap above 0.05 is a
    leak.
a low score is a shift: offsets.argmax() != 1 -> test < 0.5
    You call labels shifted when the test score is low. A task can be hard, and a test that is
    shifted, too, looks splendid. Compare the three numbers of `offsets`.
shifts are never found: if offsets.argmax() != 1: return SHIFTED ->
    A probe with shifted labels is something else for you. Ask which neighbour's label it names:
    `offsets.argmax()`.
agreement is the fault: offsets.argmax() != 1 -> offsets.argmax() == 1
    You call the labels shifted where the word's own label agrees most. Turn that question round.
a shift must open a gap: offsets.argmax() != 1 -> offsets.argmax() != 1 and test - fresh > GAP
    You call labels shifted only where `test` is far above `fresh`. Where the labels are shifted in
    training alone, both are low: `offsets` is enough.
the gap is looked at first: if offsets.argmax() -> if test - fresh > GAP: return LEAK \
        ⏎if offsets.argmax()
    A probe with shifted labels is a leak for you. If the test labels are shifted, too, it agrees
    with them and not with the fresh ones, so the gap is there as well. Ask `offsets` first.
--- hint 3
any gap at all: test - fresh > GAP -> test > fresh
    You take the smallest gap for a leak. The two scores are of different sentences and differ by
    chance: count what is larger than 0.05.
a gap of 0.1: test - fresh > GAP -> test - fresh > 0.1
    You overlook a gap of 0.07. Count what is larger than 0.05.
a gap either way: test - fresh > GAP -> abs(test - fresh) > GAP
    A probe that is better on the fresh sentences leaks for you. A leak raises `test`: leave out the
    absolute value.
the gap as a ratio: test - fresh > GAP -> test / fresh > 1 + GAP
    You divide the scores. The rule speaks of their difference: test - fresh > 0.05.
exactly no movement: moved <= TREMBLING -> moved == 0
    You ask whether `moved` is exactly 0. Rounding moves a vector by 1e-7: up to 1e-6 is no
    movement.
a small movement is none: moved <= TREMBLING -> moved <= 1e-3
    You take a small movement for none. Everything above 1e-6 is context.
everything is shifted: offsets.argmax() -> offsets.max()
    You call the labels of every probe shifted. Ask for the *position* of the *largest* of
    `offsets`: `offsets.argmax()` is 1 where the word's own label agrees most.
the first place is taken for the word itself: offsets.argmax() != 1 -> offsets.argmax() != 0
    A sound probe has shifted labels for you. `offsets` holds before, itself, after: the word's own
    label is in the middle, position 1.
missing context is never found: if moved <= TREMBLING: return BLIND ->
    A probe without context is sound for you. Its scores look ordinary; only `moved` tells.
movement is the fault: moved <= TREMBLING -> moved > TREMBLING
    You call it no context where the vectors do move. Turn that question round.
"""

EXERCISE = Exercise(
    id="diagnose_probe",
    title="A doctor for probes",
    lesson=LESSON,
    points=3,
    difficulty=3,
    importance=5,
    minutes=12,
    reference=diagnose_probe,
    cases=(
        Case("a sound probe", _probe_with(SOUND, gap=0.02)),
        Case("test sentences in training", _probe_with(LEAK), weight=2),
        Case("labels of the next word", _probe_with(SHIFTED), weight=2),
        Case("vectors without context", _probe_with(BLIND), weight=2),
        Case("labels of the word before", _probe_with(SHIFTED, side=0), edge=True),
        Case(
            "shifted in training only",
            _probe_with(SHIFTED, graded_so=False),
            edge=True,
            asks="Both scores are low, and the middle of `offsets` is not the largest.",
        ),
        Case("shifted by a little in agreement", _probe_with(SHIFTED, close=True), edge=True),
        Case("shifted, the middle above the mean", _probe_with(SHIFTED, between=True), edge=True),
        Case("a sound probe of little use", _probe_with(SOUND, good=0.45), edge=True),
        Case("a sound probe that is nearly always right", _probe_with(SOUND, good=0.96), edge=True),
        Case("a weak probe that leaks", _probe_with(LEAK, good=0.5, gap=0.2), edge=True),
        Case("a gap of 0.04, which is chance here", _probe_with(SOUND, gap=0.04), edge=True),
        Case("a gap of 0.07", _probe_with(LEAK, gap=0.07), edge=True),
        Case("a gap of 0.03 at a low score", _probe_with(SOUND, good=0.45, gap=0.03), edge=True),
        Case("better on the fresh sentences", _probe_with(SOUND, gap=-0.12), edge=True),
        Case("vectors that move very little", _probe_with(SOUND, moved=5e-6), edge=True),
        Case("no context, moved by exactly 0", _probe_with(BLIND, moved=0.0), edge=True),
        Case("neighbours with like labels", _probe_with(SOUND, close=True), edge=True),
    ),
    mistakes=(
        *slips(diagnose_probe, SLIPS),
        Mistake("everything is sound", lambda *a: SOUND, 'You say "sound" to every probe.', hint=1),
    ),
    right_answers={
        "the three numbers apart": _by_neighbours,
        "a table of faults": _leak_last,
        "context first": _blind_first,
    },
)
