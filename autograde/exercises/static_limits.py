"""Lesson 02: counts, subwords, and the wall in front of one vector per word."""

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from gensim.models.fasttext import ft_ngram_hashes
from torch import Tensor

from autograde.checking.exercise import (
    Answer,
    AnswerRefused,
    Case,
    Exercise,
    Inputs,
    Mistake,
    Plain,
    as_tensors,
    plain,
)
from elmo_mini.word_vectors import fasttext, glove, majority_ceiling, pseudo_words

LESSON = "02_static_limits"

Sentences = list[list[int]]
Table = np.ndarray


# --- co-occurrence counts ----------------------------------------------------------------------


def _drawn_sentences(lengths: Sequence[int], words: int, window: int) -> Any:
    def make(rng: np.random.Generator) -> Inputs:
        drawn = [[int(i) for i in rng.integers(words, size=length)] for length in lengths]
        drawn[0][:3] = [0, 1, 2]
        return {"sentences": drawn, "vocabulary_size": words, "window": window}

    return make


def _counted(
    sentences: Sentences,
    size: int,
    window: int,
    *,
    flat: bool = False,
    left_only: bool = False,
    short: bool = False,
    triangular: bool = False,
    itself: bool = False,
    twin_once: bool = False,
) -> Table:
    """Counts with one thing done otherwise: the wrong answers are built from this."""
    counts = np.zeros((size, size))
    for ids in sentences:
        for place, word in enumerate(ids):
            counts[word, word] += itself
            for distance in range(1, window + (not short)):
                if place >= distance:
                    weight = 1.0 if flat else 1 / distance
                    weight = (window - distance + 1) / window if triangular else weight
                    counts[word, ids[place - distance]] += weight
                    if not left_only and not (twin_once and ids[place - distance] == word):
                        counts[ids[place - distance], word] += weight
    return counts


def _counted_round_the_corner(sentences: Sentences, size: int, window: int) -> Table:
    counts = np.zeros((size, size))
    for ids in sentences:
        for place, word in enumerate(ids):
            for distance in range(1, window + 1):
                counts[word, ids[place - distance]] += 1 / distance
                counts[ids[place - distance], word] += 1 / distance
    return counts


def _counted_from_first_places(sentences: Sentences, size: int, window: int) -> Table:
    counts = np.zeros((size, size))
    for ids in sentences:
        for word in ids:
            place = ids.index(word)
            for distance in range(1, min(window, place) + 1):
                counts[word, ids[place - distance]] += 1 / distance
                counts[ids[place - distance], word] += 1 / distance
    return counts


def _counted_without_twins(sentences: Sentences, size: int, window: int) -> Table:
    counts = _counted(sentences, size, window)
    np.fill_diagonal(counts, 0.0)
    return counts


def _counted_in_whole_numbers(sentences: Sentences, size: int, window: int) -> Table:
    counts = np.zeros((size, size), dtype=int)
    for ids in sentences:
        for place, word in enumerate(ids):
            for distance in range(1, min(window, place) + 1):
                counts[word, ids[place - distance]] += int(1 / distance)
                counts[ids[place - distance], word] += int(1 / distance)
    return counts


def _both_ways(sentences: Sentences, size: int, window: int) -> Tensor:
    counts = torch.zeros(size, size, dtype=torch.float64)
    for ids in sentences:
        for i, word in enumerate(ids):
            for j in range(max(0, i - window), min(len(ids), i + window + 1)):
                if i != j:
                    counts[word, ids[j]] += 1 / abs(i - j)
    return counts


COOCCURRENCE_COUNTS = Exercise(
    id="cooccurrence_counts",
    title="Who stands near whom, and how near",
    lesson=LESSON,
    points=3,
    difficulty=2,
    importance=4,
    minutes=15,
    reference=glove.cooccurrence_counts,
    cases=(
        Case(
            "one sentence of four words",
            lambda rng: {"sentences": [[0, 1, 2, 3]], "vocabulary_size": 4, "window": 2},
        ),
        Case("several sentences, window 3", _drawn_sentences((9, 7, 8), 6, 3), weight=2),
        Case(
            "a word beside itself",
            lambda rng: {"sentences": [[1, 1, 0]], "vocabulary_size": 2, "window": 2},
            edge=True,
        ),
        Case(
            "sentences shorter than the window, and an empty one",
            lambda rng: {"sentences": [[0, 1], [], [2]], "vocabulary_size": 3, "window": 5},
            edge=True,
        ),
    ),
    mistakes=(
        Mistake(
            "every pair counts 1",
            lambda s, v, w: _counted(s, v, w, flat=True),
            "All pairs in the window count the same. A pair `d` places apart counts 1/d.",
            hint=3,
        ),
        Mistake(
            "only the left side",
            lambda s, v, w: _counted(s, v, w, left_only=True),
            "Only one of the two words is told of the other. Being near goes both ways: the "
            "table is symmetric.",
            hint=2,
        ),
        Mistake(
            "the farthest neighbour is lost",
            lambda s, v, w: _counted(s, v, w, short=True),
            "Neighbours exactly `window` places away are missing. `range(1, window)` ends before "
            "`window`.",
            hint=3,
        ),
        Mistake(
            "pairs across sentences",
            lambda s, v, w: _counted([[i for ids in s for i in ids]], v, w),
            "You count pairs whose words stand in different sentences. Walk over one sentence at "
            "a time.",
            hint=3,
        ),
        Mistake(
            "the dynamic window's weights",
            lambda s, v, w: _counted(s, v, w, triangular=True),
            "These are the weights of word2vec's dynamic window. GloVe's are 1/d: 1, 1/2, 1/3 …",
            hint=3,
        ),
        Mistake(
            "a word is its own neighbour",
            lambda s, v, w: _counted(s, v, w, itself=True),
            "Each place is counted as its own neighbour. Distances begin at 1.",
            hint=3,
        ),
        Mistake(
            "a word beside itself is skipped",
            _counted_without_twins,
            "The same word may stand at two places near each other (*very, very*), and that pair "
            "counts. Compare places, not words.",
            hint=3,
        ),
        Mistake(
            "negative places",
            _counted_round_the_corner,
            "At the start of a sentence a negative place counts from the end in Python, and far "
            "words become neighbours. Stop at place 0.",
            hint=3,
        ),
        Mistake(
            "the place of a repeated word",
            _counted_from_first_places,
            "`ids.index(word)` finds the first place of a word, also when you are at its second. "
            "Walk over places with `enumerate`.",
            hint=3,
        ),
        Mistake(
            "every pair twice",
            lambda s, v, w: 2 * _counted(s, v, w),
            "All your counts are twice too large. You look to both sides and write both entries "
            "each time, so every pair is met twice. Look to one side, or write one entry.",
            hint=2,
        ),
        Mistake(
            "a word beside itself counts once",
            lambda s, v, w: _counted(s, v, w, twin_once=True),
            "Where a word stands beside itself, `[i, j]` and `[j, i]` are one entry, and it gets "
            "1/d twice: once for each of the two places.",
            hint=3,
        ),
        Mistake(
            "the fractions are cut off",
            _counted_in_whole_numbers,
            "Your table holds whole numbers, so 1/2 and 1/3 become 0 when they are written into "
            "it. Leave out `dtype=int`.",
            hint=3,
        ),
    ),
    right_answers={
        "both sides in one loop": _both_ways,
        "one distance at a time": lambda s, v, w: glove.sparse_counts(s, v, w).toarray(),
    },
)


