"""What an answer keeps from one call to the next: a default in its first line, a list outside it.

`def spans_of(labels, spans=[])` makes one list for all calls. Its first case is right, the others
hold what the cases before have left.
"""

from collections import Counter, defaultdict, deque
from collections.abc import Iterator
from typing import Any

from autograde.checking.code_parts import names_in
from autograde.checking.exercise import Answer
from autograde.checking.outcomes import functions_of

DEFAULT = (
    "The default of `{name}` in your first line is made once, when the cell runs, and each call "
    "finds in it what the calls before have put there. Make it inside the function."
)
OUTSIDE = (
    "`{name}` stands outside your function, and each call finds in it what the calls before have "
    "put there. Make it inside the function."
)
Sizes = dict[str, int]
_GROWING = (list, dict, set, Counter, defaultdict, deque)


def sizes_kept(answer: Answer) -> Sizes:
    """How long each list, dict and set is that outlives a call, by the sentence about it."""
    return {says: len(value) for says, value in _outliving(answer) if type(value) in _GROWING}


def kept(answer: Answer, before: Sizes) -> str:
    """The sentence about what has grown, or shrunk, since; "" where nothing has."""
    now = sizes_kept(answer)
    changed = (says for says, size in before.items() if now.get(says, size) != size)
    return next(changed, "")


def _outliving(answer: Answer) -> Iterator[tuple[str, Any]]:
    for part in functions_of(answer):
        code = part.__code__
        positional = code.co_varnames[: code.co_argcount]
        defaults = part.__defaults__ or ()
        by_name = dict(zip(reversed(positional), reversed(defaults), strict=False))
        for name, value in (by_name | (part.__kwdefaults__ or {})).items():
            yield DEFAULT.format(name=name), value
        for name in names_in(code):
            yield OUTSIDE.format(name=name), part.__globals__.get(name)
