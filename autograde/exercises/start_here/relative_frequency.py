"""Exercise `relative_frequency`: how often is a word."""

from collections.abc import Sequence

import numpy as np

from autograde.checking.exercise import Case, Exercise, Inputs, Mistake
from autograde.exercises.start_here import LESSON

TEXT = ["the", "cat", "saw", "the", "other", "cat", "and", "the", "dog", "saw", "The", "moon"]


def relative_frequency(tokens: Sequence[str], word: str) -> float:
    """Share of the tokens that are ``word``; 0.0 for a text without tokens."""
    return list(tokens).count(word) / len(tokens) if tokens else 0.0


def _drawn_text(rng: np.random.Generator) -> Inputs:
    tokens = [str(token) for token in rng.choice(TEXT, size=int(rng.integers(30, 60)))]
    return {"tokens": [*tokens, "cat", "the", "The"], "word": "the"}


def _count(tokens: Sequence[str], word: str) -> float:
    return float(list(tokens).count(word))


def _whole_division(tokens: Sequence[str], word: str) -> int:
    return list(tokens).count(word) // len(tokens) if tokens else 0


def _over_types(tokens: Sequence[str], word: str) -> float:
    return list(tokens).count(word) / len(set(tokens)) if tokens else 0.0


def _ignores_case(tokens: Sequence[str], word: str) -> float:
    lowered = [token.lower() for token in tokens]
    return lowered.count(word.lower()) / len(lowered) if lowered else 0.0


def _percentage(tokens: Sequence[str], word: str) -> float:
    return 100 * relative_frequency(tokens, word)


def _empty_text_crashes(tokens: Sequence[str], word: str) -> float:
    return list(tokens).count(word) / len(tokens)


def _on_the_way(inputs: Inputs) -> dict[str, int]:
    tokens, word = inputs["tokens"], inputs["word"]
    return {"how often the word occurs": tokens.count(word), "the number of tokens": len(tokens)}


EXERCISE = Exercise(
    id="relative_frequency",
    title="How often is a word",
    lesson=LESSON,
    points=1,
    difficulty=1,
    importance=2,
    minutes=3,
    reference=relative_frequency,
    on_the_way=_on_the_way,
    cases=(
        Case("the in a short text", lambda rng: {"tokens": list(TEXT), "word": "the"}),
        Case("a longer text", _drawn_text, weight=2),
        Case(
            "a word that never occurs",
            lambda rng: {"tokens": list(TEXT), "word": "sun"},
            edge=True,
        ),
        Case("a text of one word", lambda rng: {"tokens": ["the"], "word": "the"}, edge=True),
        Case(
            "a text without tokens",
            lambda rng: {"tokens": [], "word": "the"},
            edge=True,
            asks="This text has no tokens. Its share is 0.0, and nothing may be divided by 0.",
        ),
    ),
    mistakes=(
        Mistake(
            "the count, not the share",
            _count,
            "You return how many times the word occurs. Divide by the number of tokens, so "
            "that texts of different length can be compared.",
            hint=1,
        ),
        Mistake(
            "whole-number division",
            _whole_division,
            "`//` rounds down, and a share below 1 becomes 0. Use `/`.",
            hint=2,
        ),
        Mistake(
            "divided by the number of different words",
            _over_types,
            "You divide by the number of different words, `len(set(tokens))`. The share is "
            "over all tokens: every occurrence counts.",
            hint=2,
        ),
        Mistake(
            "upper and lower case mixed",
            _ignores_case,
            "You count `The` as `the`. Here a token counts only when it is exactly the word.",
            hint=1,
        ),
        Mistake(
            "a percentage",
            _percentage,
            "This is a percentage. A share lies between 0 and 1: do not multiply by 100.",
            hint=1,
        ),
        Mistake(
            "the empty text crashes",
            _empty_text_crashes,
            "With no tokens you divide by zero. Return 0.0 for an empty text.",
            hint=3,
        ),
    ),
    right_answers={
        "a loop": lambda tokens, word: (
            sum(1 for token in tokens if token == word) / max(1, len(tokens))
        ),
        "numpy": lambda tokens, word: (
            float(np.mean(np.array(tokens) == word)) if len(tokens) else 0
        ),
    },
)
