"""Exercise `stream_rows`: A long text in parallel rows."""

import math
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from autograde.checking.exercise import (
    Answer,
    AnswerRefused,
    Case,
    Exercise,
    Inputs,
    Mistake,
    Plain,
    call_with_tensors,
)
from autograde.exercises.context_enters import LESSON
from elmo_mini.text import running_text


def _stream(words: int, rows: int) -> Any:
    def make(rng: np.random.Generator) -> Inputs:
        return {"stream": 10 + rng.permutation(words).astype(np.int64), "rows": rows}

    return make


def _row_length(stream: Tensor, rows: int) -> int:
    return len(stream) // rows


def _rows_dealt(stream: Tensor, rows: int) -> Tensor:
    length = _row_length(stream, rows)
    return stream[: rows * length].view(length, rows).T


def _rows_short(stream: Tensor, rows: int) -> Tensor:
    length = (len(stream) - 1) // rows
    return stream[: rows * length].view(rows, length)


def _rows_padded(stream: Tensor, rows: int) -> Tensor:
    length = math.ceil(len(stream) / rows)
    return functional.pad(stream, (0, rows * length - len(stream))).view(rows, length)


def _run_rows(answer: Answer, inputs: Inputs) -> Plain:
    """The rows; their ids must stay whole numbers, or no embedding takes them later."""

    def typed(*arguments: Any) -> Any:
        result = answer(*arguments)
        if result is not None and not isinstance(result, Tensor):
            raise AnswerRefused(
                f"Your rows are of type {type(result).__name__}. Return a tensor: the next cells "
                "give it to a network. Stay with `torch`."
            )
        return result

    try:
        rows = call_with_tensors(typed, inputs)
    except RuntimeError as error:
        if "is invalid for input of size" not in str(error):
            raise
        raise AnswerRefused(
            "The ids do not fill your table: some are left over. Cut the text to a length that "
            "the rows fill exactly, then shape it."
        ) from error
    if isinstance(rows, np.ndarray) and rows.dtype.kind not in "iu":
        raise AnswerRefused(
            f"Your ids are {rows.dtype} now. Ids stay whole numbers, as in `stream`: the model "
            "looks them up in a table."
        )
    return rows


EXERCISE = Exercise(
    id="stream_rows",
    title="A long text in parallel rows",
    lesson=LESSON,
    points=2,
    difficulty=1,
    importance=4,
    minutes=5,
    reference=running_text.stream_rows,
    run=_run_rows,
    codes=True,
    cases=(
        Case("12 words in 3 rows", _stream(12, 3)),
        Case("51 words in 4 rows", _stream(51, 4), weight=2),
        Case("7 words in 1 row", _stream(7, 1), edge=True),
        Case("6 words in 3 rows", _stream(6, 3), edge=True),
    ),
    mistakes=(
        Mistake(
            "dealt out like cards",
            _rows_dealt,
            "You deal the words out like cards: neighbours in the text land in different rows. "
            "Each row is one stretch of the text, read from left to right.",
            hint=1,
        ),
        Mistake(
            "time first",
            lambda s, rows: running_text.stream_rows(s, rows).T,
            "Your table lies on its side: (words, rows). Here it is (rows, words).",
            hint=2,
        ),
        Mistake(
            "rows words in each row",
            lambda s, rows: s[: len(s) // rows * rows].view(-1, rows),
            "`rows` says how many rows there are, not how long they are.",
            hint=2,
        ),
        Mistake(
            "the remainder is filled up",
            _rows_padded,
            "You fill the last row up with an id that the text does not hold. Drop what "
            "is left at the end of the text.",
            hint=2,
        ),
        Mistake(
            "the remainder is cut from the front",
            lambda s, rows: s[len(s) - rows * _row_length(s, rows) :].view(rows, -1),
            "You drop the first words of the text. Drop the last ones.",
            hint=3,
        ),
        Mistake(
            "every row starts one word later",
            lambda s, rows: s.unfold(0, _row_length(s, rows), 1)[:rows],
            "Your rows overlap: each starts one word after the row above. Each row goes on where "
            "the row above ends.",
            hint=1,
        ),
        Mistake(
            "one word is kept for the targets",
            _rows_short,
            "You keep the last word back for the targets. The next exercise takes care of those: "
            "here the length is `len(stream) // rows`.",
            hint=3,
        ),
        Mistake(
            "every row is the start of the text",
            lambda s, rows: s[: _row_length(s, rows)].repeat(rows, 1),
            "All your rows hold the beginning of the text. Row 1 goes on where row 0 ends.",
            hint=1,
        ),
        Mistake(
            "nothing is cut off",
            lambda s, rows: s.view(rows, -1),
            "What is left over at the end of the text is still there, and the table has no place "
            "for it. Take `stream[: rows * length]` first.",
            hint=2,
        ),
        Mistake(
            "ids that are no whole numbers",
            lambda s, rows: running_text.stream_rows(s, rows).float(),
            "Your ids have become decimal numbers, perhaps by `torch.Tensor(...)` or `/`. Cut and "
            "shape `stream` itself: its ids stay what they are.",
            hint=3,
        ),
        Mistake(
            "in NumPy",
            lambda s, rows: running_text.stream_rows(s, rows).numpy(),
            "The right rows in a NumPy array. The next cells give them to a network: return "
            "a tensor.",
        ),
        Mistake(
            "a list of rows",
            lambda s, rows: list(running_text.stream_rows(s, rows)),
            "The right rows in a list. Make one tensor of them with `torch.stack`.",
            hint=2,
        ),
        Mistake(
            "rows from `chunk`",
            lambda s, rows: torch.stack(s.chunk(rows)),
            "`chunk` makes the last part shorter when the text does not fill the rows, and "
            "parts of different length make no table. Cut first: `stream[: rows * length]`.",
            hint=2,
        ),
        Mistake(
            "one word too few in each row",
            lambda s, rows: torch.stack(
                [
                    s[r * _row_length(s, rows) : (r + 1) * _row_length(s, rows) - 1]
                    for r in range(rows)
                ]
            ),
            "Each row lacks its last word. A slice leaves out its end already: no `- 1`.",
            hint=3,
        ),
        Mistake(
            "rows that lose a word between them",
            lambda s, rows: running_text.stream_rows(s, rows).flip(1),
            "Your rows run backwards. Read each from left to right.",
            hint=1,
        ),
        Mistake(
            "one long row",
            lambda s, rows: s[: rows * _row_length(s, rows)],
            "You have cut the text, and it is still one row. Shape it: `.view(rows, length)`.",
            hint=2,
        ),
        Mistake(
            "what is left over is cut off by a negative place",
            lambda stream, rows: stream[: -(len(stream) % rows)].view(rows, -1),
            "Where nothing is left over, `stream[:-0]` is `stream[:0]`, which is empty. Say how "
            "much stays: `stream[:rows * length]`.",
            hint=3,
        ),
    ),
    right_answers={
        "stacked slices": lambda s, rows: torch.stack(
            [s[r * (len(s) // rows) : (r + 1) * (len(s) // rows)] for r in range(rows)]
        ),
        "narrow and reshape": lambda s, rows: s.narrow(0, 0, len(s) - len(s) % rows).reshape(
            rows, -1
        ),
    },
)
