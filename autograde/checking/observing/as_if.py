"""An answer that is right for other inputs: as if an argument were 0, one larger, cut or exchanged.

Most slips use one argument otherwise than meant. So the reference is run with each argument changed
in simple ways. Where it then gives what the answer gave, that is said. It must do so in every case:
an answer that takes one too few is right with one too few only where that makes no difference.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from autograde.checking.exercise import Exercise, Inputs
from autograde.checking.judge import part_name
from autograde.checking.observing.pairs import GRADIENT, is_or_are, listed
from autograde.checking.outcomes import Outcome, alike, outcome_of

ROUNDING = 1e-12
Change = Callable[[Inputs], Inputs]


def as_if(
    exercise: Exercise,
    inputs: list[Inputs],
    expected: list[Outcome],
    came: list[Outcome],
    texts: Mapping[str, set[str]],
) -> str:
    """Which change of the inputs makes the reference give what came in each of these cases.

    A change that the reference cannot take tells nothing where the answer is right. ``texts`` has,
    for each argument that is a text, what it is in one case or another.
    """
    arguments = {name: inputs[0][name] for name in exercise.parameters() if name in inputs[0]}
    wrong = _wrong_parts(exercise, expected, came)
    cases = [
        (given, alike(exercise, right, mine), mine)
        for given, right, mine in zip(inputs, expected, came, strict=True)
    ]
    cases.sort(key=lambda case: case[1])  # a wrong case refutes most changes, so it is run first
    for words, change in _changes(arguments, texts):
        for given, is_right, mine in cases:
            changed = change(given)
            outcome = outcome_of(exercise, exercise.reference, changed, given)
            if outcome.failure and is_right:
                continue
            if outcome.failure or not _as_came(exercise, outcome, mine, wrong):
                break
            again = outcome_of(exercise, exercise.reference, _trembling(changed), given)
            if not alike(exercise, outcome, again):  # rounding has decided between equals
                break
        else:
            what = (
                f"{listed(map(part_name, wrong))} {is_or_are(wrong)}" if wrong else "Your result is"
            )
            return f"{what} what would be right {words}."
    return ""


def _trembling(inputs: Inputs) -> Inputs:
    """The inputs with each real number moved as rounding moves it, and 0 only if all are."""
    return {
        name: value + ROUNDING * _wave(value) * (abs(value) if value.any() else 1.0)
        if isinstance(value, np.ndarray) and value.dtype == np.float64
        else value
        for name, value in inputs.items()
    }


def _wave(like: np.ndarray) -> np.ndarray:
    return np.asarray(abs(np.cos(np.arange(like.size)))).reshape(like.shape)


def _wrong_parts(exercise: Exercise, expected: list[Outcome], came: list[Outcome]) -> list[str]:
    """The named parts that are wrong somewhere, without the gradients of a wrong result."""
    wrong: dict[str, None] = {}
    for right, mine in zip(expected, came, strict=True):
        if isinstance(right.view, dict) and isinstance(mine.view, dict):
            shared = [key for key in right.view if key in mine.view]
            wrong |= dict.fromkeys(k for k in shared if not _same(exercise, right, mine, k))
    return [key for key in wrong if GRADIENT not in key] or list(wrong)


def _as_came(exercise: Exercise, outcome: Outcome, mine: Outcome, wrong: list[str]) -> bool:
    """Whether the changed inputs explain what is wrong.

    A gradient has the shape of what went in, so another one than the first may have another shape.
    """
    if not wrong:
        return alike(exercise, outcome, mine)
    if not (isinstance(outcome.view, dict) and isinstance(mine.view, dict)):
        return False
    if outcome.view.keys() != mine.view.keys():
        return False
    first, *rest = [key for key in wrong if key in mine.view] or [""]
    others = [
        key
        for key in rest
        if GRADIENT not in key or _shape(outcome.view[key]) == _shape(mine.view[key])
    ]
    return all(_same(exercise, outcome, mine, key) for key in (first, *others) if key)


def _shape(value: Any) -> Any:
    return getattr(value, "shape", type(value))


def _same(exercise: Exercise, left: Outcome, right: Outcome, key: str) -> bool:
    parts = [Outcome(view=outcome.view[key]) for outcome in (left, right)]  # type: ignore[index, call-overload]
    return alike(exercise, *parts)


def _changes(inputs: Inputs, texts: Mapping[str, set[str]]) -> Iterator[tuple[str, Change]]:
    for name, value in inputs.items():
        if isinstance(value, bool):
            continue
        if isinstance(value, int | float):
            for number, words in NUMBERS.items():
                yield f"if `{name}` were {words.format(name)}", _on(name, number)
        elif isinstance(value, str):
            for text in sorted(texts.get(name, set())):
                yield f"for `{name}` = {text!r}", _set(name, text)
        elif isinstance(value, np.ndarray):
            for made, words in (MASKS if value.dtype == bool else ARRAYS).items():
                yield f"if `{name}` were {words}", _on(name, made)
    yield from _exchanges(inputs)
    for axis, part in ((0, ""), (1, " along axis 1")):
        for names in _parallel(inputs, axis):
            said = " and ".join(f"`{name}`" for name in names)
            for words, cut in CUTS.items():
                yield f"for {said} {words}{part}", _cut(names, axis, cut)


def _exchanges(inputs: Inputs) -> Iterator[tuple[str, Change]]:
    for name in inputs:
        for other in inputs:
            if name != other and _kind(inputs[name]) == _kind(inputs[other]):
                if name < other:
                    yield f"if `{name}` and `{other}` were exchanged", _exchanged(name, other)
                yield f"if `{name}` stood in place of `{other}`", _replaced(other, name)


def _on(name: str, made: Callable[[Any], Any]) -> Change:
    return lambda inputs: inputs | {name: made(inputs[name])}


def _set(name: str, value: Any) -> Change:
    return lambda inputs: inputs | {name: value}


def _exchanged(name: str, other: str) -> Change:
    return lambda inputs: inputs | {name: inputs[other], other: inputs[name]}


def _replaced(name: str, other: str) -> Change:
    return lambda inputs: inputs | {name: inputs[other]}


def _kind(value: Any) -> Any:
    """What two arguments share that may stand for each other."""
    if isinstance(value, np.ndarray):
        return value.ndim, value.dtype.kind
    return type(value)


NUMBERS: dict[Callable[[Any], Any], str] = {
    lambda x: x + 1: "larger by 1",
    lambda x: x - 1: "smaller by 1",
    lambda x: type(x)(1): "1",
    lambda x: type(x)(0): "0",
    lambda x: -x: "negative",
    lambda x: 2 * x: "twice as large",
    lambda x: 1 / x if x else x: "1 / `{}`",
}
ARRAYS: dict[Callable[[np.ndarray], np.ndarray], str] = {
    np.zeros_like: "0 everywhere",
    np.negative: "negative",
    np.ones_like: "1 everywhere",
    lambda x: np.swapaxes(x, -1, -2) if x.ndim > 1 else x: "transposed",
    lambda x: np.roll(x, 1, -1) if x.ndim else x: "one place further",
    lambda x: np.roll(x, -1, -1) if x.ndim else x: "one place back",
    np.square: "squared",
    lambda x: x / x.shape[-1] if x.dtype.kind == "f" and x.ndim else x: (
        "divided by its last length"
    ),
}
MASKS: dict[Callable[[np.ndarray], np.ndarray], str] = {
    np.ones_like: "True everywhere",
    np.logical_not: "turned round",
    lambda x: np.concatenate([x[..., 1:], np.zeros_like(x[..., :1])], -1): (
        "True for one place less in each row"
    ),
    lambda x: np.concatenate([x[..., 1:], x[..., :1]], -1): "one place back",
    lambda x: np.concatenate([x[..., -1:], x[..., :-1]], -1): "one place further",
}
CUTS: dict[str, slice] = {
    "without the first part": slice(1, None),
    "without the last part": slice(None, -1),
    "with the first part only": slice(0, 1),
    "with the last part only": slice(-1, None),
    "in reverse order": slice(None, None, -1),
}


def _parallel(inputs: Inputs, axis: int) -> Iterator[tuple[str, ...]]:
    """Arguments that have one length, together and each alone."""
    by_length: dict[Any, list[str]] = {}
    for name, value in inputs.items():
        if isinstance(value, np.ndarray) and value.ndim > axis:
            by_length.setdefault(value.shape[axis], []).append(name)
        elif isinstance(value, list | tuple):
            inner = [len(item) for item in value if isinstance(item, list | tuple)]
            if axis == 0 or (inner and len(inner) == len(value)):
                by_length.setdefault((len(value), *inner)[axis:][:1], []).append(name)
    for names in by_length.values():
        yield tuple(names)
        if len(names) > 1:
            yield from ((name,) for name in names)


def _cut(names: tuple[str, ...], axis: int, cut: slice) -> Change:
    return lambda inputs: inputs | {name: _part(inputs[name], axis, cut) for name in names}


def _part(value: Any, axis: int, cut: slice) -> Any:
    if isinstance(value, np.ndarray):
        return value[(slice(None),) * axis + (cut,)].copy() if value.ndim > axis else value
    return value[cut] if axis == 0 else [item[cut] for item in value]
