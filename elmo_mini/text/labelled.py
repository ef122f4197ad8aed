"""Labelled texts: tokens and the number of each text's class."""

from dataclasses import dataclass

import numpy as np

from elmo_mini.settings import whole_number


@dataclass(frozen=True)
class Labelled:
    """Texts and the number of each one's class."""

    texts: list[list[str]]
    labels: list[int]

    def drawn(self, count: int, seed: int) -> "Labelled":
        """So many of them, all if there are fewer; smaller draws of a seed are in larger ones.

        Raises
        ------
        ConfigurationError
            If a number is below 0.
        """
        whole_number("count", count, 0)
        whole_number("seed", seed, 0)
        rows = np.random.default_rng(seed).permutation(len(self.texts))[:count].tolist()
        return Labelled([self.texts[row] for row in rows], [self.labels[row] for row in rows])
