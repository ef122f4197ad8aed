"""Exercise `dynamic_window_pairs`: pairs from a dynamic window."""

import math
from collections.abc import Callable, Sequence
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
    equal,
    plain,
    returned,
)
from autograde.exercises.word2vec import LESSON
from elmo_mini.word_vectors import word2vec

RUNS = 150
VARIES = "how much the number of pairs varies (deviation / mean)"


def _run_pairs(answer: Answer, inputs: Inputs) -> Plain:
    rng = np.random.default_rng(inputs["seed"])
    tokens, window = list(inputs["tokens"]), inputs["window"]
    if window == 1:  # nothing is left to chance
        return [plain(answer(list(tokens), window, rng))]
    drawn = [plain(answer(list(tokens), window, rng)) for _ in range(RUNS)]
    rng = np.random.default_rng(inputs["seed"])
    again = [plain(answer(list(tokens), window, rng)) for _ in range(10)]
    if not all(map(equal, drawn, again)):
        raise AnswerRefused(
            "The same `rng` with the same seed gives other pairs the second time: your reach comes "
            "from elsewhere. Draw it with `rng.integers(...)`, from the `rng` that you were given."
        )
    return drawn


def _pair_statistics(inputs: Inputs, outputs: Plain) -> Plain:
    """The pairs themselves where they are certain, else what all right draws share."""
    assert isinstance(outputs, list)
    runs = [_as_pairs(run) for run in outputs]
    if inputs["window"] == 1:
        return {"pairs, sorted": sorted(str(pair) for pair in runs[0])}
    length, window = len(inputs["tokens"]), inputs["window"]
    names = {token: place for place, token in enumerate(inputs["tokens"])}
    if len(names) < length:
        return _numbers_of_pairs(runs, names, 2 * window * length)
    centers, contexts = np.arange(length)[:, None], np.arange(length)
    seen = np.zeros((len(runs), length, length), dtype=bool)  # [run, centre, context]
    kept = np.zeros(length + window, dtype=int)  # pairs at each distance
    sizes = [len(run) for run in runs]
    for drawn, run in zip(seen, runs, strict=True):
        places = np.array([_places(pair, names) for pair in run], dtype=int).reshape(-1, 2)
        drawn[places[:, 0], places[:, 1]] = True
        kept += np.bincount(np.abs(places[:, 1] - places[:, 0]), minlength=len(kept))
    distance = np.abs(contexts - centers)
    seen &= (distance > 0) & (distance <= window)
    inside = slice(window, max(window, length - window))
    left, right, unbroken = (part[:, inside] for part in _windows(seen))
    *_, unbroken_around_contexts = (part[:, inside] for part in _windows(seen.transpose(0, 2, 1)))
    possible = np.array([2 * max(0, length - d) for d in range(1, window + 1)])
    average = float(np.mean(sizes))
    if len(np.unique(right)) > 1 and all(run == runs[0] for run in runs):
        raise AnswerRefused(
            "Every call gives the same pairs: your function begins a generator of its own with a "
            "fixed seed. Draw from the `rng` that you were given."
        )
    return {
        "pairs of a place with itself, in a sentence": int(kept[0]) / len(runs),
        "share of pairs kept at distance 1, 2, ...": kept[1 : window + 1]
        / np.maximum(1, possible * len(runs)),
        "pairs beyond the window, in a sentence": int(kept[window + 1 :].sum()) / len(runs),
        "share of centres that reach equally far to both sides": _share(left == right),
        "share of centres without a gap in their window": _share(unbroken),
        "share of contexts without a gap between their centres": _share(unbroken_around_contexts),
        VARIES: float(np.std(sizes)) / average if average else 0.0,
    }


def _windows(seen: Any) -> tuple[Any, Any, Any]:
    """How far each centre sees to the left and to the right, and whether without a gap."""
    places = np.arange(seen.shape[1])
    offsets = seen * (places - places[:, None])
    left, right = -offsets.min(2), offsets.max(2)
    return left, right, seen.sum(2) == left + right


def _share(true: Any) -> float:
    return float(true.mean()) if true.size else 1.0


