"""Exercise `glove_loss`: GloVe's weighted least squares."""

import torch
from torch import Tensor

from autograde.checking.answers import Answer, AnswerRefused, Plain, plain
from autograde.checking.differentiable import loss_and_slopes
from autograde.checking.exercise import Case, Exercise, Inputs, Random
from autograde.checking.slips import slips
from autograde.exercises.static_limits import LESSON
from elmo_mini.models import glove

LEARNT = ("vectors", "context_vectors", "biases", "context_biases")
CUT_OFF = (
    "Your loss is a tensor, and autograd cannot follow it back to the vectors. Somewhere on the "
    "way the numbers left the graph: `.numpy()`, `.detach()`, `.item()` and `torch.tensor(...)` "
    "all do that. Compute with the tensors as they came."
)
ON_A_COPY = (
    "Work on a copy: the lesson calls your function again and again with the same table. "
    "`torch.where` makes a new one."
)


@Case.drawn
def _glove_tables(
    rng: Random,
    rows: int,
    columns: int,
    *,
    zeros: bool = False,
    small: bool = False,
    x_max: float = 10.0,
    alpha: float = 0.75,
) -> Inputs:
    counts = rng.uniform(1.0, 2.5 * x_max, size=(rows, columns))
    if small:
        counts = rng.choice([0.05, 0.1, 1 / 3, 0.7], size=(rows, columns))
        counts[0] = (0.05, 0.1, 0.25)
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


def _of_pairs_that_occur(
    w: Tensor, c: Tensor, b: Tensor, d: Tensor, x: Tensor, x_max: float, alpha: float
) -> Tensor:
    i, j = torch.nonzero(x, as_tuple=True)
    error = (w[i] * c[j]).sum(-1) + b[i] + d[j] - torch.log(x[i, j])
    return ((x[i, j] / x_max).clamp(max=1.0) ** alpha * error**2).sum()


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


def _run_loss(answer: Answer, inputs: Inputs) -> Plain:
    """The loss and its gradients: the lesson goes on to learn with both."""
    loss, found = loss_and_slopes(answer, inputs, *LEARNT, instead=ON_A_COPY)
    if not loss.requires_grad:
        raise AnswerRefused(CUT_OFF)
    gradients = {
        f"its gradient for `{name}`": plain(slope)
        for name, slope in zip(LEARNT, found, strict=True)
    }
    return {"loss": plain(loss)} | gradients


