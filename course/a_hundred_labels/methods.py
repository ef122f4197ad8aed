"""The methods of the course as lists of steps: what may be learnt is learnt in a step's own call.

A step takes inputs and labels, and gives a function from inputs to what the next step takes.
"""

from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from course.a_hundred_labels.protocol import Step, Texts
from course.baselines.untrained import untrained_like
from course.texts.labelled_tasks import Labelled
from course.ulmfit import baselines
from elmo_mini.awd_lstm.awd_lstm_file import load_awd_lstm
from elmo_mini.checkpoints.pretrained import load_pretrained
from elmo_mini.embedding.embedder import ElmoEmbedder
from elmo_mini.extras import brought_by
from elmo_mini.models.awd_lstm import AWDLSTM
from elmo_mini.text.vocabulary import Vocabulary
from elmo_mini.transformer.files import LARGER_CHECKPOINT, load_masked_lm
from elmo_mini.transformer.sentence_pairs import pack, padded
from elmo_mini.ulmfit.merged_vocabulary import task_vocabulary, with_words
from elmo_mini.ulmfit.stages import Stage3, stage_2, stage_3
from elmo_mini.ulmfit.text_classifier import class_probabilities, in_ids

with brought_by("experiments"):
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.naive_bayes import MultinomialNB
    from sklearn.preprocessing import StandardScaler

Floats = NDArray[np.float32]
Answers = NDArray[np.int64]


def count_words(texts: Texts, labels: Sequence[int]) -> Callable[[Texts], Any]:
    """A step: (N, words) 1 where a word occurs that these texts hold."""
    counter = CountVectorizer(analyzer=list, binary=True).fit(texts)
    return lambda test: counter.transform(test)


def best_words(count: int) -> Step:
    """A step: the columns whose means differ most between the labels; of equals, the first."""

    def select(x: Any, labels: Sequence[int]) -> Callable[[Any], Any]:
        names = np.asarray(labels)
        means = [np.asarray(x[names == label].mean(0)).ravel() for label in sorted(set(labels))]
        chosen = np.argsort(-np.ptp(means, axis=0).round(9), kind="stable")[:count]
        return lambda test: test[:, chosen]

    return select


def to_scale(x: Floats, labels: Sequence[int]) -> Callable[[Floats], Floats]:
    """A step: each number brought to mean 0 and spread 1."""
    scale = StandardScaler().fit(x)
    return lambda test: np.asarray(scale.transform(test), dtype=np.float32)


def logistic(freedom: float) -> Step:
    """A step: logistic regression, to labels."""
    return partial(baselines.logistic, freedom=freedom)


def bag_of_words() -> list[Step]:
    """Which words occur, and logistic regression."""
    return [count_words, logistic(baselines.OF_WORDS)]


def naive_bayes() -> list[Step]:
    """Which words occur, and naive Bayes."""

    def fit(x: Any, labels: Sequence[int]) -> Callable[[Any], Answers]:
        classifier = MultinomialNB().fit(x, labels)
        return lambda test: np.asarray(classifier.predict(test))

    return [count_words, fit]


def svd_of_text(text: Texts, size: int = 100) -> list[Step]:
    """It has read, and has no network: tf-idf in the main directions of texts without labels.

    Parameters
    ----------
    text : of the task, without labels
    size : how many directions, at most
    """

    def vectors(texts: Texts) -> Floats:
        return np.asarray(
            baselines.directions(tuple(map(tuple, text)), size).transform(texts), np.float32
        )

    return [lambda texts, labels: vectors, logistic(baselines.OF_WORDS)]


def naive_bayes_svm() -> list[Step]:
    """Words and pairs of neighbours, weighted as naive Bayes does, under a linear SVM."""

    def fit(texts: Texts, labels: Sequence[int]) -> Callable[[Texts], Answers]:
        return lambda test: baselines.naive_bayes_svm(texts, labels, test)

    return [fit]


def on_vectors(vectors_of: Callable[[Texts], Floats]) -> list[Step]:
    """Frozen vectors (N, D), brought to scale, and logistic regression."""
    return [lambda texts, labels: vectors_of, to_scale, logistic(baselines.OF_VECTORS)]


def static_vectors() -> list[Step]:
    """The word vectors of the course's AWD-LSTM, their mean and largest numbers."""
    return on_vectors(_static)


