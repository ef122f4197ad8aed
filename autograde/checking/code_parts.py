"""The code objects of an answer, to see whether it is still the one that was judged."""

from collections.abc import Iterator
from types import CodeType
from typing import Any

from autograde.checking.exercise import Answer
from autograde.checking.outcomes import functions_of


def code_parts(answer: Answer) -> list[Any]:
    """The code of an answer and all that it calls: other functions make it another answer."""
    parts = functions_of(answer)
    if not parts:
        return list(getattr(answer, "__dict__", {}).values())
    found: list[Any] = []
    for part in parts:  # it grows by the functions beside the answer
        named = [part.__globals__.get(name) for name in names_in(part.__code__)]
        called = list(filter(callable, named))
        found += [part.__code__, *called]
        beside = [inner for function in called for inner in functions_of(function)]
        parts += [
            inner
            for inner in beside
            if inner.__globals__ is part.__globals__ and inner not in parts
        ]
    return found


def names_in(code: CodeType) -> Iterator[str]:
    """The names that a function takes from outside; a comprehension in it has code of its own."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from names_in(constant)
