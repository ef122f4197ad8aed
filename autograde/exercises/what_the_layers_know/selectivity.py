"""Exercise `selectivity`: the real task less the control task (Hewitt and Liang 2019)."""

import copy
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autograde.checking.answers import Answer, AnswerRefused, Plain, plain, refuse_changed, returned
from autograde.checking.exercise import Case, Exercise, Inputs, Random
from autograde.checking.slips import slips
from autograde.exercises.what_the_layers_know import LESSON

Numbers = NDArray[np.float64]
Labels = Sequence[str]
Probe = Callable[[Numbers, Labels, Numbers], Labels]
Draw = Callable[[Labels, Labels], list[str]]
TAGS = ("NOUN", "VERB", "NAME")


def selectivity(
    vectors: Numbers, words: Labels, labels: Labels, n_train: int, probe: Probe, draw: Draw
) -> Numbers:
    """For each test word: right in the real task, less right in the control task."""
    drawn = draw(words, labels)
    found = np.array(probe(vectors[:n_train], labels[:n_train], vectors[n_train:]))
    by_heart = np.array(probe(vectors[:n_train], drawn[:n_train], vectors[n_train:]))
    real = found == np.array(labels[n_train:])
    control = by_heart == np.array(drawn[n_train:])
    return 1.0 * real - 1.0 * control


def _one_task_after_the_other(
    vectors: Numbers, words: Labels, labels: Labels, n_train: int, probe: Probe, draw: Draw
) -> Numbers:
    def right(of: Labels) -> Numbers:
        found = probe(vectors[:n_train], of[:n_train], vectors[n_train:])
        return np.array([float(a == b) for a, b in zip(found, of[n_train:], strict=True)])

    return right(labels) - right(draw(words, labels))


def _word_by_word(
    vectors: Numbers, words: Labels, labels: Labels, n_train: int, probe: Probe, draw: Draw
) -> list[int]:
    lots = draw(words, labels)
    learnt, test = vectors[:n_train], vectors[n_train:]
    both = probe(learnt, labels[:n_train], test), probe(learnt, lots[:n_train], test)
    rows = zip(*both, labels[n_train:], lots[n_train:], strict=True)
    return [int(real == label) - int(control == lot) for real, control, label, lot in rows]


