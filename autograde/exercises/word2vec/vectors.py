"""Vectors and scores for the exercises on skip-gram with negative sampling."""

import numpy as np

from autograde.checking.exercise import Case, Inputs, Random


@Case.drawn
def vectors(rng: Random, pairs: int, negatives: int, dimension: int, scale: float = 1.0) -> Inputs:
    def draw(*shape: int) -> np.ndarray:
        return (scale * rng.standard_normal(shape)).astype(np.float32)

    return {
        "center": draw(pairs, dimension),
        "context": draw(pairs, dimension),
        "negatives": draw(pairs, negatives, dimension),
    }


def zero_scores(rng: Random) -> Inputs:
    inputs = vectors(4, 5, 3)(rng)
    return inputs | {"center": np.zeros_like(inputs["center"])}
