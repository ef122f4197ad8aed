"""Exercise `pad_rows`: sentences of different lengths as one batch, with the mask of tokens."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from autograde.checking.answers import Answer, AnswerRefused, Plain, plain, refuse_changed, returned
from autograde.checking.exercise import Case, Exercise, Inputs, Random
from autograde.checking.slips import slips
from autograde.exercises.both_sides_at_once import LESSON

FLOATING = (
    "Your word numbers have a decimal point. `torch.zeros` gives such numbers: make the table with "
    "`dtype=torch.long`, since an embedding looks up whole numbers."
)
Rows = Sequence[Sequence[int]]
Batch = tuple[Tensor, Tensor]


def pad_rows(rows: Rows) -> Batch:
    """Word numbers (B, T), 0 behind the shorter rows, and which positions are tokens (B, T)."""
    longest = max(len(row) for row in rows)
    ids = torch.zeros(len(rows), longest, dtype=torch.long)
    mask = torch.zeros(len(rows), longest, dtype=torch.bool)
    for b, row in enumerate(rows):
        ids[b, : len(row)] = torch.tensor(row)
        mask[b, : len(row)] = True
    return ids, mask


def _by_pad_sequence(rows: Rows) -> Batch:
    ids = nn.utils.rnn.pad_sequence([torch.tensor(row) for row in rows], batch_first=True)
    lengths = torch.tensor([len(row) for row in rows])
    return ids, torch.arange(ids.shape[1]) < lengths[:, None]


def _by_lists(rows: Rows) -> Batch:
    T = max(map(len, rows))
    ids = [[*row, *[0] * (T - len(row))] for row in rows]
    mask = [[t < len(row) for t in range(T)] for row in rows]
    return torch.tensor(ids), torch.tensor(mask)


@Case.drawn
def _rows(rng: Random, lengths: Sequence[int], *, framed: bool = False) -> Inputs:
    """Rows of these lengths; if `framed`, word 0 begins and ends each of them."""
    rows = [rng.integers(1, 90, size=length).tolist() for length in lengths]
    return {"rows": [[0, *row[2:], 0] for row in rows] if framed else rows}


@Case.drawn
def _any_rows(rng: Random) -> Inputs:
    """Other lengths for every class and every student."""
    return {"rows": [rng.integers(1, 90, size=n).tolist() for n in rng.permutation(6) + 2]}


def _run(answer: Answer, inputs: Inputs) -> Plain:
    rows = [list(row) for row in inputs["rows"]]
    came = returned(answer(rows))
    refuse_changed(inputs, {"rows": rows})
    if not isinstance(came, tuple | list) or len(came) != 2:
        raise AnswerRefused("Return two tensors: the word numbers, and the mask of tokens.")
    ids, mask = came
    if isinstance(ids, Tensor) and ids.is_floating_point():
        raise AnswerRefused(FLOATING)
    if not isinstance(ids, Tensor) or ids.dtype != torch.long:
        raise AnswerRefused(
            "The word numbers must be a tensor of the type `torch.long`: an embedding looks up "
            "whole numbers. (Is it the first of the two?)"
        )
    if not isinstance(mask, Tensor) or mask.dtype != torch.bool:
        raise AnswerRefused(
            "The mask must be a tensor of True and False, `torch.bool`: the model turns it round "
            "with `~`."
        )
    return {"word numbers": plain(ids), "mask": plain(mask)}


SLIPS = """
--- hint 1
word 0 is taken for padding: return ids, mask -> return ids, ids > 0
the numbers that are not 0 are counted: return ids, mask \
        -> return ids, torch.arange(longest) < (ids != 0).sum(1)[:, None]
    You read the mask off the numbers, and a word may have the number 0. The lengths of the rows
    tell what is padding.
cut to the shortest: max(len(row) for row in rows) -> min(len(row) for row in rows) \
        && torch.tensor(row) -> torch.tensor(row[:longest])
    You cut every row to the shortest one. Words are lost. The others are filled up to the longest.
as long as the first: max(len(row) for row in rows) -> len(rows[0]) \
        && torch.tensor(row) -> torch.tensor(row[:longest])
    Your table is as long as the first row. It is as long as the longest one, wherever that stands.
as long as the row that sorts last: max(len(row) for row in rows) -> len(max(rows)) \
        && torch.tensor(row) -> torch.tensor(row[:longest])
    `max(rows)` is the row that begins with the largest number. The longest one is
    `max(rows, key=len)`.
