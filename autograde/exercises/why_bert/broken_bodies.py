"""Exercise `broken_bodies`: which fault has which run?"""

from autograde.checking.which_fault import WhichFault
from autograde.exercises.why_bert import LESSON
from course.why_bert.broken_bodies import FAULTS, RUNS

TRUTH = {name: 1 + FAULTS.index(fault) for name, fault in RUNS.items()}

EXERCISE = WhichFault(
    thing="run",
    faults=FAULTS,
    truth=TRUTH,
    would_show={
        1: "the body would know no language before the run, and would have moved all the same",
        2: "the loss would fall, slowly, and the answers would be no better than the commonest "
        "class",
        3: "the body would have lost a part of its length, and could have moved by 100 % at "
        "most, while the loss falls calmly",
        4: "the body would not have moved at all, and its perplexity would be the same before and "
        "after",
        5: "the head would not have moved at all",
        6: "the body would have moved many times as far as in the sound run, and would have lost "
        "its language",
    },
    look={
        "A": "Look at what its body knew of language before the run",
        "B": "Compare how far its body has moved with the sound run",
        "C": "Compare its two perplexities, and how far its body has moved",
    },
    hints={"A": 1, "B": 2, "C": 2},
).exercise(
    "broken_bodies",
    "Three broken runs",
    LESSON,
    lambda: {"A": 1, "B": 6, "C": 4},
    difficulty=2,
    importance=5,
    minutes=5,
)
