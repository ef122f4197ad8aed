"""Exercise `broken_encoders`: which fault has which encoder?"""

from autograde.checking.which_fault import WhichFault
from autograde.exercises.from_characters import LESSON
from autograde.exercises.from_characters.broken import FAULTS, PLANTED

TRUTH = {name: place + 1 for name, place in PLANTED.items()}  # as the lesson numbers them


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

EXERCISE = WhichFault("encoder", FAULTS, TRUTH, WOULD_SHOW, LOOK, {"C": 3}).exercise(
    "broken_encoders",
    "Three broken encoders",
    LESSON,
    lambda: {"A": 2, "B": 3, "C": 7},
    difficulty=3,
    importance=4,
    minutes=10,
)
