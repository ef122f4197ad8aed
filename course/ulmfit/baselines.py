"""Bag-of-words baselines of classification: logistic regression, naive Bayes, EM, SVM, tf-idf.

Logistic regression and naive Bayes are scikit-learn's. The naive Bayes support vector machine is
that of Wang & Manning 2012 (ACL), "Baselines and Bigrams", section 2.3: a linear classifier over
words that are weighted by how much more often they occur in one class than in the others.
"""

from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from elmo_mini.checkpoints.pretrained import load_pretrained
from elmo_mini.embedding.embedder import ElmoEmbedder
from elmo_mini.extras import brought_by

with brought_by("experiments"):
    from scipy.sparse import csr_matrix, vstack
    from sklearn.decomposition import TruncatedSVD
    from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.naive_bayes import MultinomialNB
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import Normalizer, StandardScaler
    from sklearn.svm import LinearSVC

Words = Sequence[Sequence[str]]
Labels = Sequence[int]
Answers = NDArray[np.int64]

SMOOTHING = 1.0
OF_WORDS, OF_VECTORS = 10.0, 0.01
"""How freely a logistic regression may weigh words, and how freely numbers of vectors."""


def bag_of_words(train: Words, labels: Labels, test: Words, pairs: bool = False) -> Answers:
    """Logistic regression on which words occur, and, if asked for, which pairs of neighbours."""
    x, y = _occurrences(train, test, pairs)
    return logistic(x, labels, OF_WORDS)(y)


def naive_bayes_svm(train: Words, labels: Labels, test: Words) -> Answers:
    """Wang & Manning's classifier on words and pairs, each class against the others.

    Without their interpolation of the weights, which is meant for two classes of one size.
    """
    x, y = _occurrences(train, test, True)
    classes = sorted(set(labels))
    scores = np.zeros((len(test), len(classes)))
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


def naive_bayes_em(
    train: Words,
    labels: Labels,
    test: Words,
    text: Words,
    rounds: int = 10,
    pairs: bool = False,
    often: int = 1,
) -> Answers:
    """Naive Bayes that learns from its own guesses, too (Nigam and others 2000).

    Parameters
    ----------
    text : of the task, without labels
    rounds : of guessing the classes of `text` and learning from all of it again
    pairs : whether pairs of neighbours are counted, too
    often : in how many of all these texts a word or pair must stand to be counted
    """
    split = _with_pairs if pairs else list
    count = CountVectorizer(analyzer=split, binary=True, min_df=often).fit([*train, *text])
    known, unknown = count.transform(train), count.transform(text)
    model = MultinomialNB(alpha=SMOOTHING, fit_prior=False).fit(known, labels)
    every = vstack([known, *[unknown] * len(model.classes_)])
    named = np.concatenate([labels, np.repeat(model.classes_, len(text))])
    for _ in range(rounds):
        guessed = model.predict_proba(unknown).T.ravel()
        weights = np.concatenate([np.ones(len(labels)), guessed])
        model = MultinomialNB(alpha=SMOOTHING, fit_prior=False).fit(every, named, weights)
    return np.asarray(model.predict(count.transform(test)), dtype=np.int64)


def svd_of_text(train: Words, labels: Labels, test: Words, text: Words, size: int = 100) -> Answers:
    """Logistic regression on tf-idf in the main directions of texts without labels."""
    found = directions(tuple(map(tuple, text)), size)
    return logistic(found.transform(train), labels, OF_WORDS)(found.transform(test))


@lru_cache(maxsize=4)
def directions(text: tuple[tuple[str, ...], ...], size: int) -> Any:
    """From texts to (N, size): tf-idf, its main directions over `text`, each row to length 1."""
    counts = TfidfVectorizer(analyzer=list, min_df=2, sublinear_tf=True)
    return make_pipeline(counts, TruncatedSVD(size, random_state=0), Normalizer()).fit(text)


def elmo_features(train: Words, labels: Labels, test: Words) -> Answers:
    """Logistic regression on the mean vector of each layer of the course's biLM."""
    return linear_on(elmo_vectors(train), labels, elmo_vectors(test))


def elmo_vectors(texts: Words) -> NDArray[np.float32]:
    """(N, 6 H) the mean vector of each layer; a text is read once and kept."""
    embedder, kept = _elmo()
    new = sorted({tuple(text) for text in texts} - kept.keys(), key=lambda text: (len(text), text))
    for text, layers in zip(new, embedder.embed_sentences(map(list, new)), strict=True):
        kept[text] = layers.mean(1).ravel()  # (3, T, 2 H) to (6 H,)
    return np.stack([kept[tuple(text)] for text in texts])


@cache
def _elmo() -> tuple[ElmoEmbedder, dict[tuple[str, ...], NDArray[np.float32]]]:
    return ElmoEmbedder(module=load_pretrained()), {}


def linear_on(train: NDArray[np.float32], labels: Labels, test: NDArray[np.float32]) -> Answers:
    """Logistic regression on vectors (N, D), each number brought to mean 0 and spread 1."""
    scale = StandardScaler().fit(train)
    x, y = scale.transform(train), scale.transform(test)
    return logistic(x, labels, OF_VECTORS)(y)


def logistic(x: Any, labels: Labels, freedom: float) -> Callable[[Any], Answers]:
    """Logistic regression on (N, D), sparse or not, as a function that answers for other rows.

    Parameters
    ----------
    labels : N of them; where all are one, that is every answer
    freedom : scikit-learn's C
    """
    if len(set(labels)) == 1:
        return lambda test: np.full(test.shape[0], labels[0])
    model = LogisticRegression(C=freedom, max_iter=2_000).fit(x, labels)
    return lambda test: np.asarray(model.predict(test), dtype=np.int64)


def _occurrences(train: Words, test: Words, pairs: bool) -> tuple[csr_matrix, csr_matrix]:
    """1 where a word of the known texts (or a pair) occurs, (N, words), for both."""
    count = CountVectorizer(
        analyzer=lambda words: _with_pairs(words) if pairs else words, binary=True
    )
    return count.fit_transform(train), count.transform(test)


def _with_pairs(words: Sequence[str]) -> list[str]:
    return [*words, *(f"{a} {b}" for a, b in pairwise(words))]
