"""Exercise `broken_translators`: which fault has which translator?"""

from autograde.checking.which_fault import WhichFault
from autograde.exercises.starting_from_a_language_model import LESSON
from course.starting_from_a_language_model.broken_translators import FAULTS, RUNS

TRUTH = {name: 1 + FAULTS.index(fault) for name, fault in RUNS.items()}
WOULD_SHOW = {
    1: "the perplexity would be too good to be true, and left to itself it would say nothing",
    2: "a telegram would be worth nothing: its own and another's would give nearly the same",
    3: "a sentence would fare differently alone and in a batch, where there is padding",
    4: "the first batch would cost far more, about as much as a guess among all words",
    5: "the first word would be as easy as for the sound one, and all later words harder",
    6: "the test would come out far better than the other new sentences",
}
LOOK = {
    "A": "Compare what it does with its own telegram and with another's",
    "B": "Look at the nats by place: where does it fall behind the sound one?",
    "C": "Hold its perplexity against what it says when nobody helps it",
}

EXERCISE = WhichFault("translator", FAULTS, TRUTH, WOULD_SHOW, LOOK).exercise(
    "broken_translators",
    "Three broken translators",
    LESSON,
    lambda: {"A": 2, "B": 5, "C": 1},
    difficulty=2,
    importance=4,
    minutes=6,
)
