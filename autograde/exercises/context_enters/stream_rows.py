"""Exercise `stream_rows`: A long text in parallel rows."""

from typing import Any

import numpy as np
import torch
from torch import Tensor

from autograde.checking.answers import Answer, AnswerRefused, Plain, call_with_tensors, refusing
from autograde.checking.exercise import Case, Exercise, Inputs, Random
from autograde.checking.slips import slips
from autograde.exercises.context_enters import LESSON
from elmo_mini.text import running_text


@Case.drawn
def _stream(rng: Random, words: int, rows: int) -> Inputs:
    return {"stream": 10 + rng.permutation(words).astype(np.int64), "rows": rows}


def _cut_and_shaped(stream: Tensor, rows: int) -> Tensor:
    length = len(stream) // rows
    table = stream[: rows * length].view(rows, length)
    return table


def _no_ids(rows: Any) -> str | None:
    if rows is None:
        return None
    if not isinstance(rows, Tensor):
        return (
            f"Your rows are of type {type(rows).__name__}. Return a tensor: the next cells give it "
            "to a network. Stay with `torch`."
        )
    if rows.is_floating_point() or rows.dtype == torch.bool:
        return (
            f"Your ids are {str(rows.dtype).removeprefix('torch.')} now. Ids stay whole numbers, "
            "as in `stream`: the model looks them up in a table."
        )
    return None


def _run_rows(answer: Answer, inputs: Inputs) -> Plain:
    """The rows; their ids must stay whole numbers, or no embedding takes them later."""
    try:
        return refusing(_no_ids, call_with_tensors)(answer, inputs)
    except RuntimeError as error:
        if "is invalid for input of size" not in str(error):
            raise
        raise AnswerRefused(
            "The ids do not fill your table: some are left over. Cut the text to a length that "
            "the rows fill exactly, then shape it."
        ) from error


SLIPS = """
--- hint 1
dealt out like cards: .view(rows, length) -> .view(length, rows).T
    You deal the words out like cards: neighbours in the text land in different rows. Each row is
    one stretch of the text, read from left to right.
every row starts one word later: \
        stream[: rows * length].view(rows, length) -> stream.unfold(0, length, 1)[:rows]
    Your rows overlap: each starts one word after the row above. Each row goes on where the row
    above ends.
every row is the start of the text: \
        stream[: rows * length].view(rows, length) -> stream[:length].repeat(rows, 1)
    All your rows hold the beginning of the text. Row 1 goes on where row 0 ends.
rows words in each row: .view(rows, length) -> .view(length, rows)
    `rows` says how many rows there are, not how long they are.
--- hint 2
the remainder is filled up: len(stream) // rows -> -(-len(stream) // rows) \
        && stream[: rows * length] \
        -> torch.cat([stream, stream.new_zeros(rows * length - len(stream))])
    You fill the last row up with an id that the text does not hold. Drop what is left at the end of
    the text.
nothing is cut off: stream[: rows * length] -> stream
    What is left over at the end of the text is still there, and the table has no place for it. Take
    `stream[: rows * length]` first.
a list of rows: return table -> return list(table)
    The right rows in a list. Make one tensor of them with `torch.stack`.
rows from `chunk`: stream[: rows * length].view(rows, length) -> torch.stack(stream.chunk(rows))
    `chunk` makes the last part shorter when the text does not fill the rows, and parts of different
    length make no table. Cut first: `stream[: rows * length]`.
one long row: .view(rows, length) ->
    You have cut the text, and it is still one row. Shape it: `.view(rows, length)`.
the rows run backwards: return table -> return table.flip(1)
    Your rows run backwards. Read each from left to right.
--- hint 3
the remainder is cut from the front: \
        stream[: rows * length] -> stream[len(stream) - rows * length :]
    You drop the first words of the text. Drop the last ones.
one word is kept for the targets: len(stream) // rows -> (len(stream) - 1) // rows
    You keep the last word back for the targets. `next_word_windows` takes care of those: here the
    length is `len(stream) // rows`.
one word too few in each row: return table -> return table[:, :-1]
    Each row lacks its last word. A slice leaves out its end already: no `- 1`.
what is left over is cut off by a negative place: stream[: rows * length].view(rows, length) \
        -> stream[: -(len(stream) % rows)].view(rows, -1)
    Where nothing is left over, `stream[:-0]` is `stream[:0]`, which is empty. Say how much stays:
    `stream[:rows * length]`.
time first: return table -> return table.T
    Your table lies on its side: (words, rows). Here it is (rows, words).
--- no hint
in NumPy: return table -> return table.numpy()
    The right rows in a NumPy array. The next cells give them to a network: return a tensor.
ids that are no whole numbers: return table -> return table.float()
    Your ids have become decimal numbers, perhaps by `torch.Tensor(...)` or `/`. Cut and shape
    `stream` itself: its ids stay what they are.
"""

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
    mistakes=slips(_cut_and_shaped, SLIPS),
    right_answers={
        "cut and shaped": _cut_and_shaped,
        "stacked slices": lambda s, rows: torch.stack(
            [s[r * (len(s) // rows) : (r + 1) * (len(s) // rows)] for r in range(rows)]
        ),
        "narrow and reshape": lambda s, rows: s.narrow(0, 0, len(s) - len(s) % rows).reshape(
            rows, -1
        ),
    },
)
