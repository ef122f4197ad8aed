"""A made-up exercise, small enough to see through: double the numbers."""

from typing import Any

import numpy as np

from autograde.checking.exercise import Case, Exercise, Mistake


def double(values: np.ndarray) -> np.ndarray:
    """The reference of a made-up exercise."""
    return 2 * values


def exercise(**changes: Any) -> Exercise:
    declared: dict[str, Any] = {
        "id": "double",
        "title": "Double",
        "lesson": "00_test",
        "points": 4,
        "difficulty": 1,
        "importance": 1,
        "minutes": 1,
        "reference": double,
        "cases": (
            Case("drawn numbers", lambda rng: {"values": rng.standard_normal(5)}, weight=3),
            Case("no numbers", lambda rng: {"values": np.zeros(0)}, edge=True),
        ),
        "mistakes": (
            Mistake("squared", lambda values: values**2, "You square.", hint=2),
            Mistake("halved", lambda values: values / 2, "You halve."),
            Mistake("unchanged", lambda values: values, "You return the argument."),
        ),
    }
    return Exercise(**(declared | changes))
