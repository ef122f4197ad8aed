"""A task that hangs on both sides at once: does the verb agree with its noun?

*The dogs near the gate are old*: at *gate* the noun stands to the left and the verb to the right.
Whether the sentence is right, neither of the two says alone.
"""

from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from elmo_mini.bilm.model import BiLM
from elmo_mini.probing.classifiers import linear
from elmo_mini.vectors.stream import Floats, embed_stream

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
    place : of the last word of the middle, in every sentence of one length its own
    left, right : (N,) bool, whether the noun and whether the verb is plural
    """

    sentences: list[list[str]]
    place: list[int]
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
    sentences, place, left, right = [], [], [], []
    for noun, verb, middle in product(nouns, VERBS, MIDDLES):
        for plural, several in product((False, True), repeat=2):
            start = ["The", noun + "s" * plural, *middle.split()]
            sentences.append([*start, verb[several], "not", "here", "."])
            place.append(len(start) - 1)
            left.append(plural)
            right.append(several)
    return Agreement(sentences, place, np.array(left), np.array(right))


def linear_reader(bilm: BiLM) -> dict[str, float]:
    """Share of the new sentences that a linear reader of the top layer judges rightly.

    It reads one vector, at the last word of the middle: what was read from the left, then from
    the right. The keys say what it was asked: ``left``, ``right``, ``agree``.
    """
    learnt, asked = agreement()
    known, new = (_vectors(bilm, task) for task in (learnt, asked))
    found = {}
    for question in ("left", "right", "agree"):
        labels = [str(label) for label in getattr(learnt, question)]
        truth = getattr(asked, question).astype(str)
        found[question] = float((np.array(linear(known, labels, new)) == truth).mean())
    return found


def _vectors(bilm: BiLM, task: Agreement) -> Floats:
    embedded = embed_stream(bilm, task.sentences, progress=False)
    pairs = zip(embedded, task.place, strict=True)
    return np.stack([e.every_layer()[bilm.num_layers - 1, at] for e, at in pairs])
