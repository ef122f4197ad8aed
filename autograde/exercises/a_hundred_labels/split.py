"""Exercise `split`: texts to learn from and texts to be judged by, and no text among both."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from autograde.checking.answers import Answer, AnswerRefused, Plain, plain, refuse_changed
from autograde.checking.exercise import Case, Exercise, Inputs, Random
from autograde.checking.slips import slips
from autograde.exercises.a_hundred_labels import LESSON
from course.a_hundred_labels.protocol import split

SEEDS = 6
FEW_CHANGES = 40  # from one side to the other: where chance makes no more, they tell nothing
LATER = "!"
"""It ends every word: no text changes its place in an alphabet, and all change it in a set."""
WORDS = ("the", "film", "is", "a", "small", "gem", "and", "its", "end", "was", "never", "so", "sad")


def _run(answer: Answer, inputs: Inputs) -> Plain:
    """What every right split has in common; which rows are drawn is a matter of taste.

    Amounts that hang on the draw are told as *some*.
    """
    texts, count, seed = inputs["texts"], inputs["count"], inputs["seed"]
    splits = [_split(answer, texts, count, start) for start in range(seed, seed + SEEDS)]
    again = [_split(answer, texts, count, start) for start in range(seed, seed + SEEDS)]
    spelt = [tuple(word.lower() for word in text) for text in texts]
    copies = len(texts) - len(set(spelt))
    every = set(range(len(texts)))
    both = [{spelt[row] for row in learn} & {spelt[row] for row in test} for learn, test in splits]
    sizes = [len(test) for _, test in splits]
    renamed = [[word + LATER for word in text] for text in texts]
    changes = sum(
        int(np.diff([row in test for row in range(len(texts))]).sum()) for _, test in splits
    )
    by_chance = sum(2 * size * (len(texts) - size) / len(texts) for size in sizes)
    elsewhere = [_split(answer, renamed, count, start) for start in range(seed, seed + SEEDS)]
    return {
        "rows on no side": _some(every - {*learn, *test} for learn, test in splits),
        "rows that stand twice": _some(
            range(len(learn) + len(test) - len({*learn, *test})) for learn, test in splits
        ),
        "texts on both sides": _some(both),
        "the test has `count` rows, and only copies beside them": _said(
            sizes, len(texts), count, copies
        ),
        "the same rng gives the same split": splits == again,
        "in another Python, too": splits == elsewhere,
        "another rng gives another split": len({tuple(sorted(t)) for _, t in splits}) > 1,
        "neighbours are drawn together": by_chance > FEW_CHANGES and changes < by_chance / 2,
    }


def _some(found: Any) -> str:
    return "some" if any(map(len, found)) else "none"


def _said(sizes: list[int], rows: int, count: int, copies: int) -> str:
    """In one word: two sentences would be compared as texts."""
    if min(sizes) < count:
        return "fewer"
    if max(sizes) == count + 1 > count + copies:
        return "one-more"
    if max(sizes) <= count + copies:
        return "yes"
    learn = [rows - size for size in sizes]
    return "exchanged" if count <= min(learn) and max(learn) <= count + copies else "more"


def _split(
    answer: Answer, texts: list[list[str]], count: int, seed: int
) -> tuple[list[int], list[int]]:
    given = {"texts": [list(text) for text in texts]}
    came = plain(answer(given["texts"], count, np.random.default_rng(seed)))
    refuse_changed({"texts": texts}, given)
    if not isinstance(came, list | tuple) or len(came) != 2:
        raise AnswerRefused("Return two lists: the rows to learn from, and those of the test.")
    return _rows(came[0], len(texts)), _rows(came[1], len(texts))


def _rows(side: Any, rows: int) -> list[int]:
    if isinstance(side, np.ndarray):
        side = side.tolist()
    if not isinstance(side, list | tuple) or not all(
        isinstance(row, int) and not isinstance(row, bool) for row in side
    ):
        raise AnswerRefused(
            "Return the *numbers* of the rows, counted from 0, in two lists; not their texts."
        )
    if any(not 0 <= row < rows for row in side):
        raise AnswerRefused(f"A row that you name is none of the {rows}. They count from 0.")
    return sorted(map(int, side))


@Case.drawn
def _texts(rng: Random, distinct: int, copied: int, count: int, capitals: bool = False) -> Inputs:
    """Distinct texts, of which some stand there two or three times, in any order."""
    texts: list[list[str]] = []
    while len(texts) < distinct:
        text = [str(word) for word in rng.choice(WORDS, 6)]
        if text not in texts:
            texts.append(text)
    for row in range(copied):
        for _ in range(1 + row % 2):
            copy = list(texts[row])
            if capitals:
                copy[row % 6] = copy[row % 6].capitalize()
            texts.append(copy)
    return {
        "texts": [texts[row] for row in rng.permutation(len(texts))],
        "count": count,
        "seed": int(rng.integers(1_000_000)),
    }


def _alike(rng: Random) -> Inputs:
    """No copies: of three texts, one has the words of the first in another order, one joins two."""
    texts: list[list[str]] = []
    for number in range(8):
        words = [*map(str, rng.choice(WORDS, 4, replace=False)), f"part{number}"]
        texts += [words, [*words[1:], words[0]], [words[0] + words[1], *words[2:]]]
    return {
        "texts": [texts[row] for row in rng.permutation(len(texts))],
        "count": 7,
        "seed": int(rng.integers(1_000_000)),
    }


def _alike_for_long(rng: Random) -> Inputs:
    """No copies: three texts at a time are alike for 60 letters or more, and end differently."""
    texts = []
    for _ in range(6):
        words = [*map(str, rng.choice(WORDS, 12)), *["again"] * 8]
        texts += [[*words, end] for end in ("never", "so", "was")]
    return {
        "texts": [texts[row] for row in rng.permutation(len(texts))],
        "count": 5,
        "seed": int(rng.integers(1_000_000)),
    }


def _numbered(rng: Random) -> Inputs:
    """No copies: three texts at a time differ in a number alone."""
    texts = []
    for start in range(6):
        words = [*map(str, rng.choice(WORDS, 4)), WORDS[start]]
        texts += [[*words, number] for number in ("3", "4", "12")]
    return {
        "texts": [texts[row] for row in rng.permutation(len(texts))],
        "count": 5,
        "seed": int(rng.integers(1_000_000)),
    }


def _rows_first(
    texts: Sequence[Sequence[str]], count: int, rng: Random
) -> tuple[list[int], list[int]]:
    spelt = [" ".join(text).lower() for text in texts]
    drawn = {spelt[row] for row in rng.permutation(len(texts))[:count]}
    learn: list[int] = []
    test: list[int] = []
    for row, text in enumerate(spelt):
        (test if text in drawn else learn).append(row)
    return learn, test


def _by_shuffled_texts(
    texts: Sequence[Sequence[str]], count: int, rng: Random
) -> tuple[list[int], list[int]]:
    spelt = [tuple(map(str.lower, text)) for text in texts]
    distinct = sorted(set(spelt))
    rng.shuffle(distinct)
    test: list[int] = []
    while len(test) < count:
        text = tuple(distinct.pop())
        test += [row for row in range(len(texts)) if spelt[row] == text]
    return [row for row in range(len(texts)) if row not in test], test


SLIPS = """
--- hint 1
rows are drawn and copies forgotten: [row for row, text in enumerate(spelt) if text in drawn] \
        -> drawn_rows.tolist() \
        && [row for row, text in enumerate(spelt) if text not in drawn] \
        -> [row for row in range(len(texts)) if row not in drawn_rows]
    A text stands on both sides: whoever learns it by heart is right about it in the test. Decide
    for each *text*, and send all of its copies the same way.
