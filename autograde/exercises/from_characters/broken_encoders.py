"""Exercise `broken_encoders`: which fault has which encoder?"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from autograde.checking.answers import Answer, AnswerRefused, Plain
from autograde.checking.exercise import Case, Exercise, Inputs, Mistake
from autograde.exercises.from_characters import LESSON
from autograde.exercises.from_characters.broken import FAULTS, PLANTED

TRUTH = {name: place + 1 for name, place in PLANTED.items()}  # as the lesson numbers them


def reference() -> dict[str, int]:
    """The number of each encoder's fault."""
    return dict(TRUTH)


def _run(answer: Answer, inputs: Inputs) -> Plain:
    """The learner's fault of the encoder, if it has that; a wrong one is told what it would show.

    So each encoder has its own sentence, however many of them are wrong.
    """
    said = answer()
    name = inputs["encoder"]
    if not isinstance(said, Mapping) or name not in said:
        raise AnswerRefused(
            'Return a dict with a number for each encoder: {"A": ..., "B": ..., "C": ...}.'
        )
    number = said[name]
    if isinstance(number, float) and number.is_integer():
        number = int(number)
    if isinstance(number, bool) or not isinstance(number, int | np.integer):
        raise AnswerRefused(f"For {name} you say {number!r}. Give the number of the fault, 1 to 8.")
    if not 1 <= number <= len(FAULTS):
        raise AnswerRefused(f"There is no fault {number}. They are numbered from 1 to 8.")
    if number != TRUTH[name]:
        raise AnswerRefused(_said_of(name, int(number)))
    return {name: number}


def _encoder(name: str) -> Any:
    return lambda rng: {"encoder": name}


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


def _said_of(name: str, number: int) -> str:
    return (
        f"{name} is not fault {number} ({FAULTS[number - 1]}). With that, {WOULD_SHOW[number]}. "
        f"{LOOK[name]}."
    )


def _wrong(name: str, number: int) -> Mistake:
    return Mistake(
        f"{name} has another fault than {number}",
        lambda: TRUTH | {name: number},
        _said_of(name, number),
        hint=3 if name == "C" else 2,
    )


def _answer_in_words() -> dict[str, str]:
    return {name: FAULTS[place] for name, place in PLANTED.items()}


EXERCISE = Exercise(
    id="broken_encoders",
    title="Three broken encoders",
    lesson=LESSON,
    points=3,
    difficulty=3,
    importance=4,
    minutes=10,
    reference=reference,
    run=_run,
    cases=tuple(Case(f"encoder {name}", _encoder(name)) for name in PLANTED),
    mistakes=(
        *(
            _wrong(name, number)
            for name, right in TRUTH.items()
            for number in range(1, len(FAULTS) + 1)
            if number != right
        ),
        Mistake(
            "the faults in words",
            _answer_in_words,
            "You give the faults in words. Give the number of each, as in the list.",
        ),
    ),
    right_answers={
        "NumPy numbers": lambda: {name: np.int64(number) for name, number in TRUTH.items()},
        "with a point": lambda: {name: float(number) for name, number in TRUTH.items()},
        "the three numbers": lambda: {"A": 2, "B": 3, "C": 7},
    },
)
