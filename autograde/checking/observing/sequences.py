"""How a list that came is related to the expected one, in all wrong cases alike."""

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np

from autograde.checking.observing.pairs import Pair

Items = list[Any]


def _lists(pairs: list[Pair]) -> list[tuple[Items, Items]]:
    both = [(_items(pair.right), _items(pair.mine)) for pair in pairs]
    lists = [(right, mine) for right, mine in both if right is not None and mine is not None]
    known = len(lists) == len(both) and any(len(right) > 1 for right, _ in lists)
    return lists if known else []


def relation_of_lists(pairs: list[Pair]) -> str:
    """The first relation that holds for all pairs of lists, as a sentence."""
    lists = _lists(pairs)
    if not lists:
        return ""
    for words, made in MADE.items():
        if all(mine == made(right) for right, mine in lists):
            return words
    if all(Counter(right) == Counter(mine) for right, mine in lists):
        return "All the expected parts are there, in another order."
    if not any(mine for _, mine in lists):
        return "Your list is empty."
    return ""


def what_is_left(pairs: list[Pair]) -> str:
    """Whether parts are missing, or too many."""
    lists = _lists(pairs)
    if not lists:
        return ""
    one_text = any(isinstance(pair.mine, str) for pair in pairs)
    if not pairs[0].codes and not one_text and (found := _of_texts(lists)):
        return found
    missing = [Counter(right) - Counter(mine) for right, mine in lists]
    extra = [Counter(mine) - Counter(right) for right, mine in lists]
    if not any(extra):
        return (
            f"Each part of yours is an expected one; some are missing, such as {_first(missing)}."
        )
    if not any(missing):
        twice = all(set(right) == set(mine) for right, mine in lists)
        if twice:
            return f"You return some parts more often than expected, such as {_first(extra)}."
        return f"All the expected parts are there, and others beside them, such as {_first(extra)}."
    both = [pair.arrays for pair in pairs if pair.arrays is not None]
    if both and all(sorted(right.shape) == sorted(mine.shape) for right, mine in both):
        return ""  # axes that are exchanged
    if one_text:
        return ""
    more = [len(mine) - len(right) for right, mine in lists]
    if len(lists) > 1 and min(more) > 0:
        return "You return more parts than expected."
    if len(lists) > 1 and max(more) < 0:
        return "You return fewer parts than expected."
    return ""


def _of_texts(lists: list[tuple[Items, Items]]) -> str:
    """Texts that are empty, or longer or shorter than any should be."""
    if not all(isinstance(item, str) for two in lists for items in two for item in items):
        return ""
    sizes = [(set(map(len, right)), set(map(len, mine))) for right, mine in lists]
    if all(mine and right and 0 in mine and 0 not in right for right, mine in sizes):
        return "Some of your texts are empty, and none of the expected ones is."
    if all(mine and right and max(mine) > max(right) for right, mine in sizes):
        return "Some of your texts are longer than any expected one."
    if all(mine and right and min(mine) < min(right) for right, mine in sizes):
        return "Some of your texts are shorter than any expected one."
    return ""


def _items(value: Any) -> Items | None:
    """The parts of a list as values that can be compared and counted."""
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, str) and " " in value:
        value = value.split()
    return [_frozen(item) for item in value] if isinstance(value, list | tuple) else None


def _frozen(item: Any) -> Any:
    if isinstance(item, np.ndarray):
        item = item.tolist()
    if isinstance(item, dict):
        item = list(item.items())
    return tuple(map(_frozen, item)) if isinstance(item, list | tuple) else item


def _first(counts: list[Counter[Any]]) -> str:
    item = next(item for count in counts for item in count)
    text = repr(item)
    return text if len(text) < 60 else f"{text[:57]}…"


MADE: dict[str, Callable[[Items], Items]] = {
    "Your parts are the expected ones in reverse order.": lambda right: right[::-1],
    "Only the last part is missing.": lambda x: x[:-1],
    "Only the first part is missing.": lambda x: x[1:],
    "You return the first part alone.": lambda x: x[:1],
    "You return the last part alone.": lambda x: x[-1:],
    "The first two members of every part are exchanged.": lambda right: [
        (item[1], item[0], *item[2:]) if isinstance(item, tuple) and len(item) > 1 else item
        for item in right
    ],
}
