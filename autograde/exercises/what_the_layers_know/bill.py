"""Exercise `bill`: what it costs to keep frozen vectors, and what it saves."""

from collections.abc import Sequence
from itertools import cycle

from autograde.checking.exercise import Case, Exercise, Inputs, Random
from autograde.checking.slips import slips
from autograde.exercises.what_the_layers_know import LESSON

Text = Sequence[str]
Pairs = Sequence[tuple[Text, Text]]


def bill(pairs: Pairs, H: int, L: int, speed: float, passes: int) -> dict[str, float]:
    """Bytes for the vectors of all texts, kept in two ways, and seconds with and without them."""
    texts = {tuple(text) for pair in pairs for text in pair}
    tokens = sum(len(text) for text in texts)
    types = len({word for text in texts for word in text})
    read = passes * sum(len(text) for pair in pairs for text in pair)
    return {
        "every layer": tokens * (L + 1) * 2 * H * 4,
        "types once": (types * H + tokens * L * 2 * H) * 4,
        "computing": read / speed,
        "keeping": tokens / speed,
    }


def _pair_by_pair(pairs: Pairs, H: int, L: int, speed: float, passes: int) -> dict[str, float]:
    seen: set[tuple[str, ...]] = set()
    spellings: set[str] = set()
    tokens, each_time = 0, 0
    for paragraph, question in pairs:
        for text in (paragraph, question):
            each_time += len(text)
            if tuple(text) not in seen:
                seen.add(tuple(text))
                tokens += len(text)
                spellings.update(text)
    layer = 8 * H * tokens
    return {
        "every layer": layer * (1 + L),
        "types once": layer * L + 4 * H * len(spellings),
        "computing": each_time * passes / speed,
        "keeping": tokens / speed,
    }


def _joined(pairs: Pairs, H: int, L: int, speed: float, passes: int) -> dict[str, float]:
    texts = [*(tuple(a) for a, _ in pairs), *(tuple(b) for _, b in pairs)]
    once = [word for text in dict.fromkeys(texts) for word in text]
    number = 4.0
    table, upper = len(set(once)) * H * number, len(once) * 2 * H * number * L
    return {
        "every layer": upper / L * (L + 1),
        "types once": table + upper,
        "computing": passes * (sum(map(len, texts)) / speed),
        "keeping": len(once) / speed,
    }


@Case.drawn
def _pairs(
    rng: Random, paragraphs: int, asked: int, H: int, L: int, passes: int, *, empty: bool = False
) -> Inputs:
    """Each paragraph has several questions; one question is put to two paragraphs."""
    words = [f"w{i}" for i in range(11)] + ["The", "the"]

    def text(least: int, most: int) -> list[str]:
        return [str(word) for word in rng.choice(words, int(rng.integers(least, most)))]

    texts = [["The", "the", *text(5, 12)] for _ in range(paragraphs)]
    texts[-1] = texts[0][::-1]  # the same words, and another text
    asking = cycle((["who"], ["why"]))
    pairs = [(one, next(asking) + text(1, 4)) for one in texts for _ in range(asked)]
    pairs.append((texts[0], pairs[-1][1]))
    if empty:
        pairs[0] = (texts[0], [])
    return {
        "pairs": pairs,
        "H": H,
        "L": L,
        "speed": float(rng.integers(20, 90)) / 8,
        "passes": passes,
    }


