"""Exercise `broken_heads`: which fault has which run?"""

from autograde.checking.exercise import Exercise
from autograde.exercises.attention import LESSON
from autograde.exercises.from_characters.which_fault import WhichFault
from elmo_mini.experiments.broken_attention import FAULTS, RUNS

TRUTH = {name: 1 + FAULTS.index(fault) for name, fault in RUNS.items()}

WHICH = WhichFault(
    thing="run",
    faults=FAULTS,
    truth=TRUTH,
    would_show={
        1: "the table would have crosses, and each row of shares would still add up to 1",
        2: "places that a word may move would stand still",
        3: "the table would have crosses, and the rows of shares would no longer add up to 1",
        4: "the table would be clean, and the largest shares would be larger than the sound run's",
        5: "the table would be clean, and the loss would fall far below that of any language model",
        6: "the loss would be far above the counts of words",
    },
    look={
        "A": "Compare the grey places of A's table with the sound run's",
        "B": "Look for crosses in its table, and then at its shares",
        "C": "Its table and its loss are like the sound run's; look at the shares",
    },
    hints={"A": 1, "B": 2, "C": 3},
)


def broken_heads() -> dict[str, int]:
    """The number of each run's fault."""
    return TRUTH


EXERCISE = Exercise(
    id="broken_heads",
    title="Three broken runs",
    lesson=LESSON,
    points=3,
    difficulty=3,
    importance=4,
    minutes=10,
    reference=broken_heads,
    run=WHICH.run,
    cases=WHICH.cases(),
    mistakes=WHICH.mistakes(),
    right_answers={"the three numbers": lambda: {"A": 2, "B": 3, "C": 4}},
)
