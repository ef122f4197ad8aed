"""The experiments of lesson 03 that fine-tune a pretrained model; run by `context_experiments`.

Each function takes the seeds and returns a title and what was measured.
"""

import copy
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import torch
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression
from torch import Tensor

from elmo_mini import corpora
from elmo_mini.corpora.splits import Part
from elmo_mini.forgetting import ForgettingCurve, fine_tune_and_watch
from elmo_mini.intervals import interval
from elmo_mini.lstm_language_model import (
    LSTMLanguageModel,
    stream_perplexity,
    text_stream,
    train_language_model,
    word_vocabulary,
)
from elmo_mini.pretrained_classifier import (
    LSTMClassifier,
    accuracy,
    start_from,
    train_autoencoder,
    train_classifier,
)
from elmo_mini.pretrained_seq2seq import (
    Seq2Seq,
    seq2seq_perplexity,
    start_decoder,
    start_encoder,
    train_seq2seq,
    translate,
)
from elmo_mini.telegrams import TelegramTask, bleu, telegram_task
from elmo_mini.vocabulary import Vocabulary
from elmo_mini.word2vec_training import Word2Vec

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


@dataclass(frozen=True)
class Variant:
    """What of Ramachandran, Liu & Le's method a model has."""

    encoder: bool = True
    decoder: bool = True
    softmax: bool = True
    language_model_loss: bool = True
    residual: bool = True
    both_layers: bool = True


VARIANTS = {
    "the whole method": Variant(),
    "no pretraining, no language-model loss": Variant(
        encoder=False, decoder=False, language_model_loss=False
    ),
    "language-model loss without pretraining": Variant(encoder=False, decoder=False),
    "pretraining without language-model loss": Variant(language_model_loss=False),
    "only the encoder pretrained": Variant(decoder=False),
    "only the decoder pretrained": Variant(encoder=False),
    "decoder without its softmax": Variant(softmax=False),
    "without the residual": Variant(residual=False),
    "attention to the top layer only": Variant(both_layers=False),
}
TELEGRAM_WORDS, PAIRS, EPOCHS = 1_500, 2_000, 5
TELEGRAM_TUNING: dict[str, Any] = {"batch": 16, "learning_rate": 5e-3}


def best_on_dev(
    variant: Variant,
    task: TelegramTask,
    source: LSTMLanguageModel,
    target: LSTMLanguageModel,
    texts: tuple[Tensor, Tensor],
    seed: int,
) -> tuple[Seq2Seq, int]:
    """Train one variant; give the model as it was after the pass with the best dev perplexity."""
    torch.manual_seed(seed)
    words = len(task.vocabulary)
    model = Seq2Seq(
        words,
        words,
        SIZE,
        residual=variant.residual,
        both_layers=variant.both_layers,
        dropout=0.2,
    )
    if variant.encoder:
        start_encoder(model, source)
    if variant.decoder:
        start_decoder(model, target, softmax=variant.softmax)
    best: list[tuple[float, int, dict[str, Tensor]]] = []
    a_pass = -(-len(task.train) // TELEGRAM_TUNING["batch"])

    def look(step: int) -> None:
        if step % a_pass == 0:
            found = seq2seq_perplexity(model, task.dev)
            if not best or found < best[0][0]:
                best[:] = [(found, step // a_pass, copy.deepcopy(model.state_dict()))]

    train_seq2seq(
        model,
        task.train,
        epochs=EPOCHS,
        seed=seed,
        source_text=texts[0] if variant.language_model_loss else None,
        target_text=texts[1] if variant.language_model_loss else None,
        after_step=look,
        **TELEGRAM_TUNING,
    )
    model.load_state_dict(best[0][2])
    return model.eval(), best[0][1]


def seq2seq(
    train: list[list[str]], test: list[list[str]], seeds: Sequence[int]
) -> tuple[str, Result]:
    """Ramachandran, Liu & Le: what each part of the method does, on telegrams."""
    measures = (
        "perplexity",
        "perplexity, telegram of another sentence",
        "BLEU",
        "target LM perplexity",
        "best pass",
    )
    found: dict[str, dict[str, list[float]]] = {
        name: {measure: [] for measure in measures} for name in VARIANTS
    }
    said: list[dict[str, str]] = []
    sizes: Result = {}
    for seed in seeds:
        task = telegram_task(
            train, test, pairs=PAIRS, dev=150, tests=300, words=TELEGRAM_WORDS, unknown=1, seed=seed
        )
        decode = task.vocabulary.decode
        wrong = [(task.test[row - 1][0], target) for row, (_, target) in enumerate(task.test)]
        texts = (
            text_stream(task.source_text, task.vocabulary),
            text_stream(task.target_text, task.vocabulary),
        )
        held_out = text_stream(test[: len(test) // 4], task.vocabulary)
        models = []
        for text in texts:
            torch.manual_seed(seed)
            models.append(LSTMLanguageModel(len(task.vocabulary), SIZE, SIZE))
            train_language_model(models[-1], text, rows=16, width=24, **PRETRAINING)
        sizes = {
            "pairs": len(task.train),
            "dev pairs": len(task.dev),
            "test pairs": len(task.test),
            "source text tokens": len(texts[0]),
            "target text tokens": len(texts[1]),
        }
        for name, variant in VARIANTS.items():
            model, passes = best_on_dev(variant, task, models[0], models[1], texts, seed)
            answers = translate(model, [source for source, _ in task.test])
            watched = LSTMLanguageModel(len(task.vocabulary), SIZE, SIZE)
            watched.embedding, watched.lstm = model.target_embedding, model.decoder_first
            watched.softmax = model.softmax
            numbers = (
                seq2seq_perplexity(model, task.test),
                seq2seq_perplexity(model, wrong),
                bleu(answers, [target for _, target in task.test]),
                stream_perplexity(watched, held_out),
                passes,
            )
            for measure, number in zip(measures, numbers, strict=True):
                found[name][measure].append(number)
            print(seed, name, [round(number, 3) for number in numbers], flush=True)
            if seed == seeds[0]:
                for row in range(4):
                    source, target = (" ".join(decode(ids)) for ids in task.test[row])
                    answer = " ".join(decode(answers[row]))
                    said.append(
                        {"model": name, "telegram": source, "sentence": target, "said": answer}
                    )
    whole = found["the whole method"]
    return "Telegrams made whole: parts of pretraining for sequence to sequence", {
        "task": "sentences of 5 to 14 words, at most one of them unknown, from which function "
        "words and punctuation were taken; the rest of the text is unlabelled: telegrams of one half, sentences of the other",
        **sizes,
        "model": f"2 layers of {SIZE} a side, {TELEGRAM_WORDS} words, dropout 0.2, {EPOCHS} "
        "passes, the best pass by dev perplexity",
        "fine-tuning": TELEGRAM_TUNING,
        "variants": {
            name: {measure: interval(values) for measure, values in by_measure.items()}
            for name, by_measure in found.items()
        },
        "log perplexity above the whole method, same seeds": {
            name: interval(np.log(by_measure["perplexity"]) - np.log(whole["perplexity"]))
            for name, by_measure in found.items()
        },
        "examples, first seed": said,
    }