SLIPS = f"""
--- hint 1
every pair weighs the same: (counts / x_max).clamp(max=1.0) ** alpha -> seen.to(counts)
    The weight f is missing: a pair seen once pulls as hard as one seen a thousand times.
the error is not squared: (scores - logs) ** 2 -> (scores - logs).abs()
    You add up absolute errors. Least squares: square them.
the bare errors: ** 2 ->
    You add up the errors with their signs, so they cancel. Square each of them.
the logarithm is added: scores - logs -> scores + logs
    You add log X to the score. The error is their *difference*: the score should come near log X.
nothing to come near: scores - logs -> scores
    log X is missing: your loss is smallest where all scores are 0. Subtract log X first.
--- hint 2
the logarithm of 0: torch.where(seen, counts, torch.ones_like(counts)) -> counts
    The formula is right, and a pair that never occurs breaks it: log 0 is minus infinity, and 0
    times infinity is no number. Leave those pairs out, or give the logarithm a 1 where the count is
    0.
the biases are missing: + biases[:, None] + context_biases ->
    The score is the dot product and both biases. Without them the vectors must say how frequent
    each word is.
rows and columns have each other's bias: \
        biases[:, None] + context_biases -> biases + context_biases[:, None]
    `biases` belongs to the rows, so it needs a second axis: `biases[:, None]`. `context_biases`
    belongs to the columns and fits as it is.
the rows' biases lie along the columns: biases[:, None] -> biases
    `biases` has one number for each row of the table. `biases[:, None]`, shape (V, 1), adds it to
    its row; without that it lies along the columns.
the biases are added to each other: \
        + biases[:, None] + context_biases -> + (biases + context_biases)
    `biases` and `context_biases` have different lengths and meet in every pair. `biases[:, None] +
    context_biases` has shape (V, V').
the second table is not turned: context_vectors.T -> context_vectors
    `vectors @ context_vectors` multiplies (V, D) by (V', D). Turn the second table:
    `context_vectors.T`.
row by row: vectors @ context_vectors.T -> (vectors * context_vectors).sum(1)
    You pair row 1 with row 1, row 2 with row 2. Every vector meets every context vector: `vectors @
    context_vectors.T` has shape (V, V').
the exponential, not the logarithm: torch.log( -> torch.exp(
    You take the exponential of the count. The score should come near its logarithm.
--- hint 3
the count, not its logarithm: scores - logs -> scores - counts
    The score is held to log X, not to X: counts grow too large for a dot product.
log(1 + X): torch.where(seen, counts, torch.ones_like(counts)) -> 1 + counts
    Adding 1 avoids log 0, and changes every other target too. Pairs with a count of 0 add nothing;
    all others have the target log X.
the mean: .sum() -> .mean()
    You average over the table. J is a sum.
the mean over the pairs that occur: .sum() -> .sum() / seen.sum()
    You average over the pairs that occur. J is a sum.
the right sum, and a broken gradient: torch.where(seen, counts, torch.ones_like(counts)) -> counts \
        && (weight * (scores - logs) ** 2) -> torch.where(seen, weight * (scores - logs) ** 2, 0.0)
    The sum is right, but its gradient is nan. Leaving the infinity out of the sum, with
    `torch.where` or `torch.nansum`, comes too late: autograd still walks through the logarithm of
    0. Give the logarithm a 1 where the count is 0, before it is taken.
small counts are lifted to 1: \
        torch.where(seen, counts, torch.ones_like(counts)) -> counts.clamp(min=1.0)
    `counts.clamp(min=1)` changes the zeros, and every count between 0 and 1 as well. Two words
    three positions apart count 1/3, and log 1/3 is not 0. Change the zeros alone.
small counts are lifted to {{floor}}: \
        torch.where(seen, counts, torch.ones_like(counts)) -> counts.clamp(min={{floor}}) \
        | floor = 0.5, 0.2, 0.1
    `counts.clamp(min={{floor}})` changes the zeros, and every count below {{floor}} as well. Change
    the zeros alone: `torch.where(counts > 0, counts, 1.0)`.
only counts from 1 on: .sum() -> .masked_fill(counts < 1, 0.0).sum()
    You leave out the pairs with a count below 1. All pairs that occur belong in the sum: those far
    apart count 1/3 or 1/5.
the weight is squared too: weight * (scores - logs) ** 2 -> (weight * (scores - logs)) ** 2
    Your weight stands inside the square. f(X) times the square of the error.
the sum is missing: .sum() ->
    You return one number for each pair. J is their sum.
the counts are changed: logs = torch.log(torch.where(seen, counts, torch.ones_like(counts))) -> \
        counts[counts == 0] = 1.0⏎logs = torch.log(counts)
    You write ones into `counts` itself, and at the next call pairs that never occur count 1. Make a
    new table: `torch.where(counts > 0, counts, torch.ones_like(counts))`.
pairs that never occur count 1: \
        counts > 0 -> counts > 0⏎counts = torch.where(seen, counts, torch.ones_like(counts))
    You put a 1 in place of each 0 and weigh with it, too. Only the logarithm gets the 1; the weight
    of a pair that never occurs is 0.
the root of the weight: ** alpha -> ** (alpha / 2)
    You take the root of the weight. f(X) is (X / x_max) to the power alpha.
the weight is not cut off: .clamp(max=1.0) ->
    Your weight goes on rising beyond x_max. Cut the fraction off at 1: `.clamp(max=1.0)`.
frequent pairs weigh nothing: (counts / x_max).clamp(max=1.0) ** alpha -> \
        torch.where(counts < x_max, (counts / x_max) ** alpha, 0.0)
    From `x_max` on your weight is 0, so the commonest pairs are not learnt. It is 1 there.
frequent pairs weigh as much as they count: (counts / x_max).clamp(max=1.0) ** alpha -> \
        torch.where(counts < x_max, (counts / x_max) ** alpha, counts)
    From `x_max` on your weight is the count itself. It is 1 there.
base and exponent of the weight are swapped: (counts / x_max).clamp(max=1.0) ** alpha -> \
        seen * alpha ** (counts / x_max).clamp(max=1.0)
    In your weight `alpha` is raised to the ratio. It is the other way round.
base and exponent of the weight are swapped, for every pair: \
        (counts / x_max).clamp(max=1.0) ** alpha -> alpha ** (counts / x_max).clamp(max=1.0)
    In your weight `alpha` is raised to the ratio, so pairs that never occur weigh most. It is the
    other way round: the ratio to the power `alpha`.
the ratio is upside down: counts / x_max -> x_max / counts
    The fraction in your weight is upside down: X / x_max, so that rare pairs weigh little.
the logarithm of the weight: torch.where(seen, counts, -> torch.where(seen, weight,
    You take the logarithm of the weight. Take that of the count.
the ratio without x_max: (counts / x_max).clamp(max=1.0) ** alpha -> \
        torch.where(counts < x_max, counts**alpha, 1.0)
    Below `x_max` your weight is x to the power `alpha`. Divide x by `x_max` first, so that the
    weight reaches 1 there.
the logarithm of whether the pair occurs: torch.where(seen, counts, torch.ones_like(counts)) -> seen
    You take the logarithm of True and False. Take that of the count, where it is above 0.
--- no hint
a float: .sum() -> .sum().item()
    Return the tensor itself, without `.item()` or `float()`: autograd must be able to follow it
    back.
cut off from the vectors: .sum() -> .sum().detach()
    {CUT_OFF}
x_max of the paper: counts / x_max -> counts / 100
    You weigh with x_max = 100 always. Use the argument `x_max`.
alpha of the paper: ** alpha -> ** 0.75
    You weigh with alpha = 3/4 always. Use the argument `alpha`.
x_max and alpha of the paper: counts / x_max -> counts / 100 && ** alpha -> ** 0.75
    You weigh with x_max = 100 and alpha = 3/4 always. Hand your own arguments `x_max` and `alpha`
    on.
`{{name}}` is cut off: scores = vectors -> {{name}} = {{name}}.detach()⏎scores = vectors \
        | name = vectors, context_vectors, biases, context_biases
    The loss is right, and nothing is learnt by `{{name}}`. Leave out `.detach()`.
half of the sum: .sum() -> .sum() / 2
    You halve the sum. J has no 1/2.
logarithm to base 2: torch.log( -> torch.log2(
    Your logarithm is to base 2. GloVe takes the natural one, `torch.log`.
a small number inside the logarithm, {{tiny}}: torch.where(seen, counts, torch.ones_like(counts)) \
        -> counts + {{tiny}} | tiny = 1e-2, 1e-3
    You add {{tiny}} to every count before the logarithm, which changes those that are small. Hide
    the zeros alone: `torch.where(counts > 0, counts, 1.0)`.
cut off at the largest count: (counts / x_max).clamp(max=1.0) -> counts / min(x_max, counts.max())
    You divide by the largest count where it is smaller than `x_max`. Divide by `x_max`, and cut off
    at 1.
the counts are cut off in place: (counts / x_max).clamp(max=1.0) -> counts.clamp_(max=x_max) / x_max
    `clamp_` cuts the counts themselves, so their logarithms are wrong, and the next call gets cut
    ones. Take `clamp`, without the underscore.
half of the table: .sum() -> .triu().sum()
    You add up one half of the table. All pairs count, `[i, j]` and `[j, i]`.
logarithm to base 10: torch.log( -> torch.log10(
    You take the logarithm to base 10. Here it is the natural one: `torch.log`.
"""

