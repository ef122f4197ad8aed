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
    rtol=0.0,
    atol=0.0,
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
        Mistake(
            "the dimension is forgotten with negative sampling",
            lambda v, d, k: (v * d, k + 1),
            "Your second number counts words, your first one multiplications. A score costs "
            "`dimension` multiplications in both games.",
            hint=1,
        ),
        Mistake(
            "the dimension is forgotten with the full softmax",
            lambda v, d, k: (v, (k + 1) * d),
            "Your first number counts words, your second one multiplications. A score costs "
            "`dimension` multiplications in both games.",
            hint=1,
        ),
        Mistake(
            "the product before the sum",
            lambda v, d, k: (v * d, k + 1 * d),
            "`negatives + 1 * dimension` multiplies first. Put the sum in brackets.",
            hint=3,
        ),
        Mistake(
            "the true word is not counted in the full softmax",
            lambda v, d, k: ((v - 1) * d, (k + 1) * d),
            "The vocabulary contains the true context word already: the sum runs over all V words.",
            hint=2,
        ),
        Mistake(
            "the true word is counted twice in the full softmax",
            lambda v, d, k: ((v + 1) * d, (k + 1) * d),
            "The vocabulary contains the true context word already: V scores, not V + 1.",
            hint=2,
        ),
        Mistake(
            "the centre word gets a score of its own",
            lambda v, d, k: (v * d, (k + 2) * d),
            "The centre word is one side of every score. The other side is the true context word "
            "or a noise word: k + 1 scores.",
            hint=2,
        ),
        Mistake(
            "added, not multiplied",
            lambda v, d, k: (v + d, k + 1 + d),
            "Each of the scores costs `dimension` multiplications: number of scores times "
            "dimension, not plus.",
            hint=3,
        ),
        Mistake(
            "the dimension twice",
            lambda v, d, k: (v * d * d, (k + 1) * d * d),
            "A dot product of two vectors takes D multiplications, not D times D: each number "
            "meets only its partner.",
            hint=1,
        ),
        Mistake(
            "noise words in the full softmax too",
            lambda v, d, k: (v * d * (k + 1), (k + 1) * d),
            "The full softmax draws no noise words. It scores every word of the vocabulary once.",
            hint=2,
        ),
        Mistake(
            "the vocabulary in negative sampling too",
            lambda v, d, k: (v * d, v * (k + 1) * d),
            "Negative sampling never looks at the whole vocabulary. It scores k + 1 words.",
            hint=2,
        ),
        Mistake(
            "only the full softmax",
            lambda v, d, k: v * d,
            "This is the full softmax alone. Return two numbers, separated by a comma.",
            hint=3,
        ),
        Mistake(
            "the factor between the two",
            lambda v, d, k: (v * d) / ((k + 1) * d),
            "This is the factor that you save. Return the two numbers themselves.",
            hint=3,
        ),
        Mistake(
            "noise words taken out of the full softmax",
            lambda v, d, k: ((v - k) * d, (k + 1) * d),
            "The full softmax scores every word of the vocabulary, whatever noise the other game "
            "draws. `negatives` has no part in your first number.",
            hint=2,
        ),
        Mistake(
            "noise words added to the full softmax",
            lambda v, d, k: ((v + k) * d, (k + 1) * d),
            "The full softmax scores every word of the vocabulary, whatever noise the other game "
            "draws. `negatives` has no part in your first number.",
            hint=2,
        ),
    ),
    right_answers={
        "a list": lambda v, d, k: [d * v, d + d * k],
        "an array": lambda v, d, k: np.array([v, k + 1]) * d,
    },
)
