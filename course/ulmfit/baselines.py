"""What a sceptic tries first: a bag of words, with logistic regression or naive Bayes weights.

Logistic regression and naive Bayes are scikit-learn's. The naive Bayes support vector machine is
that of Wang & Manning 2012 (ACL), "Baselines and Bigrams", section 2.3: a linear classifier over
words that are weighted by how much more often they occur in one class than in the others.
"""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from elmo_mini.extras import brought_by

with brought_by("experiments"):
    from scipy.sparse import csr_matrix
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.naive_bayes import MultinomialNB
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import LinearSVC

Words = Sequence[Sequence[str]]
Labels = Sequence[int]
Answers = NDArray[np.int64]
Learn = Callable[[Words, Labels, Words], Answers]

SMOOTHING = 1.0
OF_WORDS, OF_VECTORS = 10.0, 0.01
"""How freely a logistic regression may weigh words, and how freely numbers of vectors."""


def bag_of_words(known: Words, labels: Labels, asked: Words, pairs: bool = False) -> Answers:
    """Logistic regression on which words occur, and, if asked for, which pairs of neighbours."""
    x, y = _occurrences(known, asked, pairs)
    return logistic(x, labels, OF_WORDS)(y)


def naive_bayes(known: Words, labels: Labels, asked: Words) -> Answers:
    """Multinomial naive Bayes on which words and pairs of neighbours occur."""
    x, y = _occurrences(known, asked, True)
    return np.asarray(MultinomialNB(alpha=SMOOTHING).fit(x, labels).predict(y), dtype=np.int64)


def naive_bayes_svm(known: Words, labels: Labels, asked: Words) -> Answers:
    """Wang & Manning's classifier on words and pairs, each class against the others.

    Without their interpolation of the weights, which is meant for two classes of one size.
    """
    x, y = _occurrences(known, asked, True)
    classes = sorted(set(labels))
    scores = np.zeros((len(asked), len(classes)))
    for column, label in enumerate(classes):
        here = np.array(labels) == label
        if here.all():
            continue
        p = SMOOTHING + np.asarray(x[here].sum(0)).ravel()
        q = SMOOTHING + np.asarray(x[~here].sum(0)).ravel()
        ratio = np.log(p / p.sum()) - np.log(q / q.sum())
        svm = LinearSVC(C=1.0).fit(csr_matrix(x.multiply(ratio)), here)
        scores[:, column] = svm.decision_function(csr_matrix(y.multiply(ratio)))
    return np.array(classes)[scores.argmax(1)]


def linear_on(known: NDArray[np.float32], labels: Labels, asked: NDArray[np.float32]) -> Answers:
    """Logistic regression on vectors (N, D), each number brought to mean 0 and spread 1."""
    scale = StandardScaler().fit(known)
    x, y = scale.transform(known), scale.transform(asked)
    return logistic(x, labels, OF_VECTORS)(y)


def logistic(x: Any, labels: Labels, freedom: float) -> Callable[[Any], Answers]:
    """Logistic regression on (N, D), sparse or not, as a function that answers for other rows.

    Parameters
    ----------
    labels : N of them; where all are one, that is every answer
    freedom : scikit-learn's C
    """
    if len(set(labels)) == 1:
        return lambda asked: np.full(asked.shape[0], labels[0])
    model = LogisticRegression(C=freedom, max_iter=2_000).fit(x, labels)
    return lambda asked: np.asarray(model.predict(asked), dtype=np.int64)


def _occurrences(known: Words, asked: Words, pairs: bool) -> tuple[csr_matrix, csr_matrix]:
    """1 where a word of the known texts (or a pair) occurs, (N, words), for both."""
    count = CountVectorizer(
        analyzer=lambda words: _with_pairs(words) if pairs else words, binary=True
    )
    return count.fit_transform(known), count.transform(asked)


def _with_pairs(words: Sequence[str]) -> list[str]:
    return [*words, *(f"{a} {b}" for a, b in pairwise(words))]