cut to {n}: max(len(row) for row in rows) -> min(max(len(row) for row in rows), {n}) \
        && torch.tensor(row) -> torch.tensor(row[:longest]) | n = 8, 16, 32, 64, 128, 256, 512
    Your table is {n} positions long at most, and longer rows lose words. It is as long as the
    longest row, however long that is.
sorted by length: longest = -> rows = sorted(rows, key=len, reverse=True) ⏎longest =
    You sort the rows by length. They stay in their order: what belongs to a row is found by its
    place.
one position too many: max(len(row) for row in rows) -> max(len(row) for row in rows) + 1
    Your table is one position too long: the longest row has no padding.
always as long: max(len(row) for row in rows) -> max(max(len(row) for row in rows), 32)
    Your table has a length of its own. It is as long as the longest row, and no longer.
--- hint 3
padding in front: ids[b, : len(row)] -> ids[b, longest - len(row) :] \
        && mask[b, : len(row)] -> mask[b, longest - len(row) :]
    Your padding stands in front. Here tokens come first: position 0 is the first token's.
every position is a token: mask[b, : len(row)] = True -> mask[b] = True
    Your mask is True at padding, too. It is True at tokens alone.
the mask is turned round: return ids, mask -> return ids, ~mask
    Your mask is True at padding. It is True at tokens: PyTorch's own `src_key_padding_mask` is the
    other way round.
the last token is left out: mask[b, : len(row)] -> mask[b, : len(row) - 1]
    Your mask leaves out the last token of each row.
one position of padding counts: mask[b, : len(row)] -> mask[b, : len(row) + 1]
    Your mask takes one position of padding for a token.
filled up with -1: ids[b, : len(row)] = -> ids[b, len(row) :] = -1 ⏎ids[b, : len(row)] =
filled up with 1: ids[b, : len(row)] = -> ids[b, len(row) :] = 1 ⏎ids[b, : len(row)] =
    You fill the rows up with another number. Behind the words stands 0.
filled up with the last word: ids[b, : len(row)] = \
        -> ids[b, len(row) :] = row[-1] ⏎ids[b, : len(row)] =
    You fill the rows up with their last word. Behind the words stands 0.
words down, sentences across: return ids, mask -> return ids.T, mask.T
the numbers alone lie on their side: return ids, mask -> return ids.T, mask
    Your table has a column for each sentence. `batch_first=True` makes it a row, as everywhere in
    the course.
the last word of each row is lost: ids[b, : len(row)] = torch.tensor(row) \
        -> ids[b, : len(row) - 1] = torch.tensor(row[:-1]) \
        && mask[b, : len(row)] -> mask[b, : len(row) - 1]
    The last word of each row is missing. `range(n)` and `[:n]` leave n out themselves.
--- no hint
numbers with a decimal point: longest, dtype=torch.long -> longest
    Your word numbers have a decimal point. `torch.zeros` gives such numbers: make the table with
    `dtype=torch.long`, since an embedding looks up whole numbers.
the two are swapped: return ids, mask -> return mask, ids
    The word numbers must be a tensor of the type `torch.long`: an embedding looks up whole numbers.
    (Is it the first of the two?)
the numbers alone: return ids, mask -> return ids
    Return two tensors: the word numbers, and the mask of tokens.
numbers for a mask: return ids, mask -> return ids, mask.long()
    The mask must be a tensor of True and False, `torch.bool`: the model turns it round with `~`.
"""

EXERCISE = Exercise(
    id="pad_rows",
    title="One batch",
    lesson=LESSON,
    points=2,
    difficulty=1,
    importance=5,
    minutes=6,
    reference=pad_rows,
    run=_run,
    codes=True,
    cases=(
        Case("one row", _rows((4,))),
        Case("rows of 3, 6 and 2 numbers", _rows((3, 6, 2)), weight=2),
        Case("rows of one length", _rows((4, 4))),
        Case("six rows of other lengths", _any_rows()),
        Case(
            "a word with the number 0",
            _rows((3, 5), framed=True),
            asks="The first and the last word of each row have the number 0. They are tokens.",
        ),
        Case("rows of one number each, and a longer one", _rows((1, 1, 3)), edge=True),
        Case("a row of 600 numbers", _rows((600, 2)), edge=True),
    ),
    mistakes=slips(pad_rows, SLIPS),
    right_answers={"pad_sequence": _by_pad_sequence, "lists": _by_lists},
)