SLIPS = """
--- hint 1
a paragraph for each of its questions: {tuple(text) for pair in pairs for text in pair} \
        -> [tuple(text) for pair in pairs for text in pair]
    You keep a paragraph once for each of its questions. The same text has the same vectors: keep it
    once.
each side for itself: {tuple(text) for pair in pairs for text in pair} \
        -> [*{tuple(a) for a, _ in pairs}, *(tuple(b) for _, b in pairs)]
    You keep a question once for each pair that it stands in. The same text has the same vectors:
    keep it once.
the same words, another text: {tuple(text) for pair -> {tuple(sorted(text)) for pair
    You keep one of two texts that have the same words in another order. The biLM reads the order:
    they are two texts.
each word of a text once: {tuple(text) for pair -> {frozenset(text) for pair
    A set forgets how often a word stands in a text, and where. `tuple(text)` keeps both.
texts, not words: sum(len(text) for text in texts) -> len(texts)
    You count texts. Count their words.
letters, not words: tokens = sum(len(text) for text in texts) \
        -> tokens = sum(len(word) for text in texts for word in text)
    You count letters. Count words.
types of the paragraphs alone: {word for text in texts for word in text} \
        -> {word for paragraph, _ in pairs for word in paragraph}
    You count the types of the paragraphs alone. The questions have words of their own.
types of the questions alone: {word for text in texts for word in text} \
        -> {word for _, question in pairs for word in question}
    You count the types of the questions alone. The paragraphs have words of their own.
lower case: {word for text -> {word.lower() for text
    You take *The* and *the* for one type. The character CNN reads letters, so every spelling has a
    vector of its own.
--- hint 2
the paragraphs alone: {tuple(text) for pair in pairs for text in pair} \
        -> {tuple(pair[0]) for pair in pairs}
    You keep the paragraphs and forget the questions. Both texts of a pair go through the biLM.
the questions alone: {tuple(text) for pair in pairs for text in pair} \
        -> {tuple(pair[1]) for pair in pairs}
    You keep the questions and forget the paragraphs. Both texts of a pair go through the biLM.
one pass: passes * sum -> sum
    Without a cache you compute once. Every pass computes all texts anew.
each text once a pass: sum(len(text) for pair in pairs for text in pair) -> tokens
    Without a cache nobody remembers that a paragraph came before. Each pass computes both texts of
    each pair.
the paragraphs are not read: for pair in pairs for text in pair) -> for pair in pairs \
        for text in pair[1:])
    Without a cache you read the questions alone. Each pass computes both texts of each pair.
the questions are not read: for pair in pairs for text in pair) -> for pair in pairs \
        for text in pair[:1])
    Without a cache you read the paragraphs alone. Each pass computes both texts of each pair.
kept, and computed in each pass: "keeping": tokens -> "keeping": passes * tokens
    You compute what is kept in each pass. The first pass computes it, later ones look it up.
kept, and nothing saved: "keeping": tokens -> "keeping": read
    With a cache, each different text is computed once, in the first pass.
kept for each pair: "keeping": tokens -> "keeping": read / passes
    You compute a paragraph once for each of its questions. With a cache, once is enough.
what is saved: "keeping": tokens / speed -> "keeping": (read - tokens) / speed
    You give what is saved. `"keeping"` is what is still to be computed: each different text once.
computing and keeping change places: "computing": read -> "computing": tokens \
        && "keeping": tokens -> "keeping": read
    "computing" and "keeping" have changed places.
--- hint 3
times the speed: every / speed -> * speed
    You multiply by the speed. It says how many words a second are read: divide by it.
one direction only: every 2 * H -> H
    You count H numbers a layer. Each token has two directions: 2H.
the token layer is forgotten: (L + 1) -> L
    In "every layer" you count L layers. With the token layer there are L + 1.
numbers, not bytes: every H * 4 -> H && 2 * H) * 4 -> 2 * H)
    You count numbers. Each takes four bytes.
two bytes: every H * 4 -> H * 2 && 2 * H) * 4 -> 2 * H) * 2
    You count two bytes a number. Here it takes four.
types once without its bytes: 2 * H) * 4 -> 2 * H)
    In "types once" you count numbers. Each takes four bytes.
one direction in types once: L * 2 * H) * 4 -> L * H) * 4
    In "types once" you count H numbers for each of the other layers. Both directions are kept: 2H.
L layers for each type: types * H -> types * H * L
    For each type you keep L layers. The table holds one, the token layer.
one number a type: types * H -> types
    You keep one number for each type. Its token layer has H.
the token layer twice for each type: types * H -> types * 2 * H
    For each type you keep 2H numbers. The token layer says the same H twice: keep H.
the token layer of each token: types * H -> tokens * H
    You keep the token layer once for each token. It depends on the spelling alone: once for each
    *type*.
types without their layer 0: types * H + ->
    The table with the token layer of each type is missing: H numbers a type.
minus the table of types: types * H + tokens * L * 2 * H -> tokens * L * 2 * H - types * H
    You subtract the table of types. It is kept as well: add it.
layer 0 is kept twice over: tokens * L -> tokens * (L + 1)
    The token layer is in your table of types and with each token as well. With each token keep the
    L other layers.
one layer fewer: tokens * L -> tokens * (L - 1)
    With each token you keep L - 1 layers in "types once". Without the token layer there are L.
one other layer: tokens * L * -> tokens *
    With each token you keep one layer. Without the token layer there are L of them.
all layers for types: tokens * L -> types * L
    You keep all layers once for each type. Only the token layer is the same at every position; the
    others belong to each token.
the table of types alone: + tokens * L * 2 * H ->
    You keep the token layer of each type and nothing else. The other L layers belong to each token:
    2H numbers each.
types of each text: len({word for text in texts for word in text}) \
        -> sum(len(set(text)) for text in texts)
    You count the different words of each text. A word that occurs in two texts is one type.
--- no hint
the ways change places: tokens * (L + 1) * 2 * H * 4 -> (types * H + tokens * L * 2 * H) * 4 \
        && "types once": (types * H + tokens * L * 2 * H) * 4 \
        -> "types once": tokens * (L + 1) * 2 * H * 4
    "every layer" and "types once" have changed places.
the look-ups cost as much: "keeping": tokens / speed -> "keeping": tokens / speed * 2
    Your seconds with a cache are twice too many. Looking up costs nothing here.
"""

EXERCISE = Exercise(
    id="bill",
    title="The bill",
    lesson=LESSON,
    points=3,
    difficulty=2,
    importance=4,
    minutes=12,
    reference=bill,
    cases=(
        Case("three paragraphs, two questions each", _pairs(3, 2, 3, 2, 4)),
        Case("another text", _pairs(4, 3, 5, 2, 3), weight=2),
        Case("one pass", _pairs(2, 4, 4, 2, 1)),
        Case("a model of three layers", _pairs(2, 2, 2, 3, 2), edge=True),
        Case("the published sizes", _pairs(5, 5, 512, 2, 10), edge=True),
        Case("a question without a word", _pairs(2, 2, 4, 2, 3, empty=True), edge=True),
    ),
    mistakes=slips(bill, SLIPS),
    right_answers={"pair by pair": _pair_by_pair, "paragraphs, then questions": _joined},
)