SLIPS_OF_PAIRS = """
--- hint 2
the products are added up over the pairs: sum(-1) -> sum(0)
    You add up over the pairs. A dot product adds up over the numbers of a vector: `.sum(-1)`.
--- hint 3
the ratio is upside down, of the pairs that occur: x[i, j] / x_max -> x_max / x[i, j]
    The fraction in your weight is upside down: X / x_max, so that rare pairs weigh little.
"""

EXERCISE = Exercise(
    id="glove_loss",
    title="GloVe's weighted least squares",
    lesson=LESSON,
    points=4,
    difficulty=3,
    importance=4,
    minutes=12,
    reference=glove.glove_loss,
    run=_run_loss,
    atol=1e-5,
    cases=(
        Case("one pair", _glove_tables(1, 1)),
        Case("3 words and 5 contexts", _glove_tables(3, 5), weight=2),
        Case("x_max 100, alpha 1/2", _glove_tables(4, 4, x_max=100.0, alpha=0.5)),
        Case("counts between 0 and 1", _glove_tables(4, 3, small=True)),
        Case("pairs that never occur", _glove_tables(4, 4, zeros=True), weight=2, edge=True),
    ),
    mistakes=(*slips(glove.glove_loss, SLIPS), *slips(_of_pairs_that_occur, SLIPS_OF_PAIRS)),
    right_answers={
        "only the pairs that occur": _of_pairs_that_occur,
        "two loops": _loss_by_loops,
        "einsum, and a tiny floor under the counts": _loss_by_einsum,
    },
)