# --- the weight f ------------------------------------------------------------------------------


def _some_counts(x_max: float, alpha: float) -> Any:
    def make(rng: np.random.Generator) -> Inputs:
        counts = x_max * np.concatenate([rng.uniform(0.05, 0.9, 4), rng.uniform(1.5, 9, 3)])
        return {"counts": counts, "x_max": x_max, "alpha": alpha}

    return make


GLOVE_WEIGHT = Exercise(
    id="glove_weight",
    title="How much a count is trusted",
    lesson=LESSON,
    points=2,
    difficulty=2,
    importance=3,
    minutes=5,
    reference=glove.glove_weight,
    cases=(
        Case("x_max 100, alpha 3/4", _some_counts(100.0, 0.75), weight=2),
        Case("x_max 10, alpha 3/4", _some_counts(10.0, 0.75)),
        Case("alpha 1/2", _some_counts(100.0, 0.5)),
        Case(
            "zero, x_max itself, and far beyond",
            lambda rng: {"counts": np.array([0.0, 50.0, 5e6]), "x_max": 50.0, "alpha": 0.75},
            edge=True,
        ),
    ),
    mistakes=(
        Mistake(
            "no upper end",
            lambda x, x_max, alpha: (x / x_max) ** alpha,
            "Beyond x_max your weights go on rising, and *of the* would rule the loss. From x_max "
            "on the weight is 1.",
            hint=2,
        ),
        Mistake(
            "the power before the division",
            lambda x, x_max, alpha: np.minimum(x**alpha / x_max, 1.0),
            "You raise x alone. The whole fraction x / x_max is raised to alpha.",
            hint=1,
        ),
        Mistake(
            "the power is missing",
            lambda x, x_max, alpha: np.minimum(x / x_max, 1.0),
            "Your weight rises in a straight line. Raise the fraction to the power alpha.",
            hint=1,
        ),
        Mistake(
            "x_max written into the code",
            lambda x, x_max, alpha: np.minimum(x / 100.0, 1.0) ** alpha,
            "The 100 is written into your code. Use the argument `x_max`.",
            hint=3,
        ),
        Mistake(
            "alpha written into the code",
            lambda x, x_max, alpha: np.minimum(x / x_max, 1.0) ** 0.75,
            "The 3/4 is written into your code. Use the argument `alpha`.",
            hint=3,
        ),
        Mistake(
            "the division is missing",
            lambda x, x_max, alpha: np.minimum(x, x_max) ** alpha,
            "You cut off at x_max but never divide by it, so the weights go far above 1. Divide "
            "first.",
            hint=2,
        ),
        Mistake(
            "frequent pairs are dropped",
            lambda x, x_max, alpha: np.where(x < x_max, (x / x_max) ** alpha, 0.0),
            "Counts of x_max and more get weight 0: the best-known pairs would be ignored. They "
            "get 1.",
            hint=2,
        ),
        Mistake(
            "both numbers written into the code",
            lambda x, x_max, alpha: np.minimum(x / 100.0, 1.0) ** 0.75,
            "The 100 and the 3/4 are written into your code. Use the arguments `x_max` and "
            "`alpha`.",
            hint=3,
        ),
        Mistake(
            "one `if` for a whole array",
            lambda x, x_max, alpha: (x / x_max) ** alpha if x < x_max else np.ones_like(x),
            "`counts` is an array, and `if` can ask about one number only. Numpy's advice, "
            "`any` or `all`, does not help here: each count needs its own answer. "
            "`np.where(condition, a, b)` and `np.minimum` choose element by element.",
            hint=2,
        ),
        Mistake(
            "the larger instead of the smaller",
            lambda x, x_max, alpha: np.maximum(x / x_max, 1.0) ** alpha,
            "`np.maximum` keeps the larger of the two, so no weight is below 1. To cut off above, "
            "keep the smaller: `np.minimum`.",
            hint=2,
        ),
        Mistake(
            "times alpha",
            lambda x, x_max, alpha: np.minimum(x / x_max, 1.0) * alpha,
            "You multiply by alpha. Raise to the power alpha: two stars, `**`.",
            hint=3,
        ),
    ),
    right_answers={
        "np.where": lambda x, x_max, alpha: np.where(x < x_max, (x / x_max) ** alpha, 1.0),
        "tensors": lambda x, x_max, alpha: (torch.as_tensor(x) / x_max).clamp(max=1.0) ** alpha,
    },
)


# --- the loss ----------------------------------------------------------------------------------