def _numbers_of_pairs(runs: list[list[tuple[Any, Any]]], names: dict[Any, int], most: int) -> Plain:
    """What can be told where a token does not say at which place it stands."""
    for run in runs:
        for pair in run:
            _places(pair, names)
    sizes = [len(run) for run in runs]
    average = float(np.mean(sizes))
    return {
        "number of pairs, as a share of length * 2 * window": average / most,
        VARIES: float(np.std(sizes)) / average if average else 0.0,
    }


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


def _window_pairs(
    tokens: Sequence[int],
    window: int,
    rng: np.random.Generator,
    *,
    low: int = 1,
    high: int | None = None,
    fixed: bool = False,
    once: bool = False,
    itself: bool = False,
    left: bool = True,
) -> list[tuple[int, int]]:
    """Windowed pairs with one thing done otherwise: the wrong answers are built from this."""
    top = window + 1 if high is None else high
    shared = int(rng.integers(low, max(low + 1, top)))
    pairs = []
    for i, center in enumerate(tokens):
        reach = shared if once else int(rng.integers(low, max(low + 1, top)))
        reach = window if fixed else reach
        start = max(0, i - reach) if left else i
        for j in range(start, min(len(tokens), i + reach + 1)):
            if itself or j != i:
                pairs.append((center, tokens[j]))
    return pairs


def _array_of_pairs(tokens: Sequence[int], window: int, rng: np.random.Generator) -> Any:
    ids = np.asarray(tokens)
    i, j = np.meshgrid(np.arange(len(ids)), np.arange(len(ids)), indexing="ij")
    reach = rng.integers(1, window + 1, size=len(ids))[:, None]
    keep = (np.abs(i - j) <= reach) & (i != j)
    return np.stack([ids[i[keep]], ids[j[keep]]], axis=1)


def _lazy_pairs(tokens: Sequence[int], window: int, rng: np.random.Generator) -> Any:
    for i, center in enumerate(tokens):
        reach = math.ceil((1.0 - rng.random()) * window)
        for distance in range(1, reach + 1):
            if i - distance >= 0:
                yield center, tokens[i - distance]
            if i + distance < len(tokens):
                yield center, tokens[i + distance]


def _skips_equal_words(
    tokens: Sequence[int], window: int, rng: np.random.Generator
) -> list[tuple[int, int]]:
    return [(a, b) for a, b in word2vec.dynamic_window_pairs(tokens, window, rng) if a != b]


def _first_place_of_each_word(
    tokens: Sequence[int], window: int, rng: np.random.Generator
) -> list[tuple[int, int]]:
    pairs = []
    for center in tokens:
        place, reach = list(tokens).index(center), int(rng.integers(1, window + 1))
        for other in range(max(0, place - reach), min(len(tokens), place + reach + 1)):
            if other != place:
                pairs.append((center, tokens[other]))
    return pairs


def _each_pair_once(
    tokens: Sequence[int], window: int, rng: np.random.Generator
) -> list[tuple[int, int]]:
    return list(set(word2vec.dynamic_window_pairs(tokens, window, rng)))


def _turned_round(
    tokens: Sequence[int], window: int, rng: np.random.Generator
) -> list[tuple[int, int]]:
    return [(b, a) for a, b in word2vec.dynamic_window_pairs(tokens, window, rng)]


def _two_draws(
    tokens: Sequence[int], window: int, rng: np.random.Generator
) -> list[tuple[int, int]]:
    pairs = []
    for place, center in enumerate(tokens):
        left, right = rng.integers(1, window + 1, size=2)
        for other in range(max(0, place - left), min(len(tokens), place + right + 1)):
            if other != place:
                pairs.append((center, tokens[other]))
    return pairs


def _negative_places(
    tokens: Sequence[int], window: int, rng: np.random.Generator
) -> list[tuple[int, int]]:
    pairs = []
    for place, center in enumerate(tokens):
        reach = int(rng.integers(1, window + 1))
        for other in range(place - reach, min(len(tokens), place + reach + 1)):
            if other != place and -len(tokens) <= other:
                pairs.append((center, tokens[other]))
    return pairs


