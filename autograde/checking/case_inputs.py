"""The inputs of a case, drawn once for all answers to it."""

from functools import cache, lru_cache

from autograde.checking.answers import AnswerRefused, plain
from autograde.checking.exercise import Exercise, Inputs
from autograde.checking.judge import first_difference

MOST = 512
"""Kept at once. Fewer than a lesson has, with two seeds, and a class in turn would find none."""


@lru_cache(maxsize=MOST)
def case_inputs(exercise: Exercise, index: int, seed: int) -> Inputs:
    """The inputs of one case: who may change them takes a copy."""
    return exercise.inputs(index, seed)


@cache
def same_for_all(exercise: Exercise) -> frozenset[int]:
    """The cases whose inputs hang on no seed, such as a worked example of the text."""
    return frozenset(
        index
        for index in range(len(exercise.cases))
        if same_inputs(exercise.inputs(index, 1), exercise.inputs(index, 2))
    )


def same_inputs(one: Inputs, other: Inputs) -> bool:
    """Whether two draws of a case are equal; models and functions are not compared."""
    try:
        return first_difference(plain(dict(one)), plain(dict(other)), rtol=0.0, atol=0.0) is None
    except (AnswerRefused, RuntimeError, ValueError):
        return False
