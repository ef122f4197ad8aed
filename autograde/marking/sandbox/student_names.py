"""autograde, as a submission sees it while it is marked: nothing is judged in this process.

This module stands in the place of the package's own ``__init__``.
"""

from typing import Any

GIVEN_BACK: dict[str, Any] = {}


def check(exercise_id: str, answer: Any = None) -> None:
    """Nothing: the check runs outside."""


def or_reference(exercise_id: str, answer: Any) -> Any:
    """The answer, or the course's own function, where that was given back after the verdict."""
    return GIVEN_BACK.get(exercise_id, answer)


def mine(exercise_id: str) -> Any:
    """The course's own function of an earlier lesson."""
    return GIVEN_BACK[exercise_id]


def whose(**parts: Any) -> str:
    """Nothing is said while marking."""
    return ""


def predict(*arguments: Any, **named: Any) -> None:
    """Nothing."""


outcome = calibration = environment = model_answer = progress = write_my_elmo = predict