def _varied_pairs(
    tokens: Sequence[int],
    window: int,
    rng: np.random.Generator,
    *,
    reach: Callable[[], int] | None = None,
    keep: Callable[[int, int, int, int], bool] = lambda place, other, reach, length: True,
) -> list[tuple[int, int]]:
    """The right pairs, with another draw or with some pairs lost."""
    pairs = []
    for place, center in enumerate(tokens):
        drawn = reach() if reach else int(rng.integers(1, window + 1))
        for other in range(max(0, place - drawn), min(len(tokens), place + drawn + 1)):
            if other != place and keep(place, other, drawn, len(tokens)):
                pairs.append((center, tokens[other]))
    return pairs


def _negative_slices(
    tokens: Sequence[int], window: int, rng: np.random.Generator
) -> list[tuple[int, int]]:
    pairs = []
    for place, center in enumerate(tokens):
        reach = int(rng.integers(1, window + 1))
        near = [*tokens[place - reach : place], *tokens[place + 1 : place + reach + 1]]
        pairs += [(center, context) for context in near]
    return pairs


def _draw_for_every_neighbour(
    tokens: Sequence[int], window: int, rng: np.random.Generator
) -> list[tuple[int, int]]:
    pairs = []
    for place, center in enumerate(tokens):
        for other in range(max(0, place - window), min(len(tokens), place + window + 1)):
            if other != place and abs(other - place) <= rng.integers(1, window + 1):
                pairs.append((center, tokens[other]))
    return pairs


def _beyond_the_end(
    tokens: Sequence[int], window: int, rng: np.random.Generator
) -> list[tuple[int, int]]:
    pairs = []
    for place, center in enumerate(tokens):
        reach = int(rng.integers(1, window + 1))
        for other in range(max(0, place - reach), place + reach + 1):
            if other != place:
                pairs.append((center, tokens[other]))
    return pairs


def _both_pairs_from_one_side(
    tokens: Sequence[int], window: int, rng: np.random.Generator
) -> list[tuple[int, int]]:
    pairs = []
    for place, center in enumerate(tokens):
        reach = int(rng.integers(1, window + 1))
        for other in tokens[place + 1 : place + reach + 1]:
            pairs += [(center, other), (other, center)]
    return pairs


def _contexts_together(
    tokens: Sequence[int], window: int, rng: np.random.Generator
) -> list[tuple[int, list[int]]]:
    together: dict[int, list[int]] = {place: [] for place in range(len(tokens))}
    places = range(len(tokens))
    for place, other in word2vec.dynamic_window_pairs(places, window, rng):
        together[place].append(tokens[other])
    return [(tokens[place], contexts) for place, contexts in together.items()]


def _sentence(length: int, window: int) -> Any:
    def make(rng: np.random.Generator) -> Inputs:
        tokens = [int(token) for token in rng.permutation(100)[:length]]
        return {"tokens": tokens, "window": window, "seed": int(rng.integers(2**31))}

    return make


def _of_few_words(rng: np.random.Generator) -> Inputs:
    tokens = [int(token) for token in rng.permutation([3, 5, 8] * 8)]
    return {"tokens": tokens, "window": 4, "seed": int(rng.integers(2**31))}


def _one_reach_for_each_word(
    tokens: Sequence[int], window: int, rng: np.random.Generator
) -> list[tuple[int, int]]:
    reach: dict[int, int] = {}
    pairs = []
    for place, center in enumerate(tokens):
        drawn = reach.setdefault(center, int(rng.integers(1, window + 1)))
        for other in range(max(0, place - drawn), min(len(tokens), place + drawn + 1)):
            if other != place:
                pairs.append((center, tokens[other]))
    return pairs


def _reference_pairs(
    tokens: Sequence[int], window: int, rng: np.random.Generator
) -> list[tuple[int, int]]:
    return word2vec.dynamic_window_pairs(tokens, window, rng)


