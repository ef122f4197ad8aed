"""``python -m course.why_bert.experiments NAME ...``: what lesson 14 measures, full-size.

``labels``: pretrained, scrambled and fresh weights, by the number of labels.
``knowledge``: weights pretrained on speeches, on speeches with their words shuffled, and on film
reviews, fine-tuned for two tasks. Two controls: questions without their ``?``, and a bag of the
words that the networks know.
``leash``: a pull to the start, and one to 0, by its strength and the length of training.
"""

import argparse
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import torch

from course.command import Prepared, Result, run_experiments
from course.results.accuracy import share_right
from course.texts import labelled_tasks as tasks
from course.texts.labelled_tasks import Labelled
from course.texts.word_classes import word_classes
from course.why_bert.fine_tuning_setup import (
    KINDS,
    WITHOUT_MARK,
    FineTuningSetup,
    Weights,
    baselines,
    course_setup,
)
from course.why_bert.labels_saved import needed_interval
from course.why_bert.speeches import fit
from elmo_mini import corpora
from elmo_mini.text.running_text import text_stream, word_vocabulary
from elmo_mini.text.vocabulary import Vocabulary

STEPS = {50: 100, 100: 125, 200: 150, 320: 175, 640: 200, 1_600: 250, 3_200: 300}
KNOWN, EPOCHS, TOKENS = 50, 5, 120_000
SMALL, WORDS = {"dim": 48, "heads": 4, "layers": 2, "longest": 32}, 1_000
BAG, KNOWN_BAG, NOTHING = "bag of words", "bag, 1,000 words", "nothing"
ORDERED, SHUFFLED, FILMS = "speeches", "speeches, words shuffled", "film reviews"
STRENGTHS, LENGTHS, LOOSE = (0.01, 0.1, 1.0, 10.0), (100, 300), "no pull"
CATCHING_UP = ("fresh", "scrambled", "two words and endings")


def labels(seeds: Sequence[int]) -> tuple[str, Result]:
    """Right answers by the number of labels, and how many each needs to catch up."""
    setup = course_setup()
    test, rows = setup.task.test, dict[str, dict[int, np.ndarray]]()
    for kind in KINDS:
        rows[kind] = {
            count: np.stack([_tuned(setup, kind, count, steps, seed) for seed in seeds])
            for count, steps in STEPS.items()
        }
    for count in STEPS:
        draws = [baselines(setup.task.train.drawn(count, seed), test) for seed in seeds]
        for name in draws[0]:
            rows.setdefault(name, {})[count] = np.stack([draw[name] for draw in draws])
    level = rows["pretrained"][min(STEPS)]
    return "The class of the last word, by the number of labels", {
        "training": f"batches of 10, steps by labels {STEPS}; Adam, body 0.001, head 0.01",
        "test": f"{len(test.texts)} beginnings of sentences (MASC)",
        "seeds": list(seeds),
        "right": {
            name: {str(count): share_right(correct) for count, correct in curve.items()}
            for name, curve in rows.items()
        },
        "labels for what the pretrained network does with the fewest": {
            name: needed_interval(level, rows[name], np.random.default_rng(0))
            for name in CATCHING_UP
        },
    }


def _tuned(setup: FineTuningSetup, kind: str, count: int, steps: int, seed: int) -> np.ndarray:
    train = setup.task.train.drawn(count, seed)
    return setup.correct(
        setup.tuned(setup.weights(kind, seed), train, seed, steps=steps), setup.task.test
    )