def _glove_tables(
    rows: int,
    columns: int,
    *,
    zeros: bool = False,
    small: bool = False,
    x_max: float = 10.0,
    alpha: float = 0.75,
) -> Any:
    def make(rng: np.random.Generator) -> Inputs:
        counts = rng.uniform(1.0, 2.5 * x_max, size=(rows, columns))
        if small:
            counts = rng.choice([0.2, 1 / 3, 0.5, 0.7], size=(rows, columns))
        if zeros:
            counts[rng.random((rows, columns)) < 0.4] = 0.0
            counts[0, 0], counts[0, 1] = 0.0, 3.0
        return {
            "vectors": rng.standard_normal((rows, 4)),
            "context_vectors": rng.standard_normal((columns, 4)),
            "biases": rng.standard_normal(rows),
            "context_biases": rng.standard_normal(columns),
            "counts": counts,
            "x_max": x_max,
            "alpha": alpha,
        }

    return make


def _loss(
    w: Tensor,
    c: Tensor,
    b: Tensor,
    d: Tensor,
    x: Tensor,
    x_max: float,
    alpha: float,
    *,
    biases: bool = True,
    weighted: bool = True,
    squared: bool = True,
    target: str = "log",
    shift: float = 0.0,
    inside: bool = False,
    signed: bool = False,
) -> Tensor:
    """The loss on the pairs that occur, with one thing done otherwise."""
    i, j = torch.nonzero(x, as_tuple=True)
    score = (w[i] * c[j]).sum(-1) + (b[i] + d[j] if biases else 0.0)
    error = score - (torch.log(x[i, j] + shift) if target == "log" else x[i, j])
    weight = (x[i, j] / x_max).clamp(max=1.0) ** alpha if weighted else torch.ones_like(error)
    if inside:
        return ((weight * error) ** 2).sum()
    if signed:
        return (weight * error).sum()
    return (weight * (error**2 if squared else error.abs())).sum()


def _loss_of_scores(scores: Tensor, x: Tensor, x_max: float, alpha: float) -> Tensor:
    logs = torch.log(torch.where(x > 0, x, torch.ones_like(x)))
    return ((x / x_max).clamp(max=1.0) ** alpha * (scores - logs) ** 2).sum()


def _loss_with_lifted_counts(
    w: Tensor, c: Tensor, b: Tensor, d: Tensor, x: Tensor, x_max: float, alpha: float
) -> Tensor:
    error = w @ c.T + b[:, None] + d - torch.log(x.clamp(min=1.0))
    return ((x / x_max).clamp(max=1.0) ** alpha * error**2).sum()


def _unsummed_loss(
    w: Tensor, c: Tensor, b: Tensor, d: Tensor, x: Tensor, x_max: float, alpha: float
) -> Tensor:
    logs = torch.log(torch.where(x > 0, x, torch.ones_like(x)))
    return (x / x_max).clamp(max=1.0) ** alpha * (w @ c.T + b[:, None] + d - logs) ** 2


def _loss_with_log_of_zero(
    w: Tensor, c: Tensor, b: Tensor, d: Tensor, x: Tensor, x_max: float, alpha: float
) -> Tensor:
    error = w @ c.T + b[:, None] + d - torch.log(x)
    return ((x / x_max).clamp(max=1.0) ** alpha * error**2).sum()


def _loss_with_late_where(
    w: Tensor, c: Tensor, b: Tensor, d: Tensor, x: Tensor, x_max: float, alpha: float
) -> Tensor:
    error = w @ c.T + b[:, None] + d - torch.log(x)
    parts = (x / x_max).clamp(max=1.0) ** alpha * error**2
    return torch.where(x > 0, parts, torch.zeros_like(parts)).sum()


def _loss_with_swapped_biases(
    w: Tensor, c: Tensor, b: Tensor, d: Tensor, x: Tensor, x_max: float, alpha: float
) -> Tensor:
    return glove.glove_loss(w, c, d + torch.zeros(len(w)), b + torch.zeros(len(c)), x, x_max, alpha)


def _loss_by_loops(
    w: Tensor, c: Tensor, b: Tensor, d: Tensor, x: Tensor, x_max: float, alpha: float
) -> Tensor:
    total = torch.zeros((), dtype=w.dtype)
    for i in range(len(w)):
        for j in range(len(c)):
            if x[i, j] > 0:
                error = w[i] @ c[j] + b[i] + d[j] - torch.log(x[i, j])
                total = total + min(1.0, float(x[i, j]) / x_max) ** alpha * error**2
    return total


def _loss_by_einsum(
    w: Tensor, c: Tensor, b: Tensor, d: Tensor, x: Tensor, x_max: float, alpha: float
) -> Tensor:
    scores = torch.einsum("id,jd->ij", w, c) + b.unsqueeze(1) + d.unsqueeze(0)
    weight = torch.where(x < x_max, (x / x_max) ** alpha, torch.ones_like(x))
    return torch.sum(weight * (scores - x.clamp(min=1e-12).log()) ** 2)


CUT_OFF = (
    "Your loss is a tensor, and autograd cannot follow it back to the vectors. Somewhere on the "
    "way the numbers left the graph: `.numpy()`, `.detach()`, `.item()` and `torch.tensor(...)` "
    "all do that. Compute with the tensors as they came."
)


def _run_loss(answer: Answer, inputs: Inputs) -> Plain:
    """The loss and its gradient for the vectors: the lesson goes on to learn with both."""
    tensors = [as_tensors(value) for value in inputs.values()]
    vectors = tensors[0].requires_grad_()
    loss = answer(vectors, *tensors[1:])
    if loss is None:
        raise AnswerRefused("Your function returned None. Is there a `return` at the end?")
    if not isinstance(loss, Tensor):
        raise AnswerRefused(
            f"Your loss is a {type(loss).__name__}. Return the tensor itself, without `.item()` "
            "or `float()`: autograd must be able to follow it back."
        )
    if not loss.requires_grad:
        raise AnswerRefused(CUT_OFF)
    if loss.ndim:
        return {"loss": plain(loss), "its gradient for the vectors": None}
    (gradient,) = torch.autograd.grad(loss, vectors)
    return {"loss": plain(loss), "its gradient for the vectors": plain(gradient)}


