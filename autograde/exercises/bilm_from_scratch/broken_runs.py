"""Exercise `broken_runs`: which fault has which run?"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from autograde.checking.answers import Answer, AnswerRefused, Plain
from autograde.checking.exercise import Case, Exercise, Inputs, Mistake
from autograde.exercises.bilm_from_scratch import LESSON
from elmo_mini.experiments.planted_faults import RUNS, TARGETS
from elmo_mini.experiments.word_bilm import MEET, PADDING

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


def reference() -> dict[str, int]:
    """The number of each run's fault."""
    return dict(TRUTH)


def _run(answer: Answer, inputs: Inputs) -> Plain:
    """The learner's fault of the run, if it has that; a wrong one is told what it would show.

    So each run has its own sentence, however many of them are wrong.
    """
    said = answer()
    name = inputs["run"]
    if not isinstance(said, Mapping) or name not in said:
        raise AnswerRefused(
            'Return a dict with a number for each run: {"A": ..., "B": ..., "C": ...}.'
        )
    number = said[name]
    if isinstance(number, float) and number.is_integer():
        number = int(number)
    if isinstance(number, bool) or not isinstance(number, int | np.integer):
        raise AnswerRefused(f"For {name} you say {number!r}. Give the number of the fault, 1 to 6.")
    if not 1 <= number <= len(FAULTS):
        raise AnswerRefused(f"There is no fault {number}. They are numbered from 1 to 6.")
    if number != TRUTH[name]:
        raise AnswerRefused(_said_of(name, int(number)))
    return {name: number}


def _asked(name: str) -> Any:
    return lambda rng: {"run": name}


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
        hint=2,
    )


EXERCISE = Exercise(
    id="broken_runs",
    title="Three broken runs",
    lesson=LESSON,
    points=3,
    difficulty=2,
    importance=5,
    minutes=8,
    reference=reference,
    run=_run,
    cases=tuple(Case(f"run {name}", _asked(name)) for name in TRUTH),
    mistakes=(
        *(
            _wrong(name, number)
            for name, right in TRUTH.items()
            for number in range(1, len(FAULTS) + 1)
            if number != right
        ),
        Mistake(
            "the faults in words",
            lambda: {name: FAULTS[number - 1] for name, number in TRUTH.items()},
            "You give the faults in words. Give the number of each, as in the list.",
        ),
    ),
    right_answers={
        "NumPy numbers": lambda: {name: np.int64(number) for name, number in TRUTH.items()},
        "the three numbers": lambda: {"A": 3, "B": 5, "C": 1},
    },
)
