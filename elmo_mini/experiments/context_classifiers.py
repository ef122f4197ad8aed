"""Lesson 04's experiments with pretrained classifiers; run by `experiments.context`.

Each function takes the seeds and returns a title and what was measured.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import torch
from scipy.sparse import csr_matrix
from torch import Tensor

from elmo_mini import corpora
from elmo_mini.corpora.splits import Part
from elmo_mini.extras import brought_by
from elmo_mini.recurrent.classifier import (
    LSTMClassifier,
    accuracy,
    start_from,
    train_autoencoder,
    train_classifier,
)
from elmo_mini.recurrent.forgetting import ForgettingCurve, fine_tune_and_watch
from elmo_mini.recurrent.language_model import (
    LSTMLanguageModel,
    stream_perplexity,
    text_stream,
    train_language_model,
    word_vocabulary,
)
from elmo_mini.results.intervals import interval
from elmo_mini.text.vocabulary import Vocabulary
from elmo_mini.word_vectors.word2vec_trainer import Word2Vec

with brought_by("experiments"):
    from sklearn.linear_model import LogisticRegression

Result = dict[str, Any]
Labelled = tuple[list[list[int]], list[int]]

PARTS: tuple[Part, ...] = ("train", "dev", "test")
COARSE_TAGS = ("NN", "VB", "JJ", "RB", "IN", "DT", "PR", "CC", "MD", "TO")

WORDS, SIZE = 4_000, 64
LABELS = {100: 20, 1_000: 5}  # labelled sentences: passes over them
PRETRAINING: dict[str, Any] = {"learning_rate": 1e-2}
FINE_TUNING: dict[str, Any] = {"batch": 16, "learning_rate": 3e-3}
MODEL = f"one LSTM layer, embedding and state {SIZE}, dropout 0.2 while fine-tuning, 1 pass of "
MODEL += "pretraining, no early stopping"


@dataclass(frozen=True)
class ClassificationTask:
    """Unlabelled and labelled sentences as ids; `held_out` is text nothing is trained on."""

    name: str
    classes: int
    vocabulary: Vocabulary
    sentences: list[list[str]]
    held_out: Tensor
    train: Labelled
    test: Labelled

    def drawn(self, count: int, seed: int) -> Labelled:
        """Some labelled sentences of the training part."""
        rows = np.random.default_rng(seed).permutation(len(self.train[0]))[:count].tolist()
        return [self.train[0][row] for row in rows], [self.train[1][row] for row in rows]


@lru_cache(maxsize=1)
def subjectivity() -> ClassificationTask:
    """Is a sentence subjective or objective? The unlabelled text is that of the train part."""
    corpus = corpora.load("subjectivity")
    texts = {part: list(corpus.split(part).sentences(lower=True)) for part in PARTS}
    labels = {part: [label for _, label in corpus.split(part).labelled()] for part in PARTS}
    name = "subjectivity: subjective or objective"
    return _task(name, texts["train"], texts["dev"], {p: (texts[p], labels[p]) for p in PARTS})


@lru_cache(maxsize=1)
def part_of_speech() -> ClassificationTask:
    """Which coarse part of speech has the last word of a fragment? MASC, its tags shortened.

    A fragment is the first words of a sentence, up to a place drawn at random. The unlabelled
    text is every second document of the train part; labels come from all documents of a part.
    """
    corpus, random = corpora.load("masc_tagged"), np.random.default_rng(0)
    texts, labelled = {}, {}
    for part in PARTS:
        sentences = list(corpus.split(part).tagged_sentences())
        texts[part] = [[word.lower() for word, _ in sentence] for sentence in sentences]
        ends = [int(random.integers(1, len(sentence) + 1)) for sentence in sentences]
        pairs = list(zip(sentences, ends, strict=True))
        kept = [row for row, (s, end) in enumerate(pairs) if s[end - 1][1][:2] in COARSE_TAGS]
        kept = random.permutation(kept)[: 4_000 if part == "train" else 1_000].tolist()
        labelled[part] = (
            [texts[part][row][: ends[row]] for row in kept],
            [sentences[row][ends[row] - 1][1][:2] for row in kept],
        )
    documents = list(corpus.split("train").documents())[::2]
    unlabelled = [[word.lower() for word in sentence] for d in documents for sentence in d]
    name = f"part of speech of a fragment's last word ({len(COARSE_TAGS)} coarse tags)"
    return _task(name, unlabelled, texts["dev"], labelled)


def _task(
    name: str,
    unlabelled: list[list[str]],
    held_out: list[list[str]],
    parts: dict[Part, tuple[list[list[str]], list[str]]],
) -> ClassificationTask:
    vocabulary = word_vocabulary(unlabelled, max_size=WORDS)
    classes = {label: number for number, label in enumerate(sorted(set(parts["train"][1])))}

    def numbered(part: Part) -> Labelled:
        sentences, labels = parts[part]
        return [vocabulary.encode(s) for s in sentences], [classes[label] for label in labels]

    stream = text_stream(held_out, vocabulary)[:20_000]
    train, test = numbered("train"), numbered("test")
    return ClassificationTask(name, len(classes), vocabulary, unlabelled, stream, train, test)


TASKS = {"subjectivity": subjectivity, "part of speech": part_of_speech}


@lru_cache(maxsize=16)
def task_language_model(name: str, seed: int) -> LSTMLanguageModel:
    """A language model of a task's unlabelled sentences, one pass."""
    task = TASKS[name]()
    torch.manual_seed(seed)
    model = LSTMLanguageModel(len(task.vocabulary), SIZE, SIZE)
    stream = text_stream(task.sentences, task.vocabulary)
    train_language_model(model, stream, rows=16, width=24, **PRETRAINING)
    return model


