"""Exercise `broken_crfs`: which fault has which CRF?"""

from autograde.checking.which_fault import WhichFault
from autograde.exercises.taglm import LESSON
from course.taglm.broken_crfs import FAULTS, RUNS

TRUTH = {name: 1 + FAULTS.index(fault) for name, fault in RUNS.items()}
WOULD_SHOW = {
    1: "a sentence beside a longer one would have another loss than alone",
    2: "the loss would fall below 0, alone as in a batch: no probability is above 1",
    3: "the loss would come down to almost 0 in two passes and could never go below it: no path "
    "beats the best one",
    4: "names of several words would be lost, and come out in the wrong order of labels",
    5: "the rules would be broken, and names of one word would be missed as well",
    6: "the rules would be broken here and there, and half of the names of several words found",
}
LOOK = {
    "A": "Its training is the sound one's. Read what it says of a name of two words",
    "B": "Which values can minus the logarithm of a probability take?",
    "C": "Compare the loss of the two sentences one by one with that in one batch",
}

EXERCISE = WhichFault("CRF", FAULTS, TRUTH, WOULD_SHOW, LOOK, {"B": 1}).exercise(
    "broken_crfs",
    "Three broken CRFs",
    LESSON,
    lambda: {"A": 4, "B": 2, "C": 1},
    difficulty=3,
    importance=4,
    minutes=7,
)
