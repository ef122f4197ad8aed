"""Lesson 01: skip-gram with negative sampling, from the cost of the softmax to the PMI."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from autograde.checking.exercise import (
    Answer,
    AnswerRefused,
    Case,
    Exercise,
    Inputs,
    Mistake,
    Plain,
    as_tensors,
    call_with_tensors,
    plain,
)
from elmo_mini.word_vectors import word2vec

LESSON = "01_word2vec"


# --- the cost of the softmax -------------------------------------------------------------------

SOFTMAX_COST = Exercise(
    id="softmax_cost",
    title="The cost of the full softmax",
    lesson=LESSON,
    points=1,
    difficulty=1,
    importance=3,
    minutes=3,
    reference=word2vec.softmax_cost,
    cases=(
        Case(
            "1,000 words, 50 dimensions, 5 negatives",
            lambda rng: {"vocabulary_size": 1000, "dimension": 50, "negatives": 5},
        ),
        Case(
            "a drawn vocabulary",
            lambda rng: {
                "vocabulary_size": int(rng.integers(20_000, 90_000)),
                "dimension": int(rng.integers(20, 400)),
                "negatives": int(rng.integers(2, 20)),
            },
        ),
        Case(
            "no negatives at all",
            lambda rng: {"vocabulary_size": 64, "dimension": 8, "negatives": 0},
            edge=True,
        ),
    ),
    mistakes=(
        Mistake(
            "the true context word is not counted",
            lambda v, d, k: (v * d, k * d),
            "Negative sampling scores the k noise words and the true context word: k + 1 in all.",
            hint=2,
        ),
        Mistake(
            "the dimension is forgotten",
            lambda v, d, k: (v, k + 1),
            "You count words. One score is a dot product, and that takes one multiplication for "
            "each dimension.",
            hint=1,
        ),
        Mistake(
            "the cost of the hierarchical softmax",
            lambda v, d, k: (round(math.log2(v)) * d, (k + 1) * d),
            "log2(V) scores is what the hierarchical softmax needs. The full softmax scores "
            "every word.",
            hint=2,
        ),
        Mistake(
            "the two numbers are swapped",
            lambda v, d, k: ((k + 1) * d, v * d),
            "Return the full softmax first, negative sampling second.",
        ),
    ),
    right_answers={
        "a list": lambda v, d, k: [d * v, d + d * k],
        "an array": lambda v, d, k: np.array([v, k + 1]) * d,
    },
)


# --- pairs with a dynamic window ---------------------------------------------------------------

RUNS = 300


def _run_pairs(answer: Answer, inputs: Inputs) -> Plain:
    rng = np.random.default_rng(inputs["seed"])
    tokens, window = list(inputs["tokens"]), inputs["window"]
    runs = RUNS if window > 1 else 1  # a window of 1 leaves nothing to chance
    return [plain(answer(list(tokens), window, rng)) for _ in range(runs)]


def _pair_statistics(inputs: Inputs, outputs: Plain) -> Plain:
    """The pairs themselves where they are certain, else what all right draws share."""
    assert isinstance(outputs, list)
    runs = [_as_pairs(run) for run in outputs]
    if inputs["window"] == 1:
        return {"pairs, sorted": sorted(str(pair) for pair in runs[0])}
    length, window = len(inputs["tokens"]), inputs["window"]
    names = {token: place for place, token in enumerate(inputs["tokens"])}
    kept = np.zeros(window + 1)
    sides = equal_sides = unbroken = beyond = 0
    sizes = []
    for run in runs:
        sizes.append(len(run))
        seen: dict[int, set[int]] = {}
        for pair in run:
            center, context = _places(pair, names)
            if abs(center - context) > window:
                beyond += 1
            else:
                kept[abs(center - context)] += 1
                seen.setdefault(center, set()).add(context - center)
        for center in range(window, length - window):
            offsets = seen.get(center, set())
            left = max((-d for d in offsets if d < 0), default=0)
            right = max((d for d in offsets if d > 0), default=0)
            sides += 1
            equal_sides += left == right
            unbroken += len(offsets - {0}) == left + right
    possible = np.array([length, *(2 * max(0, length - d) for d in range(1, window + 1))])
    average = float(np.mean(sizes))
    return {
        "pairs of a place with itself, in a sentence": float(kept[0] / len(runs)),
        "share of pairs kept at distance 1, 2, ...": kept[1:]
        / np.maximum(1, possible[1:] * len(runs)),
        "pairs beyond the window, in a sentence": beyond / len(runs),
        "share of centres that reach equally far to both sides": equal_sides / sides
        if sides
        else 1.0,
        "share of centres without a gap in their window": unbroken / sides if sides else 1.0,
        "how much the number of pairs varies (deviation / mean)": (
            float(np.std(sizes)) / average if average else 0.0
        ),
    }


def _as_pairs(run: Any) -> list[tuple[Any, Any]]:
    if run is None:
        raise AnswerRefused("Your function returned None. Is there a `return` at the end?")
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


def _sentence(length: int, window: int) -> Any:
    def make(rng: np.random.Generator) -> Inputs:
        tokens = [int(token) for token in rng.permutation(100)[:length]]
        return {"tokens": tokens, "window": window, "seed": int(rng.integers(2**31))}

    return make


def _reference_pairs(
    tokens: Sequence[int], window: int, rng: np.random.Generator
) -> list[tuple[int, int]]:
    return word2vec.dynamic_window_pairs(tokens, window, rng)


DYNAMIC_WINDOW_PAIRS = Exercise(
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
    ),
    right_answers={
        "one array of pairs": _array_of_pairs,
        "a generator": _lazy_pairs,
    },
)


# --- subsampling -------------------------------------------------------------------------------


def _frequencies(formula: str) -> Any:
    def make(rng: np.random.Generator) -> Inputs:
        frequency = np.sort(10.0 ** rng.uniform(-3.2, -1.2, size=8))[::-1].copy()
        return {"frequency": frequency, "threshold": 1e-4, "formula": formula}

    return make


def _rare(formula: str) -> Any:
    def make(rng: np.random.Generator) -> Inputs:
        return {
            "frequency": 10.0 ** rng.uniform(-6.5, -5.2, size=4),
            "threshold": 1e-4,
            "formula": formula,
        }

    return make


def _keep(ratio: np.ndarray, formula: str) -> np.ndarray:
    return np.sqrt(ratio) + (ratio if formula == "code" else 0.0)


KEEP_PROBABILITY = Exercise(
    id="keep_probability",
    title="Subsampling, as printed and as programmed",
    lesson=LESSON,
    points=3,
    difficulty=2,
    importance=4,
    minutes=6,
    reference=word2vec.keep_probability,
    cases=(
        Case("the paper's formula, frequent words", _frequencies("paper")),
        Case("the code's formula, frequent words", _frequencies("code")),
        Case("the paper's formula, rare words", _rare("paper"), weight=0.5, edge=True),
        Case("the code's formula, rare words", _rare("code"), weight=0.5, edge=True),
    ),
    mistakes=(
        Mistake(
            "the probability to discard",
            lambda f, t, formula: 1 - np.minimum(1.0, _keep(t / f, formula)),
            "This is the chance that the word is thrown away. Return the chance that it stays.",
            hint=1,
        ),
        Mistake(
            "a probability above 1",
            lambda f, t, formula: _keep(t / f, formula),
            "For rare words your result is above 1, which no probability is. Cut it off at 1.",
            hint=3,
        ),
        Mistake(
            "the root is missing",
            lambda f, t, formula: np.minimum(1.0, t / f + (t / f if formula == "code" else 0)),
            "The square root over t / f is missing. Without it frequent words almost vanish.",
            hint=2,
        ),
        Mistake(
            "t and f are swapped",
            lambda f, t, formula: np.minimum(1.0, _keep(f / t, formula)),
            "Your frequent words are kept and your rare words dropped. The ratio is t / f: the "
            "more frequent the word, the smaller.",
            hint=2,
        ),
        Mistake(
            "the two formulas are swapped",
            lambda f, t, formula: np.minimum(
                1.0, _keep(t / f, "paper" if formula == "code" else "code")
            ),
            'You use the code\'s formula for "paper" and the paper\'s for "code".',
            hint=2,
        ),
        Mistake(
            "cut off before the sum",
            lambda f, t, formula: (
                np.minimum(1.0, np.sqrt(t / f)) + (t / f if formula == "code" else 0.0)
            ),
            "You cut off at 1 and add t / f afterwards, so the sum goes above 1 again. Cut off "
            "last.",
            hint=3,
        ),
        Mistake(
            "always the paper's formula",
            lambda f, t, formula: np.minimum(1.0, np.sqrt(t / f)),
            "Both formulas give the same in your answer. The code adds t / f to the root.",
            hint=2,
        ),
        Mistake(
            "always the code's formula",
            lambda f, t, formula: np.minimum(1.0, np.sqrt(t / f) + t / f),
            "Both formulas give the same in your answer. The paper has the root alone.",
            hint=2,
        ),
    ),
    right_answers={
        "the line of word2vec.c": lambda f, t, formula: np.clip(
            (np.sqrt(f / t) + (formula == "code")) * t / f, 0, 1
        ),
        "tensors": lambda f, t, formula: torch.from_numpy(_keep(t / f, formula)).clamp(max=1),
    },
)


# --- noise distribution ------------------------------------------------------------------------


def _counts(power: float) -> Any:
    def make(rng: np.random.Generator) -> Inputs:
        ranks = np.arange(1, 13)
        counts = (4000 / ranks * rng.uniform(0.8, 1.2, size=12)).astype(np.int64)
        return {"counts": counts, "power": power}

    return make


NOISE_DISTRIBUTION = Exercise(
    id="noise_distribution",
    title="The noise distribution",
    lesson=LESSON,
    points=2,
    difficulty=1,
    importance=4,
    minutes=3,
    reference=word2vec.noise_distribution,
    cases=(
        Case("power 3/4", _counts(0.75), weight=2),
        Case("power 1/2, as in fastText", _counts(0.5)),
        Case("power 1: plain frequencies", _counts(1.0), edge=True),
        Case("power 0: all words alike", _counts(0.0), edge=True),
    ),
    mistakes=(
        Mistake(
            "the sum is not 1",
            lambda counts, power: np.asarray(counts, float) ** power,
            "These are weights. Divide by their sum, so that they become probabilities.",
            hint=2,
        ),
        Mistake(
            "normalised before the power",
            lambda counts, power: (counts / counts.sum()) ** power,
            "You normalise first and raise to the power afterwards; then the sum is no longer 1. "
            "Normalise last.",
            hint=2,
        ),
        Mistake(
            "divided by the sum of the counts",
            lambda counts, power: counts**power / counts.sum(),
            "You raise the counts and divide by the sum of the counts as they were. Divide by the "
            "sum of the raised ones.",
            hint=2,
        ),
        Mistake(
            "multiplied by the power",
            lambda counts, power: (
                (counts * power) / (counts * power).sum() if power else np.full(len(counts), np.nan)
            ),
            "A factor cancels when you normalise. The counts are raised to the power: `**`.",
            hint=1,
        ),
        Mistake(
            "the power is ignored",
            lambda counts, power: counts / counts.sum(),
            "This is the plain unigram distribution. Raise the counts to `power` first.",
            hint=1,
        ),
        Mistake(
            "always 3/4",
            lambda counts, power: counts**0.75 / (counts**0.75).sum(),
            "The exponent is written into your code. Use the argument `power`.",
            hint=3,
        ),
    ),
    right_answers={
        "in logs": lambda counts, power: torch.softmax(
            power * torch.log(torch.as_tensor(counts, dtype=torch.float64)), 0
        ),
        "shares first, normalised again": lambda counts, power: (
            (counts / counts.sum()) ** power / ((counts / counts.sum()) ** power).sum()
        ),
    },
)


# --- the loss and its gradient -----------------------------------------------------------------


def _vectors(pairs: int, negatives: int, dimension: int, scale: float = 1.0) -> Any:
    def make(rng: np.random.Generator) -> Inputs:
        def draw(*shape: int) -> np.ndarray:
            return (scale * rng.standard_normal(shape)).astype(np.float32)

        return {
            "center": draw(pairs, dimension),
            "context": draw(pairs, dimension),
            "negatives": draw(pairs, negatives, dimension),
        }

    return make


def _zero_scores(rng: np.random.Generator) -> Inputs:
    inputs = _vectors(4, 5, 3)(rng)
    return inputs | {"center": np.zeros_like(inputs["center"])}


def _scores_of_a_thousand(rng: np.random.Generator) -> Inputs:
    inputs = _vectors(3, 2, 4)(rng)
    center = inputs["center"]
    length = np.square(center).sum(-1, keepdims=True)
    return inputs | {
        "context": -1000 * center / length,
        "negatives": inputs["negatives"] / 10 + (1000 * center / length)[:, None],
    }


def _scores(center: Tensor, context: Tensor, negatives: Tensor) -> tuple[Tensor, Tensor]:
    return (center * context).sum(-1), (center.unsqueeze(1) * negatives).sum(-1)


def _scores_of_thirty(rng: np.random.Generator) -> Inputs:
    inputs = _vectors(2, 3, 4)(rng)
    center = inputs["center"]
    along = 30 * center / np.square(center).sum(-1, keepdims=True)
    return inputs | {"context": -along, "negatives": np.repeat(along[:, None], 3, axis=1)}


def _summed_loss(center: Tensor, context: Tensor, negatives: Tensor) -> Tensor:
    return word2vec.sgns_loss(center, context, negatives) * len(center)


def _same_sign_loss(center: Tensor, context: Tensor, negatives: Tensor) -> Tensor:
    positive, negative = _scores(center, context, negatives)
    return -(F.logsigmoid(positive) + F.logsigmoid(negative).sum(-1)).mean()


def _unstable_loss(center: Tensor, context: Tensor, negatives: Tensor) -> Tensor:
    positive, negative = _scores(center, context, negatives)
    logs = torch.log(torch.sigmoid(positive)) + torch.log(torch.sigmoid(-negative)).sum(-1)
    return -logs.mean()


def _one_minus_loss(center: Tensor, context: Tensor, negatives: Tensor) -> Tensor:
    positive, negative = _scores(center, context, negatives)
    logs = F.logsigmoid(positive) + torch.log(1 - torch.sigmoid(negative)).sum(-1)
    return -logs.mean()


def _mean_of_negatives_loss(center: Tensor, context: Tensor, negatives: Tensor) -> Tensor:
    positive, negative = _scores(center, context, negatives)
    return -(F.logsigmoid(positive) + F.logsigmoid(-negative).mean(-1)).mean()


def _positive_only_loss(center: Tensor, context: Tensor, negatives: Tensor) -> Tensor:
    return -F.logsigmoid(_scores(center, context, negatives)[0]).mean()


def _likelihood(center: Tensor, context: Tensor, negatives: Tensor) -> Tensor:
    return -word2vec.sgns_loss(center, context, negatives)


def _cross_entropy_loss(center: Tensor, context: Tensor, negatives: Tensor) -> Tensor:
    positive, negative = _scores(center, context, negatives)
    scores = torch.cat([positive.unsqueeze(-1), negative], dim=-1)
    labels = torch.zeros_like(scores)
    labels[:, 0] = 1
    return F.binary_cross_entropy_with_logits(scores, labels, reduction="sum") / len(center)


def _run_loss(answer: Answer, inputs: Inputs) -> Plain:
    """The loss and its gradient for the centre vectors: the lesson goes on to use both."""
    tensors = [as_tensors(value) for value in inputs.values()]
    center = tensors[0].requires_grad_()
    loss = answer(center, *tensors[1:])
    if loss is None:
        raise AnswerRefused("Your function returned None. Is there a `return` at the end?")
    if not isinstance(loss, Tensor):
        raise AnswerRefused(
            f"Your loss is a {type(loss).__name__}. Return the tensor itself, without `.item()` "
            "or `float()`: autograd must be able to follow it back."
        )
    if loss.requires_grad and loss.ndim == 0:
        return {"loss": plain(loss), "its gradient": plain(torch.autograd.grad(loss, center)[0])}
    return {"loss": plain(loss), "its gradient": None}


def _padded_loss(center: Tensor, context: Tensor, negatives: Tensor) -> Tensor:
    positive, negative = _scores(center, context, negatives)
    logs = torch.log(torch.sigmoid(positive) + 1e-9)
    return -(logs + torch.log(torch.sigmoid(-negative) + 1e-9).sum(-1)).mean()


SGNS_LOSS = Exercise(
    id="sgns_loss",
    title="The loss of skip-gram with negative sampling",
    lesson=LESSON,
    points=4,
    difficulty=3,
    importance=5,
    minutes=12,
    reference=word2vec.sgns_loss,
    run=_run_loss,
    cases=(
        Case("one pair, one negative", _vectors(1, 1, 4)),
        Case("a batch of 6 pairs, 5 negatives", _vectors(6, 5, 10), weight=2),
        Case("all scores are 0", _zero_scores, edge=True),
        Case("scores of 30", _scores_of_thirty, edge=True),
        Case("scores of a thousand", _scores_of_a_thousand, edge=True),
    ),
    mistakes=(
        Mistake(
            "the sum over the batch",
            _summed_loss,
            "Your loss grows with the batch. Take the mean over the pairs.",
            hint=3,
        ),
        Mistake(
            "the minus inside the negative term",
            _same_sign_loss,
            "Your noise words are pulled closer like the true one. In their term the score has a "
            "minus: log s(-score).",
            hint=1,
        ),
        Mistake(
            "log of sigmoid overflows",
            _unstable_loss,
            "The formula is right, and the computer cannot follow it: for a large negative score "
            "sigmoid rounds to 0 and its log is -inf. Use `F.logsigmoid`, which never forms the 0.",
            hint=3,
        ),
        Mistake(
            "a small number inside the log",
            _padded_loss,
            "A small number inside the log hides the infinity, and with it the gradient: a pair "
            "that is very wrong stops learning. Use `F.logsigmoid`.",
            hint=3,
        ),
        Mistake(
            "a float",
            lambda v, u, n: word2vec.sgns_loss(v, u, n).item(),
            "Return the tensor itself, without `.item()` or `float()`: autograd must be able to "
            "follow it back.",
            hint=3,
        ),
        Mistake(
            "log of 1 - sigmoid overflows",
            _one_minus_loss,
            "1 - sigmoid(x) is sigmoid(-x), and only the second form survives large scores. Use "
            "`F.logsigmoid(-score)`.",
            hint=3,
        ),
        Mistake(
            "the mean over the negatives",
            _mean_of_negatives_loss,
            "The k noise terms are added up in equation 4, not averaged.",
            hint=2,
        ),
        Mistake(
            "only the true pair",
            _positive_only_loss,
            "The noise words are missing. With this loss all vectors can grow the same way and "
            "every pair looks perfect.",
            hint=1,
        ),
        Mistake(
            "the sign of the whole",
            _likelihood,
            "This is the log-likelihood, which should go up. A loss goes down: negate it.",
            hint=3,
        ),
    ),
    right_answers={
        "binary cross-entropy": _cross_entropy_loss,
        "softplus": lambda v, u, n: (
            F.softplus(-(v * u).sum(1)) + F.softplus((n @ v.unsqueeze(2)).squeeze(2)).sum(1)
        ).mean(),
        "with @": lambda v, u, n: (
            -F.logsigmoid(torch.diagonal(v @ u.T))
            - F.logsigmoid(-(n @ v[:, :, None])[..., 0]).sum(-1)
        ).mean(),
    },
)


def _errors(center: Tensor, context: Tensor, negatives: Tensor) -> tuple[Tensor, Tensor]:
    positive, negative = _scores(center, context, negatives)
    return torch.sigmoid(positive).unsqueeze(-1), torch.sigmoid(negative).unsqueeze(-1)


def _gradients(v: Tensor, u: Tensor, n: Tensor, shift: float = 1.0) -> tuple[Tensor, ...]:
    positive, negative = _errors(v, u, n)
    positive = positive - shift
    dv = positive * u + (negative * n).sum(1)
    return dv, positive * v, negative * v.unsqueeze(1)


def _flipped_gradients(v: Tensor, u: Tensor, n: Tensor) -> tuple[Tensor, ...]:
    positive, negative = _errors(v, u, n)
    positive = 1 - positive
    return positive * u + (negative * n).sum(1), positive * v, negative * v.unsqueeze(1)


def _autograd_gradients(v: Tensor, u: Tensor, n: Tensor) -> tuple[Tensor, ...]:
    leaves = [t.clone().requires_grad_() for t in (v, u, n)]
    return torch.autograd.grad(word2vec.sgns_loss(*leaves) * len(v), leaves)


def _center_without_noise(v: Tensor, u: Tensor, n: Tensor) -> tuple[Tensor, ...]:
    _, du, dn = word2vec.sgns_gradients(v, u, n)
    positive = torch.sigmoid((v * u).sum(-1, keepdim=True)) - 1
    return positive * u, du, dn


def _noise_with_target_one(v: Tensor, u: Tensor, n: Tensor) -> tuple[Tensor, ...]:
    positive, negative = _errors(v, u, n)
    positive, negative = positive - 1, negative - 1
    return positive * u + (negative * n).sum(1), positive * v, negative * v.unsqueeze(1)


def _minus_for_the_noise(v: Tensor, u: Tensor, n: Tensor) -> tuple[Tensor, ...]:
    positive, negative = _errors(v, u, n)
    positive = positive - 1
    return positive * u - (negative * n).sum(1), positive * v, -negative * v.unsqueeze(1)


def _mean_over_noise(v: Tensor, u: Tensor, n: Tensor) -> tuple[Tensor, ...]:
    positive, negative = _errors(v, u, n)
    positive = positive - 1
    return positive * u + (negative * n).mean(1), positive * v, negative * v.unsqueeze(1)


def _own_vector(v: Tensor, u: Tensor, n: Tensor) -> tuple[Tensor, ...]:
    positive, negative = _errors(v, u, n)
    positive = positive - 1
    return positive * v + (negative * v.unsqueeze(1)).sum(1), positive * u, negative * n


def _center_and_context_swapped(v: Tensor, u: Tensor, n: Tensor) -> tuple[Tensor, ...]:
    dv, du, dn = word2vec.sgns_gradients(v, u, n)
    return du, dv, dn


def _three_gradients(inputs: Inputs, outputs: Plain) -> Plain:
    if not isinstance(outputs, tuple | list) or len(outputs) != 3:
        raise AnswerRefused("Return three tensors: the gradients for center, context, negatives.")
    names = ("center", "context", "negatives")
    return {f"gradient for {name}": value for name, value in zip(names, outputs, strict=True)}


def _summed_noise(v: Tensor, u: Tensor, n: Tensor) -> tuple[Tensor, ...]:
    dv, du, dn = word2vec.sgns_gradients(v, u, n)
    return dv, du, dn.sum(1)


SGNS_GRADIENTS = Exercise(
    id="sgns_gradients",
    title="The gradient by hand",
    lesson=LESSON,
    points=4,
    difficulty=4,
    importance=5,
    minutes=15,
    reference=word2vec.sgns_gradients,
    run=call_with_tensors,
    view=_three_gradients,
    cases=(
        Case("one pair, one negative", _vectors(1, 1, 3)),
        Case("a batch of 5 pairs, 4 negatives", _vectors(5, 4, 6), weight=2),
        Case("all scores are 0", _zero_scores, edge=True),
        Case("large scores", _vectors(4, 3, 5, scale=4.0), edge=True),
    ),
    mistakes=(
        Mistake(
            "divided by the batch",
            lambda v, u, n: tuple(g / len(v) for g in word2vec.sgns_gradients(v, u, n)),
            "This is the gradient of the mean over the batch. Here each pair keeps its own full "
            "gradient: word2vec takes a whole step for every pair.",
            hint=3,
        ),
        Mistake(
            "the -1 of the true pair",
            lambda v, u, n: _gradients(v, u, n, shift=0.0),
            "You treat the true context word as noise: its error is s(score) - 1, because its "
            "target is 1.",
            hint=2,
        ),
        Mistake(
            "the error of the true pair has the wrong sign",
            _flipped_gradients,
            "The error is prediction minus target, s(score) - 1, which is never positive. Yours is "
            "1 - s(score): a descent step would push the true pair apart.",
            hint=2,
        ),
        Mistake(
            "the centre forgets the noise words",
            _center_without_noise,
            "The centre vector meets the noise words too. Its gradient needs their sum.",
            hint=3,
        ),
        Mistake(
            "one gradient for all noise words",
            _summed_noise,
            "Each noise word has its own vector and so its own gradient: (B, K, D), not summed "
            "over K.",
            hint=3,
        ),
        Mistake(
            "uphill",
            lambda v, u, n: tuple(-g for g in word2vec.sgns_gradients(v, u, n)),
            "All three have the sign of the log-likelihood. The loss is its negative.",
        ),
        Mistake(
            "noise words with target 1",
            _noise_with_target_one,
            "The -1 belongs to the true word alone. A noise word has the target 0, so its error "
            "is s(score).",
            hint=2,
        ),
        Mistake(
            "a minus before the noise",
            _minus_for_the_noise,
            '"Pushed away" needs no minus of yours: these are gradients, and the step subtracts '
            "them. The errors already have the right signs.",
            hint=2,
        ),
        Mistake(
            "the mean over the noise words",
            _mean_over_noise,
            "The centre's gradient adds up its noise words, as the loss does.",
            hint=3,
        ),
        Mistake(
            "each vector times its own error",
            _own_vector,
            "A score is a dot product of two vectors: its derivative for one of them is the "
            "*other* one.",
            hint=1,
        ),
        Mistake(
            "centre and context swapped",
            _center_and_context_swapped,
            "The first two results stand in for each other. The gradient of `center` comes first, "
            "and it is the one with two parts.",
            hint=3,
        ),
    ),
    right_answers={"by autograd": _autograd_gradients, "in one expression each": _gradients},
)


# --- one training step -------------------------------------------------------------------------


def _run_step(answer: Answer, inputs: Inputs) -> Plain:
    arguments = {name: as_tensors(value) for name, value in inputs.items()}
    loss = plain(answer(*arguments.values()))
    if loss is None:
        raise AnswerRefused("Return the loss before the step, as a number.")
    return {
        "loss": loss,
        "input_vectors": plain(arguments["input_vectors"]),
        "output_vectors": plain(arguments["output_vectors"]),
    }


def _batch_of_ids(centers: list[int], contexts: list[int], negatives: list[list[int]]) -> Any:
    def make(rng: np.random.Generator) -> Inputs:
        return {
            "input_vectors": rng.standard_normal((12, 5)).astype(np.float32),
            "output_vectors": rng.standard_normal((12, 5)).astype(np.float32),
            "centers": np.array(centers),
            "contexts": np.array(contexts),
            "negatives": np.array(negatives),
            "learning_rate": 0.2,
        }

    return make


def _step_with_plain_indexing(
    w: Tensor, c: Tensor, centers: Tensor, contexts: Tensor, negatives: Tensor, rate: float
) -> float:
    vectors = w[centers], c[contexts], c[negatives]
    dv, du, dn = word2vec.sgns_gradients(*vectors)
    w[centers] -= rate * dv
    c[contexts] -= rate * du
    c[negatives] -= rate * dn
    return float(word2vec.sgns_loss(*vectors))


def _step_one_table_late(
    w: Tensor, c: Tensor, centers: Tensor, contexts: Tensor, negatives: Tensor, rate: float
) -> float:
    vectors = w[centers], c[contexts], c[negatives]
    loss = float(word2vec.sgns_loss(*vectors))
    w.index_add_(0, centers, word2vec.sgns_gradients(*vectors)[0], alpha=-rate)
    _, du, dn = word2vec.sgns_gradients(w[centers], vectors[1], vectors[2])
    c.index_add_(0, contexts, du, alpha=-rate)
    c.index_add_(0, negatives.flatten(), dn.flatten(0, 1), alpha=-rate)
    return loss


def _step_without_noise_update(
    w: Tensor, c: Tensor, centers: Tensor, contexts: Tensor, negatives: Tensor, rate: float
) -> float:
    vectors = w[centers], c[contexts], c[negatives]
    dv, du, _ = word2vec.sgns_gradients(*vectors)
    w.index_add_(0, centers, dv, alpha=-rate)
    c.index_add_(0, contexts, du, alpha=-rate)
    return float(word2vec.sgns_loss(*vectors))


def _step_on_copies(
    w: Tensor, c: Tensor, centers: Tensor, contexts: Tensor, negatives: Tensor, rate: float
) -> float:
    return word2vec.sgns_step(w.clone(), c.clone(), centers, contexts, negatives, rate)


def _step_scaled(factor: float) -> Answer:
    def step(
        w: Tensor, c: Tensor, centers: Tensor, contexts: Tensor, negatives: Tensor, rate: float
    ) -> float:
        scale = factor if factor < 0 else factor / len(centers)
        return word2vec.sgns_step(w, c, centers, contexts, negatives, scale * rate)

    return step


def _step_pair_by_pair_sums(
    w: Tensor, c: Tensor, centers: Tensor, contexts: Tensor, negatives: Tensor, rate: float
) -> float:
    vectors = w[centers].clone(), c[contexts].clone(), c[negatives].clone()
    dv, du, dn = word2vec.sgns_gradients(*vectors)
    for b in range(len(centers)):
        w[centers[b]] -= rate * dv[b]
        c[contexts[b]] -= rate * du[b]
        for k in range(negatives.shape[1]):
            c[negatives[b, k]] -= rate * dn[b, k]
    return float(word2vec.sgns_loss(*vectors))


def _step_by_autograd(
    w: Tensor, c: Tensor, centers: Tensor, contexts: Tensor, negatives: Tensor, rate: float
) -> Tensor:
    a, b = w.clone().requires_grad_(), c.clone().requires_grad_()
    loss = word2vec.sgns_loss(a[centers], b[contexts], b[negatives])
    da, db = torch.autograd.grad(loss * len(centers), (a, b))
    w -= rate * da
    c -= rate * db
    return loss.detach()


def _step_loss_after(
    w: Tensor, c: Tensor, centers: Tensor, contexts: Tensor, negatives: Tensor, rate: float
) -> float:
    word2vec.sgns_step(w, c, centers, contexts, negatives, rate)
    return float(word2vec.sgns_loss(w[centers], c[contexts], c[negatives]))


def _step_one_table(
    w: Tensor, c: Tensor, centers: Tensor, contexts: Tensor, negatives: Tensor, rate: float
) -> float:
    return word2vec.sgns_step(w, w, centers, contexts, negatives, rate)


SGNS_STEP = Exercise(
    id="sgns_step",
    title="One training step",
    lesson=LESSON,
    points=3,
    difficulty=3,
    importance=4,
    minutes=12,
    reference=word2vec.sgns_step,
    run=_run_step,
    cases=(
        Case("every word once", _batch_of_ids([0, 1], [2, 3], [[4, 5], [6, 7]])),
        Case("a centre word three times", _batch_of_ids([0, 0, 0], [1, 2, 3], [[4], [5], [6]])),
        Case(
            "a noise word that is also a context",
            _batch_of_ids([0, 1], [2, 3], [[3, 5], [5, 5]]),
        ),
        Case("a batch of one", _batch_of_ids([8], [9], [[10, 11, 0]]), weight=0.5, edge=True),
    ),
    mistakes=(
        Mistake(
            "a repeated word keeps only its last update",
            _step_with_plain_indexing,
            "`table[ids] -= ...` writes each row once, even when an id occurs three times: all "
            "updates but one are lost. `index_add_` adds them up.",
            hint=3,
        ),
        Mistake(
            "the second table sees the first one's update",
            _step_one_table_late,
            "Compute all three gradients first, then change the tables. Yours uses centre vectors "
            "that have already moved.",
            hint=2,
        ),
        Mistake(
            "noise words do not move",
            _step_without_noise_update,
            "Only the true pair is updated. The noise words' output vectors learn as well.",
            hint=2,
        ),
        Mistake(
            "the tables stay as they were",
            _step_on_copies,
            "The loss is right, but both tables are unchanged afterwards: you updated copies. "
            "Change the tables in place.",
            hint=3,
        ),
        Mistake(
            "a step uphill",
            _step_scaled(-1.0),
            "The loss would rise: the gradient is added. Descent subtracts it.",
            hint=1,
        ),
        Mistake(
            "the step is divided by the batch",
            _step_scaled(1.0),
            "word2vec takes a full step for every pair. Use the per-pair gradients as they are.",
        ),
        Mistake(
            "the loss after the step",
            _step_loss_after,
            "The tables are right, but the loss is the one after the step. Compute it from the "
            "rows before you change them.",
            hint=2,
        ),
        Mistake(
            "all rows from the input table",
            _step_one_table,
            "Context and noise words have their own table: `output_vectors`.",
            hint=2,
        ),
    ),
    right_answers={"a loop over pairs": _step_pair_by_pair_sums, "by autograd": _step_by_autograd},
)


# --- PMI - log k -------------------------------------------------------------------------------


def _pair_counts(rows: int, columns: int, negatives: int, zeros: bool = False) -> Any:
    def make(rng: np.random.Generator) -> Inputs:
        counts = rng.integers(1, 60, size=(rows, columns)).astype(np.float64)
        if zeros:
            counts[rng.integers(rows), rng.integers(columns)] = 0.0
        return {"pair_counts": counts, "negatives": negatives}

    return make


def _pmi(counts: np.ndarray) -> np.ndarray:
    with np.errstate(divide="ignore"):
        return word2vec.shifted_pmi(counts, 1)


SHIFTED_PMI = Exercise(
    id="shifted_pmi",
    title="What the scores converge to",
    lesson=LESSON,
    points=3,
    difficulty=2,
    importance=4,
    minutes=8,
    reference=word2vec.shifted_pmi,
    cases=(
        Case("4 words, 5 negatives", _pair_counts(4, 4, 5)),
        Case("more contexts than words", _pair_counts(3, 6, 2)),
        Case("k = 1: the PMI itself", _pair_counts(4, 4, 1), edge=True),
        Case("a pair that never occurs", _pair_counts(4, 4, 5, zeros=True), edge=True),
    ),
    mistakes=(
        Mistake(
            "log k is missing",
            lambda counts, k: _pmi(counts),
            "This is the PMI. Each positive pair meets k noise words, and that shifts the score "
            "down by log k.",
            hint=3,
        ),
        Mistake(
            "log k is added",
            lambda counts, k: _pmi(counts) + math.log(k),
            "The shift goes the other way: more noise words push the scores down.",
            hint=3,
        ),
        Mistake(
            "k instead of log k",
            lambda counts, k: _pmi(counts) - k,
            "You subtract k itself. The shift is its logarithm.",
            hint=3,
        ),
        Mistake(
            "row and column sums multiplied place by place",
            lambda counts, k: np.log(counts * counts.sum() / (counts.sum(1) * counts.sum(0)) / k),
            "`counts.sum(1) * counts.sum(0)` multiplies two flat arrays place by place. Every row "
            "sum must meet every column sum: use `keepdims=True`.",
            hint=2,
        ),
        Mistake(
            "the number of cells instead of the number of pairs",
            lambda counts, k: np.log(
                counts * counts.size / np.outer(counts.sum(1), counts.sum(0)) / k
            ),
            "|D| is the number of pairs in the text, the sum of all counts, not the size of the "
            "table.",
            hint=2,
        ),
        Mistake(
            "logarithm to base 2",
            lambda counts, k: word2vec.shifted_pmi(counts, k) / math.log(2),
            "The sigmoid is built on e, so this is the natural logarithm: `np.log`.",
            hint=3,
        ),
        Mistake(
            "the total is missing",
            lambda counts, k: word2vec.shifted_pmi(counts, k) - np.log(counts.sum()),
            "All your scores are too low by the log of the number of pairs. Compare with what "
            "chance would give: #(w) #(c) / |D|.",
            hint=1,
        ),
        Mistake(
            "negative values cut to 0",
            lambda counts, k: np.maximum(0.0, word2vec.shifted_pmi(counts, k)),
            "That is the shifted positive PMI, a later step in the same paper. Here negative "
            "values stay, also -inf.",
            hint=3,
        ),
        Mistake(
            "the mean instead of chance",
            lambda counts, k: np.log(counts / counts.mean() / k),
            "You compare each pair with the average pair. PMI compares it with how frequent its "
            "own two words are.",
            hint=1,
        ),
    ),
    right_answers={
        "probabilities": lambda counts, k: np.log(
            (counts / counts.sum())
            / np.outer(counts.sum(1) / counts.sum(), counts.sum(0) / counts.sum())
            / k
        ),
        "tensors": lambda counts, k: torch.log(
            torch.as_tensor(counts)
            * counts.sum()
            / (torch.as_tensor(counts.sum(1)).unsqueeze(1) * torch.as_tensor(counts.sum(0)) * k)
        ),
    },
)


EXERCISES = [
    SOFTMAX_COST,
    DYNAMIC_WINDOW_PAIRS,
    KEEP_PROBABILITY,
    NOISE_DISTRIBUTION,
    SGNS_LOSS,
    SGNS_GRADIENTS,
    SGNS_STEP,
    SHIFTED_PMI,
]
