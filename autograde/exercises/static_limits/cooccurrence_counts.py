"""Exercise `cooccurrence_counts`: who stands near whom, and how near."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from autograde.checking.exercise import (
    Case,
    Exercise,
    Inputs,
    Mistake,
)
from autograde.exercises.static_limits import LESSON
from elmo_mini.word_vectors import glove

Sentences = list[list[int]]


Table = np.ndarray


def _drawn_sentences(lengths: Sequence[int], words: int, window: int) -> Any:
    def make(rng: np.random.Generator) -> Inputs:
        drawn = [[int(i) for i in rng.integers(words, size=length)] for length in lengths]
        drawn[0][:5] = [0, 1, 2, 0, 1]  # a pair comes twice at one distance
        return {"sentences": drawn, "vocabulary_size": words, "window": window}

    return make


def _counted(
    sentences: Sentences,
    size: int,
    window: int,
    *,
    flat: bool = False,
    left_only: bool = False,
    short: bool = False,
    triangular: bool = False,
    itself: bool = False,
    twin_once: bool = False,
    weigh: Callable[[int], float] = lambda distance: 1 / distance,
) -> Table:
    """Counts with one thing done otherwise: the wrong answers are built from this."""
    counts = np.zeros((size, size))
    for ids in sentences:
        for place, word in enumerate(ids):
            counts[word, word] += itself
            for distance in range(1, window + (not short)):
                if place >= distance:
                    weight = 1.0 if flat else weigh(distance)
                    weight = (window - distance + 1) / window if triangular else weight
                    counts[word, ids[place - distance]] += weight
                    if not left_only and not (twin_once and ids[place - distance] == word):
                        counts[ids[place - distance], word] += weight
    return counts


def _counted_round_the_corner(sentences: Sentences, size: int, window: int) -> Table:
    counts = np.zeros((size, size))
    for ids in sentences:
        for place, word in enumerate(ids):
            for distance in range(1, window + 1):
                counts[word, ids[place - distance]] += 1 / distance
                counts[ids[place - distance], word] += 1 / distance
    return counts


def _counted_from_first_places(sentences: Sentences, size: int, window: int) -> Table:
    counts = np.zeros((size, size))
    for ids in sentences:
        for word in ids:
            place = ids.index(word)
            for distance in range(1, min(window, place) + 1):
                counts[word, ids[place - distance]] += 1 / distance
                counts[ids[place - distance], word] += 1 / distance
    return counts


def _counted_without_twins(sentences: Sentences, size: int, window: int) -> Table:
    counts = _counted(sentences, size, window)
    np.fill_diagonal(counts, 0.0)
    return counts


def _counted_in_whole_numbers(sentences: Sentences, size: int, window: int) -> Table:
    counts = np.zeros((size, size), dtype=int)
    for ids in sentences:
        for place, word in enumerate(ids):
            for distance in range(1, min(window, place) + 1):
                counts[word, ids[place - distance]] += int(1 / distance)
                counts[ids[place - distance], word] += int(1 / distance)
    return counts


def _both_ways(sentences: Sentences, size: int, window: int) -> Tensor:
    counts = torch.zeros(size, size, dtype=torch.float64)
    for ids in sentences:
        for i, word in enumerate(ids):
            for j in range(max(0, i - window), min(len(ids), i + window + 1)):
                if i != j:
                    counts[word, ids[j]] += 1 / abs(i - j)
    return counts


def _counted_by_setting(sentences: Sentences, size: int, window: int) -> Table:
    counts = np.zeros((size, size))
    for ids in sentences:
        for place, word in enumerate(ids):
            for distance in range(1, min(window, place) + 1):
                counts[word, ids[place - distance]] = 1 / distance
                counts[ids[place - distance], word] = 1 / distance
    return counts


def _counted_off_the_edge(
    sentences: Sentences, size: int, window: int, *, at_the_end: bool
) -> Table:
    """Only places with a whole window on the side that is looked at."""
    counts = np.zeros((size, size))
    for ids in sentences:
        places = range(len(ids) - window) if at_the_end else range(window, len(ids))
        for place in places:
            for distance in range(1, window + 1):
                other = ids[place + distance if at_the_end else place - distance]
                counts[ids[place], other] += 1 / distance
                counts[other, ids[place]] += 1 / distance
    return counts


def _counted_by_arrays(sentences: Sentences, size: int, window: int, *, ids_of: Any) -> Table:
    counts = np.zeros((size, size))
    for sentence in sentences:
        ids = ids_of(sentence)
        for distance in range(1, window + 1):
            left, right = ids[:-distance], ids[distance:]
            counts[left, right] += 1 / distance
            counts[right, left] += 1 / distance
    return counts


def _counted_as_far_as_ids_go(sentences: Sentences, size: int, window: int) -> Table:
    return _counted(sentences, 1 + max((i for ids in sentences for i in ids), default=-1), window)


def _counted_for_the_ids_that_come(sentences: Sentences, size: int, window: int) -> Table:
    number = {word: row for row, word in enumerate(sorted({i for ids in sentences for i in ids}))}
    return _counted([[number[i] for i in ids] for ids in sentences], len(number), window)


ROW_FOR_EVERY_WORD = (
    "Your table is only as large as the ids that come in the sentences. It has `vocabulary_size` "
    "rows and columns: a word that never comes has a row of zeros."
)


ARRAYS = (
    "`counts[left, right] += 1 / d` with arrays of ids writes each entry once, even when a pair "
    "occurs several times. `np.add.at(counts, (left, right), 1 / d)` adds them all up."
)


EXERCISE = Exercise(
    id="cooccurrence_counts",
    title="Who stands near whom, and how near",
    lesson=LESSON,
    points=3,
    difficulty=2,
    importance=4,
    minutes=15,
    reference=glove.cooccurrence_counts,
    cases=(
        Case(
            "one sentence of four words",
            lambda rng: {"sentences": [[0, 1, 2, 3]], "vocabulary_size": 4, "window": 2},
        ),
        Case("several sentences, window 3", _drawn_sentences((9, 7, 8), 6, 3), weight=2),
        Case(
            "a word beside itself",
            lambda rng: {"sentences": [[1, 1, 0]], "vocabulary_size": 2, "window": 2},
            edge=True,
        ),
        Case(
            "sentences shorter than the window, and an empty one",
            lambda rng: {"sentences": [[0, 1], [], [2]], "vocabulary_size": 3, "window": 5},
            edge=True,
        ),
        Case(
            "words that never come, the last two among them",
            lambda rng: {"sentences": [[0, 3, 1], [3, 3]], "vocabulary_size": 6, "window": 2},
            edge=True,
        ),
    ),
    mistakes=(
        Mistake(
            "every pair counts 1",
            lambda s, v, w: _counted(s, v, w, flat=True),
            "All pairs in the window count the same. A pair `d` places apart counts 1/d.",
            hint=3,
        ),
        Mistake(
            "only the left side",
            lambda s, v, w: _counted(s, v, w, left_only=True),
            "Only one of the two words is told of the other. Being near goes both ways: the "
            "table is symmetric.",
            hint=2,
        ),
        Mistake(
            "the farthest neighbour is lost",
            lambda s, v, w: _counted(s, v, w, short=True),
            "Neighbours exactly `window` places away are missing. `range(1, window)` ends before "
            "`window`.",
            hint=3,
        ),
        Mistake(
            "pairs across sentences",
            lambda s, v, w: _counted([[i for ids in s for i in ids]], v, w),
            "You count pairs whose words stand in different sentences. Walk over one sentence at "
            "a time.",
            hint=3,
        ),
        Mistake(
            "the dynamic window's weights",
            lambda s, v, w: _counted(s, v, w, triangular=True),
            "These are the weights of word2vec's dynamic window. GloVe's are 1/d: 1, 1/2, 1/3 …",
            hint=3,
        ),
        Mistake(
            "a word is its own neighbour",
            lambda s, v, w: _counted(s, v, w, itself=True),
            "Each place is counted as its own neighbour. Distances begin at 1.",
            hint=3,
        ),
        Mistake(
            "a word beside itself is skipped",
            _counted_without_twins,
            "The same word may stand at two places near each other (*very, very*), and that pair "
            "counts. Compare places, not words.",
            hint=3,
        ),
        Mistake(
            "negative places",
            _counted_round_the_corner,
            "At the start of a sentence a negative place counts from the end in Python, and far "
            "words become neighbours. Stop at place 0.",
            hint=3,
        ),
        Mistake(
            "the place of a repeated word",
            _counted_from_first_places,
            "`ids.index(word)` finds the first place of a word, also when you are at its second. "
            "Walk over places with `enumerate`.",
            hint=3,
        ),
        Mistake(
            "every pair twice",
            lambda s, v, w: 2 * _counted(s, v, w),
            "All your counts are twice too large. You look to both sides and write both entries "
            "each time, so every pair is met twice. Look to one side, or write one entry.",
            hint=2,
        ),
        Mistake(
            "a word beside itself counts once",
            lambda s, v, w: _counted(s, v, w, twin_once=True),
            "Where a word stands beside itself, `[i, j]` and `[j, i]` are one entry, and it gets "
            "1/d twice: once for each of the two places.",
            hint=3,
        ),
        Mistake(
            "only direct neighbours count",
            _counted_in_whole_numbers,
            "Only direct neighbours count in your table. Either the loop over the distances ends "
            "at 1, or 1/2 and 1/3 become 0: `dtype=int` cuts fractions off, and so does `//`.",
            hint=3,
        ),
        Mistake(
            "only the right side",
            lambda s, v, w: _counted(s, v, w, left_only=True).T,
            "Only one of the two words is told of the other. Being near goes both ways: the "
            "table is symmetric.",
            hint=2,
        ),
        Mistake(
            "one place too far",
            lambda s, v, w: _counted(s, v, w + 1),
            "You count neighbours `window + 1` places away. The farthest are `window` places away.",
            hint=3,
        ),
        Mistake(
            "the distance is one too large",
            lambda s, v, w: _counted(s, v, w, weigh=lambda d: 1 / (d + 1)),
            "Your nearest neighbour counts 1/2. A pair `d` places apart counts 1/d, and "
            "direct neighbours are 1 apart.",
            hint=3,
        ),
        Mistake(
            "one over the distance squared",
            lambda s, v, w: _counted(s, v, w, weigh=lambda d: 1 / d**2),
            "You divide by the square of the distance. A pair `d` places apart counts 1/d.",
            hint=3,
        ),
        Mistake(
            "the distance itself",
            lambda s, v, w: _counted(s, v, w, weigh=float),
            "Your far neighbours count more than the near ones. A pair `d` places apart "
            "counts 1/d.",
            hint=3,
        ),
        Mistake(
            "windows side by side",
            lambda s, v, w: _counted(
                [ids[i : i + w] for ids in s for i in range(0, len(ids), w)], v, w
            ),
            "You cut the sentence into pieces of `window` words and count inside each. The "
            "window goes with the word: every place looks `window` places around itself.",
            hint=2,
        ),
        Mistake(
            "set, not added",
            _counted_by_setting,
            "You write `=` where `+=` is meant: a pair that occurs twice counts once.",
            hint=3,
        ),
        Mistake(
            "the last pairs of a sentence are lost",
            lambda s, v, w: _counted_off_the_edge(s, v, w, at_the_end=True),
            "The pairs among the last `window` words of a sentence are missing. Walk over all its "
            "places, up to the last, and skip only the neighbours beyond the end.",
            hint=3,
        ),
        Mistake(
            "the first pairs of a sentence are lost",
            lambda s, v, w: _counted_off_the_edge(s, v, w, at_the_end=False),
            "The pairs among the first `window` words of a sentence are missing. Walk over all its "
            "places, from the first on, and skip only the neighbours before the start.",
            hint=3,
        ),
        Mistake(
            "repeated pairs are added once",
            lambda s, v, w: _counted_by_arrays(
                s, v, w, ids_of=lambda sentence: np.array(sentence, dtype=int)
            ),
            ARRAYS,
            hint=3,
        ),
        Mistake(
            "repeated pairs are added once, and an empty sentence has no whole numbers",
            lambda s, v, w: _counted_by_arrays(s, v, w, ids_of=np.array),
            ARRAYS + " And `np.array([])` holds no whole numbers: give it `dtype=int`.",
            hint=3,
        ),
        Mistake(
            "a table as large as the largest id",
            _counted_as_far_as_ids_go,
            ROW_FOR_EVERY_WORD,
            hint=1,
        ),
        Mistake(
            "a table of the ids that come",
            _counted_for_the_ids_that_come,
            ROW_FOR_EVERY_WORD,
            hint=1,
        ),
    ),
    right_answers={
        "both sides in one loop": _both_ways,
        "one distance at a time": lambda s, v, w: glove.sparse_counts(s, v, w).toarray(),
    },
)
