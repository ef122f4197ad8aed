"""How an answer is called, and how what it gives is copied: nothing of the learner's goes further.

What cannot be judged is refused here, with a sentence that says why.
"""

import copy
from collections.abc import Callable, Iterable, Iterator, Mapping
from decimal import Decimal
from fractions import Fraction
from itertools import islice
from typing import Any

import numpy as np
import torch
from numpy import array, array_equal, asarray  # the check's own, whatever a notebook replaces

Plain = None | bool | int | float | str | np.ndarray | list[Any] | tuple[Any, ...] | dict[str, Any]
_AS_IT_IS = frozenset((int, float, str, bool, type(None)))
Answer = Callable[..., Any]
Inputs = dict[str, Any]
Run = Callable[[Answer, Inputs], Plain]

ON_A_COPY = "Work on a copy: whoever called the function still needs the original."
MOST_PARTS = 5_000_000
MOST_BITS = 63
"""Of a whole number: an array holds no larger one."""
TOO_LARGE = (
    "Your function returned a number with more than 18 digits, and none here is so large. Look at "
    "what is multiplied with itself: `**` is a power, and a loop may go on for too long."
)
_PLAIN_COPY: dict[type, Callable[[Any], Plain]] = {
    int: int.__pos__,
    float: float.__pos__,
    str: str.__str__,
}


class AnswerRefused(Exception):
    """The answer cannot be judged; the text says why, in a sentence for the learner."""


def plain(value: Any) -> Plain:
    """Copy a learner's result into arrays, numbers, text, lists, tuples and dicts.

    Raises
    ------
    AnswerRefused
        For anything else, naming its type.
    """
    if type(value) in _AS_IT_IS:
        return value
    if type(value) is tuple and _AS_IT_IS.issuperset(map(type, value)):  # a long list of pairs
        return value
    if isinstance(value, tuple):
        return tuple(_parts(value))
    if isinstance(value, list | set | Iterator):
        return _parts(value)
    if isinstance(value, torch.Tensor):
        return value.detach().cpu().numpy().copy()
    if isinstance(value, np.ndarray):
        return array(value)
    if isinstance(value, np.generic):
        item = np.generic.item(value)
        return float(item) if isinstance(item, np.generic) else plain(item)  # a long double
    if isinstance(value, Fraction | Decimal):
        try:
            return float(value)
        except OverflowError:
            raise AnswerRefused(TOO_LARGE) from None
    for kind, copied in _PLAIN_COPY.items():  # a class of the learner's may compare as it likes
        if isinstance(value, kind):
            return copied(value)
    if isinstance(value, Mapping):
        return {str.__str__(str(key)): plain(item) for key, item in value.items()}
    raise AnswerRefused(
        f"Your answer returned an object of type {type(value).__name__}. "
        "Return numbers, arrays, tensors, text, or lists of these."
    )


def in_range(value: Plain) -> Plain:
    """The same value, whose whole numbers can be compared with others.

    Raises
    ------
    AnswerRefused
        If one is larger than an array can hold.
    """
    rest: list[Any] = [value]
    while rest:
        part = rest.pop()
        if isinstance(part, int) and part.bit_length() > MOST_BITS:
            raise AnswerRefused(TOO_LARGE)
        if isinstance(part, list | tuple | set | frozenset):
            rest += [inner for inner in part if not isinstance(inner, float | str)]
        elif isinstance(part, Mapping):
            rest += part.values()
    return value


def _parts(values: Iterable[Any]) -> list[Plain]:
    first = islice(values, MOST_PARTS + 1)
    parts = [item if type(item) in _AS_IT_IS else plain(item) for item in first]
    if len(parts) > MOST_PARTS:
        raise AnswerRefused(
            f"Your answer returned something with more than {MOST_PARTS} parts. A generator may "
            "never end: look at what should end its loop."
        )
    return parts


def returned(result: Any) -> Any:
    """What an answer gave.

    Raises
    ------
    AnswerRefused
        If that is None.
    """
    if result is None:
        raise AnswerRefused("Your function returned None. Is there a `return` at the end?")
    return result


def as_tensors(value: Any) -> Any:
    """Arrays become tensors; everything else stays."""
    return torch.from_numpy(value.copy()) if isinstance(value, np.ndarray) else value


def equal(left: Any, right: Any) -> bool:
    """Exact equality of two plain values."""
    if isinstance(left, np.ndarray) or isinstance(right, np.ndarray):
        return array_equal(left, right, equal_nan=asarray(left).dtype.kind == "f")
    if isinstance(left, list | tuple) and isinstance(right, list | tuple):
        return len(left) == len(right) and all(map(equal, left, right))
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(equal(left[key], right[key]) for key in left)
    return bool(left == right)


def call(answer: Answer, inputs: Inputs) -> Plain:
    """Call the answer with the inputs in order; refuse an answer that changes them."""
    return _call_unchanged(answer, inputs, copy.deepcopy)


def call_with_tensors(answer: Answer, inputs: Inputs) -> Plain:
    """As `call`, but every array arrives as a tensor."""
    return _call_unchanged(answer, inputs, as_tensors)


def _call_unchanged(answer: Answer, inputs: Inputs, convert: Callable[[Any], Any]) -> Plain:
    arguments = {name: convert(value) for name, value in inputs.items()}
    result = plain(answer(*arguments.values()))
    refuse_changed(inputs, arguments)
    return result


def refuse_changed(inputs: Inputs, arguments: Mapping[str, Any], instead: str = ON_A_COPY) -> None:
    """Refuse an answer after whose call an argument is not what it was.

    Parameters
    ----------
    arguments : what the answer was given, by the names of the inputs that they were made from
    instead : what is said to do instead
    """
    for name, now in arguments.items():
        if not isinstance(now, np.random.Generator) and not equal(plain(now), inputs[name]):
            raise AnswerRefused(f"Your answer changed its argument `{name}`. {instead}")


def refusing(why: Callable[[Any], str | None], run: Run = call) -> Run:
    """As `run`, and a result for which `why` has a sentence is refused with it.

    `why` sees the result itself. Of a plain copy nobody can tell that it was a tensor or a set.
    """

    def run_watched(answer: Answer, inputs: Inputs) -> Plain:
        def watched(*arguments: Any) -> Any:
            result = answer(*arguments)
            if sentence := why(result):
                raise AnswerRefused(sentence)
            return result

        return run(watched, inputs)

    return run_watched
