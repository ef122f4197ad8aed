"""Exercise `next_word_windows`: what is read, and what is to be said."""

from typing import Any

import numpy as np
from torch import Tensor

from autograde.checking.answers import (
    Answer,
    AnswerRefused,
    Plain,
    call_with_tensors,
    refusing,
    returned,
)
from autograde.checking.exercise import Case, Exercise, Inputs, Random
from autograde.checking.slips import slips
from autograde.exercises.context_enters import LESSON
from elmo_mini.text import running_text

Windows = list[tuple[Tensor, Tensor]]


@Case.drawn
def _table_of_ids(rng: Random, rows: int, length: int, width: int) -> Inputs:
    drawn = 10 + rng.permutation(rows * length).reshape(rows, length).astype(np.int64)
    return {"rows": drawn, "width": width}


def _shifted_then_cut(rows: Tensor, width: int) -> Windows:
    inputs, targets = rows[:, :-1], rows[:, 1:]
    windows = list(zip(inputs.split(width, 1), targets.split(width, 1), strict=True))
    return windows


def _by_range(rows: Tensor, width: int) -> Windows:
    last = rows.shape[1] - 1
    windows = []
    for start in range(0, last, width):
        end = min(start + width, last)
        windows.append((rows[:, start:end], rows[:, start + 1 : end + 1]))
    return windows


def _no_list_of_tensors(windows: Any) -> str | None:
    if windows is None:
        return None
    if not isinstance(windows, list | tuple):
        return (
            "Your answer is not a list. A `zip` or a generator can be walked through only once, "
            "and the lesson needs the windows again: put `list(...)` round it."
        )
    parts = [part for pair in windows if isinstance(pair, list | tuple) for part in pair]
    if any(isinstance(part, np.ndarray) for part in parts):
        return (
            "Your windows are NumPy arrays. The next cells give them to a network: stay with "
            "`torch` and return pairs of tensors."
        )
    return None


def _run_windows(answer: Answer, inputs: Inputs) -> Plain:
    """A list, which a lesson can walk through twice, of pairs."""
    windows = returned(refusing(_no_list_of_tensors, call_with_tensors)(answer, inputs))
    if not all(isinstance(pair, list | tuple) and len(pair) == 2 for pair in windows):
        raise AnswerRefused(
            "Return one list of pairs: `[(inputs, targets), (inputs, targets), ...]`, a pair for "
            "each window."
        )
    return {"number of windows": len(windows), "windows": list(windows)}


