"""Exercise `character_ngrams`: A word in pieces."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from autograde.checking.answers import AnswerRefused, Plain, refusing, returned
from autograde.checking.exercise import Case, Exercise, Inputs, Random
from autograde.checking.slips import slips
from autograde.exercises.static_limits import LESSON
from elmo_mini.word_vectors import fasttext


def _text_list(inputs: Inputs, outputs: Plain) -> Plain:
    """The n-grams in alphabetical order, since any order is right."""
    if isinstance(outputs, np.ndarray):
        outputs = outputs.tolist()
    returned(outputs)
    if isinstance(outputs, str):
        raise AnswerRefused("Your answer is one text. Return a list, a text for each n-gram.")
    if not isinstance(outputs, list | tuple) or not all(isinstance(o, str) for o in outputs):
        raise AnswerRefused("Return one flat list of texts, one text for each n-gram.")
    return sorted(outputs)


def _gone_or_too_few(result: Any) -> str | None:
    if isinstance(result, Iterator):
        return (
            "Your answer is a generator, which is gone after one walk. Return a list: put "
            "`list(...)` round it."
        )
    if isinstance(result, set | frozenset):
        return (
            "Your answer is a set, which keeps *ana* of *banana* once. It stands there twice: "
            "return a list."
        )
    return None


@Case.drawn
def _word(
    rng: Random, *, length: int = 0, word: str = "", shortest: int = 3, longest: int = 6
) -> Inputs:
    letters = [chr(97 + int(i)) for i in rng.permutation(26)[:length]]
    return {"word": word or "".join(letters), "shortest": shortest, "longest": longest}


def _length_by_length(word: str, shortest: int = 3, longest: int = 6) -> list[str]:
    marked = f"<{word}>"
    pieces = [
        marked[start : start + length]
        for length in range(shortest, longest + 1)
        for start in range(len(marked) - length + 1)
    ]
    return pieces


def _lazily(word: str, shortest: int = 3, longest: int = 6) -> Iterator[str]:
    marked = "<" + word + ">"
    for start in range(len(marked)):
        for end in range(start + shortest, min(start + longest, len(marked)) + 1):
            yield marked[start:end]


SLIPS = """
--- hint 1
no boundary signs: f"<{word}>" -> word
    The word has no boundary signs: *her* inside *where* would be the same as the word *her*. Put
    the signs on first, then cut.
signs around every piece: f"<{word}>" -> word && return pieces -> \
        return [f"<{piece}>" for piece in pieces]
    You put the signs around every piece. They stand around the word, once, before it is cut.
--- hint 2
no piece ends in `>`: f"<{word}>" -> f"<{word}"
    The last piece of each length is missing. Either the loop over the starts ends one too early (a
    text of m characters has m - n + 1 stretches of length n), or the sign for the end was never put
    on.
no piece begins with `<`: f"<{word}>" -> f"{word}>"
    The first piece of each length is missing. Either the sign for the start was never put on, or
    the loop over the starts begins at 1.
only the shortest pieces: longest + 1 -> shortest + 1
    All your pieces have one length. Every length from `shortest` to `longest` is cut.
only the longest pieces: range(shortest, -> range(longest,
    All your pieces have the length `longest`. Every length from `shortest` to `longest` is cut.
pieces run over the end: range(len(marked) - length + 1) -> range(len(marked))
    A slice that runs over the end of a text is simply shorter, so you list short pieces many times.
    Stop where the piece no longer fits.
pieces run over the end, down to the shortest length: \
        range(len(marked) - length + 1) -> range(len(marked)) \
        && return pieces -> return [piece for piece in pieces if len(piece) >= shortest]
    A slice that runs over the end of a text is simply shorter, so you list the pieces at the end of
    the word several times. Keep a slice only if it has the full length.
side by side, without overlap: \
        range(len(marked) - length + 1) -> range(0, len(marked) - length + 1, length)
    Your pieces stand side by side. *All* stretches are asked for, so the start moves on by one
    character.
only the beginnings: range(len(marked) - length + 1) -> range(min(1, len(marked) - length + 1))
only the beginnings, a short word's several times: range(len(marked) - length + 1) -> range(1)
    All your pieces begin at the start of the word. A stretch may begin at any position.
only the ends: range(len(marked) - length + 1) -> \
        range(max(0, len(marked) - length), len(marked) - length + 1)
    All your pieces end at the end of the word. A stretch may end at any position.
every piece runs to the end: marked[start : start + length] -> marked[start:]
    Your pieces all run to the end of the word. A piece ends `length` characters behind its start:
    `marked[start : start + length]`.
the end of a slice taken for a length: start + length] -> length]
    `marked[start:length]` ends at the position `length`, wherever it starts. A slice names two
    positions: `marked[start : start + length]`.