class _Draw:
    """Random labels for spellings; another table at each call, as a generator gives it."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)

    def __call__(self, words: Labels, labels: Labels) -> list[str]:
        if len(words) != len(labels):
            raise AnswerRefused(
                "`draw` takes the running words and their labels, one for each: yours were "
                f"{len(words)} words and {len(labels)} labels."
            )
        if not set(labels) <= set(TAGS):
            raise AnswerRefused("`draw` takes the words first, then the labels to draw from.")
        table = {word: labels[int(self.rng.integers(len(labels)))] for word in dict.fromkeys(words)}
        return [str(table[word]) for word in words]


class _Probe:
    """The label of the nearest training vector; remembers what it learnt from and was asked."""

    def __init__(self) -> None:
        self.learnt: list[str] = []
        self.asked: list[Numbers] = []

    def __call__(self, train: Numbers, labels: Labels, test: Numbers) -> list[str]:
        if np.ndim(train) != 2 or np.ndim(test) != 2 or len(train) != len(labels):
            raise AnswerRefused(
                "`probe` takes the vectors of the training words, a label for each of them, and "
                f"the vectors of the test words: yours were {np.shape(train)}, "
                f"{len(labels)} labels and {np.shape(test)}."
            )
        self.learnt.append(f"{len(train)} words, {len(test)} asked")
        self.asked.append(np.asarray(test))
        far = ((np.asarray(test)[:, None] - np.asarray(train)[None]) ** 2).sum(-1)
        return [str(labels[int(row)]) for row in far.argmin(1)]


def _run(answer: Answer, inputs: Inputs) -> Plain:
    given = {name: inputs[name] for name in ("vectors", "words", "labels", "n_train")}
    probe = _Probe()
    given = copy.deepcopy(given)
    result: Any = plain(returned(answer(*given.values(), probe, _Draw(inputs["seed"]))))
    refuse_changed(inputs, given)
    numbers = np.asarray(result)
    if numbers.dtype == bool:
        raise AnswerRefused(
            "Your result is True or False for each word. A difference of two has three values: "
            "1, 0 and -1. Make numbers of both before you subtract."
        )
    if not np.issubdtype(numbers.dtype, np.number):
        raise AnswerRefused("Return numbers: 1, 0 or -1 for each test word.")
    if numbers.ndim == 0:
        raise AnswerRefused(
            f"You return one number, {float(numbers):.3g}. Return one for each test word; their "
            "mean is the selectivity."
        )
    test = inputs["vectors"][inputs["n_train"] :]
    others = [f"{len(asked)} others" for asked in probe.asked if not np.array_equal(asked, test)]
    return {
        "vectors that are asked about": " and ".join(others) or "those of the test words",
        "for each test word": numbers.astype(float),
        "what the probes learn from": " and ".join(sorted(set(probe.learnt))) or "nothing",
    }


@Case.drawn
def _text(rng: Random, n_train: int, asked: int, types: int = 9, *, new: bool = True) -> Inputs:
    """Words with noise on their vectors; some test ones are new, and some labels vary."""
    names = [f"{'W' if i % 3 == 0 else 'w'}{i}" for i in range(types)]
    kinds = rng.integers(0, 3, types)
    middles, spelling = 2.0 * rng.normal(size=(3, 5)), rng.normal(size=(types, 5))
    first = types - 3 if new else types
    rows = [*rng.integers(0, first, n_train), *rng.integers(0, types, asked)]
    if asked > 3 and new:
        rows[n_train : n_train + 2] = [types - 1, types - 2]
    words = [names[row] for row in rows]
    labels = [TAGS[(kinds[row] + (rng.random() < 0.2)) % 3] for row in rows]
    labels[:3] = TAGS
    noise = 0.8 * rng.normal(size=(len(rows), 5))
    return {
        "vectors": np.stack([middles[kinds[row]] + spelling[row] for row in rows]) + noise,
        "words": words,
        "labels": labels,
        "n_train": n_train,
        "seed": int(rng.integers(10**6)),
    }


SLIPS = """
--- hint 1
the real task alone: 1.0 * real - 1.0 * control -> 1.0 * real
    You return who is right in the real task. Take away who is right in the control task.
the control task alone: 1.0 * real - 1.0 * control -> 1.0 * control
    You return who is right in the control task. Take that away from the real task.
the probe never learns the random labels: vectors[:n_train], drawn[:n_train], vectors \
        -> vectors[:n_train], labels[:n_train], vectors
    You hold the answers of a probe that has learnt the real labels against the random ones. The
    control task has a probe of its own: train it anew, on the random labels of the training words.
--- hint 2
random labels learnt, real ones asked: np.array(drawn[n_train:]) -> np.array(labels[n_train:])
    The probe learns the random labels, and you hold it against the real ones. In the control task
    the random labels are the right ones.
the real task, too, against random labels: np.array(labels[n_train:]) -> np.array(drawn[n_train:])
    You hold both tasks against the random labels. In the real task the real labels are right.
the real task by the probe of the control task: real = found == -> real = by_heart ==
    You ask the probe that has learnt random labels in both tasks. The real task has its own.
two draws: drawn = draw(words, labels) \
        -> drawn = draw(words[:n_train], labels[:n_train]) + draw(words[n_train:], labels[n_train:])
    You draw once for the training words and once more for the test ones, so the same spelling has
    two labels and nothing can be learnt by heart. Draw once, for all running words.
drawn anew for the test: np.array(drawn[n_train:]) -> np.array(draw(words, labels)[n_train:])
    You draw again for the test, so the same spelling has two labels and nothing can be learnt by
    heart. Draw once, for all running words.
