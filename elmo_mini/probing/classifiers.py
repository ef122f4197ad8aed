"""Simple classifiers for probing: k nearest neighbours, nearest mean, linear; majority class.

All but the last learn from vectors (N, D) and their N labels, and name a label for each vector
that they are asked about, (M, D).
"""

from collections import Counter, defaultdict
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from elmo_mini.extras import brought_by

with brought_by("experiments"):
    from sklearn.linear_model import LogisticRegression
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler


Floats = NDArray[np.float32]
Labels = NDArray[np.str_]


def knn(known: Floats, labels: Sequence[str], asked: Floats, neighbours: int = 5) -> list[str]:
    """The vote of the nearest examples by cosine, of all of them where there are fewer."""
    count = min(neighbours, len(known))
    model = KNeighborsClassifier(count, metric="cosine", algorithm="brute")
    return [str(label) for label in model.fit(known, labels).predict(asked)]


def centroid(known: Floats, labels: Sequence[str], asked: Floats) -> list[str]:
    """The label whose examples' mean direction is nearest by cosine."""
    length = np.linalg.norm(known, axis=1, keepdims=True)
    unit = known / np.where(length > 0, length, 1)
    distinct = np.unique(labels)
    of = np.asarray(labels)
    means = np.stack([unit[of == label].mean(0) for label in distinct])
    return knn(means, distinct.tolist(), asked, 1)


def linear(known: Floats, labels: Sequence[str], asked: Floats, c: float = 1.0) -> list[str]:
    """Logistic regression on standardised numbers; `c` is scikit-learn's C."""
    if len(set(labels)) == 1:
        return [labels[0]] * len(asked)
    model = make_pipeline(StandardScaler(), LogisticRegression(C=c, max_iter=1_000))
    return [str(label) for label in model.fit(known, labels).predict(asked)]


def majority(
    known: Sequence[str] | Labels, labels: Sequence[str] | Labels, asked: Sequence[str] | Labels
) -> list[str]:
    """For each asked word, the commonest label of this word among the known, without any vector.

    A word that is not known has the commonest label of all. Of equals, the first in the alphabet.
    """
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for word, label in zip(known, labels, strict=True):
        counts[word][label] += 1
    everyday = _commonest(Counter(labels))
    best = {word: _commonest(found) for word, found in counts.items()}
    return [best.get(word, everyday) for word in asked]


def _commonest(counts: Counter[str]) -> str:
    return min(counts, key=lambda label: (-counts[label], label))
