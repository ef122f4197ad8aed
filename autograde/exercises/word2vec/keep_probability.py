"""Exercise `keep_probability`: subsampling, as printed and as programmed."""

import math
from typing import Any

import numpy as np
import torch

from autograde.checking.exercise import (
    Case,
    Exercise,
    Inputs,
    Mistake,
)
from autograde.exercises.word2vec import LESSON
from elmo_mini.word_vectors import word2vec


def _frequencies(formula: str) -> Any:
    def make(rng: np.random.Generator) -> Inputs:
        frequency = np.sort(10.0 ** rng.uniform(-3.2, -1.2, size=8))[::-1].copy()
        return {"frequency": frequency, "threshold": 1e-4, "formula": formula}

    return make


def _rare(formula: str) -> Any:
    def make(rng: np.random.Generator) -> Inputs:
        return {
            "frequency": 10.0 ** rng.uniform(-6.5, -5.2, size=4),
            "threshold": 1e-4,
            "formula": formula,
        }

    return make


def _keep(ratio: np.ndarray, formula: str) -> np.ndarray:
    return np.sqrt(ratio) + (ratio if formula == "code" else 0.0)


def _cut_off_below_1(cap: float) -> tuple[Mistake, Mistake]:
    """A largest probability of its own, alone and with both parts under the root."""
    return (
        Mistake(
            f"cut off at {cap}",
            lambda f, t, formula: np.minimum(cap, _keep(t / f, formula)),
            "Your rare words are kept almost always. A word whose formula gives 1 or more is kept "
            "always: cut off at 1.",
            hint=3,
        ),
        Mistake(
            f"both parts under the root, cut off at {cap}",
            lambda f, t, formula: np.minimum(cap, np.sqrt((1 + (formula == "code")) * t / f)),
            "The root stands over the first t / f alone: the code adds the second outside it. And "
            "cut off at 1, no lower: a rare word is kept always.",
            hint=2,
        ),
    )


