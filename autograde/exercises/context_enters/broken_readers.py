"""Exercise `broken_readers`: which fault has which run?"""

from autograde.checking.which_fault import WhichFault
from autograde.exercises.context_enters import LESSON
from course.context_enters.broken_readers import ENDLESS, RUNS, SHUFFLED, UNSHIFTED

FAULTS = (  # as the lesson numbers them
    "it is asked for the word that it has just read",
    "it is asked for the word after the next",
    "the windows are shuffled, and the state is handed on all the same",
    "every window begins from zeros",
    "the state is handed on without being cut off",
    "the learning rate is a hundred times too small",
)
NUMBERS = {UNSHIFTED: 1, SHUFFLED: 3, ENDLESS: 5}
TRUTH = {name: NUMBERS[fault] for name, fault in RUNS.items() if fault}
WOULD_SHOW = {
    1: "the training loss would fall far below the sound run's, and the run would bet on the word "
    "that it has just read",
    2: "the losses would stay above the sound run's, on the text and elsewhere",
    3: "the words would not go on over the edge of a window",
    4: "the h that a window begins with would have length 0",
    5: "backward would walk through more operations at every window",
    6: "the training loss would hardly fall",
}
LOOK = {
    "A": "Read its words over the edges of windows aloud",
    "B": "Compare its training loss with its perplexity on other text, and look at the chance that "
    "it gives to the word just read",
    "C": "Look at the number of operations, window by window",
}

EXERCISE = WhichFault("run", FAULTS, TRUTH, WOULD_SHOW, LOOK).exercise(
    "broken_readers",
    "Three broken runs",
    LESSON,
    lambda: {"A": 3, "B": 1, "C": 5},
    difficulty=2,
    importance=5,
    minutes=8,
)
