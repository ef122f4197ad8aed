"""``python -m course.why_bert.experiments NAME ...``: what lesson 14 measures, full-size.

``labels``: two tasks by the number of labels; pretrained and fresh networks, and who needs none.
``next``: the class of the next word once more, beside what counts of triples expect next.
``knowledge``: weights pretrained on speeches, on speeches with their words shuffled, and on film
reviews, fine-tuned for two tasks. Two controls: questions without their ``?``, and a bag of the
words that the networks know.
"""

import argparse
import random
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import torch

from course.command import Prepared, Result, run_experiments
from course.results.accuracy import share_right
from course.texts import labelled_tasks as tasks
from course.texts.noun_or_verb import next_class, noun_or_verb
from course.why_bert import rivals
from course.why_bert.fine_tuning_setup import (
    WITHOUT_MARK,
    FineTuningSetup,
    Weights,
    course_setup,
)
from course.why_bert.labels_saved import needed_interval
from course.why_bert.speeches import fit
from elmo_mini import corpora
from elmo_mini.text.labelled import Labelled
from elmo_mini.text.running_text import BOUNDARY, text_stream, word_vocabulary
from elmo_mini.text.vocabulary import Vocabulary

STEPS = {50: 100, 200: 150, 800: 250, 1_600: 300}
KNOWN, EPOCHS, TOKENS = 50, 5, 120_000
SMALL, WORDS = {"dim": 48, "heads": 4, "layers": 2, "longest": 32}, 1_000
BAG, KNOWN_BAG, NOTHING = "bag of words", "bag, 1,000 words", "nothing"
ORDERED, SHUFFLED, FILMS = "speeches", "speeches, words shuffled", "film reviews"
NOUN_OR_VERB, NEXT = "noun or verb", "class of the next word"
TUNED, FRESH, STATE, OWN = "fine-tuned", "fresh", "frozen state", "features"
TABLE, VECTOR, COUNTED = "table of last words", "last word's vector", "counted vectors"
EXPECTED, WITH_EXPECTED = "what counts expect next", "counts and state"
BOTH, RIVALS, ALL = "features and state", "features and counts", "features, counts and state"
NEXT_LEADS = ((STATE, VECTOR), (STATE, EXPECTED), (WITH_EXPECTED, EXPECTED))
LEADS = (
    (TUNED, FRESH),
    (TUNED, STATE),
    (TUNED, RIVALS),
    (STATE, OWN),
    (STATE, COUNTED),
    (BOTH, OWN),
    (ALL, RIVALS),
)


def labels(seeds: Sequence[int]) -> tuple[str, Result]:
    """Right answers by the number of labels, and how many a fresh network needs to catch up."""
    setup = course_setup()
    speeches = corpora.load("state_union").split("train").sentences(lower=True)
    stream = text_stream(list(speeches), setup.vocabulary).tolist()
    counted = rivals.counted_vectors(stream, len(setup.vocabulary))
    found, catching_up = {}, {}
    for name, task in ((NOUN_OR_VERB, noun_or_verb()), (NEXT, next_class())):
        of_task = replace(setup, task=task)
        rows: dict[str, dict[int, np.ndarray]] = {}
        for count, steps in STEPS.items():
            draws = [right_of_all(of_task, counted, count, steps, seed) for seed in seeds]
            for row in draws[0]:
                rows.setdefault(row, {})[count] = np.stack([draw[row] for draw in draws])
        found[name] = {
            "right": {
                row: {str(count): share_right(correct) for count, correct in curve.items()}
                for row, curve in rows.items()
            },
            "leads": {
                f"{one} less {other}": {
                    str(count): share_right(rows[one][count] - rows[other][count])
                    for count in STEPS
                }
                for one, other in LEADS
            },
            "commonest class": float(np.bincount(task.test.labels).max() / len(task.test.labels)),
            "test": f"{len(task.test.texts)} beginnings of sentences (MASC)",
        }
        rng = np.random.default_rng(0)
        catching_up[name] = needed_interval(rows[TUNED][min(STEPS)], rows[FRESH], rng)
    return "Two tasks, by the number of labels", {
        "training": f"batches of 10, steps by labels {STEPS}; Adam, body 0.001, head 0.01",
        "seeds": list(seeds),
        "tasks": found,
        "labels that fresh needs for what fine-tuned does with the fewest": catching_up,
    }


