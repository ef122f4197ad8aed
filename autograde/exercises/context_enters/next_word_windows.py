"""Exercise `next_word_windows`: what is read, and what is to be said."""

from typing import Any

import numpy as np
from torch import Tensor

from autograde.checking.exercise import (
    Answer,
    AnswerRefused,
    Case,
    Exercise,
    Inputs,
    Mistake,
    Plain,
    call_with_tensors,
    returned,
)
from autograde.exercises.context_enters import LESSON
from elmo_mini.text import running_text

Windows = list[tuple[Tensor, Tensor]]


def _table_of_ids(rows: int, length: int, width: int) -> Any:
    def make(rng: np.random.Generator) -> Inputs:
        drawn = 10 + rng.permutation(rows * length).reshape(rows, length).astype(np.int64)
        return {"rows": drawn, "width": width}

    return make


def _cut(inputs: Tensor, targets: Tensor, width: int) -> Windows:
    return list(zip(inputs.split(width, 1), targets.split(width, 1), strict=True))


def _windows_shifted_inside(rows: Tensor, width: int) -> Windows:
    return [(w[:, :-1], w[:, 1:]) for w in rows.split(width, 1) if w.shape[1] > 1]


def _windows_rolled_inside(rows: Tensor, width: int) -> Windows:
    return [(w, w.roll(-1, 1)) for w in rows.split(width, 1)]


def _windows_sliding(rows: Tensor, width: int) -> Windows:
    ends = range(rows.shape[1] - width)
    return [(rows[:, s : s + width], rows[:, s + 1 : s + width + 1]) for s in ends]


def _windows_full_only(rows: Tensor, width: int) -> Windows:
    return [w for w in _cut(rows[:, :-1], rows[:, 1:], width) if w[0].shape[1] == width]


def _windows_across_the_edge(rows: Tensor, width: int) -> Windows:
    targets = rows.flatten().roll(-1).view_as(rows)
    return _cut(rows, targets, width)


def _windows_by_range(rows: Tensor, width: int) -> Windows:
    last = rows.shape[1] - 1
    ends = [(start, min(start + width, last)) for start in range(0, last, width)]
    return [(rows[:, start:end], rows[:, start + 1 : end + 1]) for start, end in ends]


def _windows_too_far(rows: Tensor, width: int) -> Windows:
    starts = range(0, rows.shape[1], width)
    return [(rows[:, s : s + width], rows[:, s + 1 : s + width + 1]) for s in starts]


def _windows_in_two_lists(rows: Tensor, width: int) -> Any:
    return rows[:, :-1].split(width, 1), rows[:, 1:].split(width, 1)


def _run_windows(answer: Answer, inputs: Inputs) -> Plain:
    """A list, which a lesson can walk through twice, of pairs."""

    def listed(rows: Tensor, width: int) -> Any:
        windows = answer(rows, width)
        if windows is not None and not isinstance(windows, list | tuple):
            raise AnswerRefused(
                "Your answer is not a list. A `zip` or a generator can be walked through only "
                "once, and the lesson needs the windows again: put `list(...)` round it."
            )
        odd = [
            part
            for pair in windows or ()
            if isinstance(pair, list | tuple)
            for part in pair
            if isinstance(part, np.ndarray)
        ]
        if odd:
            raise AnswerRefused(
                "Your windows are NumPy arrays. The next cells give them to a network: stay with "
                "`torch` and return pairs of tensors."
            )
        return windows

    windows = returned(call_with_tensors(listed, inputs))
    assert isinstance(windows, list | tuple)
    if not all(isinstance(pair, list | tuple) and len(pair) == 2 for pair in windows):
        raise AnswerRefused(
            "Return one list of pairs: `[(inputs, targets), (inputs, targets), ...]`, a pair for "
            "each window."
        )
    return {"number of windows": len(windows), "windows": list(windows)}


INPUTS_AGAIN = (
    "Your targets are the inputs: the model would be asked for the word that it has just "
    "read. The target is the *next* word."
)


BELOW = (
    "Your targets stand in another row: `roll` along axis 0 moves whole rows. The next word stands "
    "in the same row, one place on. Time is axis 1: `rows[:, 1:]`."
)


