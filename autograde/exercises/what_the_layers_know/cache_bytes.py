"""Exercise `cache_bytes`: what it costs to keep the vectors of a text."""

from collections.abc import Sequence

from autograde.checking.exercise import Case, Exercise, Inputs, Random
from autograde.checking.slips import slips
from autograde.exercises.what_the_layers_know import LESSON

Sentences = Sequence[Sequence[str]]


def cache_bytes(sentences: Sentences, H: int, L: int, size: int, way: str) -> int:
    """Bytes for the layers of every token, kept in one of three ways."""
    tokens = sum(map(len, sentences))
    types = len({word for sentence in sentences for word in sentence})
    if way == "every layer":
        numbers = tokens * (L + 1) * 2 * H
    elif way == "types once":
        numbers = types * H + tokens * L * 2 * H
    else:
        numbers = tokens * 2 * H
    return numbers * size


@Case.drawn
def _text(
    rng: Random, way: str, H: int, L: int, size: int, sentences: int = 4, *, empty: bool = False
) -> Inputs:
    words = [f"w{i}" for i in range(7)] + ["The", "the"]
    lengths = rng.integers(3, 9, sentences)
    made = [[str(word) for word in rng.choice(words, n)] for n in lengths]
    made[0] = ["The", "the", *made[0]]
    if empty:
        made[1] = []
    if sum(map(len, made)) % len(set().union(*made)) == 0:
        made[-1].append("the")  # so that no multiple of the types is the tokens
    return {"sentences": made, "H": H, "L": L, "size": size, "way": way}


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


