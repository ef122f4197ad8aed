"""Lesson 04's experiment with telegrams made whole; run by `experiments.context`."""

import copy
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from course.command import Result
from course.results.intervals import interval
from course.starting_from_a_language_model.bleu import bleu
from course.starting_from_a_language_model.classifier_experiments import PRETRAINING, SIZE
from course.starting_from_a_language_model.telegrams import TelegramTask, telegram_task
from elmo_mini.recurrent.language_model import (
    LSTMLanguageModel,
    stream_perplexity,
    train_language_model,
)
from elmo_mini.recurrent.seq2seq import (
    Seq2Seq,
    seq2seq_perplexity,
    start_decoder,
    start_encoder,
    train_seq2seq,
    translate,
)
from elmo_mini.recurrent.training import TrainingOptions
from elmo_mini.text.running_text import text_stream


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
TELEGRAM_WORDS, PAIRS, EPOCHS = 1_500, 2_000, 15
TELEGRAM_TUNING: dict[str, Any] = {"batch_size": 16, "learning_rate": 5e-3}


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
    a_pass = -(-len(task.train) // TELEGRAM_TUNING["batch_size"])

    def look(step: int) -> None:
        if step % a_pass == 0:
            found = seq2seq_perplexity(model, task.dev)
            if not best or found < best[0][0]:
                best[:] = [(found, step // a_pass, copy.deepcopy(model.state_dict()))]

    train_seq2seq(
        model,
        task.train,
        TrainingOptions(epochs=EPOCHS, seed=seed, **TELEGRAM_TUNING),
        source_text=texts[0] if variant.language_model_loss else None,
        target_text=texts[1] if variant.language_model_loss else None,
        after_step=look,
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
            train_language_model(models[-1], text, TrainingOptions(**PRETRAINING))
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
        "words and punctuation were taken; the rest of the text is unlabelled: telegrams of one "
        "half, sentences of the other",
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
