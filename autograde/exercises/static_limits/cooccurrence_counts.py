"""Exercise `cooccurrence_counts`: who stands near whom, and how near."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from autograde.checking.answers import refusing
from autograde.checking.exercise import Case, Exercise, Inputs, Mistake, Random
from autograde.checking.slips import slips
from autograde.exercises.static_limits import LESSON
from elmo_mini.models import glove

Sentences = list[list[int]]
Table = np.ndarray


def _a_tensor(counts: Any) -> str | None:
    return TENSOR if isinstance(counts, torch.Tensor) else None


@Case.drawn
def _drawn_sentences(rng: Random, lengths: Sequence[int], words: int, window: int) -> Inputs:
    drawn = [[int(i) for i in rng.integers(words, size=length)] for length in lengths]
    drawn[0][:5] = [0, 1, 2, 0, 1]  # a pair comes twice at one distance
    return {"sentences": drawn, "vocabulary_size": words, "window": window}


def _sentences(sentences: Sentences, words: int, window: int = 2) -> Any:
    return lambda rng: {"sentences": sentences, "vocabulary_size": words, "window": window}


def _both_ways(sentences: Sentences, size: int, window: int) -> Table:
    counts = np.zeros((size, size), dtype=np.float32)
    for ids in sentences:
        for i, word in enumerate(ids):
            for j in range(max(0, i - window), min(len(ids), i + window + 1)):
                if i != j:
                    counts[word, ids[j]] += 1 / abs(i - j)
    return counts


def _by_arrays(sentences: Sentences, size: int, window: int) -> Table:
    counts = np.zeros((size, size))
    for sentence in sentences:
        ids = np.array(sentence, dtype=int)
        for distance in range(1, window + 1):
            left, right = ids[:-distance], ids[distance:]
            np.add.at(counts, (left, right), 1 / distance)
            np.add.at(counts, (right, left), 1 / distance)
    return counts


TENSOR = (
    "Your table is a tensor. Return an array of NumPy: the next cell takes `np.mean` of a table of "
    "True and False, and of a tensor it cannot."
)
SLIPS = """
--- hint 2
only the left side: counts[neighbour, word] += 1 / distance ->
only the right side: counts[word, neighbour] += 1 / distance ->
    Only one of the two words is told of the other. Being near goes both ways: the table is
    symmetric.
both additions go to one entry: counts[neighbour, word] += -> counts[word, neighbour] +=
    Both additions go to one entry, `[i, j]`. The second belongs to `[j, i]`.
every pair twice: return counts -> return counts + counts.T
    All your counts are twice too large. You look to both sides and write both entries each time, so
    every pair is met twice. Look to one side, or write one entry.
windows side by side: for ids in sentences -> \
        for ids in [ids[i : i + window] for ids in sentences for i in range(0, len(ids), window)]
    You cut the sentence into pieces of `window` words and count inside each. The window goes with
    the word: every position looks `window` positions around itself.
--- hint 3
every pair counts 1: every 1 / distance -> 1
    All pairs in the window count the same. A pair `d` positions apart counts 1/d.
the farthest neighbour is lost, and the first of a sentence: min(window, position) + 1 \
        -> min(window, position)
    `range` stops before its end, so the farthest neighbour of each word is missing. Add 1.
each word once in a sentence: enumerate(ids) -> enumerate(dict.fromkeys(ids)) \
        && ids[position - distance] -> [*dict.fromkeys(ids)][position - distance]
    You count each word of a sentence once. Every position counts.
the farthest neighbour is lost: min(window, position) + 1 -> min(window, position + 1)
    Neighbours exactly `window` positions away are missing. `range(1, window)` ends before `window`.
pairs across sentences: for ids in sentences -> for ids in [[i for ids in sentences for i in ids]]
    You count pairs whose words stand in different sentences. Walk over one sentence at a time.
the dynamic window's weights: every 1 / distance -> (window - distance + 1) / window
    These are the weights of word2vec's dynamic window. GloVe's are 1/d: 1, 1/2, 1/3 …
a word is its own neighbour: for distance in -> counts[word, word] += 1⏎for distance in
    Each position is counted as its own neighbour. Distances begin at 1.
