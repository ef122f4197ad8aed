"""An error of another process: its type's name and its text, and an error made of these here."""

import builtins
from typing import Any

TOLD = 2_000
_SAME_NAME = {
    name: error
    for name, error in vars(builtins).items()
    if isinstance(error, type)
    and issubclass(error, Exception)
    and not issubclass(error, UnicodeError | StopIteration | StopAsyncIteration | Warning)
}


class Raised(Exception):
    """What another process has raised, in so far as it has a type of its own there."""


def told(error: BaseException) -> dict[str, Any]:
    """An error in words."""
    try:
        text = "" if isinstance(error, SystemExit) and error.code is None else str(error)
    except BaseException:
        text = ""
    return {"type": type(error).__name__, "text": text[:TOLD]}


def rebuilt(found: dict[str, Any]) -> BaseException:
    """An error of these words; of a type of its own where it is none of Python's."""
    name, text = str(found.get("type")), str(found.get("text"))[:TOLD]
    if name not in _SAME_NAME and not name.isidentifier():
        name = "Exception"
    kind = _SAME_NAME.get(name) or type(name[:80], (Raised,), {})
    if kind is KeyError:  # whose text has quotes already
        kind = type("KeyError", (LookupError,), {})
    try:
        error: BaseException = kind(text)
    except TypeError:
        error = Raised(text)
    error.told = found  # type: ignore[attr-defined]
    error.of_the_other_side = found.get("id")  # type: ignore[attr-defined]
    return error