EXERCISE = Exercise(
    id="next_word_windows",
    title="What is read, and what is to be said",
    lesson=LESSON,
    points=3,
    difficulty=2,
    importance=5,
    minutes=10,
    reference=running_text.next_word_windows,
    run=_run_windows,
    cases=(
        Case("2 rows of 8, width 3", _table_of_ids(2, 8, 3)),
        Case("3 rows of 18, width 5", _table_of_ids(3, 18, 5), weight=2),
        Case("a window as wide as the row", _table_of_ids(2, 6, 6), edge=True),
        Case("width 1", _table_of_ids(2, 4, 1), edge=True),
    ),
    mistakes=(
        Mistake(
            "the target is not shifted",
            lambda rows, width: _cut(rows[:, :-1], rows[:, :-1], width),
            INPUTS_AGAIN,
            hint=1,
        ),
        Mistake(
            "the word before is the target",
            lambda rows, width: _cut(rows[:, 1:], rows[:, :-1], width),
            "You ask for the word *before* the one that was read: inputs and targets have changed "
            "places. Leave the row's last word out of the inputs, its first out of the targets.",
            hint=1,
        ),
        Mistake(
            "the targets are the inputs, to the end of the row",
            lambda rows, width: _cut(rows, rows, width),
            INPUTS_AGAIN,
            hint=1,
        ),
        Mistake(
            "no list",
            lambda rows, width: iter(_windows_by_range(rows, width)),
            "Your windows come one by one and are gone after the first walk through them. Put "
            "`list(...)` round the `zip`, or collect them in a list.",
            hint=3,
        ),
        Mistake(
            "two lists",
            _windows_in_two_lists,
            "You return a list of inputs and a list of targets. Pair them up, window by window: "
            "`list(zip(..., ...))`.",
            hint=3,
        ),
        Mistake(
            "the last inputs have no target",
            _windows_too_far,
            "The row's last word stands among your inputs, and no word comes after it: inputs and "
            "targets of the last window differ in length. Leave it out of the inputs.",
            hint=2,
        ),
        Mistake(
            "shifted inside each window, whatever is left",
            lambda rows, width: [(w[:, :-1], w[:, 1:]) for w in rows.split(width, 1)],
            "You cut first and shift inside each window, so the first word of a window is never "
            "predicted. Shift the whole rows first, then cut both.",
            hint=2,
        ),
        Mistake(
            "shifted inside each window",
            _windows_shifted_inside,
            "You shift inside each window, so the first word of a window is never predicted. "
            "Shift the whole rows first, then cut both.",
            hint=2,
        ),
        Mistake(
            "rolled inside each window",
            _windows_rolled_inside,
            "`roll` brings the window's first word round to its end: the last place is asked for "
            "a word from the past. Take the next word of the row.",
            hint=2,
        ),
        Mistake(
            "the row's last word is asked for its first",
            lambda rows, width: _cut(rows, rows.roll(-1, 1), width),
            "`roll` brings the row's first word round to its end. After the row's last word there "
            "is nothing to predict: leave it out of the inputs.",
            hint=2,
        ),
        Mistake(
            "the last target comes from the next row",
            _windows_across_the_edge,
            "The last place of a row is asked for the first word of the row below, and the very "
            "last for the first of all. A row ends with its last word as a target.",
            hint=2,
        ),
        Mistake(
            "windows that slide by one word",
            _windows_sliding,
            "Your windows overlap: a word is predicted many times. The next window starts where "
            "this one ends.",
            hint=3,
        ),
        Mistake(
            "the short window at the end is dropped",
            _windows_full_only,
            "The last, shorter window is missing: its words would never be learnt. Keep it.",
            hint=3,
        ),
        Mistake(
            "two places ahead",
            lambda rows, width: _cut(rows[:, :-2], rows[:, 2:], width),
            "Your targets are two places ahead. One is enough: `rows[:, 1:]`.",
            hint=3,
        ),
        Mistake(
            "in NumPy",
            lambda rows, width: [(a.numpy(), b.numpy()) for a, b in _windows_by_range(rows, width)],
            "The right windows in NumPy arrays. The next cells give them to a network: "
            "return tensors.",
        ),
        Mistake(
            "cut along the rows",
            lambda rows, width: list(
                zip(rows[:, :-1].split(width, 0), rows[:, 1:].split(width, 0), strict=True)
            ),
            "You split the rows from each other. The text runs along axis 1: `split(width, 1)`.",
            hint=3,
        ),
        Mistake(
            "shifted along the rows",
            lambda rows, width: _cut(rows[:-1], rows[1:], width),
            "You shift along axis 0, so the target comes from the row below. Time is axis "
            "1: `rows[:, 1:]`.",
            hint=2,
        ),
        Mistake(
            "only the next word of each window",
            lambda rows, width: [(a, b[:, -1]) for a, b in _windows_by_range(rows, width)],
            "Each window has one target, the word after it. *Every* word of a window has a "
            "target: the next word of its row.",
            hint=1,
        ),
        Mistake(
            "only the first row",
            lambda rows, width: [(a[:1], b[:1]) for a, b in _windows_by_range(rows, width)],
            "Only the first row is there. Each window holds all B rows.",
            hint=2,
        ),
        Mistake(
            "targets come first",
            lambda rows, width: _windows_by_range(rows, width)[::-1],
            "The windows come in reverse. Keep the order of the text: the state goes from "
            "one window to the next.",
            hint=1,
        ),
        Mistake(
            "a window is jumped over after each",
            lambda rows, width: _windows_by_range(rows, width)[::2],
            "Every other window is missing. The next window starts where this one ends: "
            "`range(0, ..., width)`.",
            hint=3,
        ),
        Mistake(
            "the width counts inputs and target together",
            lambda rows, width: _windows_by_range(rows, width - 1) if width > 1 else [],
            "Your windows are one word too narrow. `width` is the number of inputs, and of "
            "targets.",
            hint=3,
        ),
        Mistake(
            "steps that are one too short",
            lambda rows, width: [
                (rows[:, s : min(s + width, rows.shape[1] - 1)], rows[:, s + 1 : s + width + 1])
                for s in range(0, rows.shape[1] - 1, max(1, width - 1))
            ],
            "Your windows overlap by one word. The next window starts where this one ends: "
            "steps of `width`.",
            hint=3,
        ),
        Mistake(
            "one target, the word behind the window",
            lambda rows, width: [
                (rows[:, s : s + width], rows[:, s + width : s + width + 1])
                for s in range(0, rows.shape[1] - 1, width)
            ],
            "Each window has one target, the word after it. *Every* word of a window has a "
            "target: the next word of its row.",
            hint=1,
        ),
        Mistake(
            "the last window reads one word too many",
            lambda rows, width: [
                (rows[:, s : s + width], rows[:, s + 1 : s + width + 1])
                for s in range(0, rows.shape[1] - 1, width)
            ],
            "In your last window the row's last word stands among the inputs, and no word "
            "comes after it: inputs and targets differ in length. Leave it out of the "
            "inputs: `rows[:, :-1]`.",
            hint=2,
        ),
        Mistake(
            "the whole rows are the targets",
            lambda rows, width: list(
                zip(rows[:, :-1].split(width, 1), rows.split(width, 1), strict=True)
            ),
            "Your targets begin with the first word of the row, so each word is to say itself. "
            "Begin with the second: `rows[:, 1:]`.",
            hint=1,
        ),
        Mistake(
            "rolled along the rows",
            lambda rows, width: _cut(rows[:, :-1], rows.roll(-1, 0)[:, :-1], width),
            BELOW,
            hint=2,
        ),
        Mistake(
            "rolled along the rows, to the end of the row",
            lambda rows, width: _cut(rows, rows.roll(-1, 0), width),
            BELOW,
            hint=2,
        ),
        Mistake(
            "windows that slide by one word, to the end of the row",
            lambda rows, width: [
                (rows[:, :-1][:, s : s + width], rows[:, 1:][:, s : s + width])
                for s in range(rows.shape[1] - 1)
            ],
            "Your windows overlap: a word is predicted many times. The next window starts where "
            "this one ends: `range(0, ..., width)`.",
            hint=3,
        ),
    ),
    right_answers={
        "split the shifted rows": lambda rows, width: tuple(
            zip(rows[:, :-1].split(width, 1), rows[:, 1:].split(width, 1), strict=True)
        ),
        "a loop with range": _windows_by_range,
    },
)