EXERCISE = Exercise(
    id="keep_probability",
    title="Subsampling, as printed and as programmed",
    lesson=LESSON,
    points=3,
    difficulty=2,
    importance=4,
    minutes=6,
    reference=word2vec.keep_probability,
    cases=(
        Case("the paper's formula, frequent words", _frequencies("paper")),
        Case("the code's formula, frequent words", _frequencies("code")),
        Case("the paper's formula, rare words", _rare("paper"), weight=0.5, edge=True),
        Case("the code's formula, rare words", _rare("code"), weight=0.5, edge=True),
    ),
    mistakes=(
        Mistake(
            "the probability to discard",
            lambda f, t, formula: 1 - np.minimum(1.0, _keep(t / f, formula)),
            "This is the chance that the word is thrown away. Return the chance that it stays.",
            hint=1,
        ),
        Mistake(
            "a probability above 1",
            lambda f, t, formula: _keep(t / f, formula),
            "For rare words your result is above 1, which no probability is. Cut it off at 1.",
            hint=3,
        ),
        Mistake(
            "the root is missing",
            lambda f, t, formula: np.minimum(1.0, t / f + (t / f if formula == "code" else 0)),
            "The square root over t / f is missing. Without it frequent words almost vanish.",
            hint=2,
        ),
        Mistake(
            "t and f are swapped",
            lambda f, t, formula: np.minimum(1.0, _keep(f / t, formula)),
            "Your frequent words are kept and your rare words dropped. The ratio is t / f: the "
            "more frequent the word, the smaller.",
            hint=2,
        ),
        Mistake(
            "the two formulas are swapped",
            lambda f, t, formula: np.minimum(
                1.0, _keep(t / f, "paper" if formula == "code" else "code")
            ),
            'You use the code\'s formula for "paper" and the paper\'s for "code".',
            hint=2,
        ),
        Mistake(
            "cut off before the sum",
            lambda f, t, formula: (
                np.minimum(1.0, np.sqrt(t / f)) + (t / f if formula == "code" else 0.0)
            ),
            "You cut off at 1 and add t / f afterwards, so the sum goes above 1 again. Cut off "
            "last.",
            hint=3,
        ),
        Mistake(
            "always the paper's formula",
            lambda f, t, formula: np.minimum(1.0, np.sqrt(t / f)),
            "Both formulas give the same in your answer. The code adds t / f to the root.",
            hint=2,
        ),
        Mistake(
            "always the code's formula",
            lambda f, t, formula: np.minimum(1.0, np.sqrt(t / f) + t / f),
            "Both formulas give the same in your answer. The paper has the root alone.",
            hint=2,
        ),
        Mistake(
            "`min` of an array",
            lambda f, t, formula: min(1, _keep(t / f, formula)),
            "`min`, `max` and `if` compare two single numbers, and `frequency` is an array "
            "of many. `np.minimum` takes the smaller one place by place.",
            hint=3,
        ),
        Mistake(
            "`math.sqrt` of an array",
            lambda f, t, formula: math.sqrt(t / f),
            "`math.sqrt` takes one number, and `frequency` is an array of many. Use `np.sqrt`.",
            hint=3,
        ),
        Mistake(
            "the larger, not the smaller",
            lambda f, t, formula: np.maximum(1.0, _keep(t / f, formula)),
            "`np.maximum` raises everything to at least 1. To cut off *at* 1 take the "
            "smaller of the two: `np.minimum`.",
            hint=3,
        ),
        Mistake(
            "the probability to discard, not cut off",
            lambda f, t, formula: 1 - _keep(t / f, formula),
            "This is the chance that the word is thrown away, and for rare words it is "
            "negative. Return the chance that it stays, at most 1.",
            hint=1,
        ),
        Mistake(
            'the probability to discard, for "paper" only',
            lambda f, t, formula: np.minimum(
                1.0, 1 - np.sqrt(t / f) if formula == "paper" else _keep(t / f, formula)
            ),
            'For "paper" you return what the paper prints, the chance to discard. Return '
            "the chance to keep in both cases.",
            hint=1,
        ),
        Mistake(
            'the probability to discard, for "paper" only, not below 0',
            lambda f, t, formula: np.clip(
                1 - np.sqrt(t / f) if formula == "paper" else _keep(t / f, formula), 0, 1
            ),
            'For "paper" you return what the paper prints, the chance to discard. Return '
            "the chance to keep in both cases.",
            hint=1,
        ),
        Mistake(
            "both parts under the root",
            lambda f, t, formula: np.minimum(1.0, np.sqrt((1 + (formula == "code")) * t / f)),
            "The root stands over the first t / f alone. The code adds the second t / f "
            "outside it.",
            hint=2,
        ),
        Mistake(
            "the code multiplies",
            lambda f, t, formula: np.minimum(
                1.0, np.sqrt(t / f) * (t / f if formula == "code" else 1.0)
            ),
            "The code *adds* t / f to the root. You multiply.",
            hint=2,
        ),
        Mistake(
            "the code subtracts",
            lambda f, t, formula: np.minimum(
                1.0, np.sqrt(t / f) - (t / f if formula == "code" else 0.0)
            ),
            "The code *adds* t / f to the root: it keeps a little more than the paper, not less.",
            hint=2,
        ),
        Mistake(
            "the code without a root",
            lambda f, t, formula: np.minimum(
                1.0, np.sqrt(t / f) if formula == "paper" else 2 * t / f
            ),
            "The code has a root too: it adds t / f to the paper's sqrt(t / f).",
            hint=2,
        ),
        Mistake(
            't / f alone for "code"',
            lambda f, t, formula: np.minimum(1.0, np.sqrt(t / f) if formula == "paper" else t / f),
            "The code adds t / f to the root. Yours has t / f without the root.",
            hint=2,
        ),
        Mistake(
            "the root of t alone",
            lambda f, t, formula: np.minimum(
                1.0, np.sqrt(t) / f + (t / f if formula == "code" else 0.0)
            ),
            "The root goes over the whole fraction: `np.sqrt(threshold / frequency)`.",
            hint=2,
        ),
        Mistake(
            "the square, not the root",
            lambda f, t, formula: np.minimum(
                1.0, (t / f) ** 2 + (t / f if formula == "code" else 0.0)
            ),
            "You square the ratio. Take its root: `np.sqrt`, or `** 0.5`.",
            hint=2,
        ),
        Mistake(
            "each part is cut off alone",
            lambda f, t, formula: (
                np.minimum(1.0, np.sqrt(t / f))
                + (np.minimum(1.0, t / f) if formula == "code" else 0.0)
            ),
            "Each part is at most 1, but their sum reaches 2. Cut off once, after the sum.",
            hint=3,
        ),
        Mistake(
            'nothing is returned for "paper"',
            lambda f, t, formula: (
                np.minimum(1.0, _keep(t / f, formula)) if formula == "code" else None
            ),
            'With "paper" your function returns nothing. Put the last line outside the `if`.',
            hint=3,
        ),
        Mistake(
            'nothing is returned for "code"',
            lambda f, t, formula: (
                np.minimum(1.0, _keep(t / f, formula)) if formula == "paper" else None
            ),
            'With "code" your function returns nothing. Put the last line outside the `if`.',
            hint=3,
        ),
        Mistake(
            "they add up to 1",
            lambda f, t, formula: (
                np.minimum(1.0, _keep(t / f, formula))
                / np.minimum(1.0, _keep(t / f, formula)).sum()
            ),
            "You divide by the sum. These chances need not add up to 1: every word has its "
            "own, to stay or to go.",
            hint=1,
        ),
        Mistake(
            "the mean over the words",
            lambda f, t, formula: np.minimum(1.0, _keep(t / f, formula)).mean(),
            "You return one number for all words. Return one for each, in an array as long "
            "as `frequency`.",
            hint=3,
        ),
        Mistake(
            "the threshold is written in",
            lambda f, t, formula: np.minimum(1.0, _keep(1e-3 / f, formula)),
            "Your threshold is 0.001 whatever is asked. Use the argument `threshold`.",
            hint=3,
        ),
        Mistake(
            "the threshold of the paper is written in",
            lambda f, t, formula: np.minimum(1.0, _keep(1e-5 / f, formula)),
            "Your threshold is 0.00001 whatever is asked. Use the argument `threshold`.",
            hint=3,
        ),
        Mistake(
            "the frequencies are divided by their sum",
            lambda f, t, formula: np.minimum(1.0, _keep(t / (f / f.sum()), formula)),
            "You divide `frequency` by its sum. It holds shares of the whole text already, and not "
            "of all words: take it as it is.",
            hint=2,
        ),
        *(mistake for cap in (0.9, 0.99, 0.999) for mistake in _cut_off_below_1(cap)),
        Mistake(
            "t and f are swapped, and nothing is cut off",
            lambda f, t, formula: _keep(f / t, formula),
            "Your ratio is upside down: it is t / f, the more frequent the word, the smaller. And "
            "cut off at 1 what is larger.",
            hint=2,
        ),
    ),
    right_answers={
        "the line of word2vec.c": lambda f, t, formula: np.clip(
            (np.sqrt(f / t) + (formula == "code")) * t / f, 0, 1
        ),
        "tensors": lambda f, t, formula: torch.from_numpy(_keep(t / f, formula)).clamp(max=1),
    },
)