def bag_of_words_accuracy(
    task: ClassificationTask, sentences: list[list[int]], labels: list[int]
) -> float:
    """Logistic regression (C=1) on which words occur."""

    def table(rows: list[list[int]]) -> csr_matrix:
        places = np.array([(n, word) for n, row in enumerate(rows) for word in set(row)]).T
        shape = (len(rows), len(task.vocabulary))
        return csr_matrix((np.ones(places.shape[1]), (places[0], places[1])), shape=shape)

    model = LogisticRegression(max_iter=500).fit(table(sentences), labels)
    return float(model.score(table(task.test[0]), task.test[1]))


def starts(name: str, seed: int) -> dict[str, LSTMLanguageModel | None]:
    """What a classifier may start from, each trained on the task's unlabelled sentences."""
    task = TASKS[name]()
    words = len(task.vocabulary)
    torch.manual_seed(seed)
    autoencoder = LSTMLanguageModel(words, SIZE, SIZE)
    unlabelled = [task.vocabulary.encode(sentence) for sentence in task.sentences]
    train_autoencoder(autoencoder, unlabelled, seed=seed, **PRETRAINING)
    static = Word2Vec(
        task.sentences, vector_size=SIZE, sg=1, alpha=0.05, epochs=3, min_count=1, seed=seed
    )
    torch.manual_seed(seed)
    embedding = LSTMLanguageModel(words, SIZE, SIZE)
    for number, word in enumerate(task.vocabulary.words):
        if word in static:
            embedding.embedding.weight.data[number] = torch.from_numpy(static[word].copy())
    return {
        "nothing": None,
        "word2vec embedding": embedding,
        "language model": task_language_model(name, seed),
        "sequence autoencoder": autoencoder,
    }


