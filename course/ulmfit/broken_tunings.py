"""Runs of ULMFiT with a planted fault each, for lesson 11 to be diagnosed."""

from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from course.ulmfit.bench import Bench
from elmo_mini.ulmfit.classifier import TextClassifier, class_probabilities, in_ids
from elmo_mini.ulmfit.recipe import Stage3, stage_2, stage_3
from elmo_mini.ulmfit.task_text import text_perplexity, text_windows

FAULTS = (  # as the lesson numbers them
    "all learning rates are thirty times too high",
    "the rates grow towards the bottom in place of shrinking",
    "every epoch is told that it is epoch 0",
    "the head is not among the parameter groups",
    "the questions of the test stand in the text of stage 2",
    "the questions of the test stand, with their labels, in stage 3",
)
HOT, ASLEEP, LEAK = FAULTS[0], FAULTS[2], FAULTS[4]
RUNS = {"A": LEAK, "B": HOT, "C": ASLEEP}
LAYERS = ("word vectors", "LSTM 1", "LSTM 2", "head")
LABELS = 100


def broken_runs(bench: Bench, seed: int) -> dict[str, Any]:
    """What is seen of a sound run and of each broken one."""
    return {
        "labels": LABELS,
        "layers": LAYERS,
        "runs": {name: _seen(bench, fault, seed) for name, fault in {"sound": "", **RUNS}.items()},
    }


def _seen(bench: Bench, fault: str, seed: int) -> dict[str, Any]:
    task, (vocabulary, own) = bench.task, bench.words
    reader = bench.reader(read=True)
    if fault == LEAK:
        text = [*task.text, *task.test.texts]
        reader = stage_2(bench.reader(read=False), vocabulary, own, text, epochs=bench.passes)
    how = Stage3()
    if fault == HOT:
        how = replace(how, rate=30 * how.rate)
    if fault == ASLEEP:
        how = replace(how, waking="top alone")
    general: list[float] = []
    before: list[Tensor] = []

    def note(epoch: int, model: TextClassifier) -> None:
        if not epoch:
            before.extend(_weights(model))
        general.append(bench.general_perplexity(model.reader))
        model.train()

    known = task.train.drawn(LABELS, seed)
    model = stage_3(reader, vocabulary, known, len(task.classes), how, seed, after_epoch=note)
    moved = [
        float((now - start).norm() / start.norm())
        for now, start in zip(_weights(model), before, strict=True)
    ]
    pages = {part: getattr(task, part).texts for part in ("dev", "test")}
    return {
        "perplexity of general text": general,
        "moved": moved,
        "perplexity of the task's text": {
            part: text_perplexity(reader, text_windows(texts, vocabulary, rows=8), own)
            for part, texts in pages.items()
        },
        "right": {part: _right(model, bench, part) for part in pages},
    }


def _weights(model: TextClassifier) -> list[Tensor]:
    """All numbers of each layer, in one row."""
    return [
        torch.cat([parameter.detach().flatten() for parameter in layer]) for layer in model.layers()
    ]


def _right(model: TextClassifier, bench: Bench, part: str) -> float:
    asked = getattr(bench.task, part)
    said = class_probabilities(model, in_ids(asked.texts, bench.words[0])).argmax(-1)
    return float((said == torch.tensor(asked.labels)).float().mean())
