"""Exercise `share_once`: how many of a text's words occur a single time."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from autograde.checking.exercise import Case, Exercise, Inputs, Random
from autograde.checking.slips import slips
from autograde.exercises.start_here import LESSON

TEXT = ["the", "cat", "saw", "the", "moon", "and", "The", "cat", "slept", "the", "end"]
WORDS = ["the", "cat", "saw", "moon", "and", "dog", "slept", "end", "a", "house"]


def share_once(tokens: Sequence[str]) -> float:
    """Share of the different words that occur exactly once."""
    counts = Counter(tokens)
    return sum(n == 1 for n in counts.values()) / len(counts)


def _by_counting_each(tokens: list[str]) -> float:
    words = set(tokens)
    return len([word for word in words if tokens.count(word) == 1]) / len(words)


def _tokens(tokens: Sequence[str]) -> Any:
    return lambda rng: {"tokens": list(tokens)}


def _drawn_text(rng: Random) -> Inputs:
    often = [str(word) for word in rng.choice(WORDS[:6], size=int(rng.integers(30, 50)))]
    return {"tokens": [*often, *WORDS[:2], "Cat", *WORDS[6:]]}


def _on_the_way(inputs: Inputs) -> dict[str, int]:
    counts: Counter[str] = Counter(inputs["tokens"])
    return {
        "how many words occur once": sum(n == 1 for n in counts.values()),
        "the number of different words": len(counts),
        "the number of tokens": len(inputs["tokens"]),
    }


SLIPS = """
--- hint 1
over the tokens: / len(counts) -> / len(tokens)
    You divide by the number of tokens. Every word counts once here, however often it occurs: divide
    by the number of different words.
the count, not the share: / len(counts) ->
    You return how many words occur once. Divide by the number of different words.
the share of the others: n == 1 -> n > 1
    This is the share of the words that occur more than once. Those that occur once are asked for.
different words over tokens: sum(n == 1 for n in counts.values()) / len(counts) \
        -> len(counts) / len(tokens)
    You divide the number of different words by the number of tokens. Count the words that occur
    once, and divide by the number of different words.
a percentage: return -> return 100 *
    This is a percentage. A share lies between 0 and 1: do not multiply by 100.
upside down: sum(n == 1 for n in counts.values()) / len(counts) \
        -> len(counts) / max(1, sum(n == 1 for n in counts.values()))
    Your fraction is upside down. The words that occur once stand above the line.
--- hint 2
at least once: n == 1 -> n >= 1
    Every word of the text occurs at least once. You want those with a count of exactly 1.
at most twice: n == 1 -> n <= 2
    You count the words that occur twice, too. The count must be exactly 1.
exactly twice: n == 1 -> n == 2
    You count the words that occur twice. The count must be exactly 1.
upper and lower case mixed: Counter(tokens) -> Counter(token.lower() for token in tokens)
    You count `The` as `the`. Here tokens are the same word only when they are exactly alike.
whole-number division: / len -> // len
    `//` rounds down, and a share below 1 becomes 0. Use `/`.
one word too many below the line: / len(counts) -> / (len(counts) + 1)
    You divide by one word too many.
one word too few below the line: / len(counts) -> / max(1, len(counts) - 1)
    You divide by one word too few.
"""

EXERCISE = Exercise(
    id="share_once",
    title="How many words occur once",
    lesson=LESSON,
    points=1,
    difficulty=1,
    importance=2,
    minutes=2,
    reference=share_once,
    on_the_way=_on_the_way,
    cases=(
        Case("a short text", _tokens(TEXT)),
        Case("a longer text", _drawn_text, weight=2),
        Case(
            "every word occurs once",
            _tokens(["a", "b", "c"]),
            edge=True,
            asks="All words occur once here, so the share is 1.",
        ),
        Case(
            "no word occurs once",
            _tokens(["a", "b", "a", "b"]),
            edge=True,
            asks="No word occurs once here, so the share is 0.",
        ),
    ),
    mistakes=slips(share_once, SLIPS),
    right_answers={"each word by itself": _by_counting_each},
)
