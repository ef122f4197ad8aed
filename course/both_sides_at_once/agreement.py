"""A task that hangs on both sides at once: does the verb agree with its noun?

*The dogs near the gate are old*: at *gate* the noun stands to the left and the verb to the right.
Whether the sentence is right, neither of the two says alone.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
import torch
from numpy.typing import NDArray

from course.both_sides_at_once.states import occurrence_states
from elmo_mini.embedding.stream import Floats, embed_stream
from elmo_mini.extras import brought_by
from elmo_mini.fast.bilm import FastBiLM
from elmo_mini.probing.classifiers import linear
from elmo_mini.probing.tasks import Occurrence
from elmo_mini.text.vocabulary import Vocabulary
from elmo_mini.transformer.masked_lm import MaskedLM

with brought_by("experiments"):
    from sklearn.neural_network import MLPClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

Reader = Callable[[Floats, Sequence[str], Floats], list[str]]

NOUNS = (
    "dog", "king", "ship", "boy", "girl", "letter", "house", "horse",
    "tree", "book", "door", "friend", "teacher", "picture", "song", "field",
)  # fmt: skip
VERBS = (("is", "are"), ("was", "were"), ("has", "have"), ("does", "do"))
MIDDLES = ("near the gate", "from the town", "of the old man")
TEST_NOUNS, HIDDEN = 8, 32


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


def linear_reader(bilm: FastBiLM) -> dict[str, float]:
    """Share of the new sentences that a linear reader of the top layer judges rightly.

    It reads one vector, at the last word of the middle: what was read from the left, then from
    the right. The keys say what it was asked: ``left``, ``right``, ``agree``.
    """
    return _judged(linear, *(_vectors(bilm, task) for task in agreement()))


def hidden_reader(bilm: FastBiLM) -> dict[str, float]:
    """As `linear_reader`, with one layer of `HIDDEN` units between the vector and the answer."""
    return _judged(_hidden, *(_vectors(bilm, task) for task in agreement()))


def masked_reader(model: MaskedLM, vocabulary: Vocabulary) -> dict[str, float]:
    """As `linear_reader`, of a masked model's top layer at the same word.

    ``agree, learnt sentences`` is the share among the sentences that it has learnt from.
    """
    known, new = (_states(model, vocabulary, task) for task in agreement())
    learnt, _ = agreement()
    labels = [str(label) for label in learnt.agree]
    again = float((np.array(linear(known, labels, known)) == np.array(labels)).mean())
    return _judged(linear, known, new) | {"agree, learnt sentences": again}


def unread_reader(like: MaskedLM, vocabulary: Vocabulary, seeds: int = 3) -> dict[str, float]:
    """As `masked_reader`, the mean of networks of these sizes that have read nothing."""
    found = []
    with torch.random.fork_rng(devices=[]):
        for seed in range(seeds):
            torch.manual_seed(seed)
            found.append(masked_reader(MaskedLM(like.options).eval(), vocabulary))
    return {question: float(np.mean([of[question] for of in found])) for question in found[0]}


def _judged(reader: Reader, known: Floats, new: Floats) -> dict[str, float]:
    learnt, asked = agreement()
    found = {}
    for question in ("left", "right", "agree"):
        labels = [str(label) for label in getattr(learnt, question)]
        truth = getattr(asked, question).astype(str)
        found[question] = float((np.array(reader(known, labels, new)) == truth).mean())
    return found


def _hidden(known: Floats, labels: Sequence[str], asked: Floats) -> list[str]:
    units = MLPClassifier((HIDDEN,), alpha=0.01, max_iter=600, random_state=0)
    model = make_pipeline(StandardScaler(), units)
    return [str(label) for label in model.fit(known, labels).predict(asked)]


def _vectors(bilm: FastBiLM, task: Agreement) -> Floats:
    embedded = embed_stream(bilm, task.sentences, progress=False)
    pairs = zip(embedded, task.place, strict=True)
    return np.stack([e.every_layer()[bilm.num_layers - 1, at] for e, at in pairs])


def _states(model: MaskedLM, vocabulary: Vocabulary, task: Agreement) -> Floats:
    pairs = zip(task.sentences, task.place, strict=True)
    asked = [Occurrence(tuple(sentence), place, "") for sentence, place in pairs]
    return occurrence_states(model, vocabulary, asked)[:, -1]
