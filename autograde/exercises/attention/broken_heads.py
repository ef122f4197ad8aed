"""Exercise `broken_heads`: which fault has which run?"""

from autograde.checking.which_fault import WhichFault
from autograde.exercises.attention import LESSON
from course.attention.broken_attention import FAULTS, RUNS

TRUTH = {name: 1 + FAULTS.index(fault) for name, fault in RUNS.items()}

EXERCISE = WhichFault(
    thing="run",
    faults=FAULTS,
    truth=TRUTH,
    would_show={
        1: "the table would have crosses, and each row of weights would still add up to 1",
        2: "positions that a word may move would stand still",
        3: "the table would have crosses, and the rows of weights would no longer add up to 1",
        4: "the table would be clean, and its largest weights would be larger than the sound run's",
        5: "the table would be clean, and the loss would fall far below that of any language model",
        6: "the loss would be far above the counts of words",
    },
    look={
        "A": "Compare the grey cells of A's table with the sound run's",
        "B": "Look for crosses in its table, and then at its attention weights",
        "C": "Its table and its loss are like the sound run's; look at the attention weights",
    },
    hints={"A": 1, "B": 2, "C": 3},
).exercise(
    "broken_heads",
    "Three broken runs",
    LESSON,
    lambda: {"A": 2, "B": 3, "C": 4},
    difficulty=3,
    importance=4,
    minutes=10,
)
