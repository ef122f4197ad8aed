"""Pseudo-words: ambiguity with known answers, made by merging two words of a text.

Replace every *school* and every *money* by one invented word. What was written there is known
without anybody labelling anything, so it can be asked whether a model tells the two apart. Some
occurrences stay as they were: then the two words have vectors of their own in the same
space as the merged one, and its place between them can be measured.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from elmo_mini.extras import brought_by
from elmo_mini.text.vocabulary import Vocabulary
from elmo_mini.word_vectors.table import WordVectors, unit

with brought_by("experiments"):
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import StratifiedKFold, cross_val_predict
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

Label = tuple[int, int, str]


def merge_words(
    sentences: Iterable[Sequence[str]], first: str, second: str, merged: str
) -> tuple[list[list[str]], list[Label]]:
    """Write ``merged`` in place of two words.

    Returns:
        The new sentences (the old ones are left alone), and for each replaced token, in the
        order of the text: number of the sentence, place in it, the word that stood there.
    """
    new: list[list[str]] = []
    labels: list[Label] = []
    for number, sentence in enumerate(sentences):
        new.append(list(sentence))
        for place, token in enumerate(sentence):
            if token in (first, second):
                new[-1][place] = merged
                labels.append((number, place, token))
    return new, labels


@dataclass(frozen=True)
class PseudoWord:
    """Two words of a text, the word that replaces a part of both, and what stood where."""

    first: str
    second: str
    name: str
    labels: tuple[Label, ...]

    @property
    def share(self) -> float:
        """Share of the replaced tokens that were ``first``."""
        return sum(word == self.first for _, _, word in self.labels) / len(self.labels)

    @property
    def majority(self) -> float:
        """Share of the commoner of the two: what the best blind guess gets right."""
        return max(self.share, 1 - self.share)


def choose_pairs(
    vocabulary: Vocabulary,
    pairs: int,
    *,
    least: int = 100,
    letters: int = 5,
    skip: int = 50,
    seed: int = 0,
) -> list[tuple[str, str]]:
    """Draw pairs of words, no word twice: a rule, so that nobody picks the pretty ones.

    The pool holds words of at least ``letters`` letters that occur at least ``least`` times,
    without the ``skip`` commonest of them, which are mostly *which* and *there*.

    Raises:
        ValueError: the pool is too small.
    """
    long = [
        word
        for word, count in zip(vocabulary.words, vocabulary.counts, strict=True)
        if len(word) >= letters and word.isalpha() and count >= least
    ]
    pool = long[skip:]
    if len(pool) < 2 * pairs:
        raise ValueError(
            f"{pairs} pairs need {2 * pairs} words; this text has {len(pool)} of at least "
            f"{letters} letters and {least} occurrences after the first {skip}"
        )
    drawn = np.random.default_rng(seed).permutation(len(pool))[: 2 * pairs]
    return [(pool[a], pool[b]) for a, b in drawn.reshape(-1, 2)]


def hide(
    sentences: Iterable[Sequence[str]],
    pairs: Sequence[tuple[str, str]],
    *,
    shares: Sequence[float] | None = None,
    seed: int = 0,
) -> tuple[list[list[str]], list[PseudoWord]]:
    """Merge many pairs at once, and leave a part of their occurrences as they were.

    Of pair number i an occurrence of the first word is replaced with probability ``shares[i]``,
    one of the second with ``1 - shares[i]``; without ``shares``, with 0.2 for the first pair up
    to 0.8 for the last. A pair's name is both words joined by ``|``.

    Raises:
        ValueError: a word stands in two pairs, or twice in one.
    """
    rng = np.random.default_rng(seed)
    parts = np.linspace(0.2, 0.8, len(pairs)) if shares is None else shares
    chance = {
        word: (f"{first}|{second}", probability)
        for (first, second), part in zip(pairs, parts, strict=True)
        for word, probability in ((first, part), (second, 1 - part))
    }
    if len(chance) != 2 * len(pairs):
        raise ValueError("a word stands in two pairs, or twice in one")
    labels: dict[str, list[Label]] = {f"{first}|{second}": [] for first, second in pairs}
    new: list[list[str]] = []
    for number, sentence in enumerate(sentences):
        new.append(list(sentence))
        for place, token in enumerate(sentence):
            if token in chance and rng.random() < chance[token][1]:
                name = chance[token][0]
                new[-1][place] = name
                labels[name].append((number, place, token))
    found = [
        PseudoWord(first, second, f"{first}|{second}", tuple(labels[f"{first}|{second}"]))
        for first, second in pairs
    ]
    return new, found


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
    probe = make_pipeline(StandardScaler(), LogisticRegression(C=c, max_iter=500))
    split = StratifiedKFold(folds, shuffle=True, random_state=0)
    answers = np.array(labels)
    return float((cross_val_predict(probe, features, answers, cv=split) == answers).mean())


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