the sides are exchanged: return learn, test -> return test, learn
    You return the test first. The rows to learn from come first.
texts in place of rows: return learn, test \
        -> return [texts[r] for r in learn], [texts[r] for r in test]
    You return texts. Return their row numbers, so that labels can be found, too.
--- hint 2
the copies are thrown away: if text not in drawn] \
        -> if text not in drawn and row == spelt.index(text)] \
        && if text in drawn] -> if text in drawn and row == spelt.index(text)]
    Some rows are on no side. Copies are data, too: keep each of them, on the side of its text.
copies of test texts are thrown away: if text in drawn] -> if row in drawn_rows]
    Some rows are on no side. A copy of a test text belongs to the test: put it there.
capitals make another text: " ".join(text).lower() -> " ".join(text)
    *The* and *the* are two texts for you, so a copy with a capital slips through. Compare in lower
    case.
other texts count as copies: " ".join(text).lower() -> "".join(text).lower()
    Different texts are one for you, so the test grows by texts that are no copies. Copies have the
    same words in the same order: *a way* is not *away*.
words in any order: " ".join(text).lower() -> " ".join(sorted(word.lower() for word in text))
    Texts of the same words in another order are one for you, so the test grows by texts that are no
    copies. Leave the words in their order.
words as a set: " ".join(text).lower() -> " ".join(sorted({word.lower() for word in text}))
    Texts of the same words are one for you, so the test grows by texts that are no copies. Leave
    the words in their order, each as often as it stands there.