GLOVE_LOSS = Exercise(
    id="glove_loss",
    title="GloVe's weighted least squares",
    lesson=LESSON,
    points=4,
    difficulty=3,
    importance=4,
    minutes=15,
    reference=glove.glove_loss,
    run=_run_loss,
    cases=(
        Case("one pair", _glove_tables(1, 1)),
        Case("3 words and 5 contexts", _glove_tables(3, 5), weight=2),
        Case("x_max 100, alpha 1/2", _glove_tables(4, 4, x_max=100.0, alpha=0.5)),
        Case("counts between 0 and 1", _glove_tables(4, 3, small=True)),
        Case("pairs that never occur", _glove_tables(4, 4, zeros=True), weight=2, edge=True),
    ),
    mistakes=(
        Mistake(
            "the logarithm of 0",
            _loss_with_log_of_zero,
            "The formula is right, and a pair that never occurs breaks it: log 0 is minus "
            "infinity, and 0 times infinity is no number. Leave those pairs out, or give the "
            "logarithm a 1 where the count is 0.",
            hint=2,
        ),
        Mistake(
            "the biases are missing",
            lambda *a: _loss(*a, biases=False),
            "The score is the dot product and both biases. Without them the vectors must say how "
            "frequent each word is.",
            hint=2,
        ),
        Mistake(
            "every pair weighs the same",
            lambda *a: _loss(*a, weighted=False),
            "The weight f is missing: a pair seen once pulls as hard as one seen a thousand times.",
            hint=1,
        ),
        Mistake(
            "the error is not squared",
            lambda *a: _loss(*a, squared=False),
            "You add up absolute errors. Least squares: square them.",
            hint=1,
        ),
        Mistake(
            "the count, not its logarithm",
            lambda *a: _loss(*a, target="count"),
            "The score is held to log X, not to X: counts grow too large for a dot product.",
            hint=3,
        ),
        Mistake(
            "log(1 + X)",
            lambda *a: _loss(*a, shift=1.0),
            "Adding 1 avoids log 0, and changes every other target too. Pairs with a count of 0 "
            "add nothing; all others have the target log X.",
            hint=3,
        ),
        Mistake(
            "the mean",
            lambda *a: _loss(*a) / a[4].numel(),
            "You average over the table. J is a sum.",
            hint=3,
        ),
        Mistake(
            "the right sum, and a broken gradient",
            _loss_with_late_where,
            "The sum is right, but its gradient is nan. Leaving the infinity out of the sum, with "
            "`torch.where` or `torch.nansum`, comes too late: autograd still walks through the "
            "logarithm of 0. Give the logarithm a 1 where the count is 0, before it is taken.",
            hint=3,
        ),
        Mistake(
            "rows and columns have each other's bias",
            _loss_with_swapped_biases,
            "`biases` belongs to the rows, so it needs a second axis: `biases[:, None]`. "
            "`context_biases` belongs to the columns and fits as it is.",
            hint=2,
        ),
        Mistake(
            "a float",
            lambda *a: float(glove.glove_loss(*a).detach()),
            "Return the tensor itself, without `.item()` or `float()`: autograd must be able to "
            "follow it back.",
        ),
        Mistake(
            "small counts are lifted to 1",
            _loss_with_lifted_counts,
            "`counts.clamp(min=1)` changes the zeros, and every count between 0 and 1 as well. "
            "Two words three places apart count 1/3, and log 1/3 is not 0. Change the zeros alone.",
            hint=3,
        ),
        Mistake(
            "cut off from the vectors",
            lambda *a: torch.tensor(float(glove.glove_loss(*a).detach())),
            CUT_OFF,
        ),
        Mistake(
            "the rows' biases lie along the columns",
            lambda w, c, b, d, x, x_max, alpha: _loss_of_scores(w @ c.T + b + d, x, x_max, alpha),
            "`biases` has one number for each row of the table. `biases[:, None]`, shape "
            "(V, 1), adds it to its row; without that it lies along the columns.",
            hint=2,
        ),
        Mistake(
            "the biases are added to each other",
            lambda w, c, b, d, x, x_max, alpha: _loss_of_scores(w @ c.T + (b + d), x, x_max, alpha),
            "`biases` and `context_biases` have different lengths and meet in every pair. "
            "`biases[:, None] + context_biases` has shape (V, V').",
            hint=2,
        ),
        Mistake(
            "the second table is not turned",
            lambda w, c, b, d, x, x_max, alpha: _loss_of_scores(
                w @ c + b[:, None] + d, x, x_max, alpha
            ),
            "`vectors @ context_vectors` multiplies (V, D) by (V', D). Turn the second table: "
            "`context_vectors.T`.",
            hint=2,
        ),
        Mistake(
            "row by row",
            lambda w, c, b, d, x, x_max, alpha: _loss_of_scores(
                (w * c).sum(1) + b[:, None] + d, x, x_max, alpha
            ),
            "You pair row 1 with row 1, row 2 with row 2. Every vector meets every context vector: "
            "`vectors @ context_vectors.T` has shape (V, V').",
            hint=2,
        ),
        Mistake(
            "the bare errors",
            lambda *a: _loss(*a, signed=True),
            "You add up the errors with their signs, so they cancel. Square each of them.",
            hint=1,
        ),
        Mistake(
            "the weight is squared too",
            lambda *a: _loss(*a, inside=True),
            "Your weight stands inside the square. f(X) times the square of the error.",
            hint=3,
        ),
        Mistake(
            "x_max and alpha of the paper",
            lambda w, c, b, d, x, x_max, alpha: glove.glove_loss(w, c, b, d, x),
            "You weigh with x_max = 100 and alpha = 3/4 always. Hand your own arguments `x_max` "
            "and `alpha` on.",
            hint=1,
        ),
        Mistake(
            "x_max of the paper",
            lambda w, c, b, d, x, x_max, alpha: glove.glove_loss(w, c, b, d, x, alpha=alpha),
            "You weigh with x_max = 100 always. Use the argument `x_max`.",
        ),
        Mistake(
            "alpha of the paper",
            lambda w, c, b, d, x, x_max, alpha: glove.glove_loss(w, c, b, d, x, x_max),
            "You weigh with alpha = 3/4 always. Use the argument `alpha`.",
        ),
        Mistake(
            "the sum is missing",
            _unsummed_loss,
            "You return one number for each pair. J is their sum.",
            hint=3,
        ),
    ),
    right_answers={
        "only the pairs that occur": _loss,
        "two loops": _loss_by_loops,
        "einsum, and a tiny floor under the counts": _loss_by_einsum,
    },
)