a word beside itself is skipped: return counts -> np.fill_diagonal(counts, 0)⏎return counts
    The same word may stand at two positions near each other (*very, very*), and that pair counts.
    Compare positions, not words.
a slice that begins below 0: min(window, position) -> len(ids[position - window : position])
    At the start of a sentence your slice begins at a negative position, which counts from the end,
    and comes out empty. Begin at `max(0, position - window)`.
negative positions: min(window, position) -> window
    At the start of a sentence a negative position counts from the end in Python, and far words
    become neighbours. Stop at position 0.
the position of a repeated word: min(window, position) -> min(window, ids.index(word)) \
        && ids[position - distance] -> ids[ids.index(word) - distance]
    `ids.index(word)` finds the first position of a word, also when you are at its second. Walk over
    positions with `enumerate`.
a word beside itself counts once: counts[neighbour, word] += -> \
        if neighbour != word:⏎    counts[neighbour, word] +=
    Where a word stands beside itself, `[i, j]` and `[j, i]` are one entry, and it gets 1/d twice:
    once for each of the two positions.
only direct neighbours count: every 1 / distance -> 1 // distance
    Only direct neighbours count in your table. Either the loop over the distances ends at 1, or 1/2
    and 1/3 become 0: `dtype=int` cuts fractions off, and so does `//`.
one position too far: min(window, position) -> min(window + 1, position)
    You count neighbours `window + 1` positions away. The farthest are `window` positions away.
the distance is one too large: every 1 / distance -> 1 / (distance + 1)
    Your nearest neighbour counts 1/2. A pair `d` positions apart counts 1/d, and direct neighbours
    are 1 apart.
one over the distance squared: every 1 / distance -> 1 / distance**2
    You divide by the square of the distance. A pair `d` positions apart counts 1/d.
the distance itself: every 1 / distance -> distance
    Your far neighbours count more than the near ones. A pair `d` positions apart counts 1/d.
set, not added: every += -> =
    You write `=` where `+=` is meant: a pair that occurs twice counts once.
the last pairs of a sentence are lost: \
        enumerate(ids) -> enumerate(ids[: max(0, len(ids) - window)]) \
        && min(window, position) -> window && position - distance -> position + distance
    The pairs among the last `window` words of a sentence are missing. Walk over all its positions,
    up to the last, and skip only the neighbours beyond the end.
the first pairs of a sentence are lost: min(window, position) \
        -> (window if position >= window else 0)
    The pairs among the first `window` words of a sentence are missing. Walk over all its positions,
    from the first on, and skip only the neighbours before the start.
a table as large as the largest id: counts = np -> \
        vocabulary_size = 1 + max((i for ids in sentences for i in ids), default=-1)⏎counts = np
a table of the ids that come: counts = np -> \
        came = sorted({i for ids in sentences for i in ids})⏎vocabulary_size = len(came) \
        ⏎sentences = [[came.index(i) for i in ids] for ids in sentences]⏎counts = np
    Your table is only as large as the ids that come in the sentences. It has `vocabulary_size` rows
    and columns: a word that never comes has a row of zeros.
--- no hint
the distance minus the position: position - distance -> distance - position
    `ids[distance - position]` is another word. The neighbour stands `distance` positions before:
    `ids[position - distance]`.
"""

SLIPS_OF_BOTH_WAYS = """
--- hint 3
one position to the left alone: i - window) -> i - 1)
    To the left you look one position far, whatever `window` is: `max(0, i - window)`.
set, not added, from both sides: += -> =
    You write `=` where `+=` is meant: a pair that occurs twice counts once.
a slice that goes negative: \
        for j in range(max(0, i - window), min(len(ids), i + window + 1)): \
        -> near = {*range(len(ids))[i - window : i], *range(len(ids))[i + 1 : i + window + 1]} \
        ⏎for j in near:
    At the start of a sentence your slice begins at a negative position, which counts from the end,
    and comes out empty. Begin at `max(0, position - window)`.
negative positions, from both sides: max(0, i - window) -> i - window
    At the start of a sentence a negative position counts from the end in Python, and far words
    become neighbours. Stop at position 0.
