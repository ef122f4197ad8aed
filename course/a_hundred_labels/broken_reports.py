"""Three reports of a hundred labels with one fault each, and a sound one (lesson 15).

What is reported, and what anybody can measure who has the program: the same on fresh texts, with
coin flips for labels, and on those test texts that have no double among the known ones.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from course.a_hundred_labels.methods import best_words, count_words, logistic
from course.a_hundred_labels.protocol import Step, learn_and_answer
from course.a_hundred_labels.tasks import first_task
from course.texts.labelled_tasks import Labelled, Task

FAULTS = (
    "copies of a text stand on both sides of the split",
    "the words were picked with the labels of all folds",
    "in the test, each label stands beside the text below its own",
    "all five draws are the same draw",
    "the test holds texts of one class only",
    "the baseline learnt from half of the labels",
)
COPIES, PICKED_BEFORE, ONE_DRAW = FAULTS[0], FAULTS[1], FAULTS[3]
RUNS = {"A": PICKED_BEFORE, "B": ONE_DRAW, "C": COPIES}
LABELS, PICKED, FREEDOM, FOLDS = 100, 20, 10.0, 5
DRAWS = range(101, 106)
COPIED = 0.6
FRESH = 400


@dataclass(frozen=True)
class Symptoms:
    """Of one report; shares of right answers.

    Attributes
    ----------
    reported : the mean of the five draws
    draws : that of each
    fresh : the same models on texts that nobody has used
    coins : what is reported if labels are coin flips, one for each text
    no_double : on test texts that do not stand among the known ones
    """

    reported: float
    draws: tuple[float, ...]
    fresh: float
    coins: float
    no_double: float


@lru_cache(maxsize=1)
def symptoms() -> dict[str, Symptoms]:
    """Of the sound report and of the three broken ones, measured here."""
    return {name: _symptoms(RUNS.get(name, "")) for name in ("sound", *RUNS)}


def _symptoms(fault: str) -> Symptoms:
    task = first_task()
    draws = [DRAWS[0]] * len(DRAWS) if fault == ONE_DRAW else list(DRAWS)
    found = [_report(task, fault, seed, flipped=False) for seed in draws]
    coins = [_report(task, fault, seed, flipped=True)[0] for seed in range(201, 221)]
    reported, fresh, alone = np.mean(found, 0).tolist()
    return Symptoms(
        reported, tuple(share for share, _, _ in found), fresh, float(np.mean(coins)), alone
    )


def _report(task: Task, fault: str, seed: int, *, flipped: bool) -> tuple[float, float, float]:
    """What is reported, the share right on fresh texts, and that on test texts without a double."""
    rng = np.random.default_rng(seed)
    known = task.train.drawn(LABELS, seed)
    if flipped:
        known = Labelled(known.texts, rng.integers(0, 2, LABELS).tolist())
    steps: list[Step] = [count_words, best_words(PICKED), logistic(FREEDOM)]
    copies: list[int] = []
    if fault == COPIES:
        copies = rng.choice(LABELS, int(COPIED * LABELS), replace=False).tolist()
    texts = known.texts + [known.texts[row] for row in copies]
    labels = np.array(known.labels + [known.labels[row] for row in copies])
    fresh = task.dev.drawn(FRESH, 0)
    said = learn_and_answer(steps, texts, labels.tolist(), fresh.texts)
    on_fresh = float((np.asarray(said) == np.array(fresh.labels)).mean())
    inputs = np.empty(len(texts), dtype=object)
    inputs[:] = texts
    if fault == PICKED_BEFORE:  # two of the three steps learn here, from all folds
        inputs = learn_and_answer(steps[:2], texts, labels.tolist(), texts)
        steps = steps[2:]
    folds = np.resize(np.arange(FOLDS), len(texts))[rng.permutation(len(texts))]
    right, double = np.zeros((2, len(texts)), dtype=bool)
    for fold in range(FOLDS):
        rest, held = np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)
        said = learn_and_answer(steps, inputs[rest], labels[rest].tolist(), inputs[held])
        right[held] = np.asarray(said) == labels[held]
        learnt = [texts[row] for row in rest]
        double[held] = [texts[row] in learnt for row in held]
    return float(right.mean()), on_fresh, float(right[~double].mean())