def right_of_all(
    setup: FineTuningSetup, counted: np.ndarray, count: int, steps: int, seed: int
) -> dict[str, np.ndarray]:
    """Of one draw of labels: which texts of the test each gets right."""
    train, test = setup.task.train.drawn(count, seed), setup.task.test
    own, parts = rivals.features(train, test), (train, test)
    state = rivals.scaled(*(setup.states(part).numpy() for part in parts))
    table = setup.pretrained["word.weight"].numpy()
    vectors = {
        VECTOR: [rivals.last_words(table, setup.vocabulary, part) for part in parts],
        COUNTED: [rivals.last_words(counted, setup.vocabulary, part, 2) for part in parts],
    }
    counts = rivals.scaled(*vectors[COUNTED])
    without = [rivals.beside(*pair) for pair in zip(own, counts, strict=True)]
    whole = [rivals.beside(*pair) for pair in zip(without, state, strict=True)]
    both = [rivals.beside(*pair) for pair in zip(own, state, strict=True)]
    return {
        TABLE: rivals.table_of_last_words(train, test),
        **{name: rivals.read(rivals.scaled(*rows), *parts) for name, rows in vectors.items()},
        OWN: rivals.read(own, *parts),
        STATE: rivals.read(state, *parts),
        BOTH: rivals.read(both, *parts),
        RIVALS: rivals.read(without, *parts),
        ALL: rivals.read(whole, *parts),
        FRESH: setup.correct(setup.tuned(setup.fresh(seed), train, seed, steps=steps), test),
        TUNED: setup.correct(setup.tuned(setup.pretrained, train, seed, steps=steps), test),
    }


def next_word(seeds: Sequence[int]) -> tuple[str, Result]:
    """The class of the next word: a frozen state beside what counts of its own text expect."""
    task = next_class()
    setup = replace(course_setup(), task=task)
    words = setup.vocabulary
    speeches = corpora.load("state_union").split("train").sentences(lower=True)
    stream = text_stream(list(speeches), words).tolist()
    table = setup.pretrained["word.weight"].numpy()
    known, asked = (
        {
            STATE: setup.states(part).numpy(),
            VECTOR: rivals.last_words(table, words, part),
            EXPECTED: rivals.expected_next(
                stream, len(words), [words.encode([BOUNDARY, *text]) for text in part.texts]
            ),
        }
        for part in (task.train, task.test)
    )
    rows: dict[str, dict[int, list[np.ndarray]]] = defaultdict(lambda: defaultdict(list))
    for count in STEPS:
        for seed in seeds:
            train = task.train.drawn(count, seed)
            some = np.random.default_rng(seed).permutation(len(task.train.texts))[:count]
            of = {name: rivals.scaled(known[name][some], asked[name]) for name in known}
            both = tuple(np.hstack(part) for part in zip(of[EXPECTED], of[STATE], strict=True))
            for name, pair in {**of, WITH_EXPECTED: both}.items():
                rows[name][count].append(rivals.read(pair, train, task.test))
    right = {name: {n: np.stack(of) for n, of in row.items()} for name, row in rows.items()}
    return "The class of the next word, by the number of labels", {
        "seeds": list(seeds),
        "right": {
            name: {str(count): share_right(of) for count, of in row.items()}
            for name, row in right.items()
        },
        "leads": {
            f"{one} less {other}": {
                str(count): share_right(right[one][count] - right[other][count]) for count in STEPS
            }
            for one, other in NEXT_LEADS
        },
        "asked": len(task.test.texts),
    }


def knowledge(seeds: Sequence[int]) -> tuple[str, Result]:
    """Right answers with 50 labels, by what the weights have read."""
    speeches = list(corpora.load("state_union").split("train").sentences(lower=True))
    films = list(corpora.load("movie_reviews").split("train").sentences(lower=True))
    films = films[: len(speeches) * 2]
    vocabulary = word_vocabulary([*speeches, *films], max_size=WORDS)
    setup = FineTuningSetup(noun_or_verb(), {}, vocabulary, SMALL)
    lots = random.Random(0)
    shuffled = [lots.sample(sentence, len(sentence)) for sentence in speeches]
    read: dict[str, Weights] = {
        ORDERED: _pretrained(setup, speeches),
        SHUFFLED: _pretrained(setup, shuffled),
        FILMS: _pretrained(setup, films),
    }
    compared = {
        NOUN_OR_VERB: (setup.task.train, setup.task.test, len(setup.task.classes)),
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
            rows[BAG].append(rivals.bag_of_words(sample, test))
            cut = (with_known_words(part, vocabulary) for part in (sample, test))
            rows[KNOWN_BAG].append(rivals.bag_of_words(*cut))
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


EXPERIMENTS: dict[str, Callable[[Sequence[int]], tuple[str, Result]]] = {
    "labels": labels,
    "next": next_word,
    "knowledge": knowledge,
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