drawn anew for the test alone: np.array(drawn[n_train:]) \
        -> np.array(draw(words[n_train:], labels[n_train:]))
    You draw again for the test words, so the same spelling has two labels and nothing can be learnt
    by heart. Draw once, for all running words.
judged on what it has learnt: every vectors[n_train:]) -> vectors[:n_train]) \
        && np.array(labels[n_train:]) -> np.array(labels[:n_train]) \
        && np.array(drawn[n_train:]) -> np.array(drawn[:n_train])
    You ask about the words that the probe has learnt from. Judge it on the others.
all are asked: every vectors[n_train:]) -> vectors) \
        && np.array(labels[n_train:]) -> np.array(labels) \
        && np.array(drawn[n_train:]) -> np.array(drawn)
    You ask about all words, those that the probe has learnt from as well. Judge it on those after
    the first `n_train`.
it learns from all: probe(vectors[:n_train], labels[:n_train], -> probe(vectors, labels, \
        && probe(vectors[:n_train], drawn[:n_train], -> probe(vectors, drawn,
    Your probe learns from the test words, too. It may see the first `n_train` only.
one word less to learn from: probe(vectors[:n_train], labels[:n_train], \
        -> probe(vectors[: n_train - 1], labels[: n_train - 1], \
        && probe(vectors[:n_train], drawn[:n_train], \
        -> probe(vectors[: n_train - 1], drawn[: n_train - 1],
    The probe learns from one word less than it may: the first `n_train` are `[:n_train]`.
--- hint 3
the random task less the real one: 1.0 * real - 1.0 * control -> 1.0 * control - 1.0 * real
    Your sign is turned round. Take the control task away from the real one.
the sum: 1.0 * real - 1.0 * control -> 1.0 * real + 1.0 * control
    You add the two tasks. Selectivity is their difference.
numbers without a sign: 1.0 * real - 1.0 * control \
        -> real.astype(np.uint8) - control.astype(np.uint8)
    Your numbers have no sign, so -1 becomes 255. Make `int` or `float` of them.
judged by the labels of the training words: np.array(labels[n_train:]) \
        -> np.array((labels[:n_train] * 2)[: len(labels) - n_train]) && np.array(drawn[n_train:]) \
        -> np.array((drawn[:n_train] * 2)[: len(labels) - n_train])
    You ask about the test words and hold the answers against the labels of the first words. Take
    the last ones, `[n_train:]`.
how far apart: 1.0 * real - 1.0 * control -> abs(1.0 * real - 1.0 * control)
    You take the size of the difference. A word that only the control task gets right counts -1.
only where the real one is right: 1.0 * real - 1.0 * control -> 1.0 * real * (1 - control)
    A word that only the control task gets right counts 0 with you. It counts -1.
one number over all: return 1.0 * real - 1.0 * control -> return (1.0 * real - 1.0 * control).mean()
    You return one number. Return one for each test word; their mean is the selectivity.
who is wrong in the real task: real = found == -> real = found !=
    In the real task you count the wrong answers. Count the right ones.
who is wrong in the control task: control = by_heart == -> control = by_heart !=
    In the control task you count the wrong answers. Count the right ones.
drawn from the test labels: drawn = draw(words, labels) \
        -> drawn = draw(words, [*labels[n_train:], *labels][: len(labels)])
    You draw from labels in another order. Give `draw` the words and their labels as they come.
"""

EXERCISE = Exercise(
    id="selectivity",
    title="Selectivity",
    lesson=LESSON,
    points=3,
    difficulty=3,
    importance=5,
    minutes=10,
    reference=selectivity,
    run=_run,
    cases=(
        Case("eighteen words to learn from, twelve asked", _text(18, 12)),
        Case("thirty words to learn from, forty asked", _text(30, 40), weight=2),
        Case("words that were all met", _text(40, 20, new=False)),
        Case("two words are asked", _text(12, 2), edge=True),
    ),
    mistakes=slips(selectivity, SLIPS),
    right_answers={
        "one task after the other": _one_task_after_the_other,
        "word by word": _word_by_word,
    },
)
