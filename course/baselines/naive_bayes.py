"""Naive Bayes on counted features (clues), such as a word's neighbours.

With EM over unlabelled text: `course.a_hundred_labels.co_training`.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from elmo_mini.extras import brought_by

with brought_by("experiments"):
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.naive_bayes import MultinomialNB

Clues = Iterable[Sequence[str]]


def naive_bayes(
    known: Clues, labels: Sequence[str] | NDArray[Any], asked: Clues, smoothing: float
) -> tuple[NDArray[Any], NDArray[np.float64]]:
    """The labels in the order of the alphabet, (S,), and the log probability of each, (asked, S).

    Parameters
    ----------
    known, asked : for each example its clues; one that stands twice counts twice
    labels : of the known
    smoothing : what is added to each count of a clue with a label
    """
    counts = CountVectorizer(analyzer=list)
    model = MultinomialNB(alpha=smoothing).fit(counts.fit_transform(known), labels)
    return model.classes_, model.predict_log_proba(counts.transform(asked))
