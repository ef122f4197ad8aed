"""Exercise `position`: where a merged vector lies between two others, derived."""

import numpy as np
from numpy.typing import NDArray

from autograde.checking.exercise import Case, Exercise, Inputs, Random
from autograde.checking.slips import slips
from autograde.exercises.static_limits import LESSON

Vector = NDArray[np.float64]


def position(merged: Vector, first: Vector, second: Vector) -> float:
    """alpha / (alpha + beta) of the mixture alpha * first + beta * second nearest to merged."""
    aa, ab, bb = first @ first, first @ second, second @ second
    am, bm = first @ merged, second @ merged
    alpha = am * bb - bm * ab
    beta = bm * aa - am * ab
    return float(alpha / (alpha + beta))


def _by_lstsq(merged: Vector, first: Vector, second: Vector) -> float:
    parts = np.linalg.lstsq(np.stack([first, second], 1), merged, rcond=None)[0]
    return float(parts[0] / parts.sum())


def _by_solving(merged: Vector, first: Vector, second: Vector) -> float:
    both = np.stack([first, second])
    alpha, beta = np.linalg.solve(both @ both.T, both @ merged)
    return float(alpha / (alpha + beta))


@Case.drawn
def _mixed(rng: Random, alpha: float, beta: float, noise: float = 0.6, size: int = 12) -> Inputs:
    first = rng.standard_normal(size) * rng.uniform(1.2, 1.6)
    second = 0.5 * first + rng.standard_normal(size) * rng.uniform(0.7, 0.9)
    merged = alpha * first + beta * second + noise * rng.standard_normal(size)
    return {"merged": merged, "first": first, "second": second}


@Case.drawn
def _apart(rng: Random, alpha: float, beta: float) -> Inputs:
    first, second = np.zeros(4), np.zeros(4)
    first[0], second[1] = rng.uniform(0.8, 1.2), rng.uniform(1.8, 2.2)
    merged = alpha * first + beta * second
    merged[3] = 1.0
    return {"merged": merged, "first": first, "second": second}


