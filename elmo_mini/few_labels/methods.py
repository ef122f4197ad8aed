"""The methods of the course as lists of steps: what may be learnt is learnt in a step's own call.

A step takes inputs and labels, and gives a function from inputs to what the next step takes.
"""

from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from elmo_mini.awd_lstm.files import load_awd_lstm
from elmo_mini.awd_lstm.model import AWDLSTM
from elmo_mini.checkpoints.pretrained import load_pretrained
from elmo_mini.elmo.embedder import ElmoEmbedder
from elmo_mini.extras import brought_by
from elmo_mini.few_labels.protocol import Step, Texts
from elmo_mini.text.vocabulary import Vocabulary
from elmo_mini.ulmfit import baselines
from elmo_mini.ulmfit.classifier import class_probabilities, in_ids
from elmo_mini.ulmfit.recipe import Stage3, stage_3
from elmo_mini.ulmfit.tasks import Labelled
from elmo_mini.ulmfit.vocabulary import task_vocabulary, with_words

with brought_by("experiments"):
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.preprocessing import StandardScaler

Floats = NDArray[np.float32]
Answers = NDArray[np.int64]
OF_WORDS, OF_VECTORS = 10.0, 0.01
"""How freely a logistic regression may weigh words, and how freely numbers of vectors."""


def count_words(texts: Texts, labels: Sequence[int]) -> Callable[[Texts], Any]:
    """A step: (N, words) 1 where a word occurs that these texts hold."""
    counter = CountVectorizer(analyzer=list, binary=True).fit(texts)
    return lambda asked: counter.transform(asked)


def best_words(count: int) -> Step:
    """A step: the columns whose means differ most between the labels; of equals, the first."""

    def select(x: Any, labels: Sequence[int]) -> Callable[[Any], Any]:
        names = np.asarray(labels)
        means = [np.asarray(x[names == label].mean(0)).ravel() for label in sorted(set(labels))]
        chosen = np.argsort(-np.ptp(means, axis=0).round(9), kind="stable")[:count]
        return lambda asked: asked[:, chosen]

    return select


def to_scale(x: Floats, labels: Sequence[int]) -> Callable[[Floats], Floats]:
    """A step: each number brought to mean 0 and spread 1."""
    scale = StandardScaler().fit(x)
    return lambda asked: np.asarray(scale.transform(asked), dtype=np.float32)


def logistic(freedom: float) -> Step:
    """A step: logistic regression, to labels."""

    def fit(x: Any, labels: Sequence[int]) -> Callable[[Any], Answers]:
        if len(set(labels)) == 1:
            return lambda asked: np.full(asked.shape[0], labels[0])
        model = LogisticRegression(C=freedom, max_iter=2_000).fit(x, labels)
        return lambda asked: np.asarray(model.predict(asked), dtype=np.int64)

    return fit


def bag_of_words() -> list[Step]:
    """Which words occur, and logistic regression."""
    return [count_words, logistic(OF_WORDS)]


def naive_bayes_svm() -> list[Step]:
    """Words and pairs of neighbours, weighted as naive Bayes does, under a linear SVM."""

    def fit(texts: Texts, labels: Sequence[int]) -> Callable[[Texts], Answers]:
        return lambda asked: baselines.naive_bayes_svm(texts, labels, asked)

    return [fit]


def on_vectors(vectors_of: Callable[[Texts], Floats]) -> list[Step]:
    """Frozen vectors (N, D), brought to scale, and logistic regression."""
    return [lambda texts, labels: vectors_of, to_scale, logistic(OF_VECTORS)]


def static_vectors() -> list[Step]:
    """The word vectors of the course's AWD-LSTM, their mean and largest numbers."""
    return on_vectors(_static)


def elmo_features() -> list[Step]:
    """The course's biLM, frozen: the mean vector of each layer."""
    return on_vectors(_elmo)


def ulmfit(text: Texts, seed: int = 0, how: Stage3 | None = None) -> list[Step]:
    """The course's AWD-LSTM, fine-tuned on the labels.

    Parameters
    ----------
    text : of the task, without labels: its words join the vocabulary
    """
    reader, vocabulary = _with_words_of(tuple(map(tuple, text)))
    schedule = how or Stage3()

    def fit(texts: Texts, labels: Sequence[int]) -> Callable[[Texts], Answers]:
        known = Labelled(list(map(list, texts)), list(labels))
        model = stage_3(reader, vocabulary, known, max(labels) + 1, schedule, seed).eval()
        return lambda asked: (
            class_probabilities(model, in_ids(asked, vocabulary)).argmax(-1).numpy()
        )

    return [fit]


@cache
def _with_words_of(text: tuple[tuple[str, ...], ...]) -> tuple[AWDLSTM, Vocabulary]:
    model, known = load_awd_lstm()
    vocabulary, _ = task_vocabulary([list(words) for words in text], known)
    return with_words(model, known, vocabulary), vocabulary


@cache
def _embedder() -> ElmoEmbedder:
    return ElmoEmbedder(module=load_pretrained())


_kept: dict[tuple[str, ...], Floats] = {}


def _elmo(texts: Texts) -> Floats:
    new = [text for text in dict.fromkeys(map(tuple, texts)) if text not in _kept]
    new.sort(key=len)
    for text, layers in zip(new, _embedder().embed_sentences(map(list, new)), strict=True):
        _kept[text] = layers.mean(1).ravel()  # (3, T, 2 H) to (6 H,)
    return np.stack([_kept[tuple(text)] for text in texts])


def _static(texts: Texts) -> Floats:
    model, vocabulary = _awd()
    table = model.embedding.weight.detach()
    rows = [table[torch.tensor(vocabulary.encode(text))] for text in texts]
    return np.stack([torch.cat([row.mean(0), row.amax(0)]).numpy() for row in rows])


_awd = cache(partial(load_awd_lstm))
