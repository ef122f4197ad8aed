"""Exercise `context_vector`: the mean vector of the words around a place."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autograde.checking.exercise import Case, Exercise, Inputs, Random
from autograde.checking.slips import slips
from autograde.exercises.static_limits import LESSON

Floats = NDArray[np.float64]
WORDS = ("the", "old", "man", "read", "a", "book", "by", "his", "warm", "fire")


def context_vector(
    tokens: Sequence[str], place: int, ids: Mapping[str, int], vectors: Floats, reach: int
) -> Floats:
    """(D,) mean vector of the known words at most `reach` places away; zeros if none is known."""
    near = [*tokens[max(0, place - reach) : place], *tokens[place + 1 : place + 1 + reach]]
    rows = [ids[token] for token in near if token in ids]
    mean: Floats = vectors[rows].sum(0) / max(1, len(rows))
    return mean


def _by_walking(
    tokens: Sequence[str], place: int, ids: Mapping[str, int], vectors: Floats, reach: int
) -> Any:
    found = [
        vectors[ids[token]]
        for other, token in enumerate(tokens)
        if token in ids and 0 < abs(other - place) <= reach
    ]
    return np.mean(found, 0) if found else np.zeros(vectors.shape[1])


@Case.drawn
def _place(rng: Random, length: int, place: int, reach: int, known: int = 10) -> Inputs:
    tokens = [WORDS[i] for i in rng.integers(0, len(WORDS), length)]
    tokens[place] = "fire"
    if length > 3:
        tokens[max(0, place - 2)] = "warm"
        tokens[(place + 2) % length] = "fire"
    order = rng.permutation(len(WORDS))[:known]
    return {
        "tokens": tokens,
        "place": place,
        "ids": {WORDS[int(word)]: row for row, word in enumerate(order)},
        "vectors": rng.standard_normal((known, 4)) + 1,
        "reach": reach,
    }


def _with_capitals(rng: Random) -> Inputs:
    inputs: Inputs = _place(9, 4, 3)(rng)
    inputs["tokens"][3] = inputs["tokens"][3].capitalize()
    return inputs


def _itself_unknown(rng: Random) -> Inputs:
    inputs: Inputs = _place(9, 4, 3)(rng)
    inputs["tokens"][4] = "unheard"
    return inputs


@Case.drawn
def _alone(rng: Random) -> Inputs:
    return {
        "tokens": ["never", "fire", "seen"],
        "place": 1,
        "ids": {"fire": 0, "the": 1},
        "vectors": rng.standard_normal((2, 4)),
        "reach": 2,
    }


SLIPS = """
--- hint 1
the word itself is in it: tokens[place + 1 : place + 1 + reach] -> tokens[place : place + 1 + reach]
    The word at the position is in your mean. It is the same at every position: leave it out.
the left side alone: , *tokens[place + 1 : place + 1 + reach]] -> ]
    You look to the left alone. Both sides are near.
the right side alone: [*tokens[max(0, place - reach) : place], * -> [*
    You look to the right alone. Both sides are near.
the whole sentence: tokens[max(0, place - reach) : place] -> tokens[:place] \
        && place + 1 : place + 1 + reach -> place + 1 :
    You take the whole sentence. Only words at most `reach` positions away are near.
the whole right side: place + 1 : place + 1 + reach -> place + 1 :
    You take everything to the right. Only words at most `reach` positions away are near.
the whole left side: tokens[max(0, place - reach) : place] -> tokens[:place]
    You take everything to the left. Only words at most `reach` positions away are near.
everything from the left on: place - reach) : place] -> place - reach) :]
    Your left side does not end at the position. It ends before it: `: place`.
the right side begins at the start: tokens[place + 1 : -> tokens[1 :
    Your right side begins too early. It begins after the position: `place + 1`.
the right side ends too early: tokens[place + 1 : place + 1 + reach] -> tokens[place + 1 : reach]
the right side ends too early by the place: place + 1 : place + 1 + reach -> place + 1 : 1 + reach
    Your right side ends at `reach`, counted from the start of the sentence. Count from the
    position.
the words beside are left out: place - reach) : place] -> place - reach) : max(0, place - 1)] \
        && place + 1 : place -> place + 2 : place
    You leave out the words just beside the position, too. Only the position itself is left out.
reach less place: place - reach) : -> reach - place) :
    Your left side begins at `reach - place`. It begins `reach` positions before the position.
--- hint 2
the left slice goes negative: max(0, place - reach) -> place - reach
    Near the start, `place - reach` is below 0, and a slice then counts from the end. Begin at
    `max(0, place - reach)`.
--- hint 3
row 0 counts as unknown: if token in ids] -> if ids.get(token)]
    `if ids.get(token)` is false for row 0, too. Ask `if token in ids`.
