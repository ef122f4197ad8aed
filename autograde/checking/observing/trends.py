"""What the expected numbers have in common and those that came have not."""

from collections.abc import Callable

import numpy as np

from autograde.checking.observing.pairs import Both, Numbers, Pair

Property = Callable[[Numbers], bool]
MANY = 6  # fewer numbers fall into an order by chance
ROUNDING = 1e-6
NAN = (
    "That is what 0 / 0 and inf / inf give, inf - inf, 0 times inf (as in the gradient of log 0), "
    "the logarithm of a negative number, and the mean of nothing."
)
INFINITE = "That is what a division by 0 gives, the logarithm of 0, and the exponential of much."


def _sums_to_one(axis: int | None) -> Property:
    return lambda x: bool(np.allclose(x.sum(axis), 1, atol=1e-4))


PROPERTIES: dict[str, Property] = {
    f"Some numbers of yours are nan. {NAN}": lambda x: not np.isnan(x).any(),
    f"Some numbers of yours are infinite, and none of the expected ones is. {INFINITE}": lambda x: (
        not np.isinf(x).any()
    ),
    "Some numbers of yours are negative, and none of the expected ones is.": lambda x: bool(
        (x >= -ROUNDING).all()
    ),
    "Some numbers of yours are above 1, and none of the expected ones is.": lambda x: bool(
        (x <= 1 + ROUNDING).all()
    ),
    "The expected numbers add up to 1, and yours do not.": (
        lambda x: x.size > 1 and _sums_to_one(None)(x)
    ),
    "Each row of the expected numbers adds up to 1, and not every row of yours does.": (
        lambda x: x.ndim > 1 and _sums_to_one(-1)(x)
    ),
    "The expected result is symmetric, and yours is not.": (
        lambda x: (
            x.ndim == 2 and x.shape[0] == x.shape[1] > 2 and np.allclose(x, x.T, atol=ROUNDING)
        )
    ),
}


def property_lost(both: Both) -> str:
    """A property of every expected result that every wrong one lacks.

    Where each case expects the same single number, such as 0, its sign and size tell nothing.
    """
    finite = all(np.isfinite(mine).all() for _, mine in both)
    if finite and len({tuple(right.ravel()) for right, _ in both}) == 1 == both[0][0].size:
        return ""
    for words, holds in PROPERTIES.items():
        if all(holds(right) and not holds(mine) for right, mine in both):
            return words
    return ""


def trend(pairs: list[Pair], both: Both) -> str:
    """Rising where the expected ones fall, or rising with them and of another size."""
    many = [(_without_noise(right), _without_noise(mine)) for right, mine in both]
    different = [len(np.unique(right)) for right, _ in many]
    if min(different) <= 3 or sum(different) < 2 * MANY:
        return ""
    if not all(np.isfinite(mine).all() for _, mine in many):
        return ""
    steps = [np.diff(mine[np.argsort(right, kind="stable")]) for right, mine in many]
    rising = [np.diff(np.sort(right)) > 0 for right, _ in many]
    if all((step[rises] < 0).all() for step, rises in zip(steps, rising, strict=True)):
        return "Where the expected numbers rise, yours fall."
    if any(near.mean() > 0.2 for near in _near(pairs, both)):
        return ""
    if all((step[rises] > 0).all() for step, rises in zip(steps, rising, strict=True)):
        return "Your numbers rise where the expected ones rise, and their sizes are off."
    return ""


def _without_noise(values: Numbers) -> Numbers:
    """The numbers in a row, in millionths of the largest: the same but for rounding is the same."""
    largest = float(np.max(np.abs(values), initial=0.0)) or 1.0
    return np.round(values.ravel() / (ROUNDING * largest))


def _near(pairs: list[Pair], both: Both) -> list[Numbers]:
    return [
        np.isclose(mine, right, pair.rtol, pair.atol)
        for pair, (right, mine) in zip(pairs, both, strict=True)
    ]


def beyond_a_bound(pairs: list[Pair], both: Both) -> str:
    """All numbers right but the largest, or but the smallest."""
    if min(right.size for right, _ in both) < MANY:
        return ""
    for words, which in (("largest", slice(None)), ("smallest", slice(None, None, -1))):
        near = [
            fits.ravel()[np.argsort(_without_noise(right), kind="stable")][which]
            for fits, (right, _) in zip(_near(pairs, both), both, strict=True)
        ]
        if all((np.diff(1 * fits) <= 0).all() and 2 * fits.sum() > len(fits) for fits in near):
            return f"Yours are off only where the {words} numbers are expected."
    return ""


def one_sided(pairs: list[Pair], both: Both) -> str:
    """Counts and sums that are never too large, or never too small."""
    if sum(right.size for right, _ in both) < MANY or any((r < -ROUNDING).any() for r, _ in both):
        return ""
    if not all(right.ndim and np.isfinite(mine).all() for right, mine in both):
        return ""
    off = [
        np.where(near, 0, mine - right)
        for near, (right, mine) in zip(_near(pairs, both), both, strict=True)
    ]
    if all((distance <= 0).all() for distance in off):
        return "No number of yours is too large, and some are too small."
    if all((distance >= 0).all() for distance in off):
        return "No number of yours is too small, and some are too large."
    return ""
