"""Exercise `broken_blanks`: which fault has which run?"""

import numpy as np

from autograde.checking.exercise import Exercise
from autograde.exercises.both_sides_at_once import LESSON
from autograde.exercises.from_characters.which_fault import WhichFault
from elmo_mini.experiments.broken_blanks import EVERYWHERE, PLACES, RUNS, SEEN

FAULTS = (  # as the lesson numbers them
    "the model reads the words as they were before any was hidden",
    "the model is asked for what it reads at the chosen places",
    "the model is asked for every word",
    "the model has no vectors of places",
    "the learning rate is a hundred times too small",
    "the mask of the words is turned round: attention goes to the padding",
)
NUMBERS = {SEEN: 1, EVERYWHERE: 3, PLACES: 4}
TRUTH = {name: NUMBERS[fault] for name, fault in RUNS.items() if fault}
WOULD_SHOW = {
    1: "the reported loss would be low and that of the blanks far above the sound run's: it would "
    "hand on what it sees, even a blank",
    2: "the reported loss would fall close to 0, and the model would answer `[MASK]` to a blank",
    3: "the reported loss would be low, that of the blanks near the sound run's, and the words in "
    "sight would be answered with themselves",
    4: "a blank's state would stay the same when the other words change places",
    5: "both losses would hardly have fallen from the 6.9 nats of a model that knows nothing",
    6: "a blank's state could not move with the words around it, and the losses would stay near "
    "those of counts of words",
}
LOOK = {
    "A": "Compare its loss of the blanks with the sound run's, and then with C's",
    "B": "Look at how far its state moves",
    "C": "Compare its two losses",
}


def reference() -> dict[str, int]:
    """The number of each run's fault."""
    return dict(TRUTH)


RUN = WhichFault("run", FAULTS, TRUTH, WOULD_SHOW, LOOK, dict.fromkeys(TRUTH, 2))

EXERCISE = Exercise(
    id="broken_blanks",
    title="Three broken runs",
    lesson=LESSON,
    points=3,
    difficulty=3,
    importance=4,
    minutes=10,
    reference=reference,
    run=RUN.run,
    cases=RUN.cases(),
    mistakes=RUN.mistakes(),
    right_answers={
        "NumPy numbers": lambda: {name: np.int64(number) for name, number in TRUTH.items()},
        "the three numbers": lambda: {"A": 3, "B": 4, "C": 1},
    },
)