def pretraining(seeds: Sequence[int]) -> tuple[str, Result]:
    """Dai & Le: a classifier from nothing, from word2vec, a language model, an autoencoder."""
    measured: Result = {}
    for name, task_of in TASKS.items():
        task = task_of()
        scores: dict[str, dict[str, list[float]]] = {str(count): {} for count in LABELS}
        perplexities: list[float] = []
        for seed in seeds:
            models = starts(name, seed)
            language_model = task_language_model(name, seed)
            perplexities.append(stream_perplexity(language_model, task.held_out))
            for count, epochs in LABELS.items():
                sentences, labels = task.drawn(count, seed)
                by_start = scores[str(count)]
                bag = bag_of_words_accuracy(task, sentences, labels)
                by_start.setdefault("bag of words, no LSTM", []).append(bag)
                for start, model in models.items():
                    classifier = new_classifier(task, seed)
                    if model is not None:
                        start_from(classifier, model)
                    train_classifier(
                        classifier, sentences, labels, epochs=epochs, seed=seed, **FINE_TUNING
                    )
                    by_start.setdefault(start, []).append(accuracy(classifier, *task.test))
                shown = {start: round(v[-1], 3) for start, v in by_start.items()}
                print(name, seed, count, shown, flush=True)
        measured[name] = {
            **described(task),
            "held-out perplexity of the language model": interval(perplexities),
            "accuracy": {
                count: {start: interval(values) for start, values in by_start.items()}
                for count, by_start in scores.items()
            },
        }
    return "Where an LSTM classifier starts, on two tasks with few labels", {
        "corpus": "subjectivity and masc_tagged",
        "passes over the labels": {str(count): epochs for count, epochs in LABELS.items()},
        "model": MODEL,
        "fine-tuning": FINE_TUNING,
        "tasks": measured,
    }


def new_classifier(task: ClassificationTask, seed: int) -> LSTMClassifier:
    """A classifier with random weights, the same for the same seed."""
    torch.manual_seed(seed)
    return LSTMClassifier(len(task.vocabulary), task.classes, SIZE, SIZE, dropout=0.2)


def described(task: ClassificationTask) -> Result:
    """The sizes of a task."""
    counts = np.bincount(task.test[1])
    return {
        "task": task.name,
        "unlabelled tokens": sum(map(len, task.sentences)),
        "vocabulary": len(task.vocabulary),
        "test sentences": len(task.test[0]),
        "commonest class in test": float(counts.max() / counts.sum()),
    }


def forgetting(seeds: Sequence[int], count: int = 1_000) -> tuple[str, Result]:
    """The language model's perplexity while a classifier that started from it is trained."""
    measured: Result = {}
    for task_name, task_of in TASKS.items():
        task = task_of()
        stream = text_stream(task.sentences, task.vocabulary)
        curves: dict[str, list[ForgettingCurve]] = {}
        scores: dict[str, list[float]] = {}
        for seed in seeds:
            sentences, labels = task.drawn(count, seed)
            for name, text in (("labels alone", None), ("with the language-model loss", stream)):
                classifier = new_classifier(task, seed)
                curve = fine_tune_and_watch(
                    classifier,
                    task_language_model(task_name, seed),
                    sentences,
                    labels,
                    task.held_out,
                    text=text,
                    epochs=LABELS[count],
                    looks=8,
                    seed=seed,
                    **FINE_TUNING,
                )
                curves.setdefault(name, []).append(curve)
                scores.setdefault(name, []).append(accuracy(classifier, *task.test))
                shown = [round(p) for p in curve.perplexities]
                print(task_name, seed, name, shown, scores[name][-1], flush=True)
        measured[task_name] = {
            **described(task),
            "held-out tokens": len(task.held_out) - 1,
            "steps": list(curves["labels alone"][0].steps),
            "perplexity": {
                name: [
                    interval(values) for values in zip(*(c.perplexities for c in of), strict=True)
                ]
                for name, of in curves.items()
            },
            "forgotten, nats a token": {
                name: interval([curve.forgotten for curve in of]) for name, of in curves.items()
            },
            "accuracy": {name: interval(values) for name, values in scores.items()},
        }
    return f"Forgetting: perplexity of a language model fine-tuned on {count} labels", {
        "corpus": "subjectivity and masc_tagged",
        "model": MODEL,
        "fine-tuning": {**FINE_TUNING, "passes": LABELS[count]},
        "language-model loss": "added at each step, weight 1, windows of 8 rows of 16 tokens of "
        "the unlabelled text; the softmax of the language model is kept as it was",
        "tasks": measured,
    }