SLIPS = """
--- hint 1
the target is not shifted: rows[:, 1:] -> rows[:, :-1]
the targets are the inputs, to the end of the row: rows[:, :-1], rows[:, 1:] -> rows, rows
    Your targets are the inputs: the model would be asked for the word that it has just read. The
    target is the *next* word.
--- hint 2
shifted inside each window, whatever is left: \
        list(zip(inputs.split(width, 1), targets.split(width, 1), strict=True)) \
        -> [(w[:, :-1], w[:, 1:]) for w in rows.split(width, 1)]
    You cut first and shift inside each window, so the first word of a window is never predicted.
    Shift the whole rows first, then cut both.
shifted inside each window: \
        list(zip(inputs.split(width, 1), targets.split(width, 1), strict=True)) \
        -> [(w[:, :-1], w[:, 1:]) for w in rows.split(width, 1) if w.shape[1] > 1]
    You shift inside each window, so the first word of a window is never predicted. Shift the whole
    rows first, then cut both.
rolled inside each window: list(zip(inputs.split(width, 1), targets.split(width, 1), strict=True)) \
        -> [(w, w.roll(-1, 1)) for w in rows.split(width, 1)]
    `roll` brings the window's first word round to its end: the last position is asked for a word
    from the past. Take the next word of the row.
the row's last word is asked for its first: rows[:, :-1], rows[:, 1:] -> rows, rows.roll(-1, 1)
    `roll` brings the row's first word round to its end. After the row's last word there is nothing
    to predict: leave it out of the inputs.
the last target comes from the next row: \
        rows[:, :-1], rows[:, 1:] -> rows, rows.flatten().roll(-1).view_as(rows)
    The last position of a row is asked for the first word of the row below, and the very last for
    the first of all. A row ends with its last word as a target.
shifted along the rows: rows[:, :-1], rows[:, 1:] -> rows[:-1], rows[1:]
    You shift along axis 0, so the target comes from the row below. Time is axis 1: `rows[:, 1:]`.
only the first row: return windows -> return [(a[:1], b[:1]) for a, b in windows]
    Only the first row is there. Each window holds all B rows.
rolled along the rows: rows[:, 1:] -> rows.roll(-1, 0)[:, :-1]
rolled along the rows, to the end of the row: rows[:, :-1], rows[:, 1:] -> rows, rows.roll(-1, 0)
    Your targets stand in another row: `roll` along axis 0 moves whole rows. The next word stands in
    the same row, one position on. Time is axis 1: `rows[:, 1:]`.
the word before is the target: rows[:, :-1], rows[:, 1:] -> rows[:, 1:], rows[:, :-1]
    You ask for the word *before* the one that was read: inputs and targets have changed places.
    Leave the row's last word out of the inputs, its first out of the targets.
only the next word of each window: return windows -> return [(a, b[:, -1]) for a, b in windows]
    Each window has one target, the word after it. *Every* word of a window has a target: the next
    word of its row.
the whole rows are the targets: rows[:, :-1], rows[:, 1:] -> rows[:, :-1], rows
    Your targets begin with the first word of the row, so each word is to say itself. Begin with the
    second: `rows[:, 1:]`.
two places ahead: rows[:, :-1], rows[:, 1:] -> rows[:, :-2], rows[:, 2:]
    Your targets are two positions ahead. One is enough: `rows[:, 1:]`.
--- hint 3
no list: return windows -> return iter(windows)
    Your windows come one by one and are gone after the first walk through them. Put `list(...)`
    round the `zip`, or collect them in a list.
two lists: return windows -> return inputs.split(width, 1), targets.split(width, 1)
    You return a list of inputs and a list of targets. Pair them up, window by window:
    `list(zip(..., ...))`.
the short window at the end is dropped: \
        return windows -> return [w for w in windows if w[0].shape[1] == width]
    The last, shorter window is missing: its words would never be learnt. Keep it.
as many windows as the width: every .split(width, 1) -> .chunk(width, 1)
    `chunk(width)` makes `width` windows. `split(width)` makes windows of that width.
cut along the rows: every (width, 1) -> (width, 0)
    You split the rows from each other. The text runs along axis 1: `split(width, 1)`.
a window is jumped over after each: return windows -> return windows[::2]
    Every other window is missing. The next window starts where this one ends: `range(0, ...,
    width)`.
the width counts inputs and target together: every (width, 1) -> (width - 1, 1)
    Your windows are one word too narrow. `width` is the number of inputs, and of targets.
--- no hint
in NumPy: return windows -> return [(a.numpy(), b.numpy()) for a, b in windows]
    The right windows in NumPy arrays. The next cells give them to a network: return tensors.
the windows come in reverse: return windows -> return windows[::-1]
    The windows come in reverse. Keep the order of the text: the state goes from one window to the
    next.
"""

SLIPS_BY_RANGE = """
--- hint 2
the last window reads one word too many: min(start + width, last) -> start + width
    In your last window the row's last word stands among the inputs, and no word comes after it:
    inputs and targets differ in length. Leave it out of the inputs: `rows[:, :-1]`.
the last inputs have no target: range(0, last, width) -> range(0, rows.shape[1], width) \
        && min(start + width, last) -> start + width
    The row's last word stands among your inputs, and no word comes after it: inputs and targets of
    the last window differ in length. Leave it out of the inputs.
one target, the word behind the window: min(start + width, last) -> start + width \
        && start + 1 : end + 1 -> end : end + 1
    Each window has one target, the word after it. *Every* word of a window has a target: the next
    word of its row.
--- hint 3
windows that slide by one word: range(0, last, width) -> range(rows.shape[1] - width)
    Your windows overlap: a word is predicted many times. The next window starts where this one
    ends.
windows that slide by one word, to the end of the row: range(0, last, width) -> range(last)
    Your windows overlap: a word is predicted many times. The next window starts where this one
    ends: `range(0, ..., width)`.
steps that are one too short: range(0, last, width) -> range(0, last, max(1, width - 1))
    Your windows overlap by one word. The next window starts where this one ends: steps of `width`.
"""

EXERCISE = Exercise(
    id="next_word_windows",
    title="What is read, and what is to be said",
    lesson=LESSON,
    points=3,
    difficulty=2,
    importance=5,
    minutes=8,
    reference=running_text.next_word_windows,
    run=_run_windows,
    cases=(
        Case("2 rows of 8, width 3", _table_of_ids(2, 8, 3)),
        Case("3 rows of 18, width 5", _table_of_ids(3, 18, 5), weight=2),
        Case("a window as wide as the row", _table_of_ids(2, 6, 6), edge=True),
        Case("width 1", _table_of_ids(2, 4, 1), edge=True),
    ),
    mistakes=(*slips(_shifted_then_cut, SLIPS), *slips(_by_range, SLIPS_BY_RANGE)),
    right_answers={
        "split the shifted rows": lambda rows, width: tuple(
            zip(rows[:, :-1].split(width, 1), rows[:, 1:].split(width, 1), strict=True)
        ),
        "a loop with range": _by_range,
    },
)
