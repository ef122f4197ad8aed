"""What the expected numbers have in common and those that came have not."""

from collections.abc import Callable

import numpy as np

from autograde.checking.observing.pairs import Both, Numbers

Property = Callable[[Numbers], bool]
NAN = (
    "It comes of 0 / 0 or inf / inf, of inf - inf, of 0 times inf (as in the gradient of log 0), "
    "of the logarithm of a negative number, or of an empty mean."
)
INFINITE = "Look for a division by 0, the logarithm of 0, or an exponential that overflows."


def _sums_to_one(axis: int | None) -> Property:
    return lambda x: bool(np.allclose(x.sum(axis), 1, atol=1e-4))


PROPERTIES: dict[str, Property] = {
    f"Some numbers of yours are nan. {NAN}": lambda x: not np.isnan(x).any(),
    f"Some numbers of yours are infinite, and none of the expected ones is. {INFINITE}": lambda x: (
        not np.isinf(x).any()
    ),
    "Some numbers of yours are negative, and none of the expected ones is.": lambda x: bool(
        (x >= 0).all()
    ),
    "Some numbers of yours are above 1, and none of the expected ones is.": lambda x: bool(
        (x <= 1 + 1e-6).all()
    ),
    "The right numbers add up to 1, and yours do not. Look at what you divide by.": (
        lambda x: x.size > 1 and _sums_to_one(None)(x)
    ),
    "The numbers of a row should add up to 1, and yours do not. Look at the axis over which you "
    "divide or take the softmax.": lambda x: x.ndim > 1 and _sums_to_one(-1)(x),
    "The right result is symmetric, and yours is not: what one word gets, the other gets too.": (
        lambda x: x.ndim == 2 and x.shape[0] == x.shape[1] > 2 and np.allclose(x, x.T)
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


def trend(both: Both) -> str:
    """All too large, all too small, or rising where the right ones fall."""
    many = [(r.ravel(), m.ravel()) for r, m in both if len(np.unique(r)) > 3]
    if not many or len(many) < len(both) or not all(np.isfinite(m).all() for _, m in many):
        return ""
    steps = [np.diff(mine[np.argsort(right, kind="stable")]) for right, mine in many]
    falls = [np.diff(np.sort(right)) > 0 for right, _ in many]
    if all((step[rising] < 0).all() for step, rising in zip(steps, falls, strict=True)):
        return (
            "Where the right numbers rise, yours fall. Look for a sign, a fraction that is upside "
            "down, or two things that are swapped."
        )
    if any(np.isclose(mine, right).mean() > 0.2 for right, mine in many):
        return ""
    if all((step[rising] > 0).all() for step, rising in zip(steps, falls, strict=True)):
        return (
            "Your numbers stand in the right order, and only their sizes are wrong. Look at the "
            "power, root, logarithm or divisor that every one of them goes through, or at what is "
            "added to every one."
        )
    return ""


def beyond_a_bound(both: Both) -> str:
    """All numbers right but the largest, or but the smallest: something is cut off, or is not."""
    if min(right.size for right, _ in both) < 6:
        return ""
    for words, which in (("largest", slice(None)), ("smallest", slice(None, None, -1))):
        near = [np.isclose(m, r).ravel()[np.argsort(r, None)][which] for r, m in both]
        if all((np.diff(1 * fits) <= 0).all() and 2 * fits.sum() > len(fits) for fits in near):
            return (
                f"Only your {words} numbers are off. Look at what holds numbers inside a bound: a "
                "clamp, a maximum or a minimum."
            )
    return ""


def one_sided(both: Both) -> str:
    """Counts and sums that are never too large, or never too small."""
    if sum(right.size for right, _ in both) < 6 or any((right < 0).any() for right, _ in both):
        return ""
    if not all(right.ndim and np.isfinite(mine).all() for right, mine in both):
        return ""
    counts = all((np.round(right) == right).all() for right, _ in both)
    if all((mine <= right + 1e-9).all() for right, mine in both):
        said, where = "No number of yours is too large, and some are too small.", "is left out"
    elif all((mine >= right - 1e-9).all() for right, mine in both):
        said, where = "No number of yours is too small, and some are too large.", "counts too often"
    else:
        return ""
    return f"{said} Look for what {where}." if counts else said
