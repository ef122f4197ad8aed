"""Exercise `broken_reports`: which fault has which report?"""

from autograde.checking.which_fault import WhichFault
from autograde.exercises.a_hundred_labels import LESSON
from course.a_hundred_labels.broken_reports import FAULTS, RUNS

TRUTH = {name: 1 + FAULTS.index(fault) for name, fault in RUNS.items()}
WOULD_SHOW = {
    1: "texts without a double would come out worse than what is reported",
    2: "coin flips would be told apart, too, and far more often than half the time, with or "
    "without doubles",
    3: "the reported number would be that of a coin, while the same models do well on fresh texts",
    4: "every draw would report the very same number",
    5: "with coin flips for labels nothing would be left of it, and a classifier that always says "
    "this class would be right about everything",
    6: "the method's own numbers would be as in the sound report: only its lead would be too large",
}
LOOK = {
    "A": "Look at what it makes of coin flips, and whether copies can explain that",
    "B": "Look at the five draws, one by one",
    "C": "Look at the last column, and compare it with the reported number",
}

EXERCISE = WhichFault("report", FAULTS, TRUTH, WOULD_SHOW, LOOK, {"B": 1}).exercise(
    "broken_reports",
    "Three broken reports",
    LESSON,
    lambda: {"A": 2, "B": 4, "C": 1},
    difficulty=2,
    importance=5,
    minutes=8,
)
