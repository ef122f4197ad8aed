"""How many letters one must type to turn one word into another (Levenshtein 1966)."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


def edit_distances(word: str, others: Sequence[str]) -> NDArray[np.int64]:
    """Letters to put in, take out or replace, from `word` to each of N others: (N,)."""
    lengths = np.array([len(other) for other in others], dtype=np.int64)
    longest = int(lengths.max(initial=0))
    letters = np.zeros((len(others), longest), dtype=np.int64)
    for row, other in zip(letters, others, strict=True):
        row[: len(other)] = [ord(letter) for letter in other]
    places = np.arange(longest + 1)
    distance = np.tile(places, (len(others), 1))  # from nothing to each beginning of the others
    for i, letter in enumerate(word, start=1):
        replaced = distance[:, :-1] + (letters != ord(letter))
        taken_out = distance[:, 1:] + 1
        without_putting_in = np.minimum(replaced, taken_out)
        first = np.full((len(others), 1), i)
        distance = np.concatenate([first, without_putting_in], axis=1)
        distance = np.minimum.accumulate(distance - places, axis=1) + places
    found: NDArray[np.int64] = distance[np.arange(len(others)), lengths]
    return found
