"""Looking up exercises: one folder a lesson, one file an exercise, `find` by its id.

A lesson's folder names its exercises in their order, so that one exercise can be found and loaded
without the others.
"""

import importlib
import pkgutil
from functools import cache

from autograde.checking.exercise import Exercise
from autograde.workspace.renamed import present_id

_PACKAGE = "autograde.exercises"


@cache
def places() -> dict[str, str]:
    """Every exercise's id and the module that holds it, lesson by lesson.

    Raises:
        ValueError: if two exercises have the same id.
    """
    lessons = [
        importlib.import_module(f"{_PACKAGE}.{found.name}")
        for found in pkgutil.iter_modules(importlib.import_module(_PACKAGE).__path__)
    ]
    modules: dict[str, str] = {}
    for lesson in sorted(lessons, key=lambda lesson: lesson.LESSON):
        for exercise_id in lesson.EXERCISES:
            if exercise_id in modules:
                raise ValueError(f"two exercises have the id {exercise_id!r}")
            modules[exercise_id] = f"{lesson.__name__}.{exercise_id}"
    return modules


def catalogue() -> dict[str, Exercise]:
    """All exercises by id, in the order of the lessons."""
    return {exercise_id: find(exercise_id) for exercise_id in places()}


def find(exercise_id: str) -> Exercise:
    """The exercise with this id, or with the one that an earlier release gave it.

    Raises:
        KeyError: with the ids that exist.
    """
    exercise_id = present_id(exercise_id)
    if exercise_id not in places():
        known = ", ".join(places())
        raise KeyError(f"there is no exercise {exercise_id!r}; there are: {known}")
    exercise: Exercise = importlib.import_module(places()[exercise_id]).EXERCISE
    return exercise
