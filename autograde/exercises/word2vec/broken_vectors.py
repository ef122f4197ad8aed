"""Exercise `broken_vectors`: which fault has which run?"""

from autograde.checking.which_fault import WhichFault
from autograde.exercises.word2vec import LESSON
from course.word2vec.broken_vectors import EVEN, EVERYTHING, HIGH, RUNS

FAULTS = (  # as the lesson numbers them
    "frequent words are not thinned out",
    "the noise words are drawn evenly from the vocabulary",
    "the learning rate is ten times too high",
    "the learning rate is a hundred times too small",
    "each centre word is paired with a context of another one",
)
NUMBERS = {EVERYTHING: 1, EVEN: 2, HIGH: 3}
TRUTH = {name: NUMBERS[fault] for name, fault in RUNS.items()}
WOULD_SHOW = {
    1: "far more of its pairs would hold one of the ten most frequent words",
    2: "frequent words would hardly ever be noise, so the score of any two of them would be far "
    "higher than in the sound run",
    3: "the loss would jump far above its start",
    4: "the loss would stay where it starts",
    5: "the loss would fall, for frequent words are still told from rare ones, and shares and "
    "scores would be those of the sound run",
}
LOOK = {
    "A": "Compare the end of its loss with the sound run's, and then the score of two words by "
    "chance",
    "B": "Look at where its loss is, beside the start of all four",
    "C": "Look at what its pairs are made of",
}

EXERCISE = WhichFault("run", FAULTS, TRUTH, WOULD_SHOW, LOOK).exercise(
    "broken_vectors",
    "Three broken runs",
    LESSON,
    lambda: {"A": 2, "B": 3, "C": 1},
    difficulty=2,
    importance=4,
    minutes=6,
)
