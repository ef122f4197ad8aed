"""Lesson 04's experiments with pretrained classifiers; run by `experiments.context`.

Each function takes the seeds and returns a title and what was measured.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from course.command import Result
from course.results.accuracy import right_of, share_right
from course.results.intervals import interval
from course.starting_from_a_language_model.classification_tasks import (
    TASKS,
    ClassificationTask,
    Labelled,
)
from course.starting_from_a_language_model.forgetting import ForgettingCurve, fine_tune_and_watch
from elmo_mini.extras import brought_by
from elmo_mini.recurrent.classifier import (
    LSTMClassifier,
    accuracy,
    answers,
    train_autoencoder,
    train_classifier,
)
from elmo_mini.recurrent.language_model import (
    LSTMLanguageModel,
    stream_perplexity,
    train_language_model,
)
from elmo_mini.recurrent.training import TrainingOptions
from elmo_mini.text.running_text import text_stream
from elmo_mini.word_vectors.word2vec_trainer import Word2Vec

with brought_by("experiments"):
    from sklearn.linear_model import LogisticRegression
    from sklearn.naive_bayes import BernoulliNB

SIZE = 64
LABELS = {100: 40, 1_000: 8}  # labelled sentences: passes over them, at most
RATES = (1e-3, 3e-3, 1e-2)
C = (0.1, 1.0, 10.0, 100.0)  # of logistic regression
ALPHA = (0.01, 0.1, 1.0)  # of naive Bayes
BATCH = 16
PRETRAINING: dict[str, Any] = {"learning_rate": 1e-2}
FORGETTING: dict[str, Any] = {"batch_size": BATCH, "learning_rate": 3e-3}
FORGETTING_PASSES = 5
FROZEN = "embedding and LSTM frozen"
WEIGHTS = {  # of the language-model loss
    "labels alone": 0.0,
    "with a tenth of the language-model loss": 0.1,
    "with the language-model loss": 1.0,
    FROZEN: 0.0,
}
MODEL = f"one LSTM layer, embedding and state {SIZE}, dropout 0.2 while fine-tuning, 1 pass of "
MODEL += "pretraining"
WHOLE, VECTORS, NOTHING = "language model", "language model's embedding", "nothing"
KINDS = ("accuracy", "chosen", "leads")
LEADS = (
    (WHOLE, NOTHING),
    (WHOLE, VECTORS),
    (WHOLE, "last word, no LSTM"),
    (WHOLE, "bag of words, no LSTM"),
    (VECTORS, NOTHING),
)


@lru_cache(maxsize=16)
def task_language_model(name: str, seed: int) -> LSTMLanguageModel:
    """A language model of a task's unlabelled sentences, one pass."""
    task = TASKS[name]()
    torch.manual_seed(seed)
    model = LSTMLanguageModel(len(task.vocabulary), SIZE, SIZE)
    stream = text_stream(task.sentences, task.vocabulary)
    train_language_model(model, stream, TrainingOptions(**PRETRAINING))
    return model


@dataclass(frozen=True)
class Choice:
    """What was best on the dev sentences: its settings, and its answers to the test."""

    right_on_dev: float
    settings: tuple[float, ...]
    said: list[int]


