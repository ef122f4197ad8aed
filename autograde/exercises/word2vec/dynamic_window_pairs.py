"""Exercise `dynamic_window_pairs`: pairs from a dynamic window."""

import math
from typing import Any

import numpy as np

from autograde.checking.answers import Answer, AnswerRefused, Plain, equal, plain, returned
from autograde.checking.exercise import Case, Exercise, Inputs, Random
from autograde.checking.slips import slips
from autograde.exercises.word2vec import LESSON
from elmo_mini.word_vectors import word2vec

DRAWS = 1200  # of a reach; the share of them that keep a word varies by 0.015, so 0.1 is no chance
VARIES = "how much the number of pairs varies (deviation / mean)"


def _run_pairs(answer: Answer, inputs: Inputs) -> Plain:
    tokens, window = inputs["tokens"], inputs["window"]

    def drawn(times: int) -> list[Plain]:
        rng = np.random.default_rng(inputs["seed"])
        return [plain(answer(list(tokens), window, rng)) for _ in range(times)]

    if window == 1:  # nothing is left to chance
        return drawn(1)
    runs = drawn(DRAWS // max(3, len(tokens)))
    if not equal(runs[:10], drawn(10)):
        raise AnswerRefused(
            "The same `rng` with the same seed gives other pairs the second time: your reach comes "
            "from elsewhere. Draw it with `rng.integers(...)`, from the `rng` that you were given."
        )
    return runs


def _pair_statistics(inputs: Inputs, outputs: Plain) -> Plain:
    """The pairs themselves where they are certain, else what all right draws share."""
    assert isinstance(outputs, list)
    runs = [_as_pairs(run) for run in outputs]
    if inputs["window"] == 1:
        return {"pairs, sorted": sorted(str(pair) for pair in runs[0])}
    length, window = len(inputs["tokens"]), inputs["window"]
    names = {token: place for place, token in enumerate(inputs["tokens"])}
    found = [(i, *_places(pair, names)) for i, run in enumerate(runs) for pair in run]
    sizes = [len(run) for run in runs]
    average = float(np.mean(sizes))
    varies = {VARIES: float(np.std(sizes)) / average if average else 0.0}
    if len(names) < length:  # a token does not say at which place it stands
        share = average / (2 * window * length)
        return {
            "number of pairs, as a share of length * 2 * window": share,
            f"three times {VARIES}": 3 * varies[VARIES],
        }
    run, center, context = np.array(found, dtype=int).reshape(-1, 3).T
    distance = np.abs(center - context)
    kept = np.bincount(distance, minlength=length + window)
    near = (distance > 0) & (distance <= window)
    seen = np.zeros((len(runs), length, length), dtype=bool)
    seen[run[near], center[near], context[near]] = True
    inside = slice(window, max(window, length - window))
    left, right, unbroken = (part[:, inside] for part in _windows(seen))
    *_, unbroken_around_contexts = (part[:, inside] for part in _windows(seen.transpose(0, 2, 1)))
    if len(np.unique(right)) > 1 and all(other == runs[0] for other in runs):
        raise AnswerRefused(
            "Every call gives the same pairs: your function begins a generator of its own with a "
            "fixed seed. Draw from the `rng` that you were given."
        )
    possible = np.array([2 * max(0, length - d) for d in range(1, window + 1)])
    return {
        "pairs of a place with itself, in a sentence": int(kept[0]) / len(runs),
        "share of pairs kept at distance 1, 2, ...": kept[1 : window + 1]
        / np.maximum(1, possible * len(runs)),
        "pairs beyond the window, in a sentence": int(kept[window + 1 :].sum()) / len(runs),
        "share of centres that reach equally far to both sides": _share(left == right),
        "share of centres without a gap in their window": _share(unbroken),
        "share of contexts without a gap between their centres": _share(unbroken_around_contexts),
        **varies,
    }


def _windows(seen: Any) -> tuple[Any, Any, Any]:
    """How far each centre sees to the left and to the right, and whether without a gap."""
    places = np.arange(seen.shape[1])
    offsets = seen * (places - places[:, None])
    left, right = -offsets.min(2), offsets.max(2)
    return left, right, seen.sum(2) == left + right


def _share(true: Any) -> float:
    return float(true.mean()) if true.size else 1.0


def _as_pairs(run: Any) -> list[tuple[Any, Any]]:
    returned(run)
    pairs = run.tolist() if isinstance(run, np.ndarray) else run
    try:
        return [(center, context) for center, context in pairs]
    except (TypeError, ValueError):
        raise AnswerRefused("Return a list of pairs, each one (centre, context).") from None


def _places(pair: tuple[Any, Any], names: dict[Any, int]) -> tuple[int, int]:
    try:
        return names[pair[0]], names[pair[1]]
    except (KeyError, TypeError):
        raise AnswerRefused(
            f"The pair {pair!r} holds something that is no token of the sentence. Pairs hold "
            "tokens, not positions."
        ) from None


def _by_slices(tokens: list[int], window: int, rng: Random) -> list[tuple[int, int]]:
    pairs = []
    for place, center in enumerate(tokens):
        reach = int(rng.integers(1, window + 1))
        near = tokens[max(0, place - reach) : place] + tokens[place + 1 : place + reach + 1]
        pairs += [(center, context) for context in near]
    return pairs


def _array_of_pairs(tokens: list[int], window: int, rng: Random) -> Any:
    ids = np.asarray(tokens)
    i, j = np.meshgrid(np.arange(len(ids)), np.arange(len(ids)), indexing="ij")
    reach = rng.integers(1, window + 1, size=len(ids))[:, None]
    keep = (np.abs(i - j) <= reach) & (i != j)
    return np.stack([ids[i[keep]], ids[j[keep]]], axis=1)


def _lazy_pairs(tokens: list[int], window: int, rng: Random) -> Any:
    for i, center in enumerate(tokens):
        reach = math.ceil((1.0 - rng.random()) * window)
        for distance in range(1, reach + 1):
            if i - distance >= 0:
                yield center, tokens[i - distance]
            if i + distance < len(tokens):
                yield center, tokens[i + distance]


@Case.drawn
def _sentence(rng: Random, length: int, window: int) -> Inputs:
    tokens = [int(token) for token in rng.permutation(100)[:length]]
    return {"tokens": tokens, "window": window, "seed": int(rng.integers(2**31))}


def _of_few_words(rng: Random) -> Inputs:
    tokens = [int(token) for token in rng.permutation([3, 5, 8] * 8)]
    return {"tokens": tokens, "window": 4, "seed": int(rng.integers(2**31))}


SLIPS = """
--- hint 1
a fixed window: int(rng.integers(1, window + 1)) -> window
    Every neighbour up to the full window is kept. Draw a reach between 1 and the window for each
    centre word: near neighbours should count more often.
only the words to the right: max(0, position - reach) -> position
    Only words after the centre are used. The window opens to both sides.
only the words to the left: min(len(tokens), position + reach + 1) -> position
    Only words before the centre are used. The window opens to both sides.
the place of a repeated word: reach = -> position = tokens.index(center)⏎reach =
    `tokens.index(word)` finds the first position of a word, also when you are at its second. Walk
    over positions with `enumerate`.
--- hint 2
one draw for the whole sentence: pairs = [] -> pairs, once = [], rng.integers(1, window + 1) \
        && int(rng.integers(1, window + 1)) -> int(once)
    The reach is drawn once for the sentence. Draw it anew for every centre word, inside the loop.
the reach can be 0: rng.integers(1, window + 1) -> rng.integers(0, window + 1)
    Some centre words get no context at all: your draw includes 0. It starts at 1.
the full window is never drawn: rng.integers(1, window + 1) -> rng.integers(1, max(2, window))
    `rng.integers(low, high)` leaves out `high`. Ask for `window + 1`.
equal words are skipped, not the place of the centre: neighbour != position \
        -> tokens[neighbour] != center
    A word may stand twice in a sentence, and then the other occurrence is a context. Compare
    positions, not words.
two draws for one centre: reach = int(rng.integers(1, window + 1)) \
        -> left, right = rng.integers(1, window + 1, size=2) && position - reach \
        -> position - left && position + reach -> position + right
    Left and right have a reach of their own. One draw for each centre serves both sides.
`rng.integers(1, window)`: rng.integers(1, window + 1) -> rng.integers(1, window)
    `rng.integers(low, high)` leaves out `high`: the full window is never drawn, and a window of 1
    leaves nothing to draw from. Ask for `window + 1`.
`rng.integers(0, window)`: rng.integers(1, window + 1) -> rng.integers(0, window)
    Your reach runs from 0 to `window - 1`. Ask for `rng.integers(1, window + 1)`.
a draw for every neighbour: int(rng.integers(1, window + 1)) -> window && neighbour != position \
        -> neighbour != position and abs(neighbour - position) <= rng.integers(1, window + 1)
    You draw anew for every neighbour, so a near word can be missing where a far one is kept. Draw
    once for each centre, before the loop over its neighbours.
a generator of its own: pairs = [] -> rng, pairs = np.random.default_rng(), []
    Your reach comes from another generator than the `rng` that you were given, so nobody can repeat
    your draw. Call `rng.integers(...)`.
a generator of its own, with a fixed seed: pairs = [] -> rng, pairs = np.random.default_rng(0), []
    Every sentence gets the same reaches: your function begins a generator of its own each time.
    Call `rng.integers(...)` on the `rng` that you were given.
one reach for each different word: pairs = [] -> pairs, drawn = [], {} \
        && int(rng.integers(1, window + 1)) \
        -> drawn.setdefault(center, int(rng.integers(1, window + 1)))
    You draw one reach for each different word. Every *position* is a centre of its own: draw anew
    where a word comes again.
a word is its own context: neighbour != position -> True
    Your pairs contain each centre word with itself. Skip the position of the centre.
--- hint 3
each pair once: return pairs -> return list(set(pairs))
    A pair that occurs twice counts twice. Collect pairs in a list, not in a set.
negative places: max(0, position - reach) -> position - reach
    At the start of the sentence a negative position counts from the end in Python, and far words
    become neighbours. Start at `max(0, place - reach)`.
the farthest word to the right is lost: position + reach + 1 -> position + reach
    The right side is one word short: `range` leaves out its end. It ends at `place + reach + 1`.
places, not words: (center, tokens[neighbour]) -> (position, neighbour)
    Your pairs hold positions in the sentence. They should hold the words that stand there:
    `tokens[place]` and `tokens[other]`.
only centres with a full window: neighbour != position \
        -> neighbour != position and window <= position < len(tokens) - window
    Words near the two ends of the sentence are never centres. They are, with the part of the window
    that lies inside the sentence.
beyond the end of the sentence: min(len(tokens), position + reach + 1) -> position + reach + 1
    Near the end of the sentence your window reaches beyond it. Stop at `min(len(tokens), place +
    reach + 1)`.
the last word is no context: len(tokens) -> len(tokens) - 1
    The last word of the sentence is never a context. `range` leaves out its end, so let it end at
    `len(tokens)`, not at `len(tokens) - 1`.
the first word is no context: max(0, -> max(1,
    The first word of the sentence is never a context. Its position is 0: begin at `max(0, place -
    reach)`.
only the two words at the reach: neighbour != position -> abs(neighbour - position) == reach
    You keep the two words exactly `reach` positions away. *Every* word up to there is a context.
--- no hint
the pair is turned round: (center, tokens[neighbour]) -> (tokens[neighbour], center)
    Your pairs are (context, centre). The centre, whose reach was drawn, comes first.
the list begins anew for every centre: reach = -> pairs = []⏎reach =
    Only the pairs of the last centre are left: `pairs = []` stands inside the loop. Move it before
    the loop.
"""

SLICES = """
--- hint 1
both pairs are written from one side: tokens[max(0, place - reach) : place] + -> \
        && (center, context) for context in near \
        -> pair for context in near for pair in ((center, context), (context, center))
    You look to one side and write each pair in both directions, so the other word's own reach is
    not asked. Look to both sides of each centre, as far as its reach, and write one direction.
--- hint 3
a slice that begins at a negative place: max(0, place - reach) -> place - reach
    At the start of the sentence `tokens[place - reach:place]` begins at a negative place, counts
    from the end, and comes out empty. Begin at `max(0, place - reach)`.
all contexts of a centre in one pair: pairs += [(center, context) for context in near] \
        -> pairs.append((center, near))
    Your pairs hold a centre and the list of all its contexts. Write one pair for each context.
--- no hint
the return stands inside the loop: for context in near] -> for context in near]⏎return pairs
    Only the pairs of the first centre came: `return` stands inside the loop. Move it to the left,
    behind the loop.
"""

EXERCISE = Exercise(
    id="dynamic_window_pairs",
    title="Pairs from a dynamic window",
    lesson=LESSON,
    points=3,
    difficulty=3,
    importance=4,
    minutes=8,
    reference=word2vec.dynamic_window_pairs,
    run=_run_pairs,
    view=_pair_statistics,
    atol=0.1,
    rtol=0.0,
    cases=(
        Case("five words, window 1", _sentence(5, 1)),
        Case(
            "a sentence with repeated words",
            lambda rng: {"tokens": [8, 3, 8, 8, 5, 3, 8], "window": 1, "seed": 0},
            edge=True,
        ),
        Case("24 words, window 4", _sentence(24, 4), weight=2),
        Case("30 words, window 7", _sentence(30, 7)),
        Case("a sentence shorter than the window", _sentence(3, 5), weight=0.5, edge=True),
        Case("a sentence of one word", _sentence(1, 5), weight=0.5, edge=True),
        Case("24 words, three of them different", _of_few_words, weight=0.5, edge=True),
    ),
    mistakes=(*slips(word2vec.dynamic_window_pairs, SLIPS), *slips(_by_slices, SLICES)),
    right_answers={
        "with slices": _by_slices,
        "one array of pairs": _array_of_pairs,
        "a generator": _lazy_pairs,
    },
)
