"""Vectors of pseudo-words: where a merged vector lies, and what the words around it give away."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from course.static_limits.pseudo_words import Label, PseudoWord
from elmo_mini.extras import brought_by
from elmo_mini.word_vectors.table import WordVectors, unit

with brought_by("experiments"):
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import StratifiedKFold, cross_val_predict
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler


@dataclass(frozen=True)
class Mixture:
    """The merged vector as first_part * first + second_part * second, and how well that fits."""

    first_part: float
    second_part: float
    cosine: float

    @property
    def position(self) -> float:
        """0 at the second word, 1 at the first: the first word's part of both parts."""
        return self.first_part / (self.first_part + self.second_part)


def mixture(
    merged: NDArray[np.float32], first: NDArray[np.float32], second: NDArray[np.float32]
) -> Mixture:
    """Least squares of one vector (D,) on two others (D,)."""
    both = np.stack([first, second], axis=1).astype(np.float64)  # (D, 2)
    parts, *_ = np.linalg.lstsq(both, merged.astype(np.float64), rcond=None)
    fitted = both @ parts
    length = np.linalg.norm(fitted) * np.linalg.norm(merged)
    return Mixture(float(parts[0]), float(parts[1]), float(fitted @ merged / length))


def context_average(
    tokens: Sequence[str], place: int, vectors: WordVectors, window: int = 10
) -> NDArray[np.float32]:
    """Mean vector (D,) of the known words at most ``window`` places away, the word itself left out.

    Zeros where no word is known.
    """
    near = [*tokens[max(0, place - window) : place], *tokens[place + 1 : place + 1 + window]]
    ids = vectors.vocabulary.encode(near)
    if not ids:
        return np.zeros(vectors.vectors.shape[1], dtype=np.float32)
    mean: NDArray[np.float32] = vectors.vectors[ids].mean(0)
    return mean


def held_out_accuracy(
    features: NDArray[np.float32], labels: Sequence[str], *, folds: int = 5, c: float = 0.1
) -> float:
    """Share of labels that a logistic regression gets right on the folds it was not fitted to."""
    answers = np.array(labels)
    return float((held_out_answers(features, answers, folds=folds, c=c) == answers).mean())


def held_out_answers(
    features: NDArray[np.float32], answers: NDArray[np.str_], *, folds: int = 5, c: float = 0.1
) -> NDArray[np.str_]:
    """(N,) what a logistic regression answers, fitted to the other folds, for each row (N, D)."""
    probe = make_pipeline(StandardScaler(), LogisticRegression(C=c, max_iter=500))
    split = StratifiedKFold(folds, shuffle=True, random_state=0)
    said: NDArray[np.str_] = cross_val_predict(probe, features, answers, cv=split)
    return said


def answers_by_bag(
    places: Sequence[tuple[Sequence[str], int]],
    answers: NDArray[np.str_],
    known: Sequence[str] | None = None,
    *,
    window: int = 10,
) -> NDArray[np.str_]:
    """(N,) as `held_out_answers`, by which words stand near each (tokens, place): no vectors.

    Parameters
    ----------
    known : the words that count; all, if they are not given
    """
    near = [
        [*tokens[max(0, at - window) : at], *tokens[at + 1 : at + 1 + window]]
        for tokens, at in places
    ]
    reader = make_pipeline(
        CountVectorizer(analyzer=list, binary=True, vocabulary=known),
        LogisticRegression(C=1.0, max_iter=500),
    )
    split = StratifiedKFold(5, shuffle=True, random_state=0)
    said: NDArray[np.str_] = cross_val_predict(reader, near, answers, cv=split)
    return said


def accuracy_from_context(
    sentences: Sequence[Sequence[str]],
    labels: Sequence[Label],
    vectors: WordVectors,
    *,
    window: int = 10,
) -> float:
    """How often context averages tell which of the two words stood there, on held-out folds."""
    features = [context_average(sentences[n], place, vectors, window) for n, place, _ in labels]
    return held_out_accuracy(np.stack(features), [word for *_, word in labels])


def look_at(
    words: Sequence[PseudoWord], text: Sequence[Sequence[str]], vectors: WordVectors
) -> list[dict[str, Any]]:
    """For each pseudo-word: where its vector lies, and what the context gives away."""
    found = []
    for number, word in enumerate(words):
        merged = vectors[word.name]
        fit = mixture(merged, vectors[word.first], vectors[word.second])
        other = words[(number + 1) % len(words)]
        found.append(
            {
                "words": [word.first, word.second],
                "occurrences": len(word.labels),
                "share of the first": word.share,
                "position": fit.position,
                "position, vectors of length 1": mixture(
                    unit(merged), unit(vectors[word.first]), unit(vectors[word.second])
                ).position,
                "cosine with the first": vectors.similarity(word.name, word.first),
                "cosine with the second": vectors.similarity(word.name, word.second),
                "cosine with its mixture": fit.cosine,
                "cosine with another pair's": mixture(
                    merged, vectors[other.first], vectors[other.second]
                ).cosine,
                "accuracy from context": accuracy_from_context(text, word.labels, vectors),
                "majority": word.majority,
            }
        )
    return found
