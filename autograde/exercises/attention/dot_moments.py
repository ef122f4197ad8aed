"""Exercise `dot_moments`: mean and variance of a dot product, derived."""

import numpy as np
from numpy.typing import NDArray

from autograde.checking.answers import Answer, AnswerRefused, Plain, call
from autograde.checking.exercise import Case, Exercise, Inputs, Mistake, Random
from autograde.checking.slips import slips
from autograde.exercises.attention import LESSON
from course.attention.dot_products import dot_moments

Numbers = NDArray[np.float64]
BY_DRAWING = (
    "You draw random vectors and average what comes out. That is near, and it is never the answer: "
    "derive the two formulas, then draw to test them."
)

NEAR = 0.2


def _run(answer: Answer, inputs: Inputs) -> Plain:
    """The two numbers; an answer that is near, and depends on the order of the d numbers, draws."""
    came = call(answer, inputs)
    turned = call(answer, {name: numbers[::-1].copy() for name, numbers in inputs.items()})
    pairs = [_pair(came), _pair(turned)]
    if not np.allclose(pairs[0], pairs[1]) and all(_is_near(pair, inputs) for pair in pairs):
        raise AnswerRefused(BY_DRAWING)
    return came


def _pair(came: Plain) -> tuple[float, float]:
    """Mean and variance, where that is what came."""
    try:
        mean, variance = (float(x) for x in came)  # type: ignore[union-attr]
    except (TypeError, ValueError):
        return np.inf, np.inf
    return mean, variance


def _is_near(pair: tuple[float, float], inputs: Inputs) -> bool:
    mean, variance = dot_moments(**inputs)
    away = abs(pair[0] - mean) / variance**0.5, abs(pair[1] / variance - 1)
    return max(away) < NEAR


@Case.drawn
def _numbers(rng: Random, d: int, *, centred: bool = False) -> Inputs:
    means = np.zeros((2, d)) if centred else rng.normal(0, 1.5, (2, d))
    variances = rng.uniform(0.2, 3.0, (2, d))
    return {
        "q_mean": means[0],
        "q_var": variances[0],
        "k_mean": means[1],
        "k_var": variances[1],
    }


@Case.drawn
def _fixed_query(rng: Random, d: int) -> Inputs:
    """A query that is known exactly: its numbers have no variance."""
    q_mean, k_mean = rng.normal(0, 1.5, (2, d))
    k_var = rng.uniform(0.2, 3.0, d)
    return {"q_mean": q_mean, "q_var": np.zeros(d), "k_mean": k_mean, "k_var": k_var}


def _by_squares(
    q_mean: Numbers, q_var: Numbers, k_mean: Numbers, k_var: Numbers
) -> tuple[float, float]:
    q_square, k_square = q_var + q_mean**2, k_var + k_mean**2
    return float(np.sum(q_mean * k_mean)), float(
        np.sum(q_square * k_square - (q_mean * k_mean) ** 2)
    )


def _by_loop(
    q_mean: Numbers, q_var: Numbers, k_mean: Numbers, k_var: Numbers
) -> tuple[float, float]:
    mean = variance = 0.0
    for m, s, n, r in zip(q_mean, q_var, k_mean, k_var, strict=True):
        mean += m * n
        variance += s * r + s * n * n + m * m * r
    return mean, variance


def _by_drawing(
    q_mean: Numbers, q_var: Numbers, k_mean: Numbers, k_var: Numbers
) -> tuple[float, float]:
    rng = np.random.default_rng(0)
    q = rng.normal(q_mean, q_var**0.5, (10_000, len(q_mean)))
    k = rng.normal(k_mean, k_var**0.5, (10_000, len(k_mean)))
    products = (q * k).sum(1)
    return float(products.mean()), float(products.var())


