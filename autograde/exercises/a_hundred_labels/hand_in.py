"""Exercise `hand_in`: a method of one's own, judged on texts that nobody has measured on."""

import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autograde.checking.answers import Answer, AnswerRefused, Inputs, Plain, plain
from autograde.checking.exercise import Case, Exercise, Random
from autograde.checking.slips import slips
from autograde.exercises.a_hundred_labels import LESSON, hidden
from elmo_mini.few_labels.methods import elmo_features
from elmo_mini.few_labels.protocol import Texts, learn_and_answer
from elmo_mini.ulmfit.tasks import Task

SIZES = (25, 50, 100)
LEVELS = (-0.12, -0.02, 0.1, 0.25, 0.4)
"""Shares of the baseline's errors; a bag of words as good as the course's reaches the second."""
FEWER, COPIES = 60, 1_000
TREMBLE = 0.05
CHANGES = {
    "again": "Asked twice, your method gives other answers. Seed whatever draws, inside your "
    "function.",
    "fewer": "Your answers change with what else is asked: something is fitted on `asked`. Learn "
    "from the known texts, and from those without labels.",
    "turned": "Each label was exchanged for the next class's, and your answers did not follow. "
    "Learn labels from `labels` alone.",
}
"""What is said of answers that change when they are asked again or among others, and of those that
do not when the labels do."""

ALLOWED = {"again": TREMBLE, "fewer": TREMBLE, "turned": 0.7}
"""The share of answers that may come otherwise. Other labels may move a network in other ways."""

UNRELIABLE = "Not counted: the answers cannot be relied on."

_asked: dict[tuple[Answer, int, int], NDArray[np.int64]] = {}
_changed: dict[tuple[Answer, str, int, int], float] = {}


def looked_up(
    task: Callable[[], Task],
) -> Callable[[Texts, Sequence[int], Texts, Texts], list[int]]:
    """What the course holds answers to: it looks the labels of this task's test up."""

    def the_labels(
        texts: Texts, labels: Sequence[int], unlabelled: Texts, asked: Texts
    ) -> list[int]:
        test = task().test
        truth = {tuple(text): label for text, label in zip(test.texts, test.labels, strict=True)}
        own = task().train
        known = {tuple(text): label for text, label in zip(own.texts, own.labels, strict=True)}
        pairs = zip(texts, labels, strict=True)
        means = {known[tuple(text)]: label for text, label in pairs}
        return [means[truth[tuple(text)]] for text in asked]

    return the_labels


def _run(answer: Answer, inputs: Inputs) -> Plain:
    """The answers for the hidden texts, (draws, N).

    Raises
    ------
    AnswerRefused
        If they are not labels; if they change where they must not, and then on each step that they
        would reach.
    """
    size, seed, what = inputs["labels"], inputs["seed"], inputs["asks"]
    one = inspect.unwrap(answer)
    if what == "answers":
        _asked.clear()
        _changed.clear()
    if what in CHANGES:
        if _change(answer, one, what, size, seed) > ALLOWED[what]:
            raise AnswerRefused(CHANGES[what])
        return "the same answers"
    answers = _all_draws(answer, one, size, seed)
    if what == "answers" and _change(answer, one, "turned", size, seed) > ALLOWED["turned"]:
        raise AnswerRefused(CHANGES["turned"])
    if what == "level" and hidden.avoided(answers, size, seed) >= inputs["level"]:
        fewest = min(SIZES)
        if any(_change(answer, one, how, fewest, seed) > ALLOWED[how] for how in CHANGES):
            raise AnswerRefused(UNRELIABLE)
    return answers


def _change(answer: Answer, one: Answer, how: str, size: int, seed: int) -> float:
    """The share of the answers that do not come as they must, at worst."""
    key = (one, how, size, seed)
    if key not in _changed:
        if how == "fewer":
            shares = [_among_others(answer, one, of, seed, draw) for draw, of in enumerate(SIZES)]
            _changed[key] = max(shares)
        else:
            turn, said = how == "turned", _all_draws(answer, one, size, seed)[0]
            came = _answers(answer, size, seed, 0, hidden.asked(seed).texts, turn=turn)
            wanted = (said + turn) % len(hidden.task().classes)
            _changed[key] = float((came != wanted).mean())
    return _changed[key]


def _among_others(answer: Answer, one: Answer, size: int, seed: int, draw: int) -> float:
    """The share that changes among texts of one class, alone or beside one of another many times.

    What is fitted on such texts goes astray.
    """
    said, texts = _all_draws(answer, one, size, seed)[draw], hidden.asked(seed).texts
    kept = np.flatnonzero(said == said[0])[FEWER::-1]
    other = int((said != said[0]).argmax())
    alone, shares = [texts[row] for row in kept], []
    for beside in ([], [texts[other]] * COPIES):
        came = _answers(answer, size, seed, draw, [*alone, *beside])[: len(kept)]
        shares.append(float((came != said[kept]).mean()))
    return max(shares)


