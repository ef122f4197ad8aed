"""Vectors and scores for the exercises on skip-gram with negative sampling."""

from typing import Any

import numpy as np

from autograde.checking.exercise import Inputs


def vectors(pairs: int, negatives: int, dimension: int, scale: float = 1.0) -> Any:
    def make(rng: np.random.Generator) -> Inputs:
        def draw(*shape: int) -> np.ndarray:
            return (scale * rng.standard_normal(shape)).astype(np.float32)

        return {
            "center": draw(pairs, dimension),
            "context": draw(pairs, dimension),
            "negatives": draw(pairs, negatives, dimension),
        }

    return make


def zero_scores(rng: np.random.Generator) -> Inputs:
    inputs = vectors(4, 5, 3)(rng)
    return inputs | {"center": np.zeros_like(inputs["center"])}
