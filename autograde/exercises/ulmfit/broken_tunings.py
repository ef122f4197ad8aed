"""Exercise `broken_tunings`: which fault has which run?"""

from autograde.checking.which_fault import WhichFault
from autograde.exercises.ulmfit import LESSON
from course.ulmfit.broken_tunings import FAULTS, RUNS

TRUTH = {name: 1 + FAULTS.index(fault) for name, fault in RUNS.items()}
WOULD_SHOW = {
    1: "every layer would have moved far, and the perplexity on general text would have grown "
    "many times over as soon as an LSTM wakes",
    2: "the lower LSTM would have moved further than the upper one",
    3: "the layers below the top would not have moved at all",
    4: "the top layer would not have moved at all",
    5: "the test's text, and hardly dev's, would be easier to read than in the sound run",
    6: "the test would come out far better than dev, and its text would be no easier",
}
LOOK = {
    "A": "Compare the perplexity of dev's text and of the test's with the sound run's",
    "B": "Look at the perplexity on general text, and at how far the layers have moved",
    "C": "Look at how far each of its layers has moved",
}

EXERCISE = WhichFault("run", FAULTS, TRUTH, WOULD_SHOW, LOOK).exercise(
    "broken_tunings",
    "Three broken runs",
    LESSON,
    lambda: {"A": 5, "B": 1, "C": 3},
    difficulty=2,
    importance=5,
    minutes=8,
)