# --- character n-grams -------------------------------------------------------------------------


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


def _stretches(marked: str, shortest: int, longest: int) -> list[str]:
    return [
        marked[i : i + n] for n in range(shortest, longest + 1) for i in range(len(marked) - n + 1)
    ]


def _lazy_ngrams(word: str, shortest: int, longest: int) -> Any:
    marked = "<" + word + ">"
    for start in range(len(marked)):
        for end in range(start + shortest, min(start + longest, len(marked)) + 1):
            yield marked[start:end]


CHARACTER_NGRAMS = Exercise(
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
            lambda w, a, b: _stretches(w, a, b),
            "The word has no boundary signs: *her* inside *where* would be the same as the word "
            "*her*. Put the signs on first, then cut.",
            hint=1,
        ),
        Mistake(
            "no piece ends in `>`",
            lambda w, a, b: _stretches("<" + w, a, b),
            "The last piece of each length is missing. Either the loop over the starts ends one "
            "too early (a text of m characters has m - n + 1 stretches of length n), or the sign "
            "for the end was never put on.",
            hint=2,
        ),
        Mistake(
            "no piece begins with `<`",
            lambda w, a, b: _stretches(w + ">", a, b),
            "The first piece of each length is missing. Either the sign for the start was never "
            "put on, or the loop over the starts begins at 1.",
            hint=2,
        ),
        Mistake(
            "the longest pieces are missing",
            lambda w, a, b: _stretches(f"<{w}>", a, b - 1),
            "There are no pieces of the length `longest`. `range(shortest, longest)` ends too "
            "early.",
            hint=3,
        ),
        Mistake(
            "only the shortest pieces",
            lambda w, a, b: _stretches(f"<{w}>", a, a),
            "All your pieces have one length. Every length from `shortest` to `longest` is cut.",
            hint=2,
        ),
        Mistake(
            "each piece once",
            lambda w, a, b: sorted(set(_stretches(f"<{w}>", a, b))),
            "A set keeps *ana* of *banana* once. It stands there twice, so list it twice.",
        ),
        Mistake(
            "the whole word as a piece",
            lambda w, a, b: [*_stretches(f"<{w}>", a, b), f"<{w}>"],
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
            lambda w, a, b: [f"<{piece}>" for piece in _stretches(w, a, b)],
            "You put the signs around every piece. They stand around the word, once, before it is "
            "cut.",
            hint=1,
        ),
        Mistake(
            "3 and 6 written into the code",
            lambda w, a, b: _stretches(f"<{w}>", 3, 6),
            "The lengths 3 and 6 are written into your code. Use `shortest` and `longest`.",
            hint=3,
        ),
        Mistake(
            "capitals are lost",
            lambda w, a, b: _stretches(f"<{w}>".lower(), a, b),
            "You make the word small. A capital is another character: cut the word as it is spelt.",
        ),
    ),
    right_answers={
        "a generator": _lazy_ngrams,
        "length by length": lambda w, a, b: _stretches(f"<{w}>", a, b),
    },
)


# --- the vector of any spelling ----------------------------------------------------------------

KNOWN = ["paper", "banana", "thing", "打"]


def _spelling(word: str) -> Any:
    def make(rng: np.random.Generator) -> Inputs:
        return {
            "word": word,
            "words": list(KNOWN),
            "word_vectors": rng.standard_normal((len(KNOWN), 5)),
            "ngram_vectors": rng.standard_normal((97, 5)),
        }

    return make


def _rows(word: str, table: Table) -> list[int]:
    return [fasttext.bucket(piece, len(table)) for piece in fasttext.character_ngrams(word)]


def _sum_of_buckets(word: str, words: list[str], own: Table, table: Table, buckets: int) -> Table:
    rows = [fasttext.bucket(piece, buckets) for piece in fasttext.character_ngrams(word)]
    return table[rows].sum(0) + _own(word, words, own)


def _own(word: str, words: list[str], vectors: Table) -> Table:
    return vectors[words.index(word)] if word in words else np.zeros(vectors.shape[1])


def _sum_by_loop(word: str, words: list[str], own: Table, table: Table) -> Table:
    total = np.zeros(table.shape[1])
    for row in ft_ngram_hashes(word, 3, 6, len(table)):
        total += table[row]
    for known, vector in zip(words, own, strict=True):
        if known == word:
            total += vector
    return total


