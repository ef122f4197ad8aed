"""Weights of a very small ELMo under the names of the official files, drawn from a seed."""

import numpy as np
import torch
from torch import Tensor

from autograde.exercises.from_characters.small_weights import drawn_weights

CELL = "RNN_{}/RNN/MultiRNNCell/Cell{}/LSTMCell/{}"
HIDDEN, CELLS = 4, 5


def small_elmo(seed: int, layers: int = 2) -> dict[str, Tensor]:
    """A character CNN, and `layers` LSTMs of five cells in each direction."""
    rng = np.random.default_rng(seed)
    weights = drawn_weights(rng, ((1, 8), (2, 8)), dim=4, hidden=HIDDEN)
    shapes = {"W_0": (2 * HIDDEN, 4 * CELLS), "B": (4 * CELLS,), "W_P_0": (CELLS, HIDDEN)}
    for direction in (0, 1):
        for layer in range(layers):
            for name, shape in shapes.items():
                weights[CELL.format(direction, layer, name)] = 0.7 * rng.standard_normal(shape)
    return {name: torch.from_numpy(value) for name, value in weights.items()}
