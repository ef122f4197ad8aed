"""Exercise `hand_in`: a method of one's own, judged on texts that nobody has measured on."""

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray

from autograde.checking.answers import Answer, AnswerRefused, Inputs, Plain, plain
from autograde.checking.code_parts import code_parts
from autograde.checking.exercise import Case, Exercise, Random
from autograde.checking.slips import slips
from autograde.exercises.a_hundred_labels import LESSON, hidden
from course.a_hundred_labels import co_training as two_readers
from course.a_hundred_labels.co_training import naive_bayes_with_em, named, on_elmo, surest
from course.a_hundred_labels.methods import elmo_features  # noqa: F401  slips name it
from course.a_hundred_labels.protocol import Texts, learn_and_answer  # noqa: F401
from course.texts.labelled_tasks import Task

SIZES = (25, 50, 100)
ONE_READER = -0.02, 0.2, 0.4
STEPS = {
    "opinions": {
        25: (*ONE_READER, 0.72, 0.735),
        50: (*ONE_READER, 0.61, 0.655),
        100: (*ONE_READER, 0.56, 0.63),
    }
}
OTHER_STEPS = (-0.12, -0.02, 0.05, 0.1, 0.16)
"""Shares of the baseline's errors. On opinions and plots ELMo alone and counts with EM alone reach
the third step, both added from 50 labels on the fourth, readers that teach each other the fifth."""
READY_MADE = (
    "Your answers come from the course's ready-made co-training. Write yourself who teaches whom, "
    "and with which texts."
)
FEWER = 60
OTHERS, COPIES = 200, 800
FROM_ASKED = (
    "Your answers change with what else is asked: something learns from `test`, such as a scale, "
    "or labels that you gave these texts yourself. Learn from the known texts, and from those "
    "without labels."
)


@dataclass(frozen=True)
class Rule:
    """What no method may do, shown with so many labels by ``most`` of its answers, or fewer."""

    labels: int
    most: float
    says: str


RULES = {
    "again": Rule(
        25,
        0.005,
        "Asked twice, your method gives other answers. Seed whatever draws, inside your function, "
        "and keep nothing from one call to the next.",
    ),
    "fewer": Rule(25, 0.05, FROM_ASKED),
    "more": Rule(25, 0.005, FROM_ASKED),
    "order": Rule(
        25,
        0.05,
        "Asked in another order, the same texts have other labels: your answers are not in the "
        "order of `test`. Give label 3 to text 3, whatever you sort on the way.",
    ),
    "turned": Rule(
        50,
        0.5,
        "Every label was given turned round, and your answers stay as they were: they come from "
        "other labels. Learn from `labels` alone; other labels of the notebook, such as `LABELS`, "
        "stay outside.",
    ),
}
"""What is said of answers that change when they are asked again, or when fewer texts are asked, or
copies of one text beside them, or in another order; and of those that stay when the labels are
turned round."""


def levels(labels: int) -> tuple[float, ...]:
    """The ladder of the hidden task, with so many labels."""
    return STEPS.get(hidden.task().name, {}).get(labels, OTHER_STEPS)


NEVER_THE_SAME = "Not looked at: already the same question, asked twice, has other answers."
UNRELIABLE = "Not counted: the answers cannot be relied on."

_asked: dict[tuple[Answer, int, int], NDArray[np.int64]] = {}
_broken: dict[tuple[Answer, str, int], float] = {}
_answered: dict[int, Any] = {}


def looked_up(
    task: Callable[[], Task],
) -> Callable[[Texts, Sequence[int], Texts, Texts], list[int]]:
    """What the course holds answers to: it looks the labels of this task's texts up.

    Where those that it is given are turned round, it turns them, too.
    """

    def the_labels(
        texts: Texts, labels: Sequence[int], unlabelled: Texts, test: Texts
    ) -> list[int]:
        truth: dict[tuple[str, ...], int] = {}
        classes = len(task().classes)
        for part in (task().train, task().test):
            truth |= {tuple(text): row for text, row in zip(part.texts, part.labels, strict=True)}
        turns = [
            (label - truth[tuple(text)]) % classes
            for text, label in zip(texts, labels, strict=True)
        ]
        turn = max(set(turns), key=turns.count)
        return [(truth[tuple(text)] + turn) % classes for text in test]

    return the_labels


def _run(answer: Answer, inputs: Inputs) -> Plain:
    """The answers for the hidden texts, (draws, N).

    Raises
    ------
    AnswerRefused
        If they are not labels, or the course's; if they break a rule, and then on each step that
        they would reach; on each step that they do not reach.
    """
    size, seed, what = inputs["labels"], inputs["seed"], inputs["asks"]
    own = inspect.unwrap(answer)
    one = getattr(answer, "asked_of", own)
    if two_readers.teach_each_other in code_parts(own):
        _ready_made()
    if what == "answers":
        _asked.clear()
        _broken.clear()
    if what in RULES:
        if what != "again" and _breaks(answer, one, "again", seed):
            raise AnswerRefused(NEVER_THE_SAME)
        if what in ("fewer", "more") and _breaks(answer, one, "order", seed):
            raise AnswerRefused(RULES["order"].says)
        if _breaks(answer, one, what, seed):
            raise AnswerRefused(RULES[what].says)
        return "kept"
    answers = _all_draws(answer, one, size, seed)
    if what == "level":
        if hidden.avoided(answers, size, seed) < levels(size)[inputs["step"] - 1]:
            raise AnswerRefused("Step not reached.")
        if any(_breaks(answer, one, how, seed) for how in RULES):
            raise AnswerRefused(UNRELIABLE)
        return "reached"
    return answers


