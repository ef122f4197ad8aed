"""An argument that an answer never reads: seen in its code, and not in what it gives."""

import dis
import inspect

import numpy as np

from autograde.checking.exercise import Answer, Exercise


def unread_argument(exercise: Exercise, answer: Answer) -> str:
    """An argument that the code never reads, though every right answer does."""
    own = _parameters_read(answer)
    if own is None:
        return ""
    known = [exercise.reference, *exercise.right_answers.values()]
    read_by_all = [read for read in map(_parameters_read, known) if read is not None]
    for place, (name, read) in enumerate(zip(exercise.parameters(), own, strict=False)):
        if not read and all(all(known[place : place + 1]) for known in read_by_all):
            return f"Your function never uses its argument `{name}`."
    return ""


def _parameters_read(answer: Answer) -> list[bool] | None:
    """For each parameter, whether the code of a plain function reads it."""
    code = getattr(inspect.unwrap(answer), "__code__", None)
    if code is None or code.co_flags & (inspect.CO_VARARGS | inspect.CO_VARKEYWORDS):
        return None
    read = {
        name
        for instruction in dis.get_instructions(code)
        if instruction.opname.startswith(("LOAD_FAST", "LOAD_DEREF", "LOAD_CLOSURE"))
        for name in np.atleast_1d(np.asarray(instruction.argval, dtype=object))
    }
    names = code.co_varnames[: code.co_argcount]
    return [name in read or name in code.co_cellvars for name in names]
