"""Runs of ULMFiT with a planted fault each, for lesson 11 to be diagnosed."""

from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from course.ulmfit.stages_setup import ULMFiTSetup
from elmo_mini.ulmfit.stages import Stage3, stage_2, stage_3
from elmo_mini.ulmfit.task_text import text_perplexity, text_windows
from elmo_mini.ulmfit.text_classifier import TextClassifier, class_probabilities, in_ids

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


def broken_runs(setup: ULMFiTSetup, seed: int) -> dict[str, Any]:
    """What is seen of a sound run and of each broken one."""
    return {
        "labels": LABELS,
        "layers": LAYERS,
        "runs": {name: _seen(setup, fault, seed) for name, fault in {"sound": "", **RUNS}.items()},
    }


def _seen(setup: ULMFiTSetup, fault: str, seed: int) -> dict[str, Any]:
    task, (vocabulary, own) = setup.task, setup.words
    reader = setup.language_model(tuned=True)
    if fault == LEAK:
        text = [*task.text, *task.test.texts]
        reader = stage_2(
            setup.language_model(tuned=False), vocabulary, own, text, epochs=setup.passes
        )
    how = Stage3()
    if fault == HOT:
        how = replace(how, rate=30 * how.rate)
    if fault == ASLEEP:
        how = replace(how, unfreezing="top alone")
    general: list[float] = []
    before: list[Tensor] = []

    def note(epoch: int, model: TextClassifier) -> None:
        if not epoch:
            before.extend(_weights(model))
        general.append(setup.general_perplexity(model.reader))
        model.train()

    train = task.train.drawn(LABELS, seed)
    model = stage_3(reader, vocabulary, train, len(task.classes), how, seed, after_epoch=note)
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
        "right": {part: _right(model, setup, part) for part in pages},
    }


def _weights(model: TextClassifier) -> list[Tensor]:
    """All numbers of each layer, in one row."""
    return [
        torch.cat([parameter.detach().flatten() for parameter in layer]) for layer in model.layers()
    ]


def _right(model: TextClassifier, setup: ULMFiTSetup, part: str) -> float:
    test = getattr(setup.task, part)
    predicted = class_probabilities(model, in_ids(test.texts, setup.words[0])).argmax(-1)
    return float((predicted == torch.tensor(test.labels)).float().mean())
