"""Exercise `broken_runs`: which fault has which run?"""

from autograde.checking.which_fault import WhichFault
from autograde.exercises.bilm_from_scratch import LESSON
from course.bilm_from_scratch.broken_bilms import RUNS, TARGETS
from course.bilm_from_scratch.word_bilm import MEET, PADDING

FAULTS = (  # as the lesson numbers them
    "the directions meet between the layers",
    "the forward reader is asked for the word that it has just read",
    "the backward reader is asked for the word that it has just read",
    "the forward reader reads padding before the first word of a short sentence",
    "the backward reader reads padding before the last word of a short sentence",
    "the learning rate is a hundred times too small",
)
NUMBERS = {MEET: 1, TARGETS: 3, PADDING: 5}
TRUTH = {name: NUMBERS[fault] for name, fault in RUNS.items()}
WOULD_SHOW = {
    1: "the tables would have crosses, and both losses would fall far below the sound run's",
    2: "the forward loss would come close to 0, and the backward one would be honest",
    3: "the backward loss would come close to 0, and the forward one would be honest",
    4: "the forward states of a short sentence would change when a longer one stands beside it",
    5: "the backward states of a short sentence would change when a longer one stands beside it",
    6: "both losses would hardly fall; tables and distances would be those of the sound run",
}
LOOK = {
    "A": "Compare its two losses, and then its tables",
    "B": "Look at the printed distances, alone and beside a longer sentence",
    "C": "Look for crosses in its tables",
}

EXERCISE = WhichFault("run", FAULTS, TRUTH, WOULD_SHOW, LOOK).exercise(
    "broken_runs",
    "Three broken runs",
    LESSON,
    lambda: {"A": 3, "B": 5, "C": 1},
    difficulty=2,
    importance=5,
    minutes=8,
)
