"""Exercise `character_ngrams`: A word in pieces."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from autograde.checking.exercise import (
    Answer,
    AnswerRefused,
    Case,
    Exercise,
    Inputs,
    Mistake,
    Plain,
    call,
    returned,
)
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


def _run_ngrams(answer: Answer, inputs: Inputs) -> Plain:
    def listed(*arguments: Any) -> Any:
        result = answer(*arguments)
        if isinstance(result, Iterator):
            raise AnswerRefused(
                "Your answer is a generator, which is gone after one walk. Return a list: put "
                "`list(...)` round it."
            )
        if isinstance(result, set | frozenset):
            raise AnswerRefused(
                "Your answer is a set, which keeps *ana* of *banana* once. It stands there twice: "
                "return a list."
            )
        return result

    return call(listed, inputs)


def _word(*, length: int = 0, word: str = "", shortest: int = 3, longest: int = 6) -> Any:
    def make(rng: np.random.Generator) -> Inputs:
        letters = [chr(97 + int(i)) for i in rng.permutation(26)[:length]]
        return {"word": word or "".join(letters), "shortest": shortest, "longest": longest}

    return make


def stretches(marked: str, shortest: int, longest: int) -> list[str]:
    return [
        marked[i : i + n] for n in range(shortest, longest + 1) for i in range(len(marked) - n + 1)
    ]


def _lazy_ngrams(word: str, shortest: int, longest: int) -> Any:
    marked = "<" + word + ">"
    for start in range(len(marked)):
        for end in range(start + shortest, min(start + longest, len(marked)) + 1):
            yield marked[start:end]


EXERCISE = Exercise(
    id="character_ngrams",
    title="A word in pieces",
    lesson=LESSON,
    points=3,
    difficulty=2,
    importance=4,
    minutes=10,
    reference=fasttext.character_ngrams,
    run=_run_ngrams,
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
    mistakes=(
        Mistake(
            "no boundary signs",
            lambda w, a, b: stretches(w, a, b),
            "The word has no boundary signs: *her* inside *where* would be the same as the word "
            "*her*. Put the signs on first, then cut.",
            hint=1,
        ),
        Mistake(
            "no piece ends in `>`",
            lambda w, a, b: stretches("<" + w, a, b),
            "The last piece of each length is missing. Either the loop over the starts ends one "
            "too early (a text of m characters has m - n + 1 stretches of length n), or the sign "
            "for the end was never put on.",
            hint=2,
        ),
        Mistake(
            "no piece begins with `<`",
            lambda w, a, b: stretches(w + ">", a, b),
            "The first piece of each length is missing. Either the sign for the start was never "
            "put on, or the loop over the starts begins at 1.",
            hint=2,
        ),
        Mistake(
            "the longest pieces are missing",
            lambda w, a, b: stretches(f"<{w}>", a, b - 1),
            "There are no pieces of the length `longest`. `range(shortest, longest)` ends too "
            "early.",
            hint=3,
        ),
        Mistake(
            "only the shortest pieces",
            lambda w, a, b: stretches(f"<{w}>", a, a),
            "All your pieces have one length. Every length from `shortest` to `longest` is cut.",
            hint=2,
        ),
        Mistake(
            "each piece once",
            lambda w, a, b: sorted(set(stretches(f"<{w}>", a, b))),
            "You list *ana* of *banana* once. It stands there twice, so list it twice.",
        ),
        Mistake(
            "the whole word as a piece",
            lambda w, a, b: [*stretches(f"<{w}>", a, b), f"<{w}>"],
            "You add the whole word once more. `<her>` is in the list because it is short enough "
            "to be a stretch; a longer word is not. A word's own vector comes in exercise 5.",
        ),
        Mistake(
            "pieces run over the end",
            lambda w, a, b: [
                f"<{w}>"[i : i + n] for i in range(len(w) + 2) for n in range(a, b + 1)
            ],
            "A slice that runs over the end of a text is simply shorter, so you list short pieces "
            "many times. Stop where the piece no longer fits.",
            hint=2,
        ),
        Mistake(
            "signs around every piece",
            lambda w, a, b: [f"<{piece}>" for piece in stretches(w, a, b)],
            "You put the signs around every piece. They stand around the word, once, before it is "
            "cut.",
            hint=1,
        ),
        Mistake(
            "3 and 6 written into the code",
            lambda w, a, b: stretches(f"<{w}>", 3, 6),
            "The lengths 3 and 6 are written into your code. Use `shortest` and `longest`.",
            hint=3,
        ),
        Mistake(
            "capitals are lost",
            lambda w, a, b: stretches(f"<{w}>".lower(), a, b),
            "You make the word small. A capital is another character: cut the word as it is spelt.",
        ),
        Mistake(
            "a generator",
            _lazy_ngrams,
            "The right pieces one by one, and gone after one walk. Return a list: put "
            "`list(...)` round it.",
        ),
        Mistake(
            "a set",
            lambda w, a, b: set(stretches(f"<{w}>", a, b)),
            "A set keeps *ana* of *banana* once. It stands there twice: return a list.",
        ),
        Mistake(
            "side by side, without overlap",
            lambda w, a, b: [
                f"<{w}>"[i : i + n] for n in range(a, b + 1) for i in range(0, len(w) + 3 - n, n)
            ],
            "Your pieces stand side by side. *All* stretches are asked for, so the start "
            "moves on by one character.",
            hint=2,
        ),
        Mistake(
            "only the beginnings",
            lambda w, a, b: [f"<{w}>"[:n] for n in range(a, min(b, len(w) + 2) + 1)],
            "All your pieces begin at the start of the word. A stretch may begin at any place.",
            hint=2,
        ),
        Mistake(
            "only the ends",
            lambda w, a, b: [f"<{w}>"[-n:] for n in range(a, min(b, len(w) + 2) + 1)],
            "All your pieces end at the end of the word. A stretch may end at any place.",
            hint=2,
        ),
        Mistake(
            "a list for each length",
            lambda w, a, b: [
                [f"<{w}>"[i : i + n] for i in range(len(w) + 3 - n)] for n in range(a, b + 1)
            ],
            "You return a list of lists, one for each length. Return one flat list of texts.",
            hint=3,
        ),
        Mistake(
            "only the longest pieces",
            lambda w, a, b: stretches(f"<{w}>", b, b),
            "All your pieces have the length `longest`. Every length from `shortest` to "
            "`longest` is cut.",
            hint=2,
        ),
        Mistake(
            "the last start is lost",
            lambda w, a, b: [
                f"<{w}>"[i : i + n] for n in range(a, b + 1) for i in range(len(w) + 1 - n)
            ],
            "Two starts are missing at the end of the word: count the places with the "
            "boundary signs on, `len(marked) - length + 1`.",
            hint=2,
        ),
        Mistake(
            "joined to one text",
            lambda w, a, b: " ".join(stretches(f"<{w}>", a, b)),
            "You return one text. Return a list with a text for each piece.",
            hint=3,
        ),
        Mistake(
            "pieces run over the end, down to the shortest length",
            lambda w, a, b: [
                piece
                for n in range(a, b + 1)
                for i in range(len(w) + 2)
                if len(piece := f"<{w}>"[i : i + n]) >= a
            ],
            "A slice that runs over the end of a text is simply shorter, so you list the pieces at "
            "the end of the word several times. Keep a slice only if it has the full length.",
            hint=2,
        ),
        Mistake(
            "no piece longer than the bare word",
            lambda w, a, b: stretches(f"<{w}>", a, min(b, len(w))),
            "The longest pieces of a short word are missing. With its two signs it is two "
            "characters longer than `len(word)`: count them in.",
            hint=2,
        ),
        Mistake(
            "no piece as long as the word with its signs",
            lambda w, a, b: stretches(f"<{w}>", a, min(b, len(w) + 1)),
            "The whole `<word>` is missing where it is short enough to be a stretch of itself. "
            "`range` leaves out its end.",
            hint=3,
        ),
    ),
    right_answers={
        "a generator, listed": lambda w, a, b: list(_lazy_ngrams(w, a, b)),
        "length by length": lambda w, a, b: stretches(f"<{w}>", a, b),
    },
)
