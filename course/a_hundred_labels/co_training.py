"""Two readers that teach each other: counted words with EM, and ELMo's vectors.

Nigam and others 2000 (Machine Learning 39) for the first, Blum & Mitchell 1998 (COLT) for both.
What a reader says of a text is a row of log-probabilities, one for each class; a constant may be
missing from a row.
"""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import vstack

from course.a_hundred_labels import methods
from course.a_hundred_labels.protocol import Texts
from course.ulmfit.baselines import OF_VECTORS
from elmo_mini.extras import brought_by

with brought_by("experiments"):
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.naive_bayes import MultinomialNB

Scores = NDArray[np.float64]
Reader = Callable[[Texts], Scores]
Sure = tuple[Sequence[int], Sequence[int]]
ROUNDS, OFTEN = 10, 3
"""Rounds, and in how many texts a word or pair must stand to be counted. Both were chosen on texts
of dev that the experiments do not ask. With rarer ones, the class with more words among its labels
took nearly all texts in 11 of 20 draws of 25 labels, and EM never came back from there."""


def _words_and_pairs(text: Sequence[str]) -> list[str]:
    return [*text, *map(" ".join, pairwise(text))]


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
    rows = vstack([known, *[free] * len(classes)])
    names = [*labels, *np.repeat(classes, len(unlabelled))]
    model = MultinomialNB(fit_prior=False)
    model.fit(vstack([known, free[list(start[0])]]), [*labels, *start[1]])
    for _ in range(ROUNDS):
        p = model.predict_proba(free)
        model.fit(rows, names, sample_weight=[*np.ones(len(texts)), *p.T.ravel()])
    return lambda test: np.asarray(model.predict_joint_log_proba(count.transform(test)))


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