a piece is a character too long: start + length] -> start + length + 1]
    Your pieces are a character too long. A slice leaves out the position behind the colon, so
    `marked[start : start + length]` has `length` characters already.
every piece is cut to the longest length: start + length] -> start + longest]
    Your pieces run on to the length `longest`. Cut each to the length that it stands for:
    `marked[start : start + length]`.
every piece begins with the word: marked[start : start + length] -> marked[: start + length]
    Your pieces all begin at the start of the word. A piece begins at its own start:
    `marked[start : start + length]`.
every piece is cut to the shortest length: start + length] -> start + shortest]
    There are as many pieces as there should be, and all have the length `shortest`. Cut each to the
    length that it stands for: `marked[start : start + length]`.
the last start is lost: len(marked) - length + 1 -> len(word) - length + 1
    Two starts are missing at the end of the word: count the positions with the boundary signs on,
    `len(marked) - length + 1`.
no piece longer than the bare word: longest + 1 -> min(longest, len(word)) + 1
    The longest pieces of a short word are missing. With its two signs it is two characters longer
    than `len(word)`: count them in.
no piece as long as the word with its signs: longest + 1 -> min(longest + 1, len(marked))
    The whole `<word>` is missing where it is short enough to be a stretch of itself. `range` leaves
    out its end.
--- hint 3
the longest pieces are missing: longest + 1 -> longest
    There are no pieces of the length `longest`. `range(shortest, longest)` ends too early.
a list for each length: [marked[start : start + length] for length in \
        range(shortest, longest + 1) for start in range(len(marked) - length + 1)] -> \
        [[marked[start : start + length] for start in range(len(marked) - length + 1)] \
        for length in range(shortest, longest + 1)]
    You return a list of lists, one for each length. Return one flat list of texts.
joined to one text: return pieces -> return " ".join(pieces)
    You return one text. Return a list with a text for each piece.
--- no hint
each piece once: return pieces -> return sorted(set(pieces))
    You list *ana* of *banana* once. It stands there twice, so list it twice.
the whole word as a piece: return pieces -> return [*pieces, marked]
    You add the whole word once more. `<her>` is in the list because it is short enough to be a
    stretch; a longer word is not. A word's own vector comes in exercise 10.
capitals are lost: f"<{word}>" -> f"<{word}>".lower()
    You make the word small. A capital is another character: cut the word as it is spelt.
a generator: return pieces -> return iter(pieces)
    The right pieces one by one, and gone after one walk. Return a list: put `list(...)` round it.
a set: return pieces -> return set(pieces)
    A set keeps *ana* of *banana* once. It stands there twice: return a list.
every piece is the whole word: marked[start : start + length] -> marked
    Each of your pieces is the whole word. Cut it: `marked[start : start + length]`.
3 and 6 written into the code: range(shortest, longest + 1) -> range(3, 7)
    The lengths 3 and 6 are written into your code. Use `shortest` and `longest`.
"""

EXERCISE = Exercise(
    id="character_ngrams",
    title="A word in pieces",
    lesson=LESSON,
    points=3,
    difficulty=2,
    importance=4,
    minutes=6,
    reference=fasttext.character_ngrams,
    run=refusing(_gone_or_too_few),
    view=_text_list,
    cases=(
        Case("a word of 5 letters, 3 to 6", _word(length=5)),
        Case("a word of 11 letters, 2 to 4", _word(length=11, shortest=2, longest=4), weight=2),
        Case("one length only", _word(length=7, shortest=3, longest=3)),
        Case("pieces of 1 and 2", _word(length=4, shortest=1, longest=2), weight=0.5, edge=True),
        Case("a word of one letter", _word(length=1), edge=True),
        Case("a piece that occurs twice", _word(word="banana"), edge=True),
        Case("打电话", _word(word="打电话"), edge=True),
        Case("a word with capitals", _word(word="EuroNews"), edge=True),
    ),
    mistakes=slips(_length_by_length, SLIPS),
    right_answers={
        "length by length": _length_by_length,
        "a generator, listed": lambda w, a=3, b=6: list(_lazily(w, a, b)),
    },
)