def _breaks(answer: Answer, one: Answer, how: str, seed: int) -> bool:
    key = (one, how, seed)
    if key not in _broken:
        _broken[key] = _share(answer, one, how, seed)
    return _broken[key] > RULES[how].most


def _share(answer: Answer, one: Answer, how: str, seed: int) -> float:
    """The share of the answers that change where they must not, or stay where they must change."""
    size, texts = RULES[how].labels, hidden.test(seed).texts
    before = _all_draws(answer, one, size, seed)
    if how == "again":  # not the first draw: what nobody seeds begins here where that one began
        return float((_answers(answer, size, seed, 1, texts) != before[1]).mean())
    if how == "fewer":  # one class alone, so that whatever is fitted on them goes astray
        kept = np.flatnonzero(before[0] == before[0, 0])[FEWER::-1]
        now = _answers(answer, size, seed, 0, [texts[row] for row in kept])
        return float((now != before[0, kept]).mean())
    if how == "order":
        row = np.random.default_rng(seed).permutation(len(texts))
        now = _answers(answer, size, seed, 0, [texts[place] for place in row])
        return float((now != before[0, row]).mean())
    broken = []
    for draw, first in enumerate(before[:1] if how == "turned" else before):
        if how == "turned":
            broken.append(_answers(answer, size, seed, draw, texts, turn=1) == first)
        else:  # by turns a text of the one class and of another
            last = np.flatnonzero((first == 0) == (draw % 2 == 0))[-1:]
            copied = texts[last[0] if len(last) else -1]
            more = _answers(answer, size, seed, draw, [*texts[:OTHERS], *[copied] * COPIES])
            broken.append(more[:-COPIES] != first[:OTHERS])
    return float(np.mean(broken))


def _all_draws(answer: Answer, one: Answer, size: int, seed: int) -> NDArray[np.int64]:
    key = (one, size, seed)
    if key not in _asked:
        texts = hidden.test(seed).texts
        draws = [_answers(answer, size, seed, draw, texts) for draw in range(hidden.DRAWS)]
        _asked[key] = np.stack(draws)
    return _asked[key]


def _answers(
    answer: Answer, size: int, seed: int, draw: int, texts: Texts, turn: int = 0
) -> NDArray[np.int64]:
    """The answers for these texts; with a ``turn``, each label given is that of another class."""
    own, classes = hidden.train(size, seed, draw), len(hidden.task().classes)
    with patch.object(two_readers, "teach_each_other", _ready_made):
        came = plain(
            answer(
                [list(text) for text in own.texts],
                [(label + turn) % classes for label in own.labels],
                [list(text) for text in hidden.unlabelled()],
                [list(text) for text in texts],
            )
        )
    if isinstance(came, list | tuple):
        came = _numbers(came)
    if not isinstance(came, np.ndarray) or came.shape != (len(texts),):
        raise AnswerRefused(
            f"Return one label for each of the {len(texts)} texts in `test`, in their order."
        )
    if came.dtype.kind == "f" and np.array_equal(came, came.round()):
        came = came.astype(np.int64)
    if came.dtype.kind not in "iu":
        raise AnswerRefused(
            "A label is the number of a class, such as those in `labels`: no score, no name."
        )
    if came.min() < 0 or came.max() >= classes:
        raise AnswerRefused(f"There are {classes} classes, numbered from 0. You name another.")
    return came.astype(np.int64)


def _ready_made(*_: Any) -> Any:
    raise AnswerRefused(READY_MADE)


def _numbers(labels: Sequence[Any]) -> Any:
    if any(not isinstance(label, int | float | np.ndarray) for label in labels):
        raise AnswerRefused(
            "A label is the number of a class, such as those in `labels`: no score, no name."
        )
    try:
        return np.array(labels)
    except ValueError:
        return None


def _view(inputs: Inputs, outputs: Plain) -> Plain:
    """What is told of the answers: the labels never enter the answer's own call."""
    if isinstance(outputs, str):
        return outputs
    assert isinstance(outputs, np.ndarray)
    right = float((outputs == np.array(hidden.test(inputs["seed"]).labels)).mean())
    coin = 1 / len(hidden.task().classes)
    return {
        "more than one class is named": all(len(np.unique(draw)) > 1 for draw in outputs),
        "far below a coin": right < 0.7 * coin,
    }


@Case.drawn
def _of(rng: Random, labels: int, asks: str, step: int = 0) -> Inputs:
    return {"labels": labels, "asks": asks, "step": step, "seed": 1_000}


