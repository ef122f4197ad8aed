"""Exercise `softmax_cost`: the cost of the full softmax."""

import math

import numpy as np

from autograde.checking.exercise import (
    Case,
    Exercise,
    Mistake,
)
from autograde.exercises.word2vec import LESSON
from elmo_mini.word_vectors import word2vec

EXERCISE = Exercise(
    id="softmax_cost",
    title="The cost of the full softmax",
    lesson=LESSON,
    points=1,
    difficulty=1,
    importance=3,
    minutes=3,
    reference=word2vec.softmax_cost,
    cases=(
        Case(
            "1,000 words, 50 dimensions, 5 negatives",
            lambda rng: {"vocabulary_size": 1000, "dimension": 50, "negatives": 5},
        ),
        Case(
            "a drawn vocabulary",
            lambda rng: {
                "vocabulary_size": int(rng.integers(20_000, 90_000)),
                "dimension": int(rng.integers(20, 400)),
                "negatives": int(rng.integers(2, 20)),
            },
        ),
        Case(
            "no negatives at all",
            lambda rng: {"vocabulary_size": 64, "dimension": 8, "negatives": 0},
            edge=True,
        ),
    ),
    mistakes=(
        Mistake(
            "the true context word is not counted",
            lambda v, d, k: (v * d, k * d),
            "Negative sampling scores the k noise words and the true context word: k + 1 in all.",
            hint=2,
        ),
        Mistake(
            "the dimension is forgotten",
            lambda v, d, k: (v, k + 1),
            "You count words. One score is a dot product, and that takes one multiplication for "
            "each dimension.",
            hint=1,
        ),
        Mistake(
            "the cost of the hierarchical softmax",
            lambda v, d, k: (round(math.log2(v)) * d, (k + 1) * d),
            "log2(V) scores is what the hierarchical softmax needs. The full softmax scores "
            "every word.",
            hint=2,
        ),
        Mistake(
            "the two numbers are swapped",
            lambda v, d, k: ((k + 1) * d, v * d),
            "Return the full softmax first, negative sampling second.",
        ),
    ),
    right_answers={
        "a list": lambda v, d, k: [d * v, d + d * k],
        "an array": lambda v, d, k: np.array([v, k + 1]) * d,
    },
)