def knowledge(seeds: Sequence[int]) -> tuple[str, Result]:
    """Right answers with 50 labels, by what the weights have read."""
    speeches = list(corpora.load("state_union").split("train").sentences(lower=True))
    films = list(corpora.load("movie_reviews").split("train").sentences(lower=True))
    films = films[: len(speeches) * 2]
    vocabulary = word_vocabulary([*speeches, *films], max_size=WORDS)
    setup = FineTuningSetup(word_classes(), {}, vocabulary, SMALL)
    lots = random.Random(0)
    shuffled = [lots.sample(sentence, len(sentence)) for sentence in speeches]
    read: dict[str, Weights] = {
        ORDERED: _pretrained(setup, speeches),
        SHUFFLED: _pretrained(setup, shuffled),
        FILMS: _pretrained(setup, films),
    }
    compared = {
        "class of the last word": (setup.task.train, setup.task.test, len(setup.task.classes)),
        "kind of question": _questions(),
        WITHOUT_MARK: _questions(mark=False),
    }
    found: dict[str, dict[str, Any]] = {}
    for task, (train, test, classes) in compared.items():
        rows: dict[str, list[np.ndarray]] = {name: [] for name in (NOTHING, *read, BAG, KNOWN_BAG)}
        for seed in seeds:
            sample = train.drawn(KNOWN, seed)
            for name in (NOTHING, *read):
                weights = read[name] if name in read else setup.fresh(seed)
                model = setup.tuned(weights, sample, seed, classes=classes)
                rows[name].append(setup.correct(model, test))
            rows[BAG].append(baselines(sample, test)[BAG])
            cut = (with_known_words(part, vocabulary) for part in (sample, test))
            rows[KNOWN_BAG].append(baselines(*cut)[BAG])
        correct = {name: np.stack(draws) for name, draws in rows.items()}
        found[task] = {name: share_right(draws) for name, draws in correct.items()}
        found[task]["speeches less shuffled"] = share_right(correct[ORDERED] - correct[SHUFFLED])
        for name in read:
            found[task][f"{name}, less nothing"] = share_right(correct[name] - correct[NOTHING])
        found[task]["bag, 1,000 words, less bag of words"] = share_right(
            correct[KNOWN_BAG] - correct[BAG]
        )
    return "What the weights have read, and two tasks with 50 labels", {
        "pretraining": f"{EPOCHS} epochs of {TOKENS:,} tokens each, one run each",
        "network": {**SMALL, "words": len(vocabulary)},
        "seeds": list(seeds),
        "right": found,
    }


def _pretrained(setup: FineTuningSetup, sentences: Sequence[list[str]]) -> Weights:
    torch.manual_seed(0)
    model = setup.body()
    fit(model, text_stream(sentences, setup.vocabulary)[:TOKENS], EPOCHS)
    return {name: tensor.detach() for name, tensor in model.state_dict().items()}


def _questions(mark: bool = True) -> tuple[Labelled, Labelled, int]:
    found = tasks.questions()
    train, test = (part if mark else unmarked(part) for part in (found.train, found.test))
    return train, test, len(found.classes)


def unmarked(part: Labelled) -> Labelled:
    """Questions without the ``?`` at their end."""
    texts = [text[:-1] if text[-1] == "?" else text for text in part.texts]
    return replace(part, texts=texts)


def with_known_words(part: Labelled, vocabulary: Vocabulary) -> Labelled:
    """Texts as the networks read them: whatever is not in the vocabulary is ``<unk>``."""
    return replace(part, texts=[vocabulary.decode(vocabulary.encode(text)) for text in part.texts])


def leash(seeds: Sequence[int]) -> tuple[str, Result]:
    """Right answers with 50 labels, by where the body is pulled to, how strongly, how long."""
    setup = course_setup()
    found: dict[str, Any] = {}
    for steps in LENGTHS:
        rows = {
            name: np.stack([_pulled(setup, steps, seed, how) for seed in seeds])
            for name, how in _pulls().items()
        }
        found[str(steps)] = {
            "right": {name: share_right(correct) for name, correct in rows.items()},
            "lead over no pull": {
                name: share_right(correct - rows[LOOSE])
                for name, correct in rows.items()
                if name != LOOSE
            },
        }
    return "A pull on the pretrained body, with 50 labels", {
        "training": "batches of 10; Adam, body 0.001, head 0.01",
        "test": f"{len(setup.task.test.texts)} beginnings of sentences (MASC)",
        "strengths": list(STRENGTHS),
        "seeds": list(seeds),
        "steps": found,
    }


def _pulls() -> dict[str, dict[str, Any]]:
    """Each way to hold the body, as `FineTuningSetup.tuned` takes it."""
    ways: dict[str, dict[str, Any]] = {LOOSE: {}}
    for name, how in (("to the start", "pull"), ("to 0", "decay")):
        ways |= {f"{name}, {strength:g}": {how: strength} for strength in STRENGTHS}
    return ways


def _pulled(setup: FineTuningSetup, steps: int, seed: int, how: Mapping[str, Any]) -> np.ndarray:
    train = setup.task.train.drawn(KNOWN, seed)
    return setup.correct(
        setup.tuned(setup.pretrained, train, seed, steps=steps, **how), setup.task.test
    )


EXPERIMENTS: dict[str, Callable[[Sequence[int]], tuple[str, Result]]] = {
    "labels": labels,
    "knowledge": knowledge,
    "leash": leash,
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run the named experiments and store each."""
    return run_experiments(
        "why_bert.experiments", "why_bert_", __doc__, EXPERIMENTS, _prepare, argv, seeds=5
    )


def _prepare(args: argparse.Namespace) -> Prepared:
    torch.set_num_threads(1)
    return (args.seeds,), {
        "interval": "95 %, bootstrap over draws of labels and texts of the test, not over "
        "pretraining runs"
    }


if __name__ == "__main__":
    raise SystemExit(main())