SLIPS = """
--- hint 1
the variances alone: + q_var * k_mean**2 + q_mean**2 * k_var ->
    Your variance is right for means of 0 only. Where a mean is not 0, the other factor's variance
    is stretched by its square.
without the product of the variances: q_var * k_var + q_var * k_mean**2 -> q_var * k_mean**2
    The product of the two variances is missing. With means of 0 yours is 0, and a dot product of
    such vectors does vary.
the square of the mean is left in: each = q_var * k_var -> each = (q_mean * k_mean) ** 2 \
        + q_var * k_var
    You return E[(qk)²]. The variance is that less (E[qk])².
the square of the mean is added: each = -> each = 2 * (q_mean * k_mean) ** 2 +
    You add the square of the mean of qk. It is taken off.
--- hint 2
the mixed terms are swapped: q_var * k_mean**2 + q_mean**2 * k_var \
        -> q_var * q_mean**2 + k_mean**2 * k_var
    In your mixed terms the variance and the mean belong to the same factor. The variance of one is
    stretched by the mean of the other.
with 2 in front: + q_var * k_mean**2 + q_mean**2 * k_var \
        -> + 2 * q_var * k_mean**2 + 2 * q_mean**2 * k_var
    You have a factor 2 at the mixed terms. Write E[q²k²] - (E[q]E[k])² out: each comes once.
one mixed term is missing: + q_mean**2 * k_var ->
the other mixed term is missing: + q_var * k_mean**2 ->
    One of the two mixed terms is missing. Write E[q²k²] = E[q²] E[k²] and put E[q²] = Var q + E[q]²
    in, for both.
the means are not squared: k_mean**2 + q_mean**2 -> k_mean + q_mean
    The means stand in your variance without a square.
the square of the whole mean is taken off: float(each.sum()) \
        -> float((each + (q_mean * k_mean) ** 2).sum() - (q_mean @ k_mean) ** 2)
    You take the square of the whole mean off. Each of the d terms has a mean of its own: take its
    square off term by term.
the squares of the means are taken off the variances: + q_var * k_mean**2 + q_mean**2 * k_var \
        -> - q_var * k_mean**2 - q_mean**2 * k_var
    You put E[q²] = Var q - E[q]² in. The variance is E[q²] - E[q]², so E[q²] is their sum.
the variances are added: q_var * k_var + -> q_var + k_var +
the variances alone are added: float(each.sum()) -> float((q_var + k_var).sum())
    You add the variances of the two factors. For a product, their product stands there.
the squares of the variances: q_var * k_var -> q_var**2 * k_var**2
    You square the variances. A variance already is a mean of squares.
all variances are squared: q_var * k_var + q_var * k_mean**2 \
        -> q_var**2 * k_var**2 + q_var**2 * k_mean**2 && q_mean**2 * k_var -> q_mean**2 * k_var**2
    You square the variances. A variance already is a mean of squares.
the mean of the terms: each.sum() -> each.mean()
    You take the mean over the d numbers. The dot product is a sum, and variances of independent
    numbers add up.
one for each number: float(q_mean @ k_mean), float(each.sum()) -> q_mean * k_mean, each
    You return d means and d variances. The dot product is their sum: it has one mean and one
    variance.
--- hint 3
the mean is 0: float(q_mean @ k_mean) -> 0.0
    Your mean is always 0. It is, where all means are; in general the mean of a product of
    independent numbers is the product of the means.
the numbers are averaged first: each = \
        -> q_mean, q_var, k_mean, k_var = (x.mean().repeat(len(x)) for x in \
        (q_mean, q_var, k_mean, k_var)) ⏎each =
    You average the means, and the variances, over the d numbers before you multiply. Each pair of
    numbers has its own: multiply first, then add up.
the sums are multiplied: float(q_mean @ k_mean) -> q_mean.sum() * k_mean.sum() \
        && float(each.sum()) -> q_var.sum() * k_var.sum()
    You add up over the numbers before you multiply. Each pair of numbers has its own product:
    multiply first, then add up. And where means are not 0, they stand in the variance, too.
the sums are multiplied, and the square of the mean taken off: \
        float(q_mean @ k_mean) -> q_mean.sum() * k_mean.sum() && float(each.sum()) \
        -> (q_var + q_mean**2).sum() * (k_var + k_mean**2).sum() - (q_mean @ k_mean) ** 2
the sums are multiplied in the mean: float(q_mean @ k_mean) -> q_mean.sum() * k_mean.sum()
    You add up over the numbers before you multiply. Each pair of numbers has its own product:
    multiply first, then add up.
the sums are multiplied in the variance: float(each.sum()) -> float(q_var.sum() * k_var.sum() \
        + q_var.sum() * (k_mean**2).sum() + (q_mean**2).sum() * k_var.sum())
    You add up over the numbers before you multiply. Each pair of numbers has a variance of its own:
    multiply first, then add up.
the numbers are averaged first, and the variances alone: \
        float(q_mean @ k_mean) -> len(q_mean) * q_mean.mean() * k_mean.mean() \
        && float(each.sum()) -> len(q_mean) * q_var.mean() * k_var.mean()
    You average over the d numbers before you multiply. Each pair of numbers has its own: multiply
    first, then add up. And where means are not 0, they stand in the variance, too.
d times the first: float(q_mean @ k_mean) -> len(q_mean) * q_mean[0] * k_mean[0] \
        && float(each.sum()) -> len(q_mean) * each[0]
d times the product of the first variances: float(q_mean @ k_mean) \
        -> len(q_mean) * q_mean[0] * k_mean[0] \
        && float(each.sum()) -> len(q_mean) * q_var[0] * k_var[0]
    You take d times what the first pair of numbers gives. The others have other means and
    variances: add up over all.
d times the variance of the first: float(each.sum()) -> len(q_mean) * each[0]
    Your variance is d times that of the first pair of numbers. The others have other means and
    variances: add up over all.
the mean of the means: float(q_mean @ k_mean) -> float((q_mean * k_mean).mean())
    Your mean is a mean over the d numbers. The dot product is a sum: add them up.
--- no hint
the standard deviation: each.sum() -> each.sum() ** 0.5
    You return the standard deviation. The variance is asked for, without the root.
divided by the root of d: each.sum() -> each.sum() / len(q_var) ** 0.5
    You divide by √d already. What is asked for is the dot product itself.
the variance first: float(q_mean @ k_mean), float(each.sum()) \
        -> float(each.sum()), float(q_mean @ k_mean)
    Both are right, in the wrong order: first the mean, then the variance.
the variance alone: return float(q_mean @ k_mean), float(each.sum()) -> return float(each.sum())
    Return two numbers: the mean, then the variance.
"""

EXERCISE = Exercise(
    id="dot_moments",
    title="How far a dot product strays (derive it)",
    lesson=LESSON,
    points=3,
    difficulty=3,
    importance=4,
    minutes=15,
    reference=dot_moments,
    run=_run,
    cases=(
        Case("five numbers, means 0", _numbers(5, centred=True)),
        Case("two numbers, any means", _numbers(2), weight=2),
        Case("five numbers, any means", _numbers(5), weight=2),
        Case("a query that is known", _fixed_query(4), edge=True),
    ),
    mistakes=(
        *slips(dot_moments, SLIPS),
        Mistake("by drawing", _by_drawing, BY_DRAWING, hint=1),
    ),
    right_answers={"by squares": _by_squares, "by a loop": _by_loop},
)
