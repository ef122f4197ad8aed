"""Exercise `softmax_cost`: the cost of the full softmax."""

import numpy as np

from autograde.checking.exercise import Case, Exercise
from autograde.checking.slips import slips
from autograde.exercises.word2vec import LESSON
from elmo_mini.models import skip_gram

SLIPS = """
--- hint 1
the dimension is forgotten: vocabulary_size * dimension -> vocabulary_size \
        && (1 + negatives) * dimension -> 1 + negatives
    You count words. One score is a dot product, and that takes one multiplication for each
    dimension.
the dimension is forgotten with negative sampling: (1 + negatives) * dimension -> 1 + negatives
    Your second number counts words, your first one multiplications. A score costs `dimension`
    multiplications in both games.
the dimension is forgotten with the full softmax: vocabulary_size * dimension -> vocabulary_size
    Your first number counts words, your second one multiplications. A score costs `dimension`
    multiplications in both games.
the dimension twice: vocabulary_size * dimension -> vocabulary_size * dimension**2 \
        && negatives) * dimension -> negatives) * dimension**2
    A dot product of two vectors takes D multiplications, not D times D: each number meets only its
    partner.
--- hint 2
the true context word is not counted: 1 + negatives -> negatives
    Negative sampling scores the k noise words and the true context word: k + 1 in all.
the cost of the hierarchical softmax: vocabulary_size * dimension \
        -> round(np.log2(vocabulary_size)) * dimension
    log2(V) scores is what the hierarchical softmax needs. The full softmax scores every word.
the true word is not counted in the full softmax: vocabulary_size * -> (vocabulary_size - 1) *
    The vocabulary contains the true context word already: the sum runs over all V words.
the true word is counted twice in the full softmax: vocabulary_size * -> (vocabulary_size + 1) *
    The vocabulary contains the true context word already: V scores, not V + 1.
the centre word gets a score of its own: 1 + -> 2 +
    The centre word is one side of every score. The other side is the true context word or a noise
    word: k + 1 scores.
noise words in the full softmax too: vocabulary_size * dimension \
        -> vocabulary_size * dimension * (1 + negatives)
    The full softmax draws no noise words. It scores every word of the vocabulary once.
the vocabulary in negative sampling too: (1 + negatives) -> vocabulary_size * (1 + negatives)
    Negative sampling never looks at the whole vocabulary. It scores k + 1 words.
noise words taken out of the full softmax: vocabulary_size * -> (vocabulary_size - negatives) *
noise words added to the full softmax: vocabulary_size * -> (vocabulary_size + negatives) *
    The full softmax scores every word of the vocabulary, whatever noise the other game draws.
    `negatives` has no part in your first number.
--- hint 3
the product before the sum: (1 + negatives) * dimension -> negatives + 1 * dimension
    `negatives + 1 * dimension` multiplies first. Put the sum in brackets.
added, not multiplied: vocabulary_size * dimension -> vocabulary_size + dimension \
        && negatives) * dimension -> negatives) + dimension
    Each of the scores costs `dimension` multiplications: number of scores times dimension, not
    plus.
only the full softmax: , (1 + negatives) * dimension ->
    This is the full softmax alone. Return two numbers, separated by a comma.
the factor between the two: dimension, (1 + negatives) * dimension \
        -> dimension / ((1 + negatives) * dimension)
    This is the factor that you save. Return the two numbers themselves.
--- no hint
the two numbers are swapped: return vocabulary_size * dimension, (1 + negatives) * dimension \
        -> return (1 + negatives) * dimension, vocabulary_size * dimension
    Return the full softmax first, negative sampling second.
"""

EXERCISE = Exercise(
    id="softmax_cost",
    title="The cost of the full softmax",
    lesson=LESSON,
    points=1,
    difficulty=1,
    importance=3,
    minutes=3,
    reference=skip_gram.softmax_cost,
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
    mistakes=slips(skip_gram.softmax_cost, SLIPS),
    right_answers={
        "a list": lambda v, d, k: [d * v, d + d * k],
        "an array": lambda v, d, k: np.array([v, k + 1]) * d,
    },
)
