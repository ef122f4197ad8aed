"""Subject-verb agreement, a task that needs context from both sides.

*The dogs near the gate are old*: at *gate* the noun stands to the left and the verb to the right.
Whether the sentence is right, neither of the two says alone.
"""

from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

NOUNS = (
    "dog", "king", "ship", "boy", "girl", "letter", "house", "horse",
    "tree", "book", "door", "friend", "teacher", "picture", "song", "field",
)  # fmt: skip
VERBS = (("is", "are"), ("was", "were"), ("has", "have"), ("does", "do"))
MIDDLES = ("near the gate", "from the town", "of the old man")
TEST_NOUNS = 8


@dataclass(frozen=True)
class Agreement:
    """Sentences and what is asked of each.

    Attributes
    ----------
    sentences : words
    position : of the last word of the middle, in every sentence of one length its own
    left, right : (N,) bool, whether the noun and whether the verb is plural
    """

    sentences: list[list[str]]
    position: list[int]
    left: NDArray[np.bool_]
    right: NDArray[np.bool_]

    @property
    def agree(self) -> NDArray[np.bool_]:
        """(N,) whether noun and verb agree."""
        found: NDArray[np.bool_] = self.left == self.right
        return found


def agreement() -> tuple[Agreement, Agreement]:
    """Sentences to learn from, and sentences with other nouns to be asked about."""
    return _sentences(NOUNS[:TEST_NOUNS]), _sentences(NOUNS[TEST_NOUNS:])


def _sentences(nouns: tuple[str, ...]) -> Agreement:
    sentences, position, left, right = [], [], [], []
    for noun, verb, middle in product(nouns, VERBS, MIDDLES):
        for plural, several in product((False, True), repeat=2):
            start = ["The", noun + "s" * plural, *middle.split()]
            sentences.append([*start, verb[several], "not", "here", "."])
            position.append(len(start) - 1)
            left.append(plural)
            right.append(several)
    return Agreement(sentences, position, np.array(left), np.array(right))
