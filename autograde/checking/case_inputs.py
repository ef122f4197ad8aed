"""The inputs of a case, drawn once for all answers to it."""

from functools import lru_cache

from autograde.checking.exercise import Exercise, Inputs


@lru_cache(maxsize=64)
def case_inputs(exercise: Exercise, index: int, seed: int) -> Inputs:
    """The inputs of one case: who may change them takes a copy."""
    return exercise.inputs(index, seed)
