"""Lesson 04's experiments with pretrained classifiers; run by `experiments.context`.

Each function takes the seeds and returns a title and what was measured.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import torch
from scipy.sparse import csr_matrix

from elmo_mini.experiments.classification_tasks import TASKS, ClassificationTask
from elmo_mini.experiments.command import Result
from elmo_mini.extras import brought_by
from elmo_mini.recurrent.classifier import (
    LSTMClassifier,
    accuracy,
    train_autoencoder,
    train_classifier,
)
from elmo_mini.recurrent.forgetting import ForgettingCurve, fine_tune_and_watch
from elmo_mini.recurrent.language_model import (
    LSTMLanguageModel,
    stream_perplexity,
    train_language_model,
)
from elmo_mini.recurrent.training import TrainingOptions
from elmo_mini.results.intervals import interval
from elmo_mini.text.running_text import text_stream
from elmo_mini.word_vectors.word2vec_trainer import Word2Vec

with brought_by("experiments"):
    from sklearn.linear_model import LogisticRegression
    from sklearn.naive_bayes import BernoulliNB

SIZE = 64
LABELS = {100: 20, 1_000: 5}  # labelled sentences: passes over them
PRETRAINING: dict[str, Any] = {"learning_rate": 1e-2}
FINE_TUNING: dict[str, Any] = {"batch_size": 16, "learning_rate": 3e-3}
FROZEN = "embedding and LSTM frozen"
WEIGHTS = {  # of the language-model loss
    "labels alone": 0.0,
    "with a tenth of the language-model loss": 0.1,
    "with the language-model loss": 1.0,
    FROZEN: 0.0,
}
MODEL = f"one LSTM layer, embedding and state {SIZE}, dropout 0.2 while fine-tuning, 1 pass of "
MODEL += "pretraining, no early stopping"


@lru_cache(maxsize=16)
def task_language_model(name: str, seed: int) -> LSTMLanguageModel:
    """A language model of a task's unlabelled sentences, one pass."""
    task = TASKS[name]()
    torch.manual_seed(seed)
    model = LSTMLanguageModel(len(task.vocabulary), SIZE, SIZE)
    stream = text_stream(task.sentences, task.vocabulary)
    train_language_model(model, stream, TrainingOptions(**PRETRAINING))
    return model


def counted_words_accuracy(
    task: ClassificationTask, sentences: list[list[int]], labels: list[int]
) -> dict[str, float]:
    """Logistic regression (C=1) and naive Bayes on which words occur, and on which one is last."""

    def table(rows: list[list[int]]) -> csr_matrix:
        places = np.array([(n, word) for n, row in enumerate(rows) for word in set(row)]).T
        shape = (len(rows), len(task.vocabulary))
        return csr_matrix((np.ones(places.shape[1]), (places[0], places[1])), shape=shape)

    asked, answers = task.test
    last, asked_last = ([row[-1:] for row in rows] for rows in (sentences, asked))
    return {
        name: float(model.fit(table(known), labels).score(table(tested), answers))
        for name, model, known, tested in (
            ("bag of words, no LSTM", LogisticRegression(max_iter=500), sentences, asked),
            ("naive Bayes, no LSTM", BernoulliNB(), sentences, asked),
            ("last word, no LSTM", LogisticRegression(max_iter=500), last, asked_last),
        )
    }


def starts(name: str, seed: int) -> dict[str, tuple[LSTMLanguageModel | None, tuple[str, ...]]]:
    """What a classifier may start from, trained on the unlabelled sentences, and which parts."""
    task = TASKS[name]()
    words = len(task.vocabulary)
    torch.manual_seed(seed)
    autoencoder = LSTMLanguageModel(words, SIZE, SIZE)
    unlabelled = [task.vocabulary.encode(sentence) for sentence in task.sentences]
    train_autoencoder(autoencoder, unlabelled, TrainingOptions(seed=seed, **PRETRAINING))
    static = Word2Vec(
        task.sentences, vector_size=SIZE, sg=1, alpha=0.025, epochs=5, min_count=1, seed=seed
    )
    torch.manual_seed(seed)
    embedding = LSTMLanguageModel(words, SIZE, SIZE)
    for number, word in enumerate(task.vocabulary.words):
        if word in static:
            embedding.embedding.weight.data[number] = torch.from_numpy(static[word].copy())
    language_model = task_language_model(name, seed)
    both = ("embedding", "lstm")
    return {
        "nothing": (None, ()),
        "word2vec embedding": (embedding, both[:1]),
        "language model's embedding": (language_model, both[:1]),
        "language model's LSTM": (language_model, both[1:]),
        "language model": (language_model, both),
        "sequence autoencoder": (autoencoder, both),
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
                for name_of, share in counted_words_accuracy(task, sentences, labels).items():
                    by_start.setdefault(name_of, []).append(share)
                for start, (model, parts) in models.items():
                    classifier = new_classifier(task, seed)
                    for part in parts:
                        getattr(classifier, part).load_state_dict(getattr(model, part).state_dict())
                    options = TrainingOptions(epochs=epochs, seed=seed, **FINE_TUNING)
                    train_classifier(classifier, sentences, labels, options)
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
            for name, weight in WEIGHTS.items():
                classifier = new_classifier(task, seed)
                for part in (classifier.embedding, classifier.lstm):
                    part.requires_grad_(name != FROZEN)
                curve = fine_tune_and_watch(
                    classifier,
                    task_language_model(task_name, seed),
                    sentences,
                    labels,
                    task.held_out,
                    TrainingOptions(epochs=LABELS[count], seed=seed, **FINE_TUNING),
                    text=stream if weight else None,
                    weight=weight,
                    looks=8,
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
        "language-model loss": "added at each step, times 1 or 0.1, windows of 8 rows of 16 "
        "tokens of the unlabelled text; the softmax of the language model is kept as it was",
        "frozen": "the output layer alone is trained, with the labels alone",
        "tasks": measured,
    }