SUBWORD_VECTOR = Exercise(
    id="subword_vector",
    title="A vector for every spelling",
    lesson=LESSON,
    points=3,
    difficulty=2,
    importance=4,
    minutes=10,
    reference=fasttext.subword_vector,
    cases=(
        Case("a word never seen", _spelling("papery")),
        Case("a word of the vocabulary", _spelling("paper")),
        Case("a piece that occurs twice", _spelling("bananas"), edge=True),
        Case("a word of one character", _spelling("打"), edge=True),
    ),
    mistakes=(
        Mistake(
            "the mean",
            lambda w, words, own, table: (
                (table[_rows(w, table)].sum(0) + _own(w, words, own))
                / (len(_rows(w, table)) + (w in words))
            ),
            "You average. The paper adds up; gensim divides by the number of pieces, which "
            "changes the length and not the direction. Here: the sum.",
            hint=3,
        ),
        Mistake(
            "an unseen word gets zeros",
            lambda w, words, own, table: (
                table[_rows(w, table)].sum(0) + _own(w, words, own)
                if w in words
                else np.zeros(table.shape[1])
            ),
            "A word that is not in the vocabulary has n-grams all the same. Add those up.",
            hint=1,
        ),
        Mistake(
            "the word's own vector is forgotten",
            lambda w, words, own, table: table[_rows(w, table)].sum(0),
            "A word of the vocabulary also has a vector of its own. Add it.",
            hint=1,
        ),
        Mistake(
            "a known word ignores its pieces",
            lambda w, words, own, table: (
                _own(w, words, own) if w in words else table[_rows(w, table)].sum(0)
            ),
            "For a known word you return its own vector alone. The n-grams belong to it as well.",
            hint=1,
        ),
        Mistake(
            "no boundary signs",
            lambda w, words, own, table: (
                table[[fasttext.bucket(p, len(table)) for p in _stretches(w, 3, 6)]].sum(0)
                + _own(w, words, own)
            ),
            "Your pieces come from the bare word. `character_ngrams` puts the boundary signs on.",
        ),
        Mistake(
            "each piece once",
            lambda w, words, own, table: (
                table[
                    [fasttext.bucket(p, len(table)) for p in set(fasttext.character_ngrams(w))]
                ].sum(0)
                + _own(w, words, own)
            ),
            "A piece that occurs twice counts twice.",
        ),
        Mistake(
            "each row once",
            lambda w, words, own, table: (
                table[list(set(_rows(w, table)))].sum(0) + _own(w, words, own)
            ),
            "Two pieces may share a bucket, and then its row counts twice. Your set of rows keeps "
            "it once.",
            hint=2,
        ),
        Mistake(
            "the 20,000 of the example",
            lambda w, words, own, table: _sum_of_buckets(w, words, own, table, 20_000),
            "The 20,000 buckets of the cell above are written into your code. This table has "
            "`len(ngram_vectors)` rows.",
            hint=2,
        ),
        Mistake(
            "`bucket` without K",
            lambda w, words, own, table: _sum_of_buckets(w, words, own, table, fasttext.BUCKETS),
            "`bucket(ngram)` alone takes the paper's two million buckets. Give it "
            "`len(ngram_vectors)` as its second argument.",
            hint=2,
        ),
        Mistake(
            "every word is looked up",
            lambda w, words, own, table: table[_rows(w, table)].sum(0) + own[words.index(w)],
            "`words.index(word)` raises an error for a word that is not in the list. Ask "
            "`if word in words` first.",
            hint=3,
        ),
    ),
    right_answers={
        "a loop with gensim's hashes": _sum_by_loop,
        "a count for each bucket": lambda w, words, own, table: (
            np.bincount(_rows(w, table), minlength=len(table)) @ table + _own(w, words, own)
        ),
        "a tensor": lambda w, words, own, table: torch.from_numpy(
            _sum_by_loop(w, words, own, table)
        ),
    },
)


# --- pseudo-words ------------------------------------------------------------------------------

ROUND_TABLE = ["the", "dog", "saw", "a", "category", "of", "cat", "and", "the", "Cat", "dog"]
QUIET = ["nothing", "happens", "here"]


def _text_with(rng: np.random.Generator) -> Inputs:
    words = ["school", "money", "the", "a", "schools", "of", "her"]
    text = [[str(w) for w in rng.choice(words, size=8)] for _ in range(5)]
    text[2][:3] = ["money", "school", "money"]
    return {"sentences": text, "first": "school", "second": "money", "merged": "school|money"}


def _merge_case(*sentences: list[str]) -> Any:
    def make(rng: np.random.Generator) -> Inputs:
        text = [list(sentence) for sentence in sentences]
        return {"sentences": text, "first": "cat", "second": "dog", "merged": "catdog"}

    return make


Merged = tuple[list[list[str]], list[Any]]


def _merge(text: list[list[str]], first: str, second: str, merged: str) -> Merged:
    return pseudo_words.merge_words(text, first, second, merged)


def _merge_in_place(text: list[list[str]], first: str, second: str, merged: str) -> Merged:
    labels = []
    for number, sentence in enumerate(text):
        for place, token in enumerate(sentence):
            if token in (first, second):
                sentence[place] = merged
                labels.append((number, place, token))
    return text, labels


def _merge_once(text: list[list[str]], first: str, second: str, merged: str) -> Merged:
    new, labels = [list(sentence) for sentence in text], []
    for number, sentence in enumerate(text):
        places = [sentence.index(word) for word in (first, second) if word in sentence]
        for place in sorted(places):
            new[number][place] = merged
            labels.append((number, place, sentence[place]))
    return new, labels


def _merge_parts(text: list[list[str]], first: str, second: str, merged: str) -> Merged:
    _, labels = _merge(text, first, second, merged)
    return [
        [
            token.replace(first, merged) if first in token else token.replace(second, merged)
            for token in sentence
        ]
        for sentence in text
    ], labels


def _merge_text_places(text: list[list[str]], first: str, second: str, merged: str) -> Merged:
    new, labels = _merge(text, first, second, merged)
    starts = np.cumsum([0, *map(len, text)])
    return new, [(n, int(starts[n]) + place, word) for n, place, word in labels]


def _merge_one_after_the_other(
    text: list[list[str]], first: str, second: str, merged: str
) -> Merged:
    new, labels = _merge(text, first, second, merged)
    return new, sorted(labels, key=lambda label: label[2] == second)


def _merge_only_hits(text: list[list[str]], first: str, second: str, merged: str) -> Merged:
    return _merge([s for s in text if first in s or second in s], first, second, merged)


def _merge_where(
    text: list[list[str]], merged: str, hit: Callable[[str], bool], *, index: bool = False
) -> Merged:
    """Merge by another test, or note the place that `list.index` finds."""
    labels = [
        (n, sentence.index(token) if index else place, token)
        for n, sentence in enumerate(text)
        for place, token in enumerate(sentence)
        if hit(token)
    ]
    return [[merged if hit(token) else token for token in s] for s in text], labels


def _relabelled(order: Callable[[int, int, str], tuple[Any, Any, Any]]) -> Answer:
    def answer(text: list[list[str]], first: str, second: str, merged: str) -> Merged:
        new, labels = _merge(text, first, second, merged)
        return new, [order(*label) for label in labels]

    return answer


ONE_THING = "Return two things, the new sentences and the labels: `return new, labels`."


