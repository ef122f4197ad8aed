"""Exercise `learn_and_answer`: steps that learn from known texts, and answer for others."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from autograde.checking.answers import (
    ON_A_COPY,
    Answer,
    AnswerRefused,
    Plain,
    plain,
    refuse_changed,
)
from autograde.checking.exercise import Case, Exercise, Inputs, Random
from autograde.checking.slips import slips
from autograde.exercises.a_hundred_labels import LESSON
from course.a_hundred_labels.protocol import Step, learn_and_answer

Counts = list[list[int]]


def _count(texts: Sequence[Sequence[str]], labels: Sequence[int]) -> Callable[[Any], Counts]:
    """How often each word of these texts occurs, and how many words occur in none of them."""
    words = sorted({word for text in texts for word in text})

    def counts(test: Sequence[Sequence[str]]) -> Counts:
        rows = [[list(text).count(word) for word in words] for text in test]
        return [[*row, len(text) - sum(row)] for row, text in zip(rows, test, strict=True)]

    return counts


def _pick(most: int) -> Step:
    """The columns that tell the labels apart best."""

    def pick(x: Counts, labels: Sequence[int]) -> Callable[[Counts], Counts]:
        def apart(column: int) -> tuple[int, int]:
            sums = {0: 0, 1: 0}
            for row, label in zip(x, labels, strict=False):
                sums[label] += row[column]
            return -abs(sums[0] - sums[1]), column

        chosen = sorted(range(len(x[0])), key=apart)[:most]
        return lambda test: [[row[column] for column in chosen] for row in test]

    return pick


def _nearest(x: Counts, labels: Sequence[int]) -> Callable[[Counts], list[int]]:
    """The label of the nearest known row, of equally near ones the first."""

    def near(row: list[int]) -> int:
        far = [sum((a - b) ** 2 for a, b in zip(row, other, strict=False)) for other in x]
        return labels[far.index(min(far)) % len(labels)]

    return lambda test: [near(row) for row in test]


def _shortened(texts: Any, labels: Sequence[int]) -> Callable[[Any], Any]:
    """The first letters of each word, as many as the labels have different values."""
    letters = len(set(labels))
    return lambda test: [[word[:letters] for word in text] for text in test]


ONE_BY_ONE = """A step made a table, and the next one was handed something else. Hand on what a
function gives, as it is and whole: many steps make tables, and not lists."""


def _tabled(x: Counts, labels: Sequence[int]) -> Callable[[Counts], Any]:
    """The same as an array, less the means of what was learnt."""
    means = np.mean(x, 0)
    return lambda test: np.asarray(test) - means


def _nearest_in_table(x: Any, labels: Sequence[int]) -> Callable[[Any], list[int]]:
    """As `_nearest`, of arrays alone."""

    def handed(table: Any) -> list[list[float]]:
        if not isinstance(table, np.ndarray) or table.ndim != 2:
            raise AnswerRefused(" ".join(ONE_BY_ONE.split()))
        rows: list[list[float]] = table.tolist()
        return rows

    train = handed(x)
    return lambda test: _nearest(train, labels)(handed(test))  # type: ignore[arg-type]


KINDS: dict[str, list[Step]] = {
    "one step": [lambda texts, labels: _nearest(_count(texts, labels)(texts), labels)],
    "count, nearest": [_count, _nearest],
    "count, pick, nearest": [_count, _pick(6), _nearest],
    "shorten, count, pick, nearest": [_shortened, _count, _pick(6), _nearest],
    "count, make a table, nearest": [_count, _tabled, _nearest_in_table],
}
KINDS["one step"] = [
    lambda texts, labels: (
        lambda test: _nearest(_count(texts, labels)(texts), labels)(_count(texts, labels)(test))
    )
]


def _run(answer: Answer, inputs: Inputs) -> Plain:
    """The answers, as whole numbers; how often the steps have learnt, and from how many texts."""
    given = {name: inputs[name] for name in ("train", "labels", "test")}
    copied = {
        name: [list(v) if isinstance(v, list) else v for v in value]
        for name, value in given.items()
    }
    times = [0] * len(KINDS[inputs["steps"]])
    sizes = set()

    def counted(place: int, step: Step) -> Step:
        def learn(texts: Any, labels: Sequence[int]) -> Callable[[Any], Any]:
            times[place] += 1
            sizes.add(len(texts))
            return step(texts, labels)

        return learn

    steps = [counted(place, step) for place, step in enumerate(KINDS[inputs["steps"]])]
    handed = list(steps)
    came = answer(handed, *copied.values())
    if callable(came):
        raise AnswerRefused(
            "You return a function. Ask it about the texts in `test`, and return the answers."
        )
    if handed != steps:
        raise AnswerRefused(f"Your answer changed its argument `steps`. {ON_A_COPY}")
    refuse_changed(given, copied)
    predicted = plain(came)
    if isinstance(predicted, np.ndarray):
        predicted = predicted.tolist()
    if not isinstance(predicted, list | tuple):
        raise AnswerRefused("Return what the last step says of `test`: an answer for each text.")
    if any(not isinstance(one, int) or isinstance(one, bool) for one in predicted):
        raise AnswerRefused(
            "What you return are no labels. Has the output of each step become the next one's "
            "input, up to the last?"
        )
    often = "once" if set(times) == {1} else "not all" if 0 in times else "more than once"
    read = "the known ones" if sizes == {len(inputs["train"])} else "others"
    return {"labels": list(predicted), "steps learn": often, "texts learnt from": read}


@Case.drawn
def _task(rng: Random, steps: str, train: int, test: int, words: int, same: bool = False) -> Inputs:
    """Texts whose labels are coin flips, so that all that is learnt is learnt by heart."""

    def text() -> list[str]:
        return [f"{'abc'[int(w) % 3]}w{int(w)}" for w in rng.integers(words, size=5)]

    texts = [text() for _ in range(train)]
    labels = [int(row) for row in rng.permutation([0, 1] * train)[:train]]
    return {
        "steps": steps,
        "train": texts,
        "labels": [0] * train if same else labels,
        "test": [text() for _ in range(test)],
    }


def _two_lists(steps: Sequence[Step], train: Any, labels: Sequence[int], test: Any) -> Any:
    ready: list[Callable[[Any], Any]] = []
    inputs = train
    for step in steps:
        ready.append(step(inputs, labels))
        inputs = ready[-1](inputs)
    for function in ready:
        test = function(test)
    return test


def _recursive(steps: Sequence[Step], train: Any, labels: Sequence[int], test: Any) -> Any:
    if not steps:
        return test
    function = steps[0](train, labels)
    return _recursive(steps[1:], function(train), labels, function(test))


def _right(steps: Sequence[Step], train: Any, labels: Sequence[int], test: Any) -> Any:
    for step in steps:
        function = step(train, labels)
        train = function(train)
        test = function(test)
    return test


SLIPS = """
--- hint 1
the first step looks at what is asked: function = step(train, labels) \
        -> function = step(train + test if step is steps[0] else train, labels)
    Your first step has looked at the texts that are asked, before answering. Whatever learns,
    learns from the known texts alone, a counter of words, too.
