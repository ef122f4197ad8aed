"""Exercise `broken_encoders`: which fault has which encoder?"""

import numpy as np

from autograde.checking.exercise import Exercise
from autograde.exercises.from_characters import LESSON
from autograde.exercises.from_characters.broken import FAULTS, PLANTED
from autograde.exercises.from_characters.which_fault import WhichFault

TRUTH = {name: place + 1 for name, place in PLANTED.items()}  # as the lesson numbers them


def reference() -> dict[str, int]:
    """The number of each encoder's fault."""
    return dict(TRUTH)


WOULD_SHOW = {
    1: "every word would be off, also one that fills its row, for each letter is read as another",
    2: "words would be off as far as their row has padding, and one that fills its row would be "
    "exactly right",
    3: "words in plain English letters would be exactly right, and *naïve* would not",
    4: "every word would be off, also one that fills its row, for its end mark is gone",
    5: "words in small letters would be exactly right, and only capitals would be off",
    6: "letters would be right, and filters off for every word, whatever its length",
    7: "letters and filters would be right, and with the gate shut the highway would give the new",
    8: "letters and filters would be right, and with the gate shut the highway too",
}
LOOK = {
    "A": "Compare its short words with the one that fills its row",
    "B": "Look which words are exactly right, and which letters the others have",
    "C": "Look at the stage where the distance begins, and what shutting the gate does",
}


ENCODER = WhichFault("encoder", FAULTS, TRUTH, WOULD_SHOW, LOOK, {"A": 2, "B": 2, "C": 3})

EXERCISE = Exercise(
    id="broken_encoders",
    title="Three broken encoders",
    lesson=LESSON,
    points=3,
    difficulty=3,
    importance=4,
    minutes=10,
    reference=reference,
    run=ENCODER.run,
    cases=ENCODER.cases(),
    mistakes=ENCODER.mistakes(),
    right_answers={
        "NumPy numbers": lambda: {name: np.int64(number) for name, number in TRUTH.items()},
        "with a point": lambda: {name: float(number) for name, number in TRUTH.items()},
        "the three numbers": lambda: {"A": 2, "B": 3, "C": 7},
    },
)
