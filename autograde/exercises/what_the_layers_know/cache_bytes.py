"""Exercise `cache_bytes`: what it costs to keep the vectors of a text."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from autograde.checking.exercise import Case, Exercise, Inputs, Mistake
from autograde.exercises.what_the_layers_know import LESSON

Sentences = Sequence[Sequence[str]]
SWAPPED = {"every layer": "every layer", "types once": "one mix", "one mix": "types once"}


def cache_bytes(sentences: Sentences, H: int, L: int, size: int, way: str) -> int:
    """Bytes for the layers of every token, kept in one of three ways."""
    tokens = sum(map(len, sentences))
    types = len(_spellings(sentences))
    if way == "every layer":
        return tokens * (L + 1) * 2 * H * size
    if way == "types once":
        return types * H * size + tokens * L * 2 * H * size
    return tokens * 2 * H * size


def _spellings(sentences: Sentences) -> set[str]:
    return {word for sentence in sentences for word in sentence}


def _text(way: str, H: int, L: int, size: int, sentences: int = 4, *, empty: bool = False) -> Any:
    def make(rng: np.random.Generator) -> Inputs:
        words = [f"w{i}" for i in range(7)] + ["The", "the"]
        lengths = rng.integers(3, 9, sentences)
        made = [[str(word) for word in rng.choice(words, n)] for n in lengths]
        if sentences:
            made[0] = ["The", "the", *made[0]]
        if empty:
            made[1] = []
        if made and sum(map(len, made)) % len(_spellings(made)) == 0:
            made[-1].append("the")  # so that no multiple of the types is the tokens
        return {"sentences": made, "H": H, "L": L, "size": size, "way": way}

    return make


def _counted(
    *,
    tokens: Any = lambda s: sum(map(len, s)),
    types: Any = lambda s: len(_spellings(s)),
    whole: Any = lambda n, H, L: n * (L + 1) * 2 * H,
    once: Any = lambda n, v, H, L: v * H + n * L * 2 * H,
    mixed: Any = lambda n, H, L: n * 2 * H,
    size: Any = lambda size: size,
) -> Any:
    def answer(sentences: Sentences, H: int, L: int, number: int, way: str) -> Any:
        n, v = tokens(sentences), types(sentences)
        if way == "every layer":
            return whole(n, H, L) * size(number)
        if way == "types once":
            return once(n, v, H, L) * size(number)
        return mixed(n, H, L) * size(number)

    return answer


def _by_arrays(sentences: Sentences, H: int, L: int, size: int, way: str) -> int:
    numbers = 0
    seen: set[str] = set()
    for sentence in sentences:
        for word in sentence:
            layers = {"every layer": L + 1, "types once": L, "one mix": 1}[way]
            numbers += layers * (H + H)
            if way == "types once" and word not in seen:
                numbers += H
            seen.add(word)
    return numbers * size


def _layers_first(sentences: Sentences, H: int, L: int, size: int, way: str) -> int:
    layers = {"every layer": L + 1, "types once": L, "one mix": 1}[way]
    words = [word for sentence in sentences for word in sentence]
    once = H * len(set(words)) if way == "types once" else 0
    return (layers * 2 * H * len(words) + once) * size


EXERCISE = Exercise(
    id="cache_bytes",
    title="What keeping costs",
    lesson=LESSON,
    points=2,
    difficulty=1,
    importance=4,
    minutes=8,
    reference=cache_bytes,
    cases=(
        Case("every layer, four bytes a number", _text("every layer", 3, 2, 4)),
        Case("the token layer once for each word type", _text("types once", 5, 2, 4), weight=2),
        Case("one mix for each token", _text("one mix", 4, 2, 4)),
        Case("two bytes a number", _text("types once", 4, 2, 2, 6)),
        Case("a model of three layers", _text("every layer", 2, 3, 4), edge=True),
        Case("three layers, types once", _text("types once", 2, 3, 4), edge=True),
        Case("the published sizes", _text("every layer", 512, 2, 4, 40), edge=True),
        Case("a sentence without a word", _text("types once", 4, 2, 4, empty=True), edge=True),
        Case("a mix, two bytes a number", _text("one mix", 4, 3, 2), edge=True),
        Case("every layer, two bytes a number", _text("every layer", 4, 1, 2), edge=True),
    ),
    mistakes=(
        Mistake(
            "H more for every token, whatever the way",
            _counted(
                whole=lambda n, H, L: n * ((L + 1) * 2 * H + H),
                once=lambda n, v, H, L: n * (H + L * 2 * H),
                mixed=lambda n, H, L: n * 3 * H,
            ),
            'You count H numbers more for every token. They belong to "types once" alone, and '
            "there once for each type.",
            hint=3,
        ),
        Mistake(
            "the table has one type",
            _counted(once=lambda n, v, H, L: H + n * L * 2 * H),
            'In "types once" you keep H numbers for one type. Keep H for each of them.',
            hint=3,
        ),
        Mistake(
            "the whole of one token",
            _counted(once=lambda n, v, H, L: v * H + L * 2 * H),
            "You count the other layers of one token. Multiply by the number of tokens.",
            hint=3,
        ),
        Mistake(
            "the other layers without their width",
            _counted(once=lambda n, v, H, L: v * H + n * L),
            "You count one number for each other layer. It has 2H.",
            hint=2,
        ),
        Mistake(
            "two numbers for each other layer",
            _counted(once=lambda n, v, H, L: v * H + n * L * 2),
            "You count two numbers for each other layer. It has 2H.",
            hint=2,
        ),
        Mistake(
            "minus the table of types",
            _counted(once=lambda n, v, H, L: n * L * 2 * H - v * H),
            "You subtract the table of types. It is kept as well: add it.",
            hint=2,
        ),
        Mistake(
            "the token layer without its bytes",
            lambda s, H, L, size, way: (
                cache_bytes(s, H, L, size, way)
                - (len(_spellings(s)) * H * (size - 1) if way == "types once" else 0)
            ),
            "You multiply only one of the two piles by `size`. Add up the numbers first, then "
            "multiply once.",
            hint=3,
        ),
        Mistake(
            "the other layers without their bytes",
            lambda s, H, L, size, way: (
                cache_bytes(s, H, L, size, way)
                - (sum(map(len, s)) * L * 2 * H * (size - 1) if way == "types once" else 0)
            ),
            "You multiply only one of the two piles by `size`. Add up the numbers first, then "
            "multiply once.",
            hint=3,
        ),
        Mistake(
            "types once and one mix are swapped",
            lambda s, H, L, size, way: cache_bytes(s, H, L, size, SWAPPED[way]),
            'Two ways are swapped: you answer "types once" with the mix, and the mix with '
            '"types once".',
            hint=3,
        ),
        Mistake(
            "every layer, whatever the way",
            lambda s, H, L, size, way: cache_bytes(s, H, L, size, "every layer"),
            "You always count every layer. `way` says what is kept.",
            hint=3,
        ),
        Mistake(
            "types once, whatever the way",
            lambda s, H, L, size, way: cache_bytes(s, H, L, size, "types once"),
            "You always keep types once. `way` says what is kept.",
            hint=3,
        ),
        Mistake(
            "one direction for the other layers",
            _counted(once=lambda n, v, H, L: v * H + n * L * H),
            "Of the other L layers you keep H numbers each. They have two directions: 2H.",
            hint=2,
        ),
        Mistake(
            "one layer fewer",
            _counted(once=lambda n, v, H, L: v * H + n * (L - 1) * 2 * H),
            "With each token you keep L - 1 layers. Without the token layer there are L.",
            hint=2,
        ),
        Mistake(
            "one other layer",
            _counted(once=lambda n, v, H, L: v * H + n * 2 * H),
            "With each token you keep one layer. Without the token layer there are L of them.",
            hint=2,
        ),
        Mistake(
            "one number a type",
            _counted(once=lambda n, v, H, L: v + n * L * 2 * H),
            "You keep one number for each type. Its token layer has H.",
            hint=2,
        ),
        Mistake(
            "one direction only",
            _counted(
                whole=lambda n, H, L: n * (L + 1) * H,
                once=lambda n, v, H, L: v * H + n * L * H,
                mixed=lambda n, H, L: n * H,
            ),
            "You count H numbers a layer. Each token has two directions: 2H.",
            hint=1,
        ),
        Mistake(
            "the token layer twice for each type",
            _counted(once=lambda n, v, H, L: v * 2 * H + n * L * 2 * H),
            "For each type you keep 2H numbers. The token layer says the same H twice: keep H.",
            hint=2,
        ),
        Mistake(
            "the token layer of each token",
            _counted(once=lambda n, v, H, L: n * H + n * L * 2 * H),
            "You keep the token layer once for each token. It depends on the spelling alone: once "
            "for each *type*.",
            hint=2,
        ),
        Mistake(
            "the token layer is forgotten",
            _counted(whole=lambda n, H, L: n * L * 2 * H),
            "You count L layers. With the token layer there are L + 1.",
            hint=1,
        ),
        Mistake(
            "every layer with half a token layer",
            _counted(whole=lambda n, H, L: n * (H + L * 2 * H)),
            'In "every layer" you keep H numbers of the token layer. There it has 2H, like '
            'each of the others; "types once" alone keeps H.',
            hint=2,
        ),
        Mistake(
            "types without their layer 0",
            _counted(once=lambda n, v, H, L: n * L * 2 * H),
            "The table with the token layer of each type is missing: H numbers a type.",
            hint=2,
        ),
        Mistake(
            "layer 0 is kept twice over",
            _counted(once=lambda n, v, H, L: v * H + n * (L + 1) * 2 * H),
            "The token layer is in your table of types and with each token as well. With each "
            "token keep the L other layers.",
            hint=2,
        ),
        Mistake(
            "2L + 1 vectors of 2H",
            _counted(whole=lambda n, H, L: n * (2 * L + 1) * 2 * H),
            "You count 2L + 1 vectors of 2H numbers. The 2L + 1 of the paper have H numbers each; "
            "joined in pairs there are L + 1 of 2H.",
            hint=1,
        ),
        *(
            Mistake(
                name,
                _counted(once=once),
                "You keep the other layers of those tokens only whose word came before. Each token "
                "has L of them, the first of its type as well.",
                hint=2,
            )
            for name, once in (
                (
                    "the first token of a type has no other layers",
                    lambda n, v, H, L: v * H + (n - v) * L * 2 * H,
                ),
                (
                    "the first token of a type has no other layers, and 2H",
                    lambda n, v, H, L: v * 2 * H + (n - v) * L * 2 * H,
                ),
            )
        ),
        *(
            Mistake(
                name,
                _counted(once=once),
                "You keep all layers once for each type. Only the token layer is the same at every "
                "place; the others belong to each token.",
                hint=2,
            )
            for name, once in (
                ("all layers for types", lambda n, v, H, L: v * (H + L * 2 * H)),
                ("all layers for types, both directions", lambda n, v, H, L: v * (L + 1) * 2 * H),
                ("all layers for types, one direction", lambda n, v, H, L: v * (L + 1) * H),
            )
        ),
        Mistake(
            "the table of types alone",
            _counted(once=lambda n, v, H, L: v * H),
            "You keep the token layer of each type and nothing else. The other L layers belong to "
            "each token: 2H numbers each.",
            hint=2,
        ),
        Mistake(
            "sentences, not words",
            _counted(tokens=len),
            "You count the sentences. Count their words: `sum(map(len, sentences))`.",
            hint=1,
        ),
        Mistake(
            "types of each sentence",
            _counted(types=lambda s: sum(len(set(x)) for x in s)),
            "You count the different words of each sentence. A word that occurs in two sentences "
            "is one type.",
            hint=3,
        ),
        Mistake(
            "sentences as types",
            _counted(types=lambda s: len(set(map(tuple, s)))),
            "You count sentences where the types belong. A type is a different *word*, in "
            "whichever sentences it occurs.",
            hint=3,
        ),
        Mistake(
            "the words that occur once",
            _counted(
                types=lambda s: sum(
                    number == 1 for number in Counter(word for x in s for word in x).values()
                )
            ),
            "You count the words that occur once. Every different word is a type, however often "
            "it occurs.",
            hint=3,
        ),
        Mistake(
            "lower case",
            _counted(types=lambda s: len({word.lower() for word in _spellings(s)})),
            "You take *The* and *the* for one type. The character CNN reads letters, so every "
            "spelling has a vector of its own.",
            hint=3,
        ),
        Mistake(
            "with padding",
            _counted(tokens=lambda s: len(s) * max(map(len, s))),
            "You count padding, too: sentences times the longest. A cache keeps words only.",
            hint=1,
        ),
        Mistake(
            "with both boundaries",
            _counted(tokens=lambda s: sum(len(x) + 2 for x in s)),
            "You count two boundaries in each sentence. Only words are kept.",
            hint=1,
        ),
        Mistake(
            "numbers, not bytes",
            _counted(size=lambda size: 1),
            "You count numbers. Each takes `size` bytes.",
            hint=1,
        ),
        Mistake(
            "always four bytes",
            _counted(size=lambda size: 4),
            "You always take four bytes a number. `size` says how many.",
            hint=3,
        ),
        Mistake(
            "bits",
            _counted(size=lambda size: 8 * size),
            "You count bits. A byte has eight: leave out the 8.",
            hint=1,
        ),
        Mistake(
            "the mix keeps every layer",
            _counted(mixed=lambda n, H, L: n * (L + 1) * 2 * H),
            "A mix is the sum of the layers, one vector of 2H numbers for each token.",
            hint=2,
        ),
        Mistake(
            "the token layer twice for each type, and the mix for types",
            lambda s, H, L, size, way: (
                size
                * {
                    "every layer": (L + 1) * 2 * H * sum(map(len, s)),
                    "types once": 2 * H * (len(_spellings(s)) + L * sum(map(len, s))),
                    "one mix": 2 * H * len(_spellings(s)),
                }[way]
            ),
            "Two things. For each type you keep 2H numbers: the token layer says the same H "
            "twice. And you keep the mix once for each type: it differs from token to token.",
            hint=2,
        ),
        Mistake(
            "the token layer is forgotten, and half a mix",
            _counted(whole=lambda n, H, L: n * L * 2 * H, mixed=lambda n, H, L: n * H),
            "Two things. You count L layers: with the token layer there are L + 1. And a mix has "
            "2H numbers, as each layer has.",
            hint=1,
        ),
        Mistake(
            "letters, not words",
            _counted(
                tokens=lambda s: sum(len(word) for x in s for word in x),
                types=lambda s: len(set("".join(_spellings(s)))),
            ),
            "You count letters. Count words, and different words.",
            hint=1,
        ),
        Mistake(
            "kilobytes",
            _counted(size=lambda size: size / 1024),
            "You divide by 1024. Return bytes.",
            hint=1,
        ),
        Mistake(
            "for each token, not for the text",
            _counted(tokens=lambda s: 1),
            "You count one token. Count all words of the text.",
            hint=1,
        ),
    ),
    right_answers={"word by word": _by_arrays, "layers first": _layers_first},
)
