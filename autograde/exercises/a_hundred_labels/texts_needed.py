"""Exercise `texts_needed`: how many test texts it takes to see a difference (derived)."""

import math

from autograde.checking.exercise import Case, Exercise, Inputs, Random
from autograde.checking.slips import slips
from autograde.exercises.a_hundred_labels import LESSON
from course.a_hundred_labels.differences import texts_needed

WHOLE = 0.01  # so near a whole number, rounding would decide


@Case.drawn
def _drawn(rng: Random, low: float, high: float, width: float | None = None) -> Inputs:
    """A lead between the two, and a share of texts that is a few times as large."""
    digits = 3 if low > 0.01 else 5  # so that few students have the same
    while True:
        inputs = {
            "lead": round(float(rng.uniform(low, high)), digits),
            "disagree": round(float(rng.uniform(1.5 * high, 4 * high)), digits),
            "width": 1.96 if width is None else width,
        }
        n = inputs["width"] ** 2 * (inputs["disagree"] / inputs["lead"] ** 2 - 1)
        if WHOLE < n % 1 < 1 - WHOLE:
            return inputs


def _given(lead: float, disagree: float, width: float = 1.96) -> Inputs:
    return {"lead": lead, "disagree": disagree, "width": width}


def _by_shares(lead: float, disagree: float, width: float = 1.96) -> int:
    first, second = (disagree + lead) / 2, (disagree - lead) / 2
    variance = first + second - (first - second) ** 2
    return math.ceil(variance * (width / lead) ** 2)


def _by_search(lead: float, disagree: float, width: float = 1.96) -> int:
    spread = math.sqrt(disagree - lead * lead)
    n = max(1, int((width * spread / lead) ** 2) - 2)
    while width * spread / math.sqrt(n) > lead:
        n += 1
    return n


