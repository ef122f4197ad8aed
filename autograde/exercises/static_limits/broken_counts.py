"""Exercise `broken_counts`: which fault has which run of GloVe?"""

from autograde.checking.which_fault import WhichFault
from autograde.exercises.static_limits import LESSON
from course.static_limits.broken_counts import NO_LOGARITHM, RUNS, SHUFFLED, UNSEEN

FAULTS = (  # as the lesson numbers them
    "the words of the text are shuffled before they are counted",
    "a score is held to the count, and not to its logarithm",
    "the learning rate is a hundred times too small",
    "pairs that never occur are fitted, too, to a number far below 0",
    "the biases start at 10",
)
NUMBERS = {SHUFFLED: 1, NO_LOGARITHM: 2, UNSEEN: 4}
TRUTH = {name: NUMBERS[fault] for name, fault in RUNS.items()}
WOULD_SHOW = {
    1: "the loss would fall and the scores would fit, and the neighbours would mean nothing",
    2: "the scores of frequent pairs would be far above the logarithms of their counts",
    3: "the loss would hardly fall",
    4: "the scores of pairs that never occur would be far below the sound run's",
    5: "the scores would come down from 20, and those of pairs that never occur, which nothing "
    "pulls on, would stay far above the sound run's",
}
LOOK = {
    "A": "Look at the score of its frequent pairs",
    "B": "Compare its neighbours with those of the sound run",
    "C": "Look at the score of its pairs that never occur",
}

EXERCISE = WhichFault("run", FAULTS, TRUTH, WOULD_SHOW, LOOK, {"B": 1}).exercise(
    "broken_counts",
    "Three broken runs",
    LESSON,
    lambda: {"A": 2, "B": 1, "C": 4},
    difficulty=2,
    importance=4,
    minutes=6,
)
