"""Exercise `broken_weight_drop`: which fault has which run?"""

from autograde.checking.which_fault import WhichFault
from autograde.exercises.awd_lstm import LESSON

FAULTS = (  # as the lesson numbers them
    "the mask is drawn once, when the layer is made, and stays",
    "after the first evaluation no weight is dropped any more",
    "weights are dropped in evaluation, too",
    "no gradient reaches the hidden-to-hidden weights",
    "the thinned matrix takes the place of the whole one",
    "the kept weights are not divided by 1 - p",
)
TRUTH = {"A": 4, "B": 5, "C": 2}
WOULD_SHOW = {
    1: "two calls in training would give the same at the start, too, before anything is trained",
    2: "two calls in training would differ at the start and agree at the end, and the matrix would "
    "move as usual",
    3: "two calls in evaluation would give different states",
    4: "the hidden-to-hidden weights would be where they began",
    5: "most hidden-to-hidden weights would be close to 0",
    6: "two calls in training would differ and the matrix would move, as in the sound run",
}
LOOK = {
    "A": "Look at how far its matrix has moved",
    "B": "Look at its typical weight, beside that of the sound run",
    "C": "Look at its two calls in training, at the start and at the end",
}

EXERCISE = WhichFault("run", FAULTS, TRUTH, WOULD_SHOW, LOOK).exercise(
    "broken_weight_drop",
    "Three broken runs",
    LESSON,
    lambda: {"A": 4, "B": 5, "C": 2},
    difficulty=3,
    importance=5,
    minutes=8,
)
