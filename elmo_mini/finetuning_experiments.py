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

WORDS, SIZE = 4_000, 64
TASK, UNLABELLED = "subjectivity", ("subjectivity", "sentence_polarity")
LABELS = {100: 20, 500: 10, 2_000: 5}  # labelled sentences: passes over them
PRETRAINING: dict[str, Any] = {"learning_rate": 5e-3}
FINE_TUNING: dict[str, Any] = {"batch": 16, "learning_rate": 3e-3}


@dataclass(frozen=True)
class ClassificationTask:
    """Unlabelled and labelled sentences as ids; `held_out` is text nothing is trained on."""

    vocabulary: Vocabulary
    sentences: list[list[str]]
    unlabelled: list[list[int]]
    held_out: Tensor
    train: tuple[list[list[int]], list[int]]
    test: tuple[list[list[int]], list[int]]

    def drawn(self, count: int, seed: int) -> tuple[list[list[int]], list[int]]:
        """Some labelled sentences of the training part."""
        rows = np.random.default_rng(seed).permutation(len(self.train[0]))[:count].tolist()
        return [self.train[0][row] for row in rows], [self.train[1][row] for row in rows]


@lru_cache(maxsize=1)
def classification_task() -> ClassificationTask:
    """Subjective or objective; the unlabelled text is the train part of two review corpora."""

    def lowered(name: str, part: Part) -> list[list[str]]:
        return list(corpora.load(name).split(part).sentences(lower=True))

    sentences = [s for name in UNLABELLED for s in lowered(name, "train")]
    vocabulary = word_vocabulary(sentences, max_size=WORDS)
    classes: dict[str, int] = {}
    labelled: list[tuple[list[list[int]], list[int]]] = []
    parts: tuple[Part, Part] = ("train", "test")
    for part in parts:
        both = list(corpora.load(TASK).split(part).labelled())
        ids = [vocabulary.encode(word.lower() for word in words) for words, _ in both]
        labelled.append((ids, [classes.setdefault(label, len(classes)) for _, label in both]))
    held_out = [s for name in UNLABELLED for s in lowered(name, "dev")]
    return ClassificationTask(
        vocabulary,
        sentences,
        [vocabulary.encode(sentence) for sentence in sentences],
        text_stream(held_out, vocabulary),
        *labelled,
    )


@lru_cache(maxsize=8)
def review_language_model(seed: int) -> LSTMLanguageModel:
    """A language model of the unlabelled sentences, one pass."""
    task = classification_task()
    torch.manual_seed(seed)
    model = LSTMLanguageModel(len(task.vocabulary), SIZE, SIZE)
    stream = text_stream(task.sentences, task.vocabulary)
    train_language_model(model, stream, rows=16, width=24, **PRETRAINING)
    print(f"language model, seed {seed}: {stream_perplexity(model, task.held_out):.1f}", flush=True)
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


def pretraining(seeds: Sequence[int]) -> tuple[str, Result]:
    """Dai & Le: a classifier from nothing, from word2vec, a language model, an autoencoder."""
    task = classification_task()
    scores: dict[str, dict[str, list[float]]] = {str(count): {} for count in LABELS}
    said_again: list[float] = []
    perplexities: list[float] = []
    for seed in seeds:
        language_model = review_language_model(seed)
        perplexities.append(stream_perplexity(language_model, task.held_out))
        torch.manual_seed(seed)
        autoencoder = LSTMLanguageModel(len(task.vocabulary), SIZE, SIZE)
        losses = train_autoencoder(autoencoder, task.unlabelled, seed=seed, **PRETRAINING)
        said_again.append(float(np.mean(losses[-50:])))
        static = Word2Vec(
            task.sentences, vector_size=SIZE, sg=1, alpha=0.05, epochs=3, min_count=1, seed=seed
        )
        torch.manual_seed(seed)
        embedding = LSTMLanguageModel(len(task.vocabulary), SIZE, SIZE)
        for number, word in enumerate(task.vocabulary.words):
            if word in static:
                embedding.embedding.weight.data[number] = torch.from_numpy(static[word].copy())
        starts = {
            "nothing": None,
            "word2vec embedding": embedding,
            "language model": language_model,
            "sequence autoencoder": autoencoder,
        }
        for count, epochs in LABELS.items():
            sentences, labels = task.drawn(count, seed)
            by_start = scores[str(count)]
            bag = bag_of_words_accuracy(task, sentences, labels)
            by_start.setdefault("bag of words, no LSTM", []).append(bag)
            for name, start in starts.items():
                torch.manual_seed(seed)
                classifier = LSTMClassifier(len(task.vocabulary), 2, SIZE, SIZE, dropout=0.2)
                if start is not None:
                    start_from(classifier, start)
                train_classifier(
                    classifier, sentences, labels, epochs=epochs, seed=seed, **FINE_TUNING
                )
                by_start.setdefault(name, []).append(accuracy(classifier, *task.test))
            print(seed, count, {name: round(v[-1], 3) for name, v in by_start.items()}, flush=True)
    return "Subjective or objective: where an LSTM classifier starts, and how many labels it has", {
        **_classification(task),
        "held-out perplexity of the language model": interval(perplexities),
        "nats a word of the autoencoder in training, last 50 batches": interval(said_again),
        "passes over the labels": {str(count): epochs for count, epochs in LABELS.items()},
        "accuracy": {
            count: {name: interval(values) for name, values in by_start.items()}
            for count, by_start in scores.items()
        },
    }


