"""Senses of the course's sentences by the vote of the nearest, and the cheap controls of it.

For each test sentence, the three training sentences of the same word whose vectors are nearest
vote. What a vector of a place knows has to beat what the two words beside it know.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from course.results.stored import stored_result
from elmo_mini.probing.classifiers import knn
from elmo_mini.probing.report import bootstrap_interval
from elmo_mini.recurrent.context2vec import Context2Vec, context_vectors
from elmo_mini.recurrent.language_model import LSTMLanguageModel, hidden_states
from elmo_mini.text.running_text import BOUNDARY
from elmo_mini.text.senses import sense_sentences
from elmo_mini.text.vocabulary import Vocabulary

Floats = NDArray[np.float32]
Right = NDArray[np.bool_]
NEIGHBOURS = 3


class SenseVote:
    """The English sentences of the course, and a vote on each test sentence.

    Attributes
    ----------
    sentences : N labelled sentences, training and test
    tokens : their words in lower case
    places : where the ambiguous word stands in each
    tested : (M,) the numbers of the test sentences
    spellings : (N,) the ambiguous word as it stands in each, in lower case
    """

    def __init__(self) -> None:
        self.sentences = sense_sentences("english")
        self.tokens = [[token.lower() for token in s.tokens] for s in self.sentences]
        self.places = [s.position for s in self.sentences]
        splits = np.array([s.split for s in self.sentences])
        self.tested = np.flatnonzero(splits == "test")
        self.words = np.array([s.word for s in self.sentences])
        self.spellings = np.array([s.target.lower() for s in self.sentences])

    @cached_property
    def answers(self) -> list[str]:
        """The senses of the test sentences."""
        return [self.sentences[n].sense for n in self.tested]

    def at_places(self, rows: Sequence[Floats]) -> Floats:
        """Of each sentence's vectors (n, D), the one at its ambiguous word: (N, D)."""
        return np.stack([row[at] for row, at in zip(rows, self.places, strict=True)])

    def right(self, vectors: Floats) -> Right:
        """Whether the vote on each test sentence is right, (M,).

        Parameters
        ----------
        vectors : (N, D), one for each sentence
        """
        test = np.isin(np.arange(len(self.sentences)), self.tested)
        right = np.zeros(len(self.sentences), bool)
        for word in sorted(set(self.words)):
            known, asked = (np.flatnonzero((self.words == word) & part) for part in (~test, test))
            labels = [self.sentences[n].sense for n in known]
            said = knn(vectors[known], labels, vectors[asked], NEIGHBOURS)
            right[asked] = [s == self.sentences[n].sense for s, n in zip(said, asked, strict=True)]
        return right[self.tested]

    def by_states(
        self, made: Callable[[], LSTMLanguageModel], vocabulary: Vocabulary, draws: int = 1
    ) -> list[Right]:
        """`right` by the state at the word, of models that are made from seeds 0, 1, ..."""
        right = []
        for seed in range(draws):
            with torch.random.fork_rng(devices=[]):
                torch.manual_seed(seed)
                model = made()
            right.append(self.right(self.at_places(hidden_states(model, vocabulary, self.tokens))))
        return right

    def by_gap(self, reader: Context2Vec, vocabulary: Vocabulary) -> Right:
        """`right` by what a context2vec makes of the place of the ambiguous word."""
        return self.right(self.at_places(context_vectors(reader, vocabulary, self.tokens)))

    def by_spelling(self, draws: int) -> list[Right]:
        """`right` by random vectors of the spellings alone, drawn so many times."""
        forms, numbers = np.unique(self.spellings, return_inverse=True)
        tables = (np.random.default_rng(n).standard_normal((len(forms), 64)) for n in range(draws))
        return [self.right(table.astype(np.float32)[numbers]) for table in tables]

    def by_words_beside(self, draws: int) -> list[Right]:
        """`right` by random vectors of the two words beside, drawn so many times."""
        return [self.right(words_beside(self.tokens, self.places, n)) for n in range(draws)]

    def score(self, right: Sequence[Right] | NDArray[np.float64]) -> dict[str, float]:
        """Mean of (draws, M) outcomes, with a 95 % bootstrap interval over words and draws.

        Words are drawn whole: the sentences of a word share its senses and its neighbours.
        """
        _, numbers = np.unique(self.words[self.tested], return_inverse=True)
        outcomes = np.atleast_2d(np.asarray(right, float))
        mean, low, high = bootstrap_interval(outcomes, numbers)
        return {"mean": mean, "low": low, "high": high}


def stored_course_senses() -> dict[str, Any]:
    """The stored votes on the course's sentences and their leads, all controls together."""
    course = stored_result("context_senses").numbers["course sentences"]
    beside = stored_result("context_trained_beside").numbers
    both = ("3-NN", "leads, over words and seeds")
    return {**course, **{key: {**beside[key], **course[key]} for key in both}}


def words_beside(tokens: Sequence[Sequence[str]], places: Sequence[int], seed: int) -> Floats:
    """(N, 128): random vectors of the word before and the word after each place.

    A word has the same vector everywhere; nothing is learnt.
    """
    random = np.random.default_rng(seed)
    table: defaultdict[str, Floats] = defaultdict(
        lambda: random.standard_normal(64).astype(np.float32)
    )
    rows = []
    for words, at in zip(tokens, places, strict=True):
        around = [BOUNDARY, *words, BOUNDARY]
        rows.append(np.concatenate([table[around[at]], table[around[at + 2]]]))
    return np.stack(rows)