EXERCISE = Exercise(
    id="dynamic_window_pairs",
    title="Pairs from a dynamic window",
    lesson=LESSON,
    points=3,
    difficulty=3,
    importance=4,
    minutes=10,
    reference=_reference_pairs,
    run=_run_pairs,
    view=_pair_statistics,
    atol=0.05,
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
    mistakes=(
        Mistake(
            "a fixed window",
            lambda t, w, r: _window_pairs(t, w, r, fixed=True),
            "Every neighbour up to the full window is kept. Draw a reach between 1 and the "
            "window for each centre word: near neighbours should count more often.",
            hint=1,
        ),
        Mistake(
            "one draw for the whole sentence",
            lambda t, w, r: _window_pairs(t, w, r, once=True),
            "The reach is drawn once for the sentence. Draw it anew for every centre word, "
            "inside the loop.",
            hint=2,
        ),
        Mistake(
            "the reach can be 0",
            lambda t, w, r: _window_pairs(t, w, r, low=0),
            "Some centre words get no context at all: your draw includes 0. It starts at 1.",
            hint=2,
        ),
        Mistake(
            "the full window is never drawn",
            lambda t, w, r: _window_pairs(t, w, r, high=w),
            "`rng.integers(low, high)` leaves out `high`. Ask for `window + 1`.",
            hint=2,
        ),
        Mistake(
            "a word is its own context",
            lambda t, w, r: _window_pairs(t, w, r, itself=True),
            "Your pairs contain each centre word with itself. Skip the position of the centre.",
            hint=3,
        ),
        Mistake(
            "only the words to the right",
            lambda t, w, r: _window_pairs(t, w, r, left=False),
            "Only words after the centre are used. The window opens to both sides.",
            hint=1,
        ),
        Mistake(
            "equal words are skipped, not the place of the centre",
            _skips_equal_words,
            "A word may stand twice in a sentence, and then the other occurrence is a context. "
            "Compare places, not words.",
            hint=2,
        ),
        Mistake(
            "the place of a repeated word",
            _first_place_of_each_word,
            "`tokens.index(word)` finds the first place of a word, also when you are at its "
            "second. Walk over places with `enumerate`.",
            hint=3,
        ),
        Mistake(
            "each pair once",
            _each_pair_once,
            "A pair that occurs twice counts twice. Collect pairs in a list, not in a set.",
            hint=3,
        ),
        Mistake(
            "the pair is turned round",
            _turned_round,
            "Your pairs are (context, centre). The centre, whose reach was drawn, comes first.",
            hint=3,
        ),
        Mistake(
            "two draws for one centre",
            _two_draws,
            "Left and right have a reach of their own. One draw for each centre serves both sides.",
            hint=2,
        ),
        Mistake(
            "negative places",
            _negative_places,
            "At the start of the sentence a negative place counts from the end in Python, and far "
            "words become neighbours. Start at `max(0, place - reach)`.",
            hint=3,
        ),
        Mistake(
            "a slice that begins at a negative place",
            _negative_slices,
            "At the start of the sentence `tokens[place - reach:place]` begins at a negative "
            "place, counts from the end, and comes out empty. Begin at `max(0, place - reach)`.",
            hint=3,
        ),
        Mistake(
            "`rng.integers(1, window)`",
            lambda t, w, r: _varied_pairs(t, w, r, reach=lambda: int(r.integers(1, w))),
            "`rng.integers(low, high)` leaves out `high`: the full window is never drawn, and a "
            "window of 1 leaves nothing to draw from. Ask for `window + 1`.",
            hint=2,
        ),
        Mistake(
            "`rng.integers(0, window)`",
            lambda t, w, r: _varied_pairs(t, w, r, reach=lambda: int(r.integers(0, w))),
            "Your reach runs from 0 to `window - 1`. Ask for `rng.integers(1, window + 1)`.",
            hint=2,
        ),
        Mistake(
            "the farthest word to the right is lost",
            lambda t, w, r: _varied_pairs(t, w, r, keep=lambda i, j, reach, n: j < i + reach),
            "The right side is one word short: `range` leaves out its end. It ends at "
            "`place + reach + 1`.",
            hint=3,
        ),
        Mistake(
            "only the words to the left",
            lambda t, w, r: _varied_pairs(t, w, r, keep=lambda i, j, reach, n: j < i),
            "Only words before the centre are used. The window opens to both sides.",
            hint=1,
        ),
        Mistake(
            "places, not words",
            lambda t, w, r: _varied_pairs(range(len(t)), w, r),
            "Your pairs hold places in the sentence. They should hold the words that stand there: "
            "`tokens[place]` and `tokens[other]`.",
            hint=3,
        ),
        Mistake(
            "a draw for every neighbour",
            _draw_for_every_neighbour,
            "You draw anew for every neighbour, so a near word can be missing where a far one is "
            "kept. Draw once for each centre, before the loop over its neighbours.",
            hint=2,
        ),
        Mistake(
            "only centres with a full window",
            lambda t, w, r: _varied_pairs(t, w, r, keep=lambda i, j, reach, n: w <= i < n - w),
            "Words near the two ends of the sentence are never centres. They are, with the part "
            "of the window that lies inside the sentence.",
            hint=3,
        ),
        Mistake(
            "beyond the end of the sentence",
            _beyond_the_end,
            "Near the end of the sentence your window reaches beyond it. Stop at "
            "`min(len(tokens), place + reach + 1)`.",
            hint=3,
        ),
        Mistake(
            "only the two words at the reach",
            lambda t, w, r: _varied_pairs(t, w, r, keep=lambda i, j, reach, n: abs(i - j) == reach),
            "You keep the two words exactly `reach` places away. *Every* word up to there is a "
            "context.",
            hint=1,
        ),
        Mistake(
            "the list begins anew for every centre",
            lambda t, w, r: _varied_pairs(t, w, r, keep=lambda i, j, reach, n: i == n - 1),
            "Only the pairs of the last centre are left: `pairs = []` stands inside the loop. "
            "Move it before the loop.",
            hint=3,
        ),
        Mistake(
            "the return stands inside the loop",
            lambda t, w, r: _varied_pairs(t, w, r, keep=lambda i, j, reach, n: i == 0),
            "Only the pairs of the first centre came: `return` stands inside the loop. Move it to "
            "the left, behind the loop.",
            hint=3,
        ),
        Mistake(
            "all contexts of a centre in one pair",
            _contexts_together,
            "Your pairs hold a centre and the list of all its contexts. Write one pair for each "
            "context.",
            hint=3,
        ),
        Mistake(
            "the last word is no context",
            lambda t, w, r: _varied_pairs(t, w, r, keep=lambda i, j, reach, n: j < n - 1),
            "The last word of the sentence is never a context. `range` leaves out its end, so let "
            "it end at `len(tokens)`, not at `len(tokens) - 1`.",
            hint=3,
        ),
        Mistake(
            "the first word is no context",
            lambda t, w, r: _varied_pairs(t, w, r, keep=lambda i, j, reach, n: j > 0),
            "The first word of the sentence is never a context. Its place is 0: begin at "
            "`max(0, place - reach)`.",
            hint=3,
        ),
        Mistake(
            "a generator of its own",
            lambda t, w, r: _varied_pairs(t, w, np.random.default_rng()),
            "Your reach comes from another generator than the `rng` that you were given, so "
            "nobody can repeat your draw. Call `rng.integers(...)`.",
            hint=2,
        ),
        Mistake(
            "a generator of its own, with a fixed seed",
            lambda t, w, r: _varied_pairs(t, w, np.random.default_rng(0)),
            "Every sentence gets the same reaches: your function begins a generator of its "
            "own each time. Call `rng.integers(...)` on the `rng` that you were given.",
            hint=2,
        ),
        Mistake(
            "both pairs are written from one side",
            _both_pairs_from_one_side,
            "You look to one side and write each pair in both directions, so the other word's own "
            "reach is not asked. Look to both sides of each centre, as far as its reach, and write "
            "one direction.",
            hint=1,
        ),
        Mistake(
            "one reach for each different word",
            _one_reach_for_each_word,
            "You draw one reach for each different word. Every *place* is a centre of its own: "
            "draw anew where a word comes again.",
            hint=2,
        ),
        Mistake(
            "`rng.integers(0, window + 1)`",
            lambda t, w, r: _varied_pairs(t, w, r, reach=lambda: int(r.integers(0, w + 1))),
            "Some centre words get no context at all: your draw includes 0. It starts at 1.",
            hint=2,
        ),
    ),
    right_answers={
        "one array of pairs": _array_of_pairs,
        "a generator": _lazy_pairs,
    },
)