def counted_words(
    task: ClassificationTask, sentences: list[list[int]], labels: list[int]
) -> dict[str, Choice]:
    """Logistic regression and naive Bayes on which words occur, and on which one is last."""

    def table(rows: list[list[int]]) -> csr_matrix:
        places = np.array([(n, word) for n, row in enumerate(rows) for word in set(row)]).T
        shape = (len(rows), len(task.vocabulary))
        return csr_matrix((np.ones(places.shape[1]), (places[0], places[1])), shape=shape)

    def best(models: Mapping[float, Any], last_alone: bool = False) -> Choice:
        read, dev, test = (
            table([row[-1:] for row in rows] if last_alone else rows)
            for rows in (sentences, task.dev[0], task.test[0])
        )
        fitted = {setting: model.fit(read, labels) for setting, model in models.items()}
        right = {setting: model.score(dev, task.dev[1]) for setting, model in fitted.items()}
        chosen = max(right, key=lambda setting: right[setting])
        return Choice(right[chosen], (chosen,), fitted[chosen].predict(test).tolist())

    lines = {c: LogisticRegression(C=c, max_iter=500) for c in C}
    return {
        "bag of words, no LSTM": best(lines),
        "naive Bayes, no LSTM": best({alpha: BernoulliNB(alpha=alpha) for alpha in ALPHA}),
        "last word, no LSTM": best(lines, last_alone=True),
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


def tuned(
    task: ClassificationTask,
    start: tuple[LSTMLanguageModel | None, tuple[str, ...]],
    known: Labelled,
    passes: int,
    seed: int,
) -> Choice:
    """A classifier from this start, with the rate and after the pass that dev likes best."""
    model, parts = start
    a_pass = -(-len(known[0]) // BATCH)
    best = Choice(-1.0, (), [])
    for rate in RATES:
        classifier = new_classifier(task, seed)
        for part in parts:
            getattr(classifier, part).load_state_dict(getattr(model, part).state_dict())

        def look(step: int, classifier: LSTMClassifier = classifier, rate: float = rate) -> None:
            nonlocal best
            if step % a_pass == 0:
                right = accuracy(classifier, *task.dev)
                if right > best.right_on_dev:
                    settings = (rate, step // a_pass)
                    best = Choice(right, settings, answers(classifier, task.test[0]))

        options = TrainingOptions(passes, BATCH, rate, seed)
        train_classifier(classifier, *known, options, after_step=look)
    return best


def pretraining(seeds: Sequence[int]) -> tuple[str, Result]:
    """Dai & Le: a classifier from nothing, from word2vec, a language model, an autoencoder."""
    measured: Result = {}
    for name, task_of in TASKS.items():
        task = task_of()
        choices: dict[int, dict[str, list[Choice]]] = {count: {} for count in LABELS}
        perplexities: list[float] = []
        for seed in seeds:
            models = starts(name, seed)
            perplexities.append(stream_perplexity(task_language_model(name, seed), task.held_out))
            for count, passes in LABELS.items():
                known = task.drawn(count, seed)
                found = counted_words(task, *known) | {
                    start: tuned(task, of, known, passes, seed) for start, of in models.items()
                }
                for start, choice in found.items():
                    choices[count].setdefault(start, []).append(choice)
                    right = np.mean(right_of([choice.said], task.test[1]))
                    print(name, seed, count, start, choice.settings, f"{right:.3f}", flush=True)
        by_count = {str(count): of_start(by_start, task) for count, by_start in choices.items()}
        measured[name] = {
            **described(task),
            "held-out perplexity of the language model": interval(perplexities),
            **{kind: {count: of[kind] for count, of in by_count.items()} for kind in KINDS},
        }
    return "Where an LSTM classifier starts, on two tasks with few labels", {
        "corpus": "subjectivity and masc_tagged",
        "passes over the labels, at most": {str(count): passes for count, passes in LABELS.items()},
        "model": MODEL,
        "batch size": BATCH,
        "chosen on the dev sentences": f"an LSTM's first learning rate among {RATES} and the pass "
        f"after which it stops, C of logistic regression among {C}, alpha of naive Bayes among "
        f"{ALPHA}; each by itself, for each seed",
        "leads": "interval over draws (a seed and its labels) and test sentences, bootstrap",
        "tasks": measured,
    }


def of_start(by_start: Mapping[str, Sequence[Choice]], task: ClassificationTask) -> Result:
    """`KINDS`: shares right over the seeds, what was chosen, and who is ahead of whom."""
    right: dict[str, NDArray[np.float64]] = {
        start: right_of([choice.said for choice in made], task.test[1])
        for start, made in by_start.items()
    }
    accuracies = {start: interval(rows.mean(1)) for start, rows in right.items()}
    settings = {start: [choice.settings for choice in made] for start, made in by_start.items()}
    leads = {f"{a} before {b}": share_right(right[a] - right[b]) for a, b in LEADS}
    return dict(zip(KINDS, (accuracies, settings, leads), strict=True))


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
        "dev sentences": len(task.dev[0]),
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
                    TrainingOptions(FORGETTING_PASSES, seed=seed, **FORGETTING),
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
        "model": f"{MODEL}, no early stopping",
        "fine-tuning": {**FORGETTING, "passes": FORGETTING_PASSES},
        "language-model loss": "added at each step, times 1 or 0.1, windows of 8 rows of 16 "
        "tokens of the unlabelled text; the softmax of the language model is kept as it was",
        "frozen": "the output layer alone is trained, with the labels alone",
        "tasks": measured,
    }