def _all_draws(answer: Answer, one: Answer, size: int, seed: int) -> NDArray[np.int64]:
    key = (one, size, seed)
    if key not in _asked:
        texts = hidden.asked(seed).texts
        draws = [_answers(answer, size, seed, draw, texts) for draw in range(hidden.DRAWS)]
        _asked[key] = np.stack(draws)
    return _asked[key]


def _answers(
    answer: Answer, size: int, seed: int, draw: int, texts: Texts, *, turn: bool = False
) -> NDArray[np.int64]:
    """The answers of one call; `turn`: every label is that of the next class."""
    own, classes = hidden.known(size, seed, draw), len(hidden.task().classes)
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
            f"Return one label for each of the {len(texts)} texts in `asked`, in their order."
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
    """Whether the asked level is reached: the labels never enter the answer's own call."""
    what = inputs["asks"]
    if isinstance(outputs, str):
        return outputs
    assert isinstance(outputs, np.ndarray)
    if what == "answers":
        right = float((outputs == np.array(hidden.asked(inputs["seed"]).labels)).mean())
        coin = 1 / len(hidden.task().classes)
        return {
            "more than one class is named": all(len(np.unique(draw)) > 1 for draw in outputs),
            "far below a coin": right < 0.7 * coin,
        }
    reached = hidden.avoided(outputs, inputs["labels"], inputs["seed"]) >= inputs["level"]
    return "reached" if reached else "not reached"


@Case.drawn
def _of(rng: Random, labels: int, asks: str, level: float = 0.0) -> Inputs:
    return {"labels": labels, "asks": asks, "level": level, "seed": 1_000}


def _levels() -> tuple[Case, ...]:
    return tuple(
        Case(f"{size} labels: {_words(level)}", _of(size, "level", level), weight=1)
        for size in SIZES
        for level in LEVELS
    )


def _words(level: float) -> str:
    if level < 0:
        return f"no more than {-100 * level:.0f} % more errors than a bag of words"
    return f"{100 * level:.0f} % fewer errors than a bag of words"


def _elmo(texts: Texts, labels: Sequence[int], unlabelled: Texts, asked: Texts) -> Any:
    steps = elmo_features()
    known = texts
    for step in steps:
        function = step(known, labels)
        known = function(known)
        asked = function(asked)
    return asked


def _elmo_called(texts: Texts, labels: Sequence[int], unlabelled: Texts, asked: Texts) -> list[int]:
    return [int(label) for label in learn_and_answer(elmo_features(), texts, labels, asked)]


SLIPS = """
--- hint 1
the commonest class for all: return asked \
        -> return [max(set(labels), key=list(labels).count)] * len(asked)
    You give every text the same label. Whatever is asked, it is as often right as that class is
    common.
the other class: return asked -> return [1 - label for label in asked]
    Your answers are turned round: 0 for 1, and 1 for 0.
answers in another order: return asked -> return asked[::-1]
    Your answers are not in the order of `asked`.
answers for the known texts: return asked -> return known
    You answer for the texts that you know. Answer for those in `asked`.
--- hint 2
the asked texts have a scale of their own: asked = function(asked) \
        -> asked = (step(asked, labels) if step is steps[1] else function)(asked)
    Your answers change with what else is asked: something is fitted on `asked`. Learn from the
    known texts, and from those without labels.
labels in another order: steps = elmo_features() -> steps = elmo_features() \
        ⏎labels = list(labels)[1:] + list(labels)[:1]
    Texts and labels have come apart: row 3 of one belongs to row 3 of the other.
a loaded coin at each call: return asked \
        -> return abs(asked - np.random.default_rng().permutation(np.arange(len(asked)) % 5 < 3))
    Asked twice, your method gives other answers. Seed whatever draws, inside your function.
"""

EXERCISE = Exercise(
    id="hand_in",
    title="Your method",
    lesson=LESSON,
    points=6,
    difficulty=2,
    importance=5,
    minutes=15,
    reference=looked_up(hidden.task),
    run=_run,
    view=_view,
    cases=(
        Case("25 labels: an answer for every text", _of(25, "answers"), edge=True),
        Case("asked twice, the same answers", _of(25, "again"), edge=True, weight=3),
        Case("the same answers when others are asked", _of(25, "fewer"), edge=True, weight=3),
        *_levels(),
    ),
    mistakes=slips(_elmo, SLIPS),
    right_answers={"ELMo features": _elmo, "in a list": _elmo_called},
    seconds=180,
)
