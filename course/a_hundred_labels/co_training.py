"""Naive Bayes with EM, logistic regression on ELMo's vectors, and the co-training of both.

Nigam and others 2000 (Machine Learning 39) for EM, Blum & Mitchell 1998 (COLT) for co-training.
What a reader says of a text is a row of log-probabilities, one for each class; a constant may be
missing from a row.
"""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import vstack
from scipy.special import softmax

from course.a_hundred_labels import methods
from course.a_hundred_labels.protocol import Texts
from course.ulmfit.baselines import OF_VECTORS
from elmo_mini.extras import brought_by

with brought_by("experiments"):
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.linear_model import LogisticRegression

Scores = NDArray[np.float64]
Reader = Callable[[Texts], Scores]
Sure = tuple[Sequence[int], Sequence[int]]
ROUNDS, OFTEN = 10, 3
"""Rounds, and in how many texts a word or pair must stand to be counted. Both were chosen on texts
of dev that the experiments do not ask. With rarer ones, the class with more words among its labels
took nearly all texts in 11 of 20 draws of 25 labels, and EM never came back from there."""


def _words_and_pairs(text: Sequence[str]) -> list[str]:
    return [*text, *map(" ".join, pairwise(text))]


def log_shares(counts: Scores) -> Scores:
    """Naive Bayes: the log of each word's share in its class, (V, C), one added to each count."""
    smoothed = 1 + counts
    shares: Scores = np.log(smoothed / smoothed.sum(0))
    return shares


def em(w: Scores, known: Any, labels: NDArray[Any], free: Any, rounds: int = ROUNDS) -> Scores:
    """Naive Bayes after so many rounds of expectation-maximisation; classes are as likely a priori.

    Parameters
    ----------
    w : (V, C) the first log shares
    known, free : (N, V) and (M, V) 1 where a text holds a word, NumPy's or sparse
    labels : (N,) of the known texts, from 0
    """
    given = np.eye(w.shape[1])[labels]
    for _ in range(rounds):
        guess = softmax(free @ w, axis=1)
        w = log_shares(known.T @ given + free.T @ guess)
    return w


def naive_bayes_with_em(
    texts: Texts, labels: Sequence[int], unlabelled: Texts, start: Sure = ((), ())
) -> Reader:
    """Naive Bayes on words and pairs, after ten rounds of EM over the unlabelled texts.

    Parameters
    ----------
    start : rows of `unlabelled` that the first round has labels for, and these labels
    """
    count = CountVectorizer(analyzer=_words_and_pairs, binary=True, min_df=OFTEN)
    every = count.fit_transform([*texts, *unlabelled])
    known, free = every[: len(texts)], every[len(texts) :]
    classes = sorted(set(labels))
    places = np.searchsorted(classes, [*labels, *start[1]])
    first = vstack([known, free[list(start[0])]]).T @ np.eye(len(classes))[places]
    w = em(log_shares(first), known, places[: len(labels)], free)
    return lambda test: np.asarray(count.transform(test) @ w)


def on_elmo(texts: Texts, labels: Sequence[int]) -> Reader:
    """A logistic regression on ELMo's vectors."""
    vectors, scale, _ = methods.elmo_features()
    read = vectors(texts, labels)
    scaled = scale(read(texts), labels)
    model = LogisticRegression(C=OF_VECTORS, max_iter=2_000).fit(scaled(read(texts)), labels)

    def scores(test: Texts) -> Scores:
        found = model.decision_function(scaled(read(test)))
        return found if found.ndim == 2 else np.column_stack([np.zeros(len(found)), found])

    return scores


def surest(scores: Scores, classes: Sequence[int] = (0, 1)) -> Sure:
    """Half of the rows, as many of each class: those that lean most to it, and their classes.

    Where a draw of labels holds one class more often, the surest of all would be of that class.
    """
    size = len(scores) // (2 * len(classes))
    rows: list[int] = []
    for place in range(len(classes)):
        lean = scores[:, place] - np.delete(scores, place, axis=1).max(1)
        rows += np.argsort(-lean, kind="stable")[:size].tolist()
    return rows, np.repeat(classes, size).tolist()


def teach_each_other(
    texts: Texts, labels: Sequence[int], unlabelled: Texts
) -> tuple[Reader, Reader]:
    """Counts and ELMo, each taught by the unlabelled texts that the other answers surest."""
    classes = sorted(set(labels))
    first = surest(on_elmo(texts, labels)(unlabelled), classes)
    counted = naive_bayes_with_em(texts, labels, unlabelled, first)
    rows, answers = surest(counted(unlabelled), classes)
    return counted, on_elmo([*texts, *(unlabelled[row] for row in rows)], [*labels, *answers])


def named(labels: Sequence[int], *readers: Reader) -> Callable[[Texts], Any]:
    """From texts to the classes that the readers name, their log-probabilities added."""
    classes = np.array(sorted(set(labels)))
    return lambda test: classes[np.sum([reader(test) for reader in readers], axis=0).argmax(1)]
