"""Exercise `glove_loss`: gloVe's weighted least squares."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor

from autograde.checking.differentiable import slopes
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
    returned,
)
from autograde.checking.judge import with_article
from autograde.exercises.static_limits import LESSON
from elmo_mini.word_vectors import glove


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


def _loss_that_changes_counts(
    w: Tensor, c: Tensor, b: Tensor, d: Tensor, x: Tensor, x_max: float, alpha: float
) -> Tensor:
    weight = (x / x_max).clamp(max=1.0) ** alpha
    x[x == 0] = 1.0
    return (weight * (w @ c.T + b[:, None] + d - torch.log(x)) ** 2).sum()


def _loss_of_weights(weight: Tensor, scores: Tensor, x: Tensor, base: float = math.e) -> Tensor:
    logs = torch.log(torch.where(x > 0, x, torch.ones_like(x))) / math.log(base)
    return (weight * (scores - logs) ** 2).sum()


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
    for (name, before), after in zip(inputs.items(), tensors, strict=True):
        if isinstance(after, Tensor) and not np.array_equal(after.detach().numpy(), before):
            raise AnswerRefused(
                f"Your answer changed its argument `{name}`. Work on a copy: the lesson calls your "
                "function again and again with the same table. `torch.where` makes a new one."
            )
    returned(loss)
    if not isinstance(loss, Tensor):
        raise AnswerRefused(
            f"Your loss is {with_article(type(loss).__name__)}. Return the tensor itself, without "
            f"`.item()` or `float()`: autograd must be able to follow it back."
        )
    if not loss.requires_grad:
        raise AnswerRefused(CUT_OFF)
    if loss.ndim:
        return {"loss": plain(loss), "its gradient for the vectors": None}
    slope = slopes(loss, {"vectors": vectors})["vectors"]
    return {"loss": plain(loss), "its gradient for the vectors": plain(slope)}


def _loss_with(
    w: Tensor,
    c: Tensor,
    b: Tensor,
    d: Tensor,
    x: Tensor,
    x_max: float,
    alpha: float,
    *,
    error: Callable[[Tensor, Tensor], Tensor] = lambda scores, logs: scores - logs,
    weigh: Callable[[Tensor, float], Tensor] = lambda ratio, alpha: ratio.clamp(max=1.0) ** alpha,
) -> Tensor:
    """The loss with another error, or another weight, of the pairs that occur."""
    logs = torch.log(torch.where(x > 0, x, torch.ones_like(x)))
    errors = error(w @ c.T + b[:, None] + d, logs)
    return (torch.where(x > 0, weigh(x / x_max, alpha), 0.0) * errors**2).sum()


EXERCISE = Exercise(
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
        Mistake(
            "the counts are changed",
            _loss_that_changes_counts,
            "You write ones into `counts` itself, and at the next call pairs that never "
            "occur count 1. Make a new table: `torch.where(counts > 0, counts, "
            "torch.ones_like(counts))`.",
            hint=3,
        ),
        Mistake(
            "pairs that never occur count 1",
            lambda w, c, b, d, x, x_max, alpha: glove.glove_loss(
                w, c, b, d, torch.where(x > 0, x, torch.ones_like(x)), x_max, alpha
            ),
            "You put a 1 in place of each 0 and weigh with it, too. Only the logarithm gets "
            "the 1; the weight of a pair that never occurs is 0.",
            hint=3,
        ),
        Mistake(
            "half of the sum",
            lambda *a: glove.glove_loss(*a) / 2,
            "You halve the sum. J has no 1/2.",
            hint=1,
        ),
        Mistake(
            "the mean over the pairs that occur",
            lambda *a: glove.glove_loss(*a) / (a[4] > 0).sum(),
            "You average over the pairs that occur. J is a sum.",
            hint=3,
        ),
        Mistake(
            "the weight is not cut off",
            lambda w, c, b, d, x, x_max, alpha: _loss_of_weights(
                (x / x_max) ** alpha, w @ c.T + b[:, None] + d, x
            ),
            "Your weight goes on rising beyond x_max. Cut the fraction off at 1: "
            "`.clamp(max=1.0)`.",
            hint=2,
        ),
        Mistake(
            "the root of the weight",
            lambda w, c, b, d, x, x_max, alpha: glove.glove_loss(w, c, b, d, x, x_max, alpha / 2),
            "You take the root of the weight. f(X) is (X / x_max) to the power alpha.",
            hint=1,
        ),
        Mistake(
            "logarithm to base 10",
            lambda w, c, b, d, x, x_max, alpha: _loss_of_weights(
                (x / x_max).clamp(max=1.0) ** alpha, w @ c.T + b[:, None] + d, x, 10.0
            ),
            "You take the logarithm to base 10. Here it is the natural one: `torch.log`.",
            hint=1,
        ),
        Mistake(
            "the logarithm is added",
            lambda *a: _loss_with(*a, error=lambda scores, logs: scores + logs),
            "You add log X to the score. The error is their *difference*: the score should come "
            "near log X.",
            hint=1,
        ),
        Mistake(
            "nothing to come near",
            lambda *a: _loss_with(*a, error=lambda scores, logs: scores),
            "log X is missing: your loss is smallest where all scores are 0. Subtract log X first.",
            hint=1,
        ),
        Mistake(
            "the exponential, not the logarithm",
            lambda *a: _loss_with(*a, error=lambda scores, logs: scores - logs.exp().exp()),
            "You take the exponential of the count. The score should come near its logarithm.",
            hint=1,
        ),
        Mistake(
            "frequent pairs weigh nothing",
            lambda *a: _loss_with(*a, weigh=lambda r, alpha: torch.where(r < 1, r**alpha, 0.0)),
            "From `x_max` on your weight is 0, so the commonest pairs are not learnt. It is 1 "
            "there.",
            hint=2,
        ),
        Mistake(
            "frequent pairs weigh as much as they count",
            lambda *a: _loss_with(
                *a, weigh=lambda r, alpha: torch.where(r < 1, r**alpha, r * a[5])
            ),
            "From `x_max` on your weight is the count itself. It is 1 there.",
            hint=2,
        ),
        Mistake(
            "base and exponent of the weight are swapped",
            lambda *a: _loss_with(*a, weigh=lambda r, alpha: alpha ** r.clamp(max=1.0)),
            "In your weight `alpha` is raised to the ratio. It is the other way round.",
            hint=2,
        ),
        Mistake(
            "the ratio without x_max",
            lambda *a: _loss_with(
                *a, weigh=lambda r, alpha: torch.where(r < 1, (r * a[5]) ** alpha, 1.0)
            ),
            "Below `x_max` your weight is x to the power `alpha`. Divide x by `x_max` first, so "
            "that the weight reaches 1 there.",
            hint=2,
        ),
        Mistake(
            "base and exponent of the weight are swapped, for every pair",
            lambda w, c, b, d, x, x_max, alpha: (
                alpha ** (x / x_max).clamp(max=1.0)
                * (w @ c.T + b[:, None] + d - torch.where(x > 0, x, 1.0).log()) ** 2
            ).sum(),
            "In your weight `alpha` is raised to the ratio, so pairs that never occur weigh most. "
            "It is the other way round: the ratio to the power `alpha`.",
            hint=2,
        ),
        Mistake(
            "the logarithm of whether the pair occurs",
            lambda w, c, b, d, x, x_max, alpha: (
                (x / x_max).clamp(max=1.0) ** alpha
                * (w @ c.T + b[:, None] + d - (x > 0).log()) ** 2
            ).sum(),
            "You take the logarithm of True and False. Take that of the count, where it is above "
            "0.",
            hint=2,
        ),
    ),
    right_answers={
        "only the pairs that occur": _loss,
        "two loops": _loss_by_loops,
        "einsum, and a tiny floor under the counts": _loss_by_einsum,
    },
)