position 0 is no neighbour: max(0, -> max(1,
    The first word of a sentence is nobody's neighbour. Positions count from 0: `max(0, i -
    window)`.
the positions are added: abs(i - j) -> (i + j)
    You divide by the sum of the two positions. Their distance is `abs(i - j)`.
the last position has no neighbours: enumerate(ids) -> enumerate(ids[:-1])
    The last word of a sentence is never asked for its neighbours. Walk over all positions.
the first position has no neighbours: in enumerate(ids): \
        -> in enumerate(ids):⏎    if not i: continue
    The first word of a sentence is never asked for its neighbours. Positions count from 0.
--- no hint
the farthest on the right is lost: i + window + 1 -> i + window
    The neighbour `window` positions to the right is missing. `range` leaves its end out: `i +
    window + 1`.
the two farthest on the right are lost: i + window + 1 -> i + window - 1
    To the right you look two positions less far than to the left. `range` leaves its end out: `i +
    window + 1`.
the distance has a sign: abs(i - j) -> (i - j)
    `i - j` is below 0 for a word that comes later, and so is its count. The distance is `abs(i -
    j)`.
"""

SLIPS_OF_ARRAYS = """
--- hint 2
both additions go to one entry, by arrays: (right, left) -> (left, right)
    Both additions go to one entry, `[i, j]`. The second belongs to `[j, i]`.
--- no hint
the first places for all but the last: ids[:-distance] -> ids[:distance]
    `ids[:distance]` are the first positions alone. All that have a neighbour `distance` positions
    on are `ids[:-distance]`.
repeated pairs are added once: \
        np.add.at(counts, (left, right), 1 / distance) -> counts[left, right] += 1 / distance \
        && np.add.at(counts, (right, left), 1 / distance) -> counts[right, left] += 1 / distance
    `counts[left, right] += 1 / d` with arrays of ids writes each entry once, even when a pair
    occurs several times. `np.add.at(counts, (left, right), 1 / d)` adds them all up.
repeated pairs are added once, and an empty sentence has no whole numbers: , dtype=int -> \
        && np.add.at(counts, (left, right), 1 / distance) -> counts[left, right] += 1 / distance \
        && np.add.at(counts, (right, left), 1 / distance) -> counts[right, left] += 1 / distance
    `counts[left, right] += 1 / d` with arrays of ids writes each entry once, even when a pair
    occurs several times. `np.add.at(counts, (left, right), 1 / d)` adds them all up. And
    `np.array([])` holds no whole numbers: give it `dtype=int`.
an empty sentence has no whole numbers: , dtype=int ->
    `np.array([])` holds no whole numbers, and an empty sentence cannot be used as positions: give
    it `dtype=int`.
"""

EXERCISE = Exercise(
    id="cooccurrence_counts",
    title="Who stands near whom, and how near",
    lesson=LESSON,
    points=3,
    difficulty=2,
    importance=4,
    minutes=10,
    reference=glove.cooccurrence_counts,
    run=refusing(_a_tensor),
    cases=(
        Case("one sentence of four words", _sentences([[0, 1, 2, 3]], 4)),
        Case("several sentences, window 3", _drawn_sentences((9, 7, 8), 6, 3), weight=2),
        Case("a word beside itself", _sentences([[1, 1, 0]], 2), edge=True),
        Case(
            "sentences shorter than the window, and an empty one",
            _sentences([[0, 1], [], [2]], 3, window=5),
            edge=True,
        ),
        Case(
            "words that never come, the last two among them",
            _sentences([[0, 3, 1], [3, 3]], 6),
            edge=True,
        ),
    ),
    mistakes=(
        *slips(glove.cooccurrence_counts, SLIPS),
        *slips(_both_ways, SLIPS_OF_BOTH_WAYS),
        *slips(_by_arrays, SLIPS_OF_ARRAYS),
        Mistake(
            "a tensor", lambda *text: torch.from_numpy(glove.cooccurrence_counts(*text)), TENSOR
        ),
    ),
    right_answers={"both sides in one loop": _both_ways, "one distance at a time": _by_arrays},
)