all steps but the last look at what is asked: step(train, labels) \
        -> step(train if step is steps[-1] else train + test, labels)
every step looks at what is asked: step(train, labels) -> step(train + test, labels)
    Your steps learn from the known texts and from those that are asked. From `train` alone.
every step learns what is asked as a {label}: step(train, labels) \
        -> step([*train, *test], [*labels, *[{label}] * len(test)]) | label = 0, 1
every step learns what is asked, with labels of the known: step(train, labels) \
        -> step([*train, *test], [*labels, *np.resize(labels, len(test)).tolist()])
all steps but the last learn what is asked as a {label}: step(train, labels) \
        -> (step(train, labels) if step is steps[-1] else \
        step([*train, *test], [*labels, *[{label}] * len(test)])) | label = 0, 1
    Your steps learn from the asked texts, too, with labels that nobody gave them. Leave `test` out
    of all learning: every step is called with `train` and `labels`, and its function answers.
fitted on what is asked: step(train, labels) -> step(test, labels)
    Your steps learn from the texts that are asked. They learn from `train`.
what is asked learns from itself: test = function(test) -> test = step(test, labels)(test)
    Each step learns from the asked texts what it says of them, with labels of other texts. Let
    it learn once, from `train`, and ask the same function about both.
fitted again for what is asked: test = function(test) -> test = step(test, labels)(test) if \
        step is not steps[-1] else function(test)
    You fit a step anew on what is asked, so it counts other words than the one that the next step
    has learnt from. Fit each step once, on `train`.
fitted again on its own output: test = function(test) -> test = step(train, labels)(test)
    You fit each step a second time, on what it has just made of the known texts. Fit it once, keep
    its function, and use that for both.
a step learns twice: test = function(test) -> test = before(test) \
        && function = step(train, labels) \
        -> before = step(train, labels) ⏎function = step(train, labels)
    A step learns more than once. That may take hours. Let it learn once, keep its function, and use
    that for both.
--- hint 2
answers for the known texts: return test -> return train
    You return the answers for the known texts. Those of `test` are wanted.
only the last step is fitted: for step in steps: -> for step in steps[-1:]:
    You skip the steps before the last.
the last step is left out: for step in steps: -> for step in steps[:-1]:
    You leave out the last step, the one that answers.
only the first step: return test ->⏎return test && for step in steps: -> for step in steps[:1]:
    You stop after the first step.
the list of steps is emptied: for step in steps: -> while steps: ⏎    step = steps.pop(0)
    You take the steps out of the list that was given, and afterwards it is empty. Go through it
    with `for`: the method is needed again.
--- hint 3
the known texts stay as they were: train = function(train) ->
    The known texts never pass through the steps: the next step learns from what the one before has
    made of them.
what is asked stays as it was: test = function(test) \
        -> ⏎if step is steps[-1]: test = function(test)
    The texts that are asked go straight to the last step. They pass through all of them.
"""

EXERCISE = Exercise(
    id="learn_and_answer",
    title="Learn here, answer there",
    lesson=LESSON,
    points=2,
    difficulty=2,
    importance=5,
    minutes=12,
    reference=learn_and_answer,
    run=_run,
    cases=(
        Case("one step", _task("one step", 12, 8, 12)),
        Case("count words, nearest neighbour", _task("count, nearest", 16, 12, 16)),
        Case("the best words are picked", _task("count, pick, nearest", 24, 24, 40), weight=2),
        Case("four steps", _task("shorten, count, pick, nearest", 24, 24, 40), weight=2),
        Case("a step makes a table", _task("count, make a table, nearest", 16, 10, 16), edge=True),
        Case("more is asked than is known", _task("count, pick, nearest", 8, 40, 40)),
        Case("one text is asked", _task("count, pick, nearest", 12, 1, 20), edge=True),
        Case("all labels are alike", _task("count, nearest", 6, 4, 9, True), edge=True),
    ),
    mistakes=slips(_right, SLIPS),
    right_answers={
        "both in turn": _right,
        "fit all, then ask": _two_lists,
        "recursive": _recursive,
    },
)