def elmo_features() -> list[Step]:
    """The course's biLM, frozen: the mean vector of each layer."""
    return on_vectors(_elmo)


def untrained_elmo(seed: int = 1) -> list[Step]:
    """A biLM of the same sizes that has read nothing: the control of `elmo_features`."""
    return on_vectors(partial(_elmo, seed=seed))


def words_alone() -> list[Step]:
    """The biLM's layer 0 alone, which reads letters and no neighbours."""
    return one_layer(0)


def one_layer(number: int) -> list[Step]:
    """One of the biLM's layers 0, 1 and 2 alone: all three are as wide."""

    def layer(texts: Texts) -> Floats:
        return np.split(_elmo(texts), 3, axis=1)[number]

    return on_vectors(layer)


def masked_features() -> list[Step]:
    """The larger masked language model of lesson 12, frozen: the mean state of each layer."""
    return on_vectors(_masked)


def ulmfit(text: Texts, *, tuned: bool = False, seed: int = 0) -> list[Step]:
    """The course's AWD-LSTM, fine-tuned on the labels: stages 1 and 3, or all three.

    Parameters
    ----------
    text : of the task, without labels: its words join the vocabulary
    tuned : whether the language model goes on with this text first (stage 2)
    """
    reader, vocabulary = _language_model(tuple(map(tuple, text)), tuned)

    def fit(texts: Texts, labels: Sequence[int]) -> Callable[[Texts], Answers]:
        train = Labelled(list(map(list, texts)), list(labels))
        with torch.random.fork_rng(devices=[]):
            model = stage_3(reader, vocabulary, train, max(labels) + 1, Stage3(), seed).eval()
        return lambda test: class_probabilities(model, in_ids(test, vocabulary)).argmax(-1).numpy()

    return [fit]


@cache
def _language_model(text: tuple[tuple[str, ...], ...], tuned: bool) -> tuple[AWDLSTM, Vocabulary]:
    words = [list(row) for row in text]
    model, train = load_awd_lstm()
    vocabulary, own = task_vocabulary(words, train)
    model = with_words(model, train, vocabulary)
    if tuned:
        with torch.random.fork_rng(devices=[]):
            model = stage_2(model, vocabulary, own, words)
    return model, vocabulary


@cache
def _embedder(seed: int | None) -> ElmoEmbedder:
    trained = load_pretrained()
    return ElmoEmbedder(module=trained if seed is None else untrained_like(trained, seed))


_kept: dict[tuple[tuple[str, ...], int | None], Floats] = {}
_kept_masked: dict[tuple[str, ...], Floats] = {}


def _elmo(texts: Texts, seed: int | None = None) -> Floats:
    new = [text for text in dict.fromkeys(map(tuple, texts)) if (text, seed) not in _kept]
    new.sort(key=len)
    found = _embedder(seed).embed_sentences(map(list, new))
    for text, layers in zip(new, found, strict=True):
        # (3, T, 2 H) to (6 H,); of a text without a word, zeros
        _kept[text, seed] = layers.sum(1).ravel() if not text else layers.mean(1).ravel()
    return np.stack([_kept[tuple(text), seed] for text in texts])


def _static(texts: Texts) -> Floats:
    model, vocabulary = _awd_lstm()
    table = model.embedding.weight.detach()
    nothing = torch.zeros(1, table.shape[1])  # for a text without a word
    rows = [table[torch.tensor(vocabulary.encode(text))] if text else nothing for text in texts]
    return np.stack([torch.cat([row.mean(0), row.amax(0)]).numpy() for row in rows])


def _masked(texts: Texts) -> Floats:
    model, vocabulary = _masked_lm()
    for text in dict.fromkeys(map(tuple, texts)):
        if text in _kept_masked:
            continue
        ids, mask, _ = padded([pack(vocabulary.encode(text), longest=model.options.longest)])
        with torch.inference_mode():
            layers = model.layers(ids, mask)
        _kept_masked[text] = torch.cat([layer[0].mean(0) for layer in layers]).numpy()
    return np.stack([_kept_masked[tuple(text)] for text in texts])


_awd_lstm = cache(load_awd_lstm)
_masked_lm = cache(partial(load_masked_lm, LARGER_CHECKPOINT))
