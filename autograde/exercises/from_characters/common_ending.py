"""Exercise `common_ending`: how many letters two words share at their ends."""

from os.path import commonprefix
from typing import Any

import numpy as np

from autograde.checking.answers import Answer, AnswerRefused, Plain, call
from autograde.checking.exercise import Case, Exercise, Inputs, Random
from autograde.checking.slips import slips
from autograde.exercises.from_characters import LESSON
from course.from_characters.word_similarity import common_endings


def reference(words: list[str], candidates: list[str]) -> np.ndarray:
    """(Q, N): letters shared, counted from the last one up to the first that differs."""
    table = np.zeros((len(words), len(candidates)))
    for row, word in enumerate(words):
        for column, other in enumerate(candidates):
            for ours, theirs in zip(reversed(word), reversed(other), strict=False):
                if ours != theirs:
                    break
                table[row, column] += 1
    return table


def _by_prefix(words: list[str], candidates: list[str]) -> list[list[int]]:
    return [[len(commonprefix([a[::-1], b[::-1]])) for b in candidates] for a in words]  # noqa: RUF071


def _by_growing(words: list[str], candidates: list[str]) -> np.ndarray:
    counts = []
    for word in words:
        for other in candidates:
            size = 0
            while size < len(word) and other.endswith(word[len(word) - size - 1 :]):
                size += 1
            counts.append(size)
    return np.array(counts, dtype=int).reshape(len(words), len(candidates))


def _by_index(words: list[str], candidates: list[str]) -> np.ndarray:
    table = np.zeros((len(words), len(candidates)))
    for row, a in enumerate(words):
        for column, b in enumerate(candidates):
            k = 0
            while k < min(len(a), len(b)) and a[-1 - k] == b[-1 - k]:
                k += 1
            table[row, column] = k
    return table


def _run(answer: Answer, inputs: Inputs) -> Plain:
    """The table as floats, whatever holds the numbers."""
    table = call(answer, inputs)
    try:
        return np.asarray(table, dtype=float)
    except (TypeError, ValueError) as wrong:
        raise AnswerRefused(
            "Return a table of numbers, one row for each of `words` and one column for each of "
            "`candidates`."
        ) from wrong


SLIPS = """
--- hint 1
counted from the front: reversed(word), reversed(other) -> word, other
    You compare the words from their first letters. An ending is counted from the last letter.
the letters that stand in the same places: break -> continue
    After the first letter that differs you go on counting. What lies before it is no part of the
    common ending, so stop there.
--- hint 2
letters from the second last: zip(reversed(word), reversed(other) -> zip(word[-2::-1], other[-2::-1]
    You leave out the last letter of each word. Begin with it.
the first letter is never reached: zip(reversed(word), reversed(other) \
        -> zip(word[:0:-1], other[:0:-1]
    You never come to the first letter of a word. *king* shares four letters with *king*.
letters that both have: ours != theirs -> ours not in other
    You ask whether the letter stands anywhere in the other word. Compare letters in the same
    position from the end.
--- hint 3
bytes, not letters: reversed(word), reversed(other) \
        -> reversed(word.encode()), reversed(other.encode())
    You count bytes. *é* has two of them, and is one letter.
rows that are one list: np.zeros((len(words), len(candidates))) \
        -> [[0] * len(candidates)] * len(words) && table[row, column] += -> table[row][column] += \
        && return table -> return np.array(table)
    Your rows are one and the same list: `[row] * n` makes no new rows. Make each anew:
    `[[0] * columns for _ in range(rows)]`.
as a share of the longer word: return table -> return table / np.array( \
        [[max(len(w), len(c), 1) for c in candidates] for w in words])
    You divide by the length of the longer word. Return the number of letters.
whether, not how many: += 1 -> = 1
    You write down that they share an ending, and not how long it is. Add 1 for each letter.
as a share of the word: return table -> return table / np.array([[len(w) or 1] for w in words])
    You divide by the length of the word. Return how many letters are shared.
columns by the word: enumerate(candidates) \
        -> {other: (column, other) for column, other in enumerate(candidates)}.values()
rows by the word: enumerate(words) -> {word: (row, word) for row, word in enumerate(words)}.values()
rows and columns by the word: enumerate(candidates) \
        -> {other: (column, other) for column, other in enumerate(candidates)}.values() \
        && enumerate(words) -> {word: (row, word) for row, word in enumerate(words)}.values()
the first place of a word: table[row, column] += 1 \
        -> table[words.index(word), candidates.index(other)] += 1
    A word may come twice in a list, and each time it has a row or a column of its own. Take the
    positions from `enumerate`.
a word and itself are left out: for ours, theirs in \
        -> if word == other: continue⏎for ours, theirs in
    You leave out a word and itself. They share all letters.
--- no hint
capitals are ignored: ours != theirs -> ours.lower() != theirs.lower()
    You take *A* and *a* for the same letter. Count letters as they are written.
rows and columns in each other's place: return table -> return table.T
    Your rows and columns are in each other's place: a row for each of `words`, a column for each
    of `candidates`.
"""

SLIPS_OF_INDEX = """
--- hint 1
one place off, the first letter first: every [-1 - k] -> [-k]
    `word[-0]` is the word's *first* letter, so you begin at the wrong end and are one position off
    from there. The last letter is `word[-1]`: take `word[-1 - k]`.
--- hint 2
where the shorter word ends is not asked: k < min(len(a), len(b)) and ->
    You go on past the beginning of the shorter word, where there is no letter. Stop there:
    `k < min(len(a), len(b))`.
"""


def _words(*words: str) -> Any:
    def inputs(rng: Random) -> Inputs:
        half = len(words) // 2
        return {"words": list(words[:half]), "candidates": list(words[half:])}

    return inputs


def _drawn(rng: Random) -> Inputs:
    stems = ["".join(rng.choice(list("abc"), size=int(rng.integers(1, 5)))) for _ in range(9)]
    made = [stem + str(rng.choice(["ing", "ed", "ting", "s"])) for stem in stems]
    return {"words": made[:4], "candidates": made[4:]}


EXERCISE = Exercise(
    id="common_ending",
    title="The longest common ending",
    lesson=LESSON,
    points=2,
    difficulty=1,
    importance=4,
    minutes=7,
    reference=reference,
    run=_run,
    cases=(
        Case("walking and talking", _words("walking", "table", "talking", "kin", "stable", "ring")),
        Case("drawn words", _drawn),
        Case("a word and itself", _words("king", "a", "king", "a", "kings", "ba")),
        Case(
            "words that come twice",
            _words("king", "ring", "king", "walking", "ring", "walking"),
        ),
        Case("a letter that differs, then letters that agree", _words("abcd", "abxd")),
        Case("capitals", _words("US", "us", "BUS", "bus"), edge=True),
        Case("no letters", _words("", "a", "a", ""), edge=True),
        Case("letters of two bytes and more", _words("café", "打电话", "olé", "电话"), edge=True),
    ),
    mistakes=(*slips(reference, SLIPS), *slips(_by_index, SLIPS_OF_INDEX)),
    right_answers={
        "the package's": lambda words, candidates: common_endings(words, candidates),
        "words written backwards": _by_prefix,
        "an ending that grows": _by_growing,
        "letters by their place": _by_index,
    },
)
