"""Simple classifiers for probing: k nearest neighbours, nearest mean, linear; majority class.

All but the last learn from vectors `train` (N, D) and their N labels, and predict a label for each
vector of `test`, (M, D). What does not fit together, or is not finite, raises ValueError. They ask
for scikit-learn when they are called, and not on import: nothing that looks through the package,
such as `dir` or ``from elmo_mini import *``, needs it.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from elmo_mini.extras import brought_by
from elmo_mini.settings import above_0, whole_number

Floats = NDArray[np.float32]
Labels = NDArray[np.str_]


def check_examples(train: NDArray[Any], labels: Sequence[str] | Labels, test: NDArray[Any]) -> None:
    """Refuse vectors that are no tables (N, D) and (M, D), and labels that are not N, at least one.

    Raises
    ------
    ValueError
        If they do not fit together.
    """
    shapes = np.shape(train), np.shape(test)
    fit = len(shapes[0]) == len(shapes[1]) == 2 and shapes[0][1] == shapes[1][1]
    if not fit or not len(train) == len(labels) > 0:
        raise ValueError(
            f"the vectors to learn from have shape {shapes[0]}, their labels are {len(labels)}, "
            f"and the vectors to name have shape {shapes[1]}; (N, D), N and (M, D) fit together, "
            "N at least 1"
        )


def _check(train: Floats, labels: Sequence[str], test: Floats) -> None:
    check_examples(train, labels, test)
    if not (np.isfinite(train).all() and np.isfinite(test).all()):
        raise ValueError("a vector holds numbers that are not finite, so it has no label")


def knn(train: Floats, labels: Sequence[str], test: Floats, neighbours: int = 5) -> list[str]:
    """The vote of the nearest examples by cosine, of all of them where there are fewer."""
    with brought_by("experiments"):
        from sklearn.neighbors import KNeighborsClassifier
    _check(train, labels, test)
    if not len(test):
        return []
    count = min(whole_number("neighbours", neighbours), len(train))
    model = KNeighborsClassifier(count, metric="cosine", algorithm="brute")
    return [str(label) for label in model.fit(train, labels).predict(test)]


def centroid(train: Floats, labels: Sequence[str], test: Floats) -> list[str]:
    """The label whose examples' mean direction is nearest by cosine."""
    _check(train, labels, test)
    length = np.linalg.norm(train, axis=1, keepdims=True)
    unit = train / np.where(length > 0, length, 1)
    distinct = np.unique(labels)
    of = np.asarray(labels)
    means = np.stack([unit[of == label].mean(0) for label in distinct])
    return knn(means, distinct.tolist(), test, 1)


def linear(train: Floats, labels: Sequence[str], test: Floats, c: float = 1.0) -> list[str]:
    """Logistic regression on standardised numbers; `c` is scikit-learn's C."""
    with brought_by("experiments"):
        from sklearn.linear_model import LogisticRegression
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import StandardScaler
    above_0("c", c)
    _check(train, labels, test)
    if len(set(labels)) == 1 or not len(test):
        return [labels[0]] * len(test)
    model = make_pipeline(StandardScaler(), LogisticRegression(C=c, max_iter=1_000))
    return [str(label) for label in model.fit(train, labels).predict(test)]


def majority(
    train: Sequence[str] | Labels, labels: Sequence[str] | Labels, test: Sequence[str] | Labels
) -> list[str]:
    """For each test word, the commonest label of this word in the training set; no vectors.

    A new word has the commonest label of all. Of equals, the first in the alphabet.
    """
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for word, label in zip(train, labels, strict=True):
        counts[word][label] += 1
    everyday = _commonest(Counter(labels))
    best = {word: _commonest(found) for word, found in counts.items()}
    return [best.get(word, everyday) for word in test]


def _commonest(counts: Counter[str]) -> str:
    return min(counts, key=lambda label: (-counts[label], label))