def _steps() -> tuple[Case, ...]:
    return tuple(
        Case(f"{size} labels: step {step} of {len(OTHER_STEPS)}", _of(size, "level", step))
        for size in SIZES
        for step in range(1, len(OTHER_STEPS) + 1)
    )


def co_training(texts: Texts, labels: Sequence[int], unlabelled: Texts, test: Texts) -> Any:
    """Counts and ELMo that teach each other, asked once: most slips ask what it has answered."""
    asked = hash((*(tuple(map(tuple, part)) for part in (texts, unlabelled, test)), tuple(labels)))
    if asked not in _answered:
        classes = sorted(set(labels))
        first = surest(on_elmo(texts, labels)(unlabelled), classes)
        counts = naive_bayes_with_em(texts, labels, unlabelled, first)
        rows, given = surest(counts(unlabelled), classes)
        elmo = on_elmo([*texts, *(unlabelled[row] for row in rows)], [*labels, *given])
        _answered[asked] = named(labels, counts, elmo)(test)
    return _answered[asked]


def _right(texts: Texts, labels: Sequence[int], unlabelled: Texts, test: Texts) -> Any:
    answers = co_training(texts, labels, unlabelled, test)
    return answers


def _in_a_list(texts: Texts, labels: Sequence[int], unlabelled: Texts, test: Texts) -> list[int]:
    return [int(label) for label in co_training(texts, labels, unlabelled, test)]


SLIPS = """
--- hint 1
the commonest class for all: return answers \
        -> return [max(set(labels), key=list(labels).count)] * len(test)
    You give every text the same label. Whatever is asked, it is as often right as that class is
    common.
the other class: return answers -> return [1 - label for label in answers]
    Your answers are turned round: 0 for 1, and 1 for 0.
answers in another order: return answers -> return answers[::-1]
    Asked in another order, the same texts have other labels: your answers are not in the order of
    `test`. Give label 3 to text 3, whatever you sort on the way.
answers for the known texts: unlabelled, test) -> unlabelled, texts)
    You answer for the texts that you know. Answer for those in `test`.
--- hint 2
the asked texts have a scale of their own: answers = co_training(texts, labels, unlabelled, test) \
        -> vectors, scale, line = elmo_features() ⏎read = vectors(texts, labels) \
        ⏎answers = line(scale(read(texts), labels)(read(texts)), labels)(\
        scale(read(test), labels)(read(test)))
one scale for known and asked texts: answers = co_training(texts, labels, unlabelled, test) \
        -> vectors, scale, line = elmo_features() ⏎read = vectors(texts, labels) \
        ⏎both = scale(np.vstack([read(texts), read(test)]), labels) \
        ⏎answers = line(both(read(texts)), labels)(both(read(test)))
the asked texts join the known, with answers for labels: \
        answers = co_training(texts, labels, unlabelled, test) \
        -> steps = elmo_features()[::2] ⏎first = learn_and_answer(steps, texts, labels, test) \
        ⏎answers = learn_and_answer(steps, [*texts, *test], [*labels, *first], test)
    Your answers change with what else is asked: something learns from `test`, such as a scale, or
    labels that you gave these texts yourself. Learn from the known texts, and from those without
    labels.
labels of the notebook join the given ones: answers = -> more = hidden.task().train \
        ⏎texts, labels = [*texts, *more.texts[:300]], [*labels, *more.labels[:300]] ⏎answers =
    Every label was given turned round, and your answers stay as they were: they come from other
    labels. Learn from `labels` alone; other labels of the notebook, such as `LABELS`, stay outside.
labels in another order: answers = -> labels = list(labels)[2:] + list(labels)[:2] ⏎answers =
    Texts and labels have come apart: row 3 of one belongs to row 3 of the other.
a loaded coin at each call: return answers \
        -> coin = np.random.default_rng().random(len(test)) \
        ⏎return abs(answers - (coin > np.where(np.arange(len(test)) % 5 < 2, 0, 0.67)))
    Asked twice, your method gives other answers. Seed whatever draws, inside your function, and
    keep nothing from one call to the next.
"""

EXERCISE = Exercise(
    id="hand_in",
    title="Your method",
    lesson=LESSON,
    points=6,
    difficulty=3,
    importance=5,
    minutes=25,
    reference=looked_up(hidden.task),
    needs=hidden.task,
    run=_run,
    view=_view,
    cases=(
        Case("25 labels: an answer for every text", _of(25, "answers"), edge=True),
        Case("asked twice, the same answers", _of(25, "again"), edge=True, weight=2),
        Case("the same answers when fewer are asked", _of(25, "fewer"), edge=True, weight=2),
        Case("the same answers beside copies of one text", _of(25, "more"), edge=True),
        Case("the same answers in another order", _of(25, "order"), edge=True),
        Case("labels turned round, other answers", _of(50, "turned"), edge=True),
        *_steps(),
    ),
    mistakes=slips(_right, SLIPS),
    right_answers={"two readers": _right, "in a list": _in_a_list},
    opens="The hidden texts",
    shows_case=False,
    seconds=180,
)
