"""Exercise `character_ngrams`: A word in pieces."""

from typing import Any

import numpy as np

from autograde.checking.exercise import (
    AnswerRefused,
    Case,
    Exercise,
    Inputs,
    Mistake,
    Plain,
)
from autograde.exercises.static_limits import LESSON
from elmo_mini.word_vectors import fasttext


def _text_list(inputs: Inputs, outputs: Plain) -> Plain:
    """The n-grams in alphabetical order, since any order is right."""
    if isinstance(outputs, np.ndarray):
        outputs = outputs.tolist()
    if outputs is None:
        raise AnswerRefused("Your function returned None. Is there a `return` at the end?")
    if not isinstance(outputs, list | tuple) or not all(isinstance(o, str) for o in outputs):
        raise AnswerRefused("Return one flat list of texts, one text for each n-gram.")
    return sorted(outputs)


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
    view=_text_list,
    cases=(
        Case("a word of 5 letters, 3 to 6", _word(length=5)),
        Case("a word of 11 letters, 2 to 4", _word(length=11, shortest=2, longest=4), weight=2),
        Case("one length only", _word(length=7, shortest=3, longest=3)),
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
            "A set keeps *ana* of *banana* once. It stands there twice, so list it twice.",
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
    ),
    right_answers={
        "a generator": _lazy_ngrams,
        "length by length": lambda w, a, b: stretches(f"<{w}>", a, b),
    },
)
