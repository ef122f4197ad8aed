"""Exercise `broken_blanks`: which fault has which run?"""

from autograde.checking.which_fault import WhichFault
from autograde.exercises.both_sides_at_once import LESSON
from course.both_sides_at_once.broken_blanks import EVERYWHERE, POSITIONS, RUNS, SEEN

FAULTS = (  # as the lesson numbers them
    "the model reads the words as they were before any was hidden",
    "the model is asked for the word after each chosen one",
    "the model is asked for every word",
    "the model has no position embeddings",
    "the learning rate is a hundred times too small",
    "the model is asked for padding, too",
)
NUMBERS = {SEEN: 1, EVERYWHERE: 3, POSITIONS: 4}
TRUTH = {name: NUMBERS[fault] for name, fault in RUNS.items() if fault}
WOULD_SHOW = {
    1: "the reported loss would be low and that of the blanks far above the sound run's: it would "
    "never have met a blank",
    2: "the words in sight would hardly ever be answered with themselves, and the reported loss "
    "would lie a little below the sound run's",
    3: "the reported loss would be low, that of the blanks near the sound run's, and the words in "
    "sight would be answered with themselves",
    4: "a blank's state would stay the same when the other words change places",
    5: "both losses would hardly have fallen from the 6.9 nats of a model that knows nothing",
    6: "both losses would stay near the sound run's, and a blank's state would move with the "
    "other words",
}
LOOK = {
    "A": "Compare its loss of the blanks with the sound run's, and then with C's",
    "B": "Look at how far its state moves",
    "C": "Compare its two losses",
}

EXERCISE = WhichFault("run", FAULTS, TRUTH, WOULD_SHOW, LOOK, {"B": 3}).exercise(
    "broken_blanks",
    "Three broken runs",
    LESSON,
    lambda: {"A": 3, "B": 4, "C": 1},
    difficulty=3,
    importance=4,
    minutes=10,
)
