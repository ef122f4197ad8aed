"""How much of the error a score takes away: the column "increase" of ELMo's table 1."""

from typing import Any


def errors_gone(before: Any, after: Any) -> Any:
    """The share of the errors of `before` that are gone in `after`, in percent.

    Both are scores in percent, numbers or arrays. Negative where errors were added.
    """
    return 100 * (after - before) / (100 - before)