def _two_results(inputs: Inputs, outputs: Plain) -> Plain:
    """Both results by name, so that a difference says which of the two it is in."""
    if outputs is None:
        raise AnswerRefused("Your function returned None. Is there a `return` at the end?")
    pair = isinstance(outputs, list | tuple) and len(outputs) == 2
    if not pair or any(isinstance(token, str) for token in _items(outputs[0])):  # type: ignore[index]
        raise AnswerRefused(ONE_THING)
    return {"new": outputs[0], "labels": outputs[1]}  # type: ignore[index]


def _items(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else []


def _merge_by_comprehension(text: list[list[str]], first: str, second: str, merged: str) -> Any:
    labels = [
        [n, place, token]
        for n, sentence in enumerate(text)
        for place, token in enumerate(sentence)
        if token in (first, second)
    ]
    new = [[merged if t in {first, second} else t for t in sentence] for sentence in text]
    return [new, labels]


MERGE_WORDS = Exercise(
    id="merge_words",
    title="Ambiguity with known answers",
    lesson=LESSON,
    points=3,
    difficulty=2,
    importance=5,
    minutes=10,
    reference=pseudo_words.merge_words,
    view=_two_results,
    cases=(
        Case("two sentences", _merge_case(ROUND_TABLE, ["a", "cat"])),
        Case("a drawn text", _text_with, weight=2),
        Case("a word twice in a sentence", _merge_case(["cat", "cat", "dog"], ["dog", "cat"])),
        Case("nothing to merge", _merge_case(QUIET, []), edge=True),
    ),
    mistakes=(
        Mistake(
            "the text itself is changed",
            _merge_in_place,
            "Your answer writes into the sentences that it was given, and the true words are "
            "lost. Build new sentences.",
            hint=2,
        ),
        Mistake(
            "the label is the merged word",
            lambda t, a, b, m: (
                _merge(t, a, b, m)[0],
                [(n, place, m) for n, place, _ in _merge(t, a, b, m)[1]],
            ),
            "Your labels all hold the merged word. The point of the game is to remember which "
            "word stood there.",
            hint=1,
        ),
        Mistake(
            "only the first word is replaced",
            lambda t, a, b, m: _merge(t, a, a, m),
            "The second word stays as it was. Both become the merged word.",
            hint=3,
        ),
        Mistake(
            "only one occurrence in a sentence",
            _merge_once,
            "`list.index` finds a word's first place only. Walk over all tokens of the sentence.",
            hint=2,
        ),
        Mistake(
            "parts of other words are replaced",
            _merge_parts,
            "You replace the letters inside longer words too (*cat* in *category*). Compare whole "
            "tokens.",
            hint=2,
        ),
        Mistake(
            "places counted through the text",
            _merge_text_places,
            "Your places count on through the whole text. A place counts from the start of its "
            "own sentence.",
            hint=2,
        ),
        Mistake(
            "sentences without the words are dropped",
            _merge_only_hits,
            "Your new text has lost the sentences in which neither word stands. All sentences "
            "stay, with their numbers.",
            hint=3,
        ),
        Mistake(
            "one word after the other",
            _merge_one_after_the_other,
            "All labels of the first word come before those of the second. Keep the order of the "
            "text: one walk that looks for both.",
            hint=2,
        ),
        Mistake(
            "the labels are missing",
            lambda t, a, b, m: _merge(t, a, b, m)[0],
            ONE_THING,
            hint=3,
        ),
        Mistake(
            "the labels come first",
            lambda t, a, b, m: _merge(t, a, b, m)[::-1],
            "You return the labels first. The new sentences come first, then the labels.",
        ),
        Mistake(
            "every token is merged",
            lambda t, a, b, m: _merge_where(t, m, lambda token: True),
            "Every token became the merged word. In Python `token == first or second` is always "
            "true, because a text that is not empty counts as true. Ask "
            "`token in (first, second)`.",
            hint=3,
        ),
        Mistake(
            "words that contain the word",
            lambda t, a, b, m: _merge_where(t, m, lambda token: a in token or b in token),
            "`first in token` also finds longer words (*cat* in *category*). Compare whole tokens.",
            hint=2,
        ),
        Mistake(
            "the place of a repeated word",
            lambda t, a, b, m: _merge_where(t, m, lambda token: token in (a, b), index=True),
            "`sentence.index(token)` finds the first place of a word, also when you are at its "
            "second. Take the place from `enumerate`.",
            hint=2,
        ),
        Mistake(
            "place and number in each other's stead",
            _relabelled(lambda number, place, word: (place, number, word)),
            "Your labels begin with the place. First the number of the sentence, then the place.",
            hint=3,
        ),
        Mistake(
            "counted from 1",
            _relabelled(lambda number, place, word: (number + 1, place + 1, word)),
            "You count sentences and places from 1. Both begin at 0.",
            hint=2,
        ),
        Mistake(
            "places counted from 1",
            _relabelled(lambda number, place, word: (number, place + 1, word)),
            "You count places from 1. The first token of a sentence has place 0.",
            hint=2,
        ),
    ),
    right_answers={
        "two comprehensions": _merge_by_comprehension,
        "a generator of labels": lambda t, a, b, m: (
            [[m if token in (a, b) else token for token in sentence] for sentence in t],
            iter(_merge(t, a, b, m)[1]),
        ),
    },
)


# --- the ceiling -------------------------------------------------------------------------------


def _drawn_senses(rng: np.random.Generator) -> Inputs:
    words, senses = [], []
    for word, counts in (("hard", (9, 2, 1)), ("line", (3, 5, 4)), ("serve", (14, 13, 2))):
        for number, count in enumerate(counts):
            count += int(rng.integers(3))
            words += [word] * count
            senses += [f"{word}.{number}"] * count
    # 89 occurrences: a prime, so that no share is a round number
    words += ["plant"] * (89 - len(words))
    senses += ["plant.0"] * (89 - len(senses))
    order = rng.permutation(len(words))
    return {"words": [words[i] for i in order], "senses": [senses[i] for i in order]}


def _by_word(words: Sequence[str], senses: Sequence[str]) -> list[Counter[str]]:
    seen: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for word, sense in zip(words, senses, strict=True):
        seen[word][sense] += 1
    return list(seen.values())


def _share_named(words: Sequence[str], senses: Sequence[str], *, first: bool) -> float:
    """The share right when each word gets the first, or the last, of its senses in the list."""
    pairs = list(zip(words, senses, strict=True))
    named = dict(reversed(pairs) if first else pairs)
    return sum(named[word] == sense for word, sense in pairs) / len(pairs)


def _ceiling_by_pairs(words: Sequence[str], senses: Sequence[str]) -> float:
    pairs = Counter(zip(words, senses, strict=True))
    best = {word: max(n for (w, _), n in pairs.items() if w == word) for word in set(words)}
    return sum(best.values()) / sum(pairs.values())


def _ceiling_by_table(words: Sequence[str], senses: Sequence[str]) -> float:
    _, rows = np.unique(words, return_inverse=True)
    _, columns = np.unique(senses, return_inverse=True)
    table = np.zeros((rows.max() + 1, columns.max() + 1))
    np.add.at(table, (rows, columns), 1)
    return float(table.max(1).sum() / len(words))


MAJORITY_CEILING = Exercise(
    id="majority_ceiling",
    title="The ceiling of a static vector",
    lesson=LESSON,
    points=3,
    difficulty=2,
    importance=5,
    minutes=10,
    reference=majority_ceiling.majority_ceiling,
    rtol=1e-6,
    cases=(
        Case(
            "one word, two senses",
            lambda rng: {"words": ["bank"] * 3, "senses": ["river", "money", "money"]},
        ),
        Case("three words", _drawn_senses, weight=2),
        Case(
            "two spellings of one word",
            lambda rng: {
                "words": ["interest"] * 3 + ["interests"] * 4,
                "senses": ["rate", "rate", "share", "rate", "share", "share", "share"],
            },
        ),
        Case(
            "a capital is another spelling",
            lambda rng: {
                "words": ["china", "China", "china", "China", "China", "china"],
                "senses": ["plates", "country", "plates", "country", "plates", "country"],
            },
        ),
        Case(
            "words with one sense only",
            lambda rng: {"words": ["u", "v", "v"], "senses": ["1", "2", "2"]},
            edge=True,
        ),
    ),
    mistakes=(
        Mistake(
            "one answer for all words",
            lambda words, senses: Counter(senses).most_common(1)[0][1] / len(senses),
            "You take the commonest sense of the whole list. Each word may have its own answer.",
            hint=2,
        ),
        Mistake(
            "the mean over the words",
            lambda words, senses: float(
                np.mean([max(c.values()) / c.total() for c in _by_word(words, senses)])
            ),
            "You average one share per word, so a rare word counts as much as a frequent one. "
            "Count occurrences: right ones over all.",
            hint=3,
        ),
        Mistake(
            "the number, not the share",
            lambda words, senses: float(sum(max(c.values()) for c in _by_word(words, senses))),
            "This is how many occurrences are right. Divide by how many there are.",
            hint=3,
        ),
        Mistake(
            "chance",
            lambda words, senses: (
                sum(c.total() / len(c) for c in _by_word(words, senses)) / len(words)
            ),
            "This is what guessing gets: one over the number of senses. A rule that always names "
            "the commonest sense does better.",
            hint=1,
        ),
        Mistake(
            "only the best word",
            lambda words, senses: (
                max(max(c.values()) for c in _by_word(words, senses)) / len(words)
            ),
            "You keep the largest count of all. Each word has its own largest count: add them up.",
            hint=3,
        ),
        Mistake(
            "the share of the commonest word",
            lambda words, senses: Counter(words).most_common(1)[0][1] / len(words),
            "You count words. Count, for each word, its senses.",
            hint=2,
        ),
        Mistake(
            "percent",
            lambda words, senses: 100 * majority_ceiling.majority_ceiling(words, senses),
            "You return a percentage. Return the share, a number from 0 to 1.",
        ),
        Mistake(
            "rounded",
            lambda words, senses: round(majority_ceiling.majority_ceiling(words, senses), 2),
            "You round the share. Return it as it is, and round where it is printed.",
        ),
        Mistake(
            "capitals are lost",
            lambda words, senses: majority_ceiling.majority_ceiling(
                [word.lower() for word in words], senses
            ),
            "You make the words small. Here *China* and *china* are two words with a vector each: "
            "compare them as they are spelt.",
        ),
        Mistake(
            "the first sense met",
            lambda words, senses: _share_named(words, senses, first=True),
            "You give each word the first sense that you meet. Its commonest sense is right more "
            "often.",
            hint=2,
        ),
        Mistake(
            "the last sense met",
            lambda words, senses: _share_named(words, senses, first=False),
            "You give each word the last sense that you meet. Its commonest sense is right more "
            "often.",
            hint=2,
        ),
        Mistake(
            "words counted for each sense",
            lambda words, senses: (
                sum(max(c.values()) for c in _by_word(senses, words)) / len(words)
            ),
            "You count, for each sense, its words. Turn it round: for each word, its senses.",
            hint=2,
        ),
        Mistake(
            "whole division",
            lambda words, senses: (
                sum(max(c.values()) for c in _by_word(words, senses)) // len(words)
            ),
            "`//` throws the fraction away. Divide with one stroke: `/`.",
            hint=3,
        ),
        Mistake(
            "divided by the number of words",
            lambda words, senses: (
                sum(max(c.values()) for c in _by_word(words, senses)) / len(set(words))
            ),
            "You divide by how many different words there are. Divide by the number of "
            "occurrences, `len(words)`.",
            hint=3,
        ),
    ),
    right_answers={
        "counting pairs": _ceiling_by_pairs,
        "a table of counts": _ceiling_by_table,
    },
)


EXERCISES = [
    COOCCURRENCE_COUNTS,
    GLOVE_WEIGHT,
    GLOVE_LOSS,
    CHARACTER_NGRAMS,
    SUBWORD_VECTOR,
    MERGE_WORDS,
    MAJORITY_CEILING,
]
