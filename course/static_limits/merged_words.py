"""Held-out accuracy of telling the two words of a pseudo-word apart by their contexts."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from course.static_limits.pseudo_words import PseudoWord
from elmo_mini.probing.report import bootstrap_interval

Floats = NDArray[np.float64]
Around = Callable[[Sequence[str], int, Mapping[str, int], Floats, int], Floats]
Fit = Callable[[Floats, Floats, float, int, float], tuple[Floats, float]]
FOLDS, RATE, STEPS, DECAY, LENGTH = 5, 0.5, 100, 0.01, 3.0


def accuracy_by_word(
    text: Sequence[Sequence[str]],
    words: Sequence[PseudoWord],
    ids: Mapping[str, int],
    vectors: Floats,
    reach: int,
    around: Around,
    fit: Fit,
) -> Floats:
    """(P,) for each pseudo-word, the accuracy of a classifier of its contexts, by cross-validation.

    The classifier is fitted to four fifths of the occurrences and tested on the rest, five times.
    The features are shifted to the mean 0, and brought to one mean length, so that no table of
    vectors is at an advantage by its scale.
    """
    accuracies = []
    for word in words:
        features = np.stack(
            [np.asarray(around(text[n], at, ids, vectors, reach)) for n, at, _ in word.labels]
        )
        answers = np.array([stood == word.first for *_, stood in word.labels], float)
        accuracies.append(_held_out(features, answers, fit))
    return np.array(accuracies)


def _held_out(features: Floats, answers: Floats, fit: Fit) -> float:
    centred = features - features.mean(0)
    scaled = LENGTH * centred / np.sqrt((centred**2).sum(1).mean())
    order = np.random.default_rng(0).permutation(len(answers))
    correct = 0
    for fold in range(FOLDS):
        test, train = order[fold::FOLDS], np.delete(order, np.s_[fold::FOLDS])
        weights, bias = fit(scaled[train], answers[train], RATE, STEPS, DECAY)
        predicted = scaled[test] @ np.asarray(weights) + float(bias) > 0
        correct += int((predicted == answers[test]).sum())
    return correct / len(answers)


def over_words(shares: Floats) -> dict[str, Any]:
    """Mean of (P,), with a 95 % bootstrap interval over the pseudo-words."""
    mean, low, high = bootstrap_interval(shares[None], np.arange(len(shares)))
    return {"mean": mean, "low": low, "high": high}