the first {few} words alone: " ".join(text).lower() -> " ".join(text[:{few}]).lower() \
        | few = 2, 3
long texts are compared by their beginning: " ".join(text).lower() -> " ".join(text).lower()[:50]
    Texts that begin alike are one for you, so the test grows by texts that are no copies. Compare
    each text to its end.
numbers are left out: " ".join(text).lower() \
        -> " ".join(word for word in text if not word[0].isdigit()).lower()
    Texts that differ in a number are one for you, so the test grows by texts that are no copies. A
    number is a word like any other.
the order of a set: drawn_rows = rng.permutation(len(texts))[:count] \
        -> drawn_rows = list(set(spelt)) ⏎rng.shuffle(drawn_rows) \
        && drawn = {spelt[row] for row in drawn_rows} -> drawn = set(drawn_rows[:count])
    The same `rng` gives another split when Python is started again: a set of texts has no order of
    its own. Draw rows, or sort the set before you draw from it.
a block of neighbours: rng.permutation(len(texts))[:count] \
        -> (rng.integers(len(texts)) + np.arange(count)) % len(texts)
    Your test is a block of neighbours, from a random start. Neighbours are often alike, of one
    source or day: draw every row by itself.
the first rows: rng.permutation(len(texts))[:count] -> np.arange(count)
    Your test is the same whatever `rng` is. Draw with the `rng` that is given: files are often
    sorted, by class or by date.
a generator without a seed: rng.permutation -> np.random.default_rng().permutation
    The same `rng` gives another split the next time. Draw with the `rng` that is given, so that
    somebody else can repeat it.
--- hint 3
one row too few: [:count] -> [:count - 1]
    The test has fewer than `count` rows.
one row too many: [:count] -> [:count + 1]
    Your test goes on when it has `count` rows: one text too many. Stop there.
a count of rows to learn from: [:count] -> [count:]
    The test is far too large: `count` is how many rows the *test* has.
drawn with replacement: rng.permutation(len(texts))[:count] -> rng.integers(len(texts), size=count)
    You draw rows with replacement, so that a row may be drawn twice and the test has fewer than
    `count` rows. `rng.permutation` draws each once.
the copies stand on both sides: if text not in drawn] -> if row not in drawn_rows]
    A copy of a test text stands among those to learn from, too. It belongs to the test alone.
everything is tested: if text in drawn] ->]
    The rows to learn from are among those of the test, too. Leave them out.
the last row is on no side: [row for row, text in enumerate(spelt) if text not in drawn] \
        -> [row for row, text in enumerate(spelt[:-1]) if text not in drawn] \
        && [row for row, text in enumerate(spelt) if text in drawn] \
        -> [row for row, text in enumerate(spelt[:-1]) if text in drawn]
    A row is on no side: your loop leaves out the first or the last. Go through all of them.
everything is to be learnt: if text not in drawn] ->]
    The rows of the test are among those to learn from, too. Leave them out.
"""


def _right(texts: Sequence[Sequence[str]], count: int, rng: Random) -> tuple[list[int], list[int]]:
    spelt = [" ".join(text).lower() for text in texts]
    drawn_rows = rng.permutation(len(texts))[:count]
    drawn = {spelt[row] for row in drawn_rows}
    test = [row for row, text in enumerate(spelt) if text in drawn]
    learn = [row for row, text in enumerate(spelt) if text not in drawn]
    return learn, test


EXERCISE = Exercise(
    id="split",
    title="No text on both sides",
    lesson=LESSON,
    points=2,
    difficulty=2,
    importance=4,
    minutes=12,
    reference=split,
    run=_run,
    cases=(
        Case("40 different texts", _texts(40, 0, 10)),
        Case("60 texts, some of them copies", _texts(40, 14, 20), weight=2),
        Case("copies with other capitals", _texts(40, 14, 20, True), weight=2),
        Case("other texts of the same words", _alike),
        Case("texts that end differently", _alike_for_long),
        Case("texts that differ in a number", _numbered),
        Case("nearly all are copies", _texts(8, 8, 6), edge=True),
        Case("a test of one", _texts(12, 5, 1), edge=True),
    ),
    mistakes=slips(_right, SLIPS),
    right_answers={
        "rows, then their copies": _right,
        "with sets": _rows_first,
        "shuffled texts": _by_shuffled_texts,
    },
)
