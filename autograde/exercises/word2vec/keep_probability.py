"""Exercise `keep_probability`: subsampling, as printed and as programmed."""

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
    ),
    right_answers={
        "the line of word2vec.c": lambda f, t, formula: np.clip(
            (np.sqrt(f / t) + (formula == "code")) * t / f, 0, 1
        ),
        "tensors": lambda f, t, formula: torch.from_numpy(_keep(t / f, formula)).clamp(max=1),
    },
)