SLIPS = """
--- hint 1
the cosines: alpha = am * bb - bm * ab -> alpha = am / np.sqrt(aa) \
        && beta = bm * aa - am * ab -> beta = bm / np.sqrt(bb)
    You compare cosines. The position asks for the two numbers of a mixture.
on the line between the two: alpha / (alpha + beta) \
        -> (merged - second) @ (first - second) / ((first - second) @ (first - second))
    You look for the nearest point on the line through a and b. α and β are free: their sum need not
    be 1.
the distances: alpha = am * bb - bm * ab -> alpha = np.linalg.norm(merged - second) \
        && beta = bm * aa - am * ab -> beta = np.linalg.norm(merged - first)
    You compare distances. The position asks for the two numbers of a mixture.
--- hint 2
alpha with a plus: am * bb - bm * ab -> am * bb + bm * ab
    In your alpha the second product is added. Solve the two equations again: it is subtracted.
beta with a plus: bm * aa - am * ab -> bm * aa + am * ab
    In your beta the second product is added. Solve the two equations again: it is subtracted.
both with a plus: am * bb - bm * ab -> am * bb + bm * ab && bm * aa - am * ab -> bm * aa + am * ab
    In your alpha and beta the second product is added. Solve the two equations again.
alpha turned round: am * bb - bm * ab -> bm * ab - am * bb
    One sign is wrong: that of alpha, that of beta, or the one between them below the line.
aa and bb exchanged in alpha: am * bb - -> am * aa -
    In your alpha stands a . a where b . b belongs. When beta is eliminated, b . b multiplies a . m.
aa and bb exchanged in beta: bm * aa - -> bm * bb -
    In your beta stands b . b where a . a belongs. When alpha is eliminated, a . a multiplies b . m.
aa and bb exchanged: am * bb - -> am * aa - && bm * aa - -> bm * bb -
    You have exchanged a . a and b . b. When beta is eliminated, b . b multiplies a . m.
lengths in place of squares: first @ first, -> np.linalg.norm(first), \
        && second @ second -> np.linalg.norm(second)
    You take lengths. a . a is the *square* of a length.
ab left out of alpha: am * bb - bm * ab -> am * bb
    Your alpha leaves out b's share in a . m. Solve both equations together.
ab left out of beta: bm * aa - am * ab -> bm * aa
    Your beta leaves out a's share in b . m. Solve both equations together.
am in place of bm in alpha: - bm * ab -> - am * ab
    In your alpha a . m stands twice. The second equation has b . m.
bm in place of am in beta: - am * ab -> - bm * ab
    In your beta b . m stands twice. The first equation has a . m.
the plain dot products: am * bb - bm * ab -> am && bm * aa - am * ab -> bm
    You take the dot products with m as the parts. They are the right-hand sides of two equations
    for alpha and beta: solve those.
as if a and b stood at right angles: alpha = am * bb - bm * ab -> alpha = am * bb \
        && beta = bm * aa - am * ab -> beta = bm * aa
    You leave out a . b. It is 0 only where the two vectors stand at right angles, and these do not.
alpha is divided: am * bb - bm * ab -> am / bb - bm * ab
beta is divided: bm * aa - am * ab -> bm / aa - am * ab
    You divide by one square of a length and multiply by ab. Divide both, or neither: solve the two
    equations again.
alpha without bb: am * bb - bm * ab -> am - bm * ab
beta without aa: bm * aa - am * ab -> bm - am * ab
    One product of yours has one factor only. In alpha, am is multiplied by bb; in beta, bm by aa.
alpha without ab: am * bb - bm * ab -> am * bb - bm
beta without ab: bm * aa - am * ab -> bm * aa - am
    What you subtract has one factor only. In alpha it is bm times ab, in beta am times ab.
alpha without am: am * bb - bm * ab -> aa * bb - bm * ab
    In your alpha stands a . a where a . m belongs.
aa and ab exchanged: aa, ab, bb = first @ first, first @ second, -> aa, ab, bb = first @ second, \
        first @ first,
    You have exchanged a . a and a . b.
--- hint 3
the second word's part: alpha / (alpha + beta) -> beta / (alpha + beta)
    You give the second word's part. The position is 1 at the first word.
the ratio of the parts: alpha / (alpha + beta) -> alpha / beta
    You give alpha over beta. The position is alpha over alpha + beta.
alpha alone: alpha / (alpha + beta) -> alpha / (aa * bb - ab * ab)
    You return alpha. The position is alpha over alpha + beta.
both parts: float(alpha / (alpha + beta)) -> (alpha, beta)
    You return alpha and beta. Return one number: alpha / (alpha + beta).
squares: alpha / (alpha + beta) -> alpha**2 / (alpha**2 + beta**2)
    You square the parts. The position is alpha / (alpha + beta).
--- no hint
vectors of length 1: aa, ab, bb = -> first, second = first / np.linalg.norm(first), \
        second / np.linalg.norm(second)⏎aa, ab, bb =
    You bring the vectors to length 1 first. Take them as they are.
kept between 0 and 1: alpha / (alpha + beta) -> min(1.0, max(0.0, alpha / (alpha + beta)))
    You cut the position off at 0 and 1. A part may be below 0: return what comes out.
sizes without signs: alpha / (alpha + beta) -> abs(alpha) / (abs(alpha) + abs(beta))
    You drop the signs of the parts. A part may be below 0: return what comes out.
"""

EXERCISE = Exercise(
    id="position",
    title="Where a merged vector lies (derive it)",
    lesson=LESSON,
    points=3,
    difficulty=3,
    importance=5,
    minutes=14,
    reference=position,
    cases=(
        Case("two vectors at right angles", _apart(0.3, 0.5)),
        Case("two vectors that lean together", _mixed(0.7, 0.4), weight=2),
        Case("no noise", _mixed(0.2, 0.9, 0.0, 5)),
        Case("a part below 0", _mixed(-0.4, 1.1, 0.0), edge=True),
    ),
    mistakes=slips(position, SLIPS),
    right_answers={"lstsq": _by_lstsq, "two equations solved": _by_solving},
)
