"""Simple classifiers for probing: k nearest neighbours, nearest mean, linear; majority class.

All but the last learn from vectors `train` (N, D) and their N labels, and predict a label for each
vector of `test`, (M, D). They ask for scikit-learn when they are called, and not on import: nothing
that looks through the package, such as `dir` or ``from elmo_mini import *``, needs it.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from elmo_mini.errors import ConfigurationError
from elmo_mini.extras import brought_by
from elmo_mini.settings import finite, whole_number

Floats = NDArray[np.float32]
Labels = NDArray[np.str_]


def knn(train: Floats, labels: Sequence[str], test: Floats, neighbours: int = 5) -> list[str]:
    """The vote of the nearest examples by cosine, of all of them where there are fewer."""
    with brought_by("experiments"):
        from sklearn.neighbors import KNeighborsClassifier
    count = min(whole_number("neighbours", neighbours), len(train))
    model = KNeighborsClassifier(count, metric="cosine", algorithm="brute")
    return [str(label) for label in model.fit(train, labels).predict(test)]


def centroid(train: Floats, labels: Sequence[str], test: Floats) -> list[str]:
    """The label whose examples' mean direction is nearest by cosine."""
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
    check_c(c)
    if len(set(labels)) == 1:
        return [labels[0]] * len(test)
    model = make_pipeline(StandardScaler(), LogisticRegression(C=c, max_iter=1_000))
    return [str(label) for label in model.fit(train, labels).predict(test)]


def check_c(c: float) -> None:
    """Refuse what cannot be scikit-learn's C."""
    if finite("c", c) <= 0:
        raise ConfigurationError(f"c is {c}; it must be above 0, and smaller is smoother")


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
