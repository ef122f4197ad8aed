"""Word senses in the course's sentences by three nearest neighbours, and a cheap baseline.

Vectors in context have to beat random vectors of the two neighbouring words.
"""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from course.baselines.naive_bayes import naive_bayes
from course.results.stored import stored_result
from elmo_mini.probing.classifiers import knn
from elmo_mini.probing.report import bootstrap_interval
from elmo_mini.text.running_text import BOUNDARY
from elmo_mini.text.senses import sense_sentences

COUNTED = "naive Bayes on the form and two words on either side"
Floats = NDArray[np.float32]
Right = NDArray[np.bool_]


class SenseTask:
    """The English sentences of the course with their ambiguous words, N in all, 335 for the test.

    Attributes
    ----------
    tokens : the words of each, in lower case
    positions : where the ambiguous word stands
    words, spellings, senses : (N,) the ambiguous word, as it stands there, and what it means there
    is_test : (N,) whether the sentence is for the test
    """

    def __init__(self) -> None:
        sentences = sense_sentences("english")
        self.tokens = [[token.lower() for token in s.tokens] for s in sentences]
        self.positions = [s.position for s in sentences]
        self.words = np.array([s.word for s in sentences])
        self.spellings = np.array([s.target.lower() for s in sentences])
        self.senses = np.array([s.sense for s in sentences])
        self.is_test = np.array([s.split == "test" for s in sentences])

    def correct(self, vectors: Floats) -> Right:
        """Whether the three nearest training sentences of its word have the sense of each test.

        Parameters
        ----------
        vectors : (N, D), one for each sentence

        Returns
        -------
        (335,)
        """
        correct = np.zeros(len(self.words), bool)
        for word in np.unique(self.words):
            train, test = (np.flatnonzero((self.words == word) & p) for p in self._parts)
            predicted = knn(vectors[train], self.senses[train].tolist(), vectors[test], 3)
            correct[test] = np.array(predicted) == self.senses[test]
        return correct[self.is_test]

    def by_counting(self) -> Right:
        """(335,) whether naive Bayes is right: the form and two words on either side, counted.

        It learns from the labelled sentences alone; no other text is read.
        """
        seen = []
        for words, at in zip(self.tokens, self.positions, strict=True):
            around = ["", "", *words, "", ""][at : at + 5]
            seen.append([f"{offset} {word}" for offset, word in enumerate(around, -2)])
        correct = np.zeros(len(self.words), bool)
        for word in np.unique(self.words):
            train, test = (np.flatnonzero((self.words == word) & p) for p in self._parts)
            known, asked = ([seen[row] for row in rows] for rows in (train, test))
            senses, likely = naive_bayes(known, self.senses[train], asked, smoothing=0.5)
            correct[test] = senses[likely.argmax(1)] == self.senses[test]
        return correct[self.is_test]

    def score(self, correct: Sequence[Right] | NDArray[np.float64]) -> dict[str, float]:
        """Mean of (draws, 335) outcomes, with a 95 % bootstrap interval over words and draws.

        Words are drawn whole: the sentences of a word share its senses and its neighbours.
        """
        _, numbers = np.unique(self.words[self.is_test], return_inverse=True)
        mean, low, high = bootstrap_interval(np.atleast_2d(np.asarray(correct, float)), numbers)
        return {"mean": mean, "low": low, "high": high}

    @property
    def _parts(self) -> tuple[Right, Right]:
        return ~self.is_test, self.is_test


def stored_course_senses() -> dict[str, Any]:
    """The stored votes on the course's sentences and their leads, all controls together."""
    course = stored_result("context_senses").numbers["course sentences"]
    beside = stored_result("context_trained_beside").numbers
    both = ("3-NN", "leads, over words and seeds")
    return {**beside, **course, **{key: {**beside[key], **course[key]} for key in both}}


def words_beside(tokens: Sequence[Sequence[str]], positions: Sequence[int], seed: int) -> Floats:
    """(N, 128): random vectors of the word before and the word after each position.

    A word has the same vector everywhere; nothing is learnt.
    """
    random = np.random.default_rng(seed)
    table: defaultdict[str, Floats] = defaultdict(
        lambda: random.standard_normal(64).astype(np.float32)
    )
    rows = []
    for words, at in zip(tokens, positions, strict=True):
        around = [BOUNDARY, *words, BOUNDARY]
        rows.append(np.concatenate([table[around[at]], table[around[at + 2]]]))
    return np.stack(rows)