only the known words are counted off: [*tokens[max(0, place - reach) : place], * \
        -> [*[t for t in tokens[:place] if t in ids][-reach:], * \
        && tokens[place + 1 : place + 1 + reach] \
        -> [t for t in tokens[place + 1 :] if t in ids][:reach]
    You take the `reach` nearest *known* words. `reach` counts positions, whoever stands there.
the unknown have row 0: [ids[token] for token in near if token in ids] \
        -> [ids.get(token, 0) for token in near]
    You take row 0 for an unknown word. Leave it out.
capitals are ignored: ids[token] for token in near if token in ids \
        -> ids[token.lower()] for token in near if token.lower() in ids
    You look words up in small letters. A word is known only if `ids` has it as it is written.
the mean of the two sides' means: vectors[rows].sum(0) / max(1, len(rows)) \
        -> sum(vectors[side].sum(0) / max(1, len(side)) for side in ( \
        [ids[t] for t in tokens[max(0, place - reach) : place] if t in ids], \
        [ids[t] for t in tokens[place + 1 : place + 1 + reach] if t in ids])) / 2
    You average each side, and then the two. All known words count the same: one mean.
the first place of a repeated word: near = -> place = tokens.index(tokens[place])⏎near =
    You look for the word with `index`, which finds its first position. `place` says which is meant.
the sum: vectors[rows].sum(0) / max(1, len(rows)) -> vectors[rows].sum(0)
    You add the vectors up. Divide by how many known words there are.
divided by the unknown, too: max(1, len(rows)) -> max(1, len(near))
    You divide by all words near by. Divide by the known ones: only they have a vector.
both sides as long as the shorter one: near = \
        -> reach = min(reach, place, len(tokens) - place - 1)⏎near =
    Near an end of the sentence you look as far on both sides as the shorter one goes. Each side has
    its own end.
divided by both sides: max(1, len(rows)) -> (2 * reach)
    You divide by `2 * reach`. Divide by the number of known words: some are missing.
a plain 0 where nothing is known: mean: Floats = vectors[rows].sum(0) / max(1, len(rows)) \
        -> mean = sum(vectors[row] for row in rows) / max(1, len(rows))
    Where no word is known you return the number 0. Return a vector of zeros:
    `np.zeros(vectors.shape[1])`.
as many zeros as words where nothing is known: return mean \
        -> return mean if rows else np.zeros(len(vectors))
    Where no word is known you return a zero for each row of `vectors`. Return one for each number
    of a vector: `np.zeros(vectors.shape[1])`.
the word itself has to be known: near = -> ids[tokens[place]]⏎near =
    Your code stops where the word itself is not known. It is left out: do not look it up.
one is taken off the count whether or not the word is known: \
        mean: Floats = vectors[rows].sum(0) / max(1, len(rows)) \
        -> mean = vectors[rows].sum(0) / max(1, len(rows) - (tokens[place] not in ids))
    You take one off the count for the word itself also where it is not known, and so was never
    counted. Leave it out before you count.
no number where nothing is known: max(1, len(rows)) -> len(rows)
    Where no word is known you divide 0 by 0. Return zeros there.
divided twice: vectors[rows].sum(0) -> vectors[rows].mean(0)
    You divide twice: `.mean(0)` divides by the number of words already.
along the wrong axis: .sum(0) -> .sum(1)
    You add up the numbers of each vector. Add up the vectors: axis 0.
the mean of all numbers: vectors[rows].sum(0) / max(1, len(rows)) -> vectors[rows].mean()
    You return one number. Return a vector: take the mean over axis 0.
one place too few on the right: place + 1 + reach -> place + reach
    You look one position too few to the right. A slice ends before its last number.
one place too many on the right: place + 1 + reach -> place + 2 + reach
    You look one position too far to the right.
one place too few on the left: place - reach) -> place - reach + 1)
    You look one position too few to the left.
one word alone on the left: place - reach) : -> place - 1) :
    You look one position to the left, whatever `reach` says.
one word alone on the right: place + 1 + reach] -> place + 2]
    You look one position to the right, whatever `reach` says.
two places too few on the right: place + 1 + reach -> place - 1 + reach
    Your right side ends two positions too early.
one place too many on the left: place - reach) -> place - reach - 1)
    You look one position too far to the left.
--- hint 2
the middle of the slice is taken out: \
        near = [*tokens[max(0, place - reach) : place], *tokens[place + 1 : place + 1 + reach]] \
        -> near = tokens[max(0, place - reach) : place + 1 + reach]⏎near.pop(len(near) // 2)
    You take out the middle of the slice. Near an end of the sentence the position is not its
    middle: put two slices side by side.
--- no hint
words at their first places: \
        near = [*tokens[max(0, place - reach) : place], *tokens[place + 1 : place + 1 + reach]] \
        -> near = [t for t in tokens if 0 < abs(tokens.index(t) - place) <= reach]
    You ask `tokens.index` where a word stands, and it finds the first place. Walk over the
    positions with `enumerate`.
the word before is left out: place - reach) : place] -> place - reach) : place - 1]
    Your left side leaves out the word just before the position. A slice ends before its last
    number.
the word wherever it stands: for token in near if token in ids \
        -> for token in near if token in ids and token != tokens[place]
    You leave the word out wherever it stands. Only this position is left out: compare positions.
each word once: for token in near if -> for token in dict.fromkeys(near) if
    You count each word once. A word that stands there twice counts twice.
"""

EXERCISE = Exercise(
    id="context_vector",
    title="What stands around",
    lesson=LESSON,
    points=3,
    difficulty=2,
    importance=4,
    minutes=6,
    reference=context_vector,
    cases=(
        Case("in the middle", _place(15, 7, 3), weight=2),
        Case("some words are not known", _place(15, 6, 5, known=6)),
        Case("the word itself is not known", _itself_unknown),
        Case("at the start", _place(8, 1, 4)),
        Case("at the end", _place(8, 7, 3)),
        Case("capitals", _with_capitals, edge=True, asks="`ids` has words as they are written."),
        Case("nothing known near by", _alone(), edge=True, asks="Zeros are asked for then."),
    ),
    mistakes=slips(context_vector, SLIPS),
    right_answers={"by walking": _by_walking},
)
