"""The exercises, one file per lesson; `find` looks one up by its id."""

import importlib
import pkgutil
from functools import cache

from autograde.checking.exercise import Exercise


@cache
def catalogue() -> dict[str, Exercise]:
    """All exercises by id, in the order of the lesson files.

    Raises:
        ValueError: if two exercises have the same id.
    """
    found: dict[str, Exercise] = {}
    for module in sorted(pkgutil.iter_modules(__path__), key=lambda m: m.name):
        for exercise in importlib.import_module(f"{__name__}.{module.name}").EXERCISES:
            if exercise.id in found:
                raise ValueError(f"two exercises have the id {exercise.id!r}")
            found[exercise.id] = exercise
    return found


def find(exercise_id: str) -> Exercise:
    """The exercise with this id.

    Raises:
        KeyError: with the ids that exist.
    """
    try:
        return catalogue()[exercise_id]
    except KeyError:
        known = ", ".join(catalogue())
        raise KeyError(f"there is no exercise {exercise_id!r}; there are: {known}") from None
