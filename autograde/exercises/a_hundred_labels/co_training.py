"""Two readers that teach each other: counted words with EM, and ELMo's vectors.

Nigam and others 2000 (Machine Learning 39) for the first, Blum & Mitchell 1998 (COLT) for both.
"""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import vstack
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import MultinomialNB

from course.a_hundred_labels import methods
from course.a_hundred_labels.protocol import Texts

Odds = Callable[[Texts], NDArray[np.float64]]
Sure = tuple[Sequence[int], Sequence[int]]


def _words_and_pairs(text: Sequence[str]) -> list[str]:
    return [*text, *map(" ".join, pairwise(text))]


def naive_bayes_with_em(
    texts: Texts, labels: Sequence[int], unlabelled: Texts, start: Sure = ((), ())
) -> Odds:
    """The log-odds of class 1 of two, by words and pairs, after five rounds of EM.

    Parameters
    ----------
    start : rows of `unlabelled` that the first round has labels for, and these labels
    """
    count = CountVectorizer(analyzer=_words_and_pairs, binary=True)
    every = count.fit_transform([*texts, *unlabelled])
    known, free = every[: len(texts)], every[len(texts) :]
    rows, classes = vstack([known, free, free]), [*labels, *np.repeat([0, 1], len(unlabelled))]
    model = MultinomialNB(fit_prior=False)
    model.fit(vstack([known, free[list(start[0])]]), [*labels, *start[1]])
    for _ in range(5):
        p = model.predict_proba(free)
        model.fit(rows, classes, sample_weight=[*np.ones(len(texts)), *p[:, 0], *p[:, 1]])
    return lambda test: np.diff(model.predict_joint_log_proba(count.transform(test))).ravel()


def on_elmo(texts: Texts, labels: Sequence[int]) -> Odds:
    """The log-odds of a logistic regression on ELMo's vectors."""
    vectors, scale, _ = methods.elmo_features()
    read = vectors(texts, labels)
    scaled = scale(read(texts), labels)
    model = LogisticRegression(C=0.01, max_iter=2_000).fit(scaled(read(texts)), labels)
    return lambda test: model.decision_function(scaled(read(test)))


def surest(odds: NDArray[np.float64]) -> Sure:
    """The rows of the surer half, and their answers."""
    rows = np.argsort(-abs(odds), kind="stable")[: len(odds) // 2]
    return rows.tolist(), (odds[rows] > 0).astype(int).tolist()


def co_training(texts: Texts, labels: Sequence[int], unlabelled: Texts, test: Texts) -> Any:
    """Each learns from the half of the unlabelled texts that the other answers surest."""
    counted = naive_bayes_with_em(
        texts, labels, unlabelled, surest(on_elmo(texts, labels)(unlabelled))
    )
    rows, answers = surest(counted(unlabelled))
    taught = on_elmo([*texts, *(unlabelled[row] for row in rows)], [*labels, *answers])
    return (counted(test) + taught(test) > 0).astype(int)
