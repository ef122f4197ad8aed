"""Amounts that stand in or beside a wrong result: sizes of the inputs, and steps on the way.

An exercise may name what is computed on the way to its answer (`Exercise.on_the_way`): the sum of
the losses, the score of the end. Where a wrong result is such an amount, or the right result with
one too many or too few, that is said.
"""

import math
from collections.abc import Callable, Iterator
from itertools import permutations
from typing import Any

import numpy as np

from autograde.checking.exercise import Inputs
from autograde.checking.observing.pairs import Both, Numbers, Pair, numbers, subject

Amounts = dict[str, Numbers]
JOINED: dict[str, Callable[[Any, Any], Any]] = {
    "times {}": lambda x, q: x * q,
    "divided by {}": lambda x, q: x / q,
    "times the square of {}": lambda x, q: x * q * q,
    "divided by the square of {}": lambda x, q: x / q / q,
    "plus {}": lambda x, q: x + q,
    "minus {}": lambda x, q: x - q,
    "minus twice {}": lambda x, q: x - 2 * q,
    "plus twice {}": lambda x, q: x + 2 * q,
    "plus the logarithm of {}": lambda x, q: x + np.log(q),
    "minus the logarithm of {}": lambda x, q: x - np.log(q),
    "to the power {}": lambda x, q: x**q,
    "to the power 1 / {}": lambda x, q: x ** (1 / q),
}
ALONE: dict[str, Callable[[Any], Any]] = {
    "{}": lambda q: q,
    "minus {}": np.negative,
    "the logarithm of {}": np.log,
    "the exponential of {}": np.exp,
    "1 - {}": lambda q: 1 - q,
    "1 / {}": np.reciprocal,
    "the exponential of 1 / {}": lambda q: np.exp(1 / q),
    "the exponential of {}, cut to a whole number": lambda q: np.exp(np.floor(q)),
}
COMBINED: dict[str, Callable[[Any, Any], Any]] = {
    "{} / {}": lambda p, q: p / q,
    "{} * {}": lambda p, q: p * q,
    "{} + {}": lambda p, q: p + q,
    "{} - {}": lambda p, q: p - q,
}


def sizes(inputs: Inputs) -> Amounts:
    """Lengths, sums and numbers of the inputs, by the name that a learner would give them."""
    found: dict[str, float] = {}
    for name, value in inputs.items():
        if isinstance(value, bool | str):
            continue
        if isinstance(value, int | float):
            found[f"`{name}`"] = value
        elif isinstance(value, np.ndarray):
            for axis, length in enumerate(value.shape):
                found[f"the length of `{name}` along axis {axis}"] = length
            if value.dtype.kind in "biu":
                found[f"`{name}.sum()`"] = value.sum()
        elif isinstance(value, list | tuple):
            found[f"`len({name})`"] = len(value)
            if value and all(type(item) in (int, float) for item in value):
                found[f"`sum({name})`"] = sum(value)
            elif value and all(isinstance(item, str) for item in value):
                found[f"the number of different parts of `{name}`"] = len(set(value))
    return {name: np.asarray(number, float) for name, number in found.items()}


def named(pair: Pair) -> Amounts:
    """Amounts with a name: arguments that are numbers, and steps on the way."""
    whole = {
        f"`{name}`": value for name, value in pair.inputs.items() if not isinstance(value, bool)
    }
    known = {name: numbers(value) for name, value in (whole | pair.on_the_way).items()}
    return {name: value for name, value in known.items() if value is not None and value.size}


def by_an_amount(pairs: list[Pair], both: Both) -> str:
    """What came as an amount, or as the right result with an amount too many or too few."""
    if len(pairs) < 2 and max(right.size for right, _ in both) < 4:
        return ""
    shared = _shared([named(pair) for pair in pairs])
    found = _alone(pairs, both, shared)
    if found:
        return found
    amounts = shared | _shared([sizes(pair.inputs) for pair in pairs])
    for words, made in JOINED.items():
        for name, values in amounts.items():
            if _telling(both, values) and _fits(pairs, both, values, made):
                return f"{subject(both)} is the expected one {words.format(name)}."
    return _exchanged(pairs, both, shared)


def _shared(cases: list[Amounts]) -> dict[str, list[Numbers]]:
    return {
        name: [case[name] for case in cases]
        for name in cases[0]
        if all(name in case for case in cases)
    }


def _telling(both: Both, values: list[Numbers]) -> bool:
    """Whether an amount is no mere number such as 1: it differs by case, or inside one."""
    every = {float(number) for value in values for number in value.ravel()}
    fits = all(value.ndim <= right.ndim for value, (right, _) in zip(values, both, strict=True))
    return len(every) > 1 and fits


def _fits(
    pairs: list[Pair], both: Both, values: list[Numbers], made: Callable[[Any, Any], Any]
) -> bool:
    return all(
        _same(pair, mine, made, right, value)
        for pair, (right, mine), value in zip(pairs, both, values, strict=True)
    )


def _same(pair: Pair, mine: Numbers, made: Callable[..., Any], *values: Numbers) -> bool:
    try:
        return pair.close(made(*values), mine)
    except ValueError:  # shapes that do not go together
        return False


def _alone(pairs: list[Pair], both: Both, amounts: dict[str, list[Numbers]]) -> str:
    """The result is an amount itself, or made of two."""
    mines = [mine for _, mine in both]
    if len({float(number) for mine in mines for number in mine.ravel()}) < 2:
        return ""
    whose = "Your result is" if any(mine.ndim for mine in mines) else "Your number is"
    for words, alone in ALONE.items():
        for name, values in amounts.items():
            if all(map(_same, pairs, mines, [alone] * len(pairs), values)):
                return f"{whose} {words.format(name)}."
    for words, name, other, made in _combinations(amounts):
        two = zip(amounts[name], amounts[other], strict=True)
        if all(
            _same(pair, mine, made, *values)
            for pair, mine, values in zip(pairs, mines, two, strict=True)
        ):
            return f"{whose} {words.format(name, other)}."
    return ""


def _combinations(
    amounts: dict[str, list[Numbers]],
) -> Iterator[tuple[str, str, str, Callable[[Any, Any], Any]]]:
    for words, made in COMBINED.items():
        for name, other in permutations(amounts, 2):
            yield words, name, other, made


def _exchanged(pairs: list[Pair], both: Both, amounts: dict[str, list[Numbers]]) -> str:
    """One amount is one too many and another one too few, as a term or as a factor."""
    for name, other in permutations(amounts, 2):
        values = list(zip(amounts[name], amounts[other], strict=True))
        if not (_telling(both, amounts[name]) and _telling(both, amounts[other])):
            continue
        for made in (_plus_minus, _times_divided):
            if all(
                _same(pair, mine, made, right, *two)
                for pair, (right, mine), two in zip(pairs, both, values, strict=True)
            ):
                joined = "plus {} minus {}" if made is _plus_minus else "times {} divided by {}"
                return f"{subject(both)} is the expected one {joined.format(name, other)}."
    return ""


def _plus_minus(right: Numbers, one: Numbers, other: Numbers) -> Any:
    return right + one - other if not math.isnan(right.sum()) else right


def _times_divided(right: Numbers, one: Numbers, other: Numbers) -> Any:
    return right * one / other
