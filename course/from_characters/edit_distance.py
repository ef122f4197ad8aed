"""Edit distance of two words (Levenshtein 1966)."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from elmo_mini.progress import progress_bar

MANY = 50  # words, of which a bar shows the progress


def edit_distances(words: Sequence[str], others: Sequence[str]) -> NDArray[np.int16]:
    """Letters to put in, take out or replace, from each of Q words to each of N others: (Q, N)."""
    lengths = np.array([len(other) for other in others], dtype=np.int64)
    letters = np.zeros((int(lengths.max(initial=0)), len(others)), dtype=np.int32)
    for column, other in enumerate(others):
        letters[: len(other), column] = [ord(letter) for letter in other]
    each = progress_bar(words, "counting letters", unit=" words", show=len(words) > MANY)
    found = [_distances(word, letters)[lengths, np.arange(len(others))] for word in each]
    return np.array(found, dtype=np.int16).reshape(len(words), len(others))


def _distances(word: str, letters: NDArray[np.int32]) -> NDArray[np.int16]:
    """From the whole word to each beginning of the others, (longest + 1, N)."""
    places = np.arange(len(letters) + 1, dtype=np.int16)[:, None]
    distance = np.repeat(places, letters.shape[1], axis=1)  # from nothing to each beginning
    for i, letter in enumerate(word, start=1):
        replaced = distance[:-1] + (letters != ord(letter))
        taken_out = distance[1:] + 1
        first = np.full((1, letters.shape[1]), i, dtype=np.int16)
        reached = np.concatenate([first, np.minimum(replaced, taken_out)])
        distance = np.minimum.accumulate(reached - places) + places  # putting letters in
    return distance
