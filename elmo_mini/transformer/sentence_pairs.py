"""Two sentences as one row of tokens, and pairs of which one half are false.

A pair is read as ``[CLS] first [SEP] second [SEP]``. Of one half of the pairs, the second sentence
follows the first in the text; of the other half it was drawn from all sentences.
Devlin et al. 2019 (arXiv:1810.04805), section 3.1, "Task #2".
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass

from torch import Tensor

from elmo_mini.models.masked_lm import CLS, SEP, SPECIALS
from elmo_mini.text.batches import pad

CLS_ID, SEP_ID = SPECIALS.index(CLS), SPECIALS.index(SEP)
FALSE = 0.5

Ids = Sequence[int]


@dataclass(frozen=True)
class Pair:
    """Two sentences, and whether the second follows the first: 1 yes, 0 no."""

    first: Ids
    second: Ids
    follows: int


def pack(first: Ids, second: Ids = (), longest: int | None = None) -> tuple[list[int], list[int]]:
    """One sentence, or two, as one row: word numbers, and to which sentence each belongs.

    ``[CLS]`` and the first ``[SEP]`` belong to the first sentence (0), the last ``[SEP]`` to the
    second (1). Without a second sentence there is no second ``[SEP]``.

    Parameters
    ----------
    longest : numbers of the longest row; a longer one loses words at the end of the longer
        sentence, of the second one where both have as many
    """
    if longest is not None:
        first, second = shortened(first, second, longest)
    ids, segments = [CLS_ID, *first, SEP_ID], [0] * (len(first) + 2)
    if second:
        ids += [*second, SEP_ID]
        segments += [1] * (len(second) + 1)
    return ids, segments


def shortened(first: Ids, second: Ids, longest: int) -> tuple[Ids, Ids]:
    """Both sentences, cut at their ends so that their row has at most `longest` numbers."""
    room = longest - (3 if second else 2)
    if first and second and room == 0:
        return first[:1], ()  # with its last word the second one loses its mark
    half = room - room // 2
    if len(first) + len(second) <= room:
        return first, second
    if len(first) <= half:
        return first, second[: room - len(first)]
    if len(second) <= room - half:
        return first[: room - len(second)], second
    return first[:half], second[: room - half]


def sentence_pairs(documents: Sequence[Sequence[Ids]], lots: random.Random) -> list[Pair]:
    """Every sentence but the last of its document once as the first of a pair.

    The second one follows it, or, with probability one half, is drawn from the other sentences
    of all documents.

    Parameters
    ----------
    documents : the sentences of each, in their order
    lots : of the random numbers

    Raises
    ------
    ValueError
        If there is nothing to draw a false second sentence from.
    """
    positions = [(d, s) for d, document in enumerate(documents) for s in range(len(document))]
    if len(positions) < 3:
        raise ValueError(f"a false pair needs a third sentence; there are {len(positions)}")
    pairs = []
    for d, s in positions:
        if s + 1 == len(documents[d]):
            continue
        follows = int(lots.random() >= FALSE)
        there = (d, s + 1)
        while not follows and there in {(d, s), (d, s + 1)}:
            there = lots.choice(positions)
        pairs.append(Pair(documents[d][s], documents[there[0]][there[1]], follows))
    return pairs


def padded(rows: Sequence[tuple[Ids, Ids]]) -> tuple[Tensor, Tensor, Tensor]:
    """Rows of `pack` as one batch: ids, mask and segments, (B, T) each."""
    ids, mask = pad([row for row, _ in rows], device="cpu")
    segments, _ = pad([row for _, row in rows], device="cpu")
    return ids, mask, segments