SLIPS = """
--- hint 1
one direction only: every 2 * H -> H
    You count H numbers a layer. Each token has two directions: 2H.
the token layer is forgotten: (L + 1) -> L
    You count L layers. With the token layer there are L + 1.
2L + 1 vectors of 2H: (L + 1) -> (2 * L + 1)
    You count 2L + 1 vectors of 2H numbers. The 2L + 1 of the paper have H numbers each; joined in
    pairs there are L + 1 of 2H.
sentences, not words: sum(map(len, sentences)) -> len(sentences)
    You count the sentences. Count their words: `sum(map(len, sentences))`.
with padding: sum(map(len, sentences)) -> len(sentences) * max(map(len, sentences))
    You count padding, too: sentences times the longest. A cache keeps words only.
with both boundaries: sum(map(len, sentences)) -> sum(map(len, sentences)) + 2 * len(sentences)
    You count two boundaries in each sentence. Only words are kept.
numbers, not bytes: numbers * size -> numbers
    You count numbers. Each takes `size` bytes.
bits: numbers * size -> numbers * size * 8
    You count bits. A byte has eight: leave out the 8.
half a mix: = tokens * 2 * H -> = tokens * H
    Your mix has H numbers. It has 2H, as each layer has.
letters, not words: sum(map(len, sentences)) \
        -> sum(len(word) for sentence in sentences for word in sentence) \
        && {word for sentence in sentences for word in sentence} \
        -> {letter for sentence in sentences for word in sentence for letter in word}
    You count letters. Count words, and different words.
kilobytes: numbers * size -> numbers * size / 1024
    You divide by 1024. Return bytes.
for each token, not for the text: sum(map(len, sentences)) -> 1
    You count one token. Count all words of the text.
one vector in place of every layer: (L + 1) * 2 -> 2
    In "every layer" you count one vector for each token. There are L + 1 of them, of 2H numbers
    each.
--- hint 2
the other layers without their width: L * 2 * H -> L
    You count one number for each other layer. It has 2H.
two numbers for each other layer: L * 2 * H -> L * 2
    You count two numbers for each other layer. It has 2H.
minus the table of types: types * H + tokens * L * 2 * H -> tokens * L * 2 * H - types * H
    You subtract the table of types. It is kept as well: add it.
one direction for the other layers: L * 2 * H -> L * H
    Of the other L layers you keep H numbers each. They have two directions: 2H.
one layer fewer: tokens * L -> tokens * (L - 1)
    With each token you keep L - 1 layers. Without the token layer there are L.
one other layer: tokens * L -> tokens
    With each token you keep one layer. Without the token layer there are L of them.
one number a type: types * H -> types
    You keep one number for each type. Its token layer has H.
the token layer twice for each type: types * H -> types * 2 * H
    For each type you keep 2H numbers. The token layer says the same H twice: keep H.
the token layer of each token: types * H -> tokens * H
    You keep the token layer once for each token. It depends on the spelling alone: once for each
    *type*.
every layer with half a token layer: (L + 1) * 2 * H -> (H + L * 2 * H)
    In "every layer" you keep H numbers of the token layer. There it has 2H, like each of the
    others; "types once" alone keeps H.
types without their layer 0: types * H + ->
    The table with the token layer of each type is missing: H numbers a type.
layer 0 is kept twice over: tokens * L -> tokens * (L + 1)
    The token layer is in your table of types and with each token as well. With each token keep the
    L other layers.
the first token of a type has no other layers: tokens * L -> (tokens - types) * L
the first token of a type has no other layers, and 2H: types * H + tokens * L \
        -> types * 2 * H + (tokens - types) * L
    You keep the other layers of those tokens only whose word came before. Each token has L of them,
    the first of its type as well.
all layers for types: tokens * L -> types * L
all layers for types, both directions: types * H + tokens * L * 2 * H -> types * (L + 1) * 2 * H
all layers for types, one direction: types * H + tokens * L * 2 * H -> types * (L + 1) * H
    You keep all layers once for each type. Only the token layer is the same at every place; the
    others belong to each token.
the table of types alone: + tokens * L * 2 * H ->
    You keep the token layer of each type and nothing else. The other L layers belong to each token:
    2H numbers each.
the mix keeps every layer: = tokens * 2 * H -> = tokens * (L + 1) * 2 * H
    A mix is the sum of the layers, one vector of 2H numbers for each token.
the mix for types: = tokens * 2 * H -> = types * 2 * H
    You keep the mix once for each type. It differs from token to token: keep one for each token.
--- hint 3
H more for every token, whatever the way: (L + 1) * 2 * H -> ((L + 1) * 2 * H + H) && types * H \
        -> tokens * H && = tokens * 2 * H -> = tokens * 3 * H
    You count H numbers more for every token. They belong to "types once" alone, and there once for
    each type.
the table has one type: types * H -> H
    In "types once" you keep H numbers for one type. Keep H for each of them.
the whole of one token: + tokens * L -> + L
    You count the other layers of one token. Multiply by the number of tokens.
the token layer without its bytes: numbers = types * H + tokens -> return types * H + size * tokens
the other layers without their bytes: numbers = types * H + tokens \
        -> return types * H * size + tokens
    You multiply only one of the two piles by `size`. Add up the numbers first, then multiply once.
types once and one mix are swapped: way == "types once" -> way == "one mix"
    Two ways are swapped: you answer "types once" with the mix, and the mix with "types once".
every layer, whatever the way: way == "every layer" -> True
    You always count every layer. `way` says what is kept.
types once, whatever the way: way == "every layer" -> False && way == "types once" -> True
    You always keep types once. `way` says what is kept.
types of each sentence: len({word for sentence in sentences for word in sentence}) \
        -> sum(len(set(sentence)) for sentence in sentences)
    You count the different words of each sentence. A word that occurs in two sentences is one type.
sentences as types: {word for sentence in sentences for word in sentence} \
        -> set(map(tuple, sentences))
    You count sentences where the types belong. A type is a different *word*, in whichever sentences
    it occurs.
the words that occur once: types = len({word for sentence in sentences for word in sentence}) \
        -> words = [word for sentence in sentences for word in sentence] \
        ⏎types = sum(words.count(word) == 1 for word in words)
    You count the words that occur once. Every different word is a type, however often it occurs.
lower case: {word for -> {word.lower() for
    You take *The* and *the* for one type. The character CNN reads letters, so every spelling has a
    vector of its own.
always four bytes: numbers * size -> numbers * 4
    You always take four bytes a number. `size` says how many.
"""

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
    mistakes=slips(cache_bytes, SLIPS),
    right_answers={"word by word": _by_arrays, "layers first": _layers_first},
)
