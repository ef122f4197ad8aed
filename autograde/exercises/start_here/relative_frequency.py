"""Exercise `relative_frequency`: how often a word occurs."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from autograde.checking.exercise import Case, Exercise, Inputs, Random
from autograde.checking.slips import slips
from autograde.exercises.start_here import LESSON

TEXT = ["the", "cat", "saw", "the", "other", "cat", "and", "the", "dog", "saw", "The", "moon"]


def relative_frequency(tokens: Sequence[str], word: str) -> float:
    """Share of the tokens that are ``word``; 0.0 for a text without tokens."""
    return list(tokens).count(word) / len(tokens) if tokens else 0.0


def _tokens(tokens: Sequence[str], word: str = "the") -> Any:
    return lambda rng: {"tokens": list(tokens), "word": word}


def _drawn_text(rng: Random) -> Inputs:
    tokens = [str(token) for token in rng.choice(TEXT, size=int(rng.integers(30, 60)))]
    return {"tokens": [*tokens, "cat", "the", "The"], "word": "the"}


def _on_the_way(inputs: Inputs) -> dict[str, int]:
    tokens, word = inputs["tokens"], inputs["word"]
    return {"how often the word occurs": tokens.count(word), "the number of tokens": len(tokens)}


SLIPS = """
--- hint 1
the count, not the share: / len(tokens) if tokens else 0.0 ->
    You return how many times the word occurs. Divide by the number of tokens, so that texts of
    different length can be compared.
upper and lower case mixed: \
        list(tokens).count(word) -> [token.lower() for token in tokens].count(word.lower())
    You count `The` as `the`. Here a token counts only when it is exactly the word.
a percentage: return -> return 100 *
    This is a percentage. A share lies between 0 and 1: do not multiply by 100.
--- hint 2
whole-number division: / len -> // len
    `//` rounds down, and a share below 1 becomes 0. Use `/`.
divided by the number of different words: len(tokens) -> len(set(tokens))
    You divide by the number of different words, `len(set(tokens))`. The share is over all tokens:
    every occurrence counts.
--- hint 3
the empty text crashes: if tokens else 0.0 ->
    With no tokens you divide by zero. Return 0.0 for an empty text.
"""

EXERCISE = Exercise(
    id="relative_frequency",
    title="How often a word occurs",
    lesson=LESSON,
    points=1,
    difficulty=1,
    importance=2,
    minutes=2,
    reference=relative_frequency,
    on_the_way=_on_the_way,
    cases=(
        Case("the in a short text", _tokens(TEXT)),
        Case("a longer text", _drawn_text, weight=2),
        Case("a word that never occurs", _tokens(TEXT, "sun"), edge=True),
        Case("a text of one word", _tokens(["the"]), edge=True),
        Case(
            "a text without tokens",
            _tokens([]),
            edge=True,
            asks="This text has no tokens. Its share is 0.0, and nothing may be divided by 0.",
        ),
    ),
    mistakes=slips(relative_frequency, SLIPS),
    right_answers={
        "a loop": lambda tokens, word: (
            sum(1 for token in tokens if token == word) / max(1, len(tokens))
        ),
        "numpy": lambda tokens, word: (
            float(np.mean(np.array(tokens) == word)) if len(tokens) else 0
        ),
    },
)
