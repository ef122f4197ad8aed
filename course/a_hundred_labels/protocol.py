"""How a method is judged so that nothing of the judgement leaks into it.

A method is a list of steps. A step looks at inputs and their labels, and gives a function from
inputs to what the next step takes; the last gives labels.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

Step = Callable[[Any, Sequence[int]], Callable[[Any], Any]]
Texts = Sequence[Sequence[str]]


def split(texts: Texts, count: int, rng: np.random.Generator) -> tuple[list[int], list[int]]:
    """Rows to learn from, and at least `count` to be judged by; no text is on both sides.

    Texts are the same whatever their capitals. The test stops growing as soon as it is large
    enough, and copies of a text go where it goes.
    """
    rows_of: dict[tuple[str, ...], list[int]] = {}
    for row, text in enumerate(texts):
        rows_of.setdefault(tuple(word.lower() for word in text), []).append(row)
    learn: list[int] = []
    test: list[int] = []
    groups = list(rows_of.values())
    for place in rng.permutation(len(groups)):
        (test if len(test) < count else learn).extend(groups[place])
    return learn, test


def learn_and_answer(steps: Sequence[Step], known: Any, labels: Sequence[int], asked: Any) -> Any:
    """Answers for the texts that are asked; every step learns from the known ones alone."""
    for step in steps:
        function = step(known, labels)
        known, asked = function(known), function(asked)
    return asked


def choose(
    methods: Mapping[str, Sequence[Step]],
    known: Texts,
    labels: Sequence[int],
    folds: Sequence[int],
    asked: Texts,
    truth: Sequence[int],
) -> tuple[str, float]:
    """The method that is best in cross-validation, and the share of the test that it has right.

    Of equally good ones the first. Only the chosen one is asked about the test, once.

    Parameters
    ----------
    folds : the fold of each known text; it is answered by steps that learnt from the other folds
    """
    right: dict[str, int] = {}
    for name, steps in methods.items():
        right[name] = 0
        for fold in set(folds):
            rest = [row for row, its in enumerate(folds) if its != fold]
            held = [row for row, its in enumerate(folds) if its == fold]
            answers = learn_and_answer(
                steps,
                [known[row] for row in rest],
                [labels[row] for row in rest],
                [known[row] for row in held],
            )
            right[name] += sum(
                int(answer == labels[row]) for answer, row in zip(answers, held, strict=True)
            )
    best = max(right, key=right.__getitem__)
    answers = learn_and_answer(methods[best], known, labels, asked)
    return best, float(np.mean(np.asarray(answers) == np.asarray(truth)))