SLIPS = """
--- hint 1
the square of the mean is forgotten: disagree - lead**2 -> disagree
    You take the mean of the squares for the variance. The variance is that, less the square of the
    mean.
the square of the mean is added: disagree - lead**2 -> disagree + lead**2
    The square of the mean is taken away from the mean of the squares, not added.
the mean, not its square: disagree - lead**2 -> disagree - lead
    You take away the mean. The variance is the mean of the squares less the *square* of the mean.
the variance of a yes and a no: disagree - lead**2 -> disagree * (1 - disagree)
    That is the variance of *do they disagree?*, which is 0 or 1. The difference is 1, 0 or -1: who
    of the two is right counts, too.
the variance of a yes and a no, and rounded down: disagree - lead**2 -> disagree * (1 - disagree) \
        && math.ceil(width**2 * variance / lead**2) -> int(width**2 * variance / lead**2)
the variance of a yes and a no, and rounded: disagree - lead**2 -> disagree * (1 - disagree) \
        && math.ceil(width**2 * variance / lead**2) -> round(width**2 * variance / lead**2)
    Two things. That is the variance of *do they disagree?*, which is 0 or 1. The difference is 1, 0
    or -1: who of the two is right counts, too. And one text fewer is not enough: round up.
the square of the disagreement: disagree - lead**2 -> disagree**2 - lead**2
    The mean of the squares is `disagree` itself: each square is 1 or 0.
half of the disagreement: disagree - lead**2 -> disagree / 2 - lead**2
    Both kinds of disagreement have the square 1: the mean of the squares is `disagree`, not half of
    it.
as if the two were asked about other texts: disagree - lead**2 -> 2 * disagree - lead**2
    That is twice the disagreement. The pair gives one difference for each text.
--- hint 2
the width is not squared: width**2 -> width
    Solve width · √(variance / n) = lead for n: both sides are squared, the width as well.
the width is doubled, not squared: width**2 -> width * 2
the square the other way round: width**2 -> 2**width
the third power of the width: width**2 -> width**3
    `width**2` is the square of the width: it is what stands before the root, squared.
the third power of the lead: variance / lead**2 -> variance / lead**3
the lead is doubled, not squared: variance / lead**2 -> variance / (lead * 2)
    `lead**2` is the square of the lead, and it stands below the line.
the square of the disagreement below the line: variance / lead**2 -> variance / disagree**2
the square of the variance below the line: variance / lead**2 -> variance / variance**2
nothing below the line: variance / lead**2 -> variance / 2
    What stands below the line is the square of the *lead*: half the lead takes four times as many
    texts.
the variance is forgotten: width**2 * variance -> width**2
the lead for the variance: width**2 * variance -> width**2 * lead
the width for the variance: width**2 * variance -> width**2 * width
    The variance is missing: the fewer texts the two disagree on, the fewer are needed.
divided by the variance: width**2 * variance -> width**2 / variance
    You divide by the variance. The larger it is, the *more* texts are needed.
twice the lead is taken away: disagree - lead**2 -> disagree - lead * 2
    You take away twice the lead. The variance is the mean of the squares less the *square* of the
    mean.
the width is forgotten: width**2 * variance -> variance
    At your number one standard error is the lead. `width` of them must be no more than it.
the width is twice as wide: width**2 -> (2 * width)**2
    Your number is four times too large. The interval reaches `width` standard errors to *each*
    side: do not double it, and do not halve the lead.
half of the width: width**2 -> (width / 2)**2
    Your number is a quarter of the right one. All of `width` standard errors lie on each side of
    the lead: do not halve them.
the lead is not squared: variance / lead**2 -> variance / lead
    Solve width · √(variance / n) = lead for n: the lead is squared, too.
always 1.96: width**2 -> 1.96**2
    You always take 1.96. Take the `width` that is given.
a standard error without its root: width**2 * variance / lead**2 -> width * variance / lead
    The standard error is the *root* of variance / n. So the number grows with the square of
    width / lead.
the root is still there: width**2 * variance / lead**2 -> width * math.sqrt(variance) / lead
    Your number is the root of the right one. Square both sides before you solve for n.
the spread for the variance: width**2 * variance / lead**2 \
        -> width**2 * math.sqrt(variance) / lead**2
    You take the spread where the variance belongs: leave out the root.
--- hint 3
rounded down: math.ceil(width**2 * variance / lead**2) -> int(width**2 * variance / lead**2)
    You round down. One text fewer is not enough: round up.
rounded: math.ceil(width**2 * variance / lead**2) -> round(width**2 * variance / lead**2)
    You round to the nearest number. Where that is below, it is one text too few: round up.
not rounded: math.ceil(width**2 * variance / lead**2) -> width**2 * variance / lead**2
    There is no half of a text: round up.
rounded down, and one more: math.ceil(width**2 * variance / lead**2) \
        -> int(width**2 * variance / lead**2) + 1
    Where a whole number comes out, it is enough: you take one text more. Round up.
never fewer than {least}: math.ceil(width**2 * variance / lead**2) \
        -> max({least}, math.ceil(width**2 * variance / lead**2)) | least = 30, 100
    You never go below a number of your own. Where a few texts are enough, return how many.
one more: math.ceil(width**2 * variance / lead**2) -> math.ceil(width**2 * variance / lead**2) + 1
    That is one text more than it takes.
"""

EXERCISE = Exercise(
    id="texts_needed",
    title="How many texts does the test need?",
    lesson=LESSON,
    points=3,
    difficulty=4,
    importance=4,
    minutes=15,
    reference=texts_needed,
    cases=(
        Case("3 points, and the two disagree on 15 of 100", lambda rng: _given(0.03, 0.15)),
        Case("a lead of some points", _drawn(0.02, 0.06), weight=2),
        Case("a large lead", _drawn(0.1, 0.2), weight=2),
        Case("a lead of half a point", _drawn(0.004, 0.006)),
        Case("2.8 standard errors", _drawn(0.02, 0.06, 2.8)),
        Case("a few texts are enough", lambda rng: _given(0.3, 0.3), edge=True),
        Case("a whole number comes out", lambda rng: _given(0.5, 0.5, 2.0), edge=True),
        Case(
            "all disagreements go one way",
            lambda rng: _given(0.1, 0.1),
            edge=True,
            asks="The second is never right where the first is wrong, so `disagree` is the lead.",
        ),
    ),
    mistakes=slips(texts_needed, SLIPS),
    right_answers={"both shares": _by_shares, "searched": _by_search},
)