def _classification(task: ClassificationTask) -> Result:
    return {
        "corpus": " and ".join(UNLABELLED),
        "task": f"{TASK}; unlabelled: train parts of {' and '.join(UNLABELLED)}",
        "unlabelled tokens": sum(map(len, task.unlabelled)),
        "test sentences": len(task.test[0]),
        "model": f"one LSTM layer, {len(task.vocabulary)} words, embedding and state {SIZE}, "
        "dropout 0.2 while fine-tuning, 1 pass of pretraining, no early stopping",
        "fine-tuning": FINE_TUNING,
    }


def forgetting(seeds: Sequence[int], count: int = 500) -> tuple[str, Result]:
    """The language model's perplexity while a classifier that started from it is trained."""
    task = classification_task()
    stream = text_stream(task.sentences, task.vocabulary)
    curves: dict[str, list[ForgettingCurve]] = {}
    scores: dict[str, list[float]] = {}
    for seed in seeds:
        sentences, labels = task.drawn(count, seed)
        for name, text in (("labels alone", None), ("with the language-model loss", stream)):
            torch.manual_seed(seed)
            classifier = LSTMClassifier(len(task.vocabulary), 2, SIZE, SIZE, dropout=0.2)
            curve = fine_tune_and_watch(
                classifier,
                review_language_model(seed),
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
            print(seed, name, [round(p) for p in curve.perplexities], scores[name][-1], flush=True)
    return f"Forgetting: perplexity of a language model fine-tuned on {count} labels", {
        **_classification(task),
        "language-model loss": "added at each step, weight 1, windows of 8 rows of 16 tokens of "
        "the unlabelled text; the softmax of the language model is kept as it was",
        "held-out tokens": len(task.held_out) - 1,
        "steps": list(curves["labels alone"][0].steps),
        "perplexity": {
            name: [interval(values) for values in zip(*(c.perplexities for c in of), strict=True)]
            for name, of in curves.items()
        },
        "forgotten, nats a token": {
            name: interval([curve.forgotten for curve in of]) for name, of in curves.items()
        },
        "accuracy": {name: interval(values) for name, values in scores.items()},
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
PAIRS, EPOCHS = 1_000, 6


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
    a_pass = -(-len(task.train) // FINE_TUNING["batch"])

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
        **FINE_TUNING,
    )
    model.load_state_dict(best[0][2])
    return model.eval(), best[0][1]


def seq2seq(
    train: list[list[str]], test: list[list[str]], seeds: Sequence[int]
) -> tuple[str, Result]:
    """Ramachandran, Liu & Le: what each part of the method does, on telegrams."""
    measures = ("perplexity", "BLEU", "target LM perplexity", "best pass")
    found: dict[str, dict[str, list[float]]] = {
        name: {measure: [] for measure in measures} for name in VARIANTS
    }
    said: list[dict[str, str]] = []
    sizes: Result = {}
    for seed in seeds:
        task = telegram_task(train, test, pairs=PAIRS, dev=150, tests=300, words=WORDS, seed=seed)
        decode = task.vocabulary.decode
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
        "task": "sentences of 5 to 14 words, all known, without function words and punctuation; "
        "the rest of the text is unlabelled: telegrams of one half, sentences of the other",
        **sizes,
        "model": f"2 layers of {SIZE} a side, {WORDS} words, dropout 0.2, {EPOCHS} passes, the "
        "best pass by dev perplexity",
        "fine-tuning": FINE_TUNING,
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
