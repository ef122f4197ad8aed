"""What an answer does with the cases of an exercise: plain outputs, or a sentence on its failure.

The course's own answers are run once in a kernel. They are also how a broken kernel is noticed:
where the reference fails, or gives today what it did not give before, no answer can be judged.
"""

import copy
import inspect
from dataclasses import dataclass
from functools import lru_cache
from types import CodeType

import numpy as np

from autograde.checking.captured_output import captured_output
from autograde.checking.exercise import Answer, AnswerRefused, Exercise, Plain
from autograde.checking.judge import first_difference
from autograde.checking.safe_state import safe_state
from autograde.checking.time_limit import StillRunning, limited


@dataclass(frozen=True)
class Outcome:
    """What one answer did with one case: plain outputs, or how it failed."""

    view: Plain = None
    failure: str = ""
    sentence: str = ""
    not_started: bool = False
    stopped: bool = False


class BrokenKernel(Exception):
    """The reference itself goes wrong here; the text says where."""

    def __init__(self, exercise: Exercise, index: int, what: str) -> None:
        super().__init__(
            f"in this notebook the course's own `{exercise.id}` goes wrong, too "
            f"({exercise.cases[index].name}: {what})"
        )


NOT_RUN = Outcome(failure="not run", sentence="Not run: your function was stopped before.")


@safe_state()
def answer_outcomes(exercise: Exercise, answer: Answer, seed: int) -> tuple[Outcome, ...]:
    """The outcomes of a learner's answer; none is run after one that had to be stopped."""
    outcomes: list[Outcome] = []
    for index in range(len(exercise.cases)):
        stopped = any(outcome.stopped for outcome in outcomes)
        outcomes.append(NOT_RUN if stopped else _in_time(exercise, answer, index, seed))
    return tuple(outcomes)


@lru_cache(maxsize=1024)
def known_outcomes(exercise: Exercise, answer: Answer, seed: int) -> tuple[Outcome, ...]:
    """The outcomes of the course's own answers, right or wrong, computed once a seed."""
    return tuple(_known(exercise, answer, index, seed) for index in range(len(exercise.cases)))


def expected_outcomes(exercise: Exercise, seed: int) -> tuple[Outcome, ...]:
    """What the reference gives.

    Raises
    ------
    BrokenKernel
        If it fails in a case. Nothing is remembered then.
    """
    expected = known_outcomes(exercise, exercise.reference, seed)
    for index, outcome in enumerate(expected):
        if outcome.failure:
            known_outcomes.cache_clear()
            raise BrokenKernel(exercise, index, outcome.failure)
    return expected


def confirm_expected(exercise: Exercise, index: int, seed: int) -> None:
    """Hold the reference to what it gave before, in one case.

    Raises
    ------
    BrokenKernel
        If it gives something else now. Nothing is remembered then.
    """
    before = expected_outcomes(exercise, seed)[index]
    now = _known(exercise, exercise.reference, index, seed)
    if not alike(exercise, before, now):
        known_outcomes.cache_clear()
        raise BrokenKernel(exercise, index, now.failure or "its result has changed")


def alike(exercise: Exercise, left: Outcome, right: Outcome) -> bool:
    """Whether two answers did the same with a case."""
    if left.failure or right.failure:
        return left.failure == right.failure
    return first_difference(left.view, right.view, rtol=exercise.rtol, atol=exercise.atol) is None


def _known(exercise: Exercise, answer: Answer, index: int, seed: int) -> Outcome:
    with captured_output(), safe_state():
        return limited(lambda: _outcome(exercise, answer, index, seed), seconds=None)


def _in_time(exercise: Exercise, answer: Answer, index: int, seed: int) -> Outcome:
    try:
        return limited(lambda: _outcome(exercise, answer, index, seed), exercise.seconds)
    except StillRunning as still:
        sentence = (
            f"Your function was still running after {exercise.seconds:g} seconds in the case "
            f'"{exercise.cases[index].name}", and was stopped. A loop may never end: look at '
            "what should end each `while` and each generator."
        )
        if not still.ended:
            sentence += " It could not be stopped altogether, so restart the kernel."
        return Outcome(failure="still running", sentence=sentence, stopped=True)


def _outcome(exercise: Exercise, answer: Answer, index: int, seed: int) -> Outcome:
    inputs = exercise.inputs(index, seed)
    try:
        with np.errstate(all="ignore"):  # log 0 in an answer is its affair, not a warning's
            outputs = exercise.run(answer, copy.deepcopy(inputs))
        return Outcome(view=exercise.view(inputs, outputs))
    except NotImplementedError as error:
        return Outcome(
            failure="NotImplementedError",
            sentence=_not_written(exercise, error, answer),
            not_started=True,
        )
    except AnswerRefused as refused:
        return Outcome(failure=str(refused), sentence=str(refused))
    except BaseException as error:
        failure = said(error)
        line = _line_of(error, answer)
        return Outcome(failure=failure, sentence=f"Your function stopped with {failure}{line}")


def said(error: BaseException) -> str:
    """The error's type and its text, where it has one that can be shown."""
    try:
        return f"{type(error).__name__}: {error}"
    except Exception:
        return f"{type(error).__name__}, which has no text that can be shown"


def _codes(answer: Answer) -> list[CodeType]:
    """The code of an answer: a function's own, or that of each method of a class."""
    functions = vars(answer).values() if inspect.isclass(answer) else [answer]
    found = (getattr(function, "__code__", None) for function in functions)
    return [code for code in found if isinstance(code, CodeType)]


def _not_written(exercise: Exercise, error: NotImplementedError, answer: Answer) -> str:
    """Whose stub it is: another function's, the answer's own, or one left beside the answer."""
    codes, trace = _codes(answer), error.__traceback__
    run: list[CodeType] = []
    while trace is not None:
        run.append(trace.tb_frame.f_code)
        trace = trace.tb_next
    if not codes or not run:
        return f"`{exercise.id}` is not written yet."
    code, kind = run[-1], "class" if inspect.isclass(answer) else "function"
    if code not in codes:
        return (
            f"Your {kind} calls `{code.co_name}`, which is not written yet. Finish "
            f"`{code.co_name}`, run its cell, then this one."
        )
    starred = [code.co_flags & inspect.CO_VARARGS, code.co_flags & inspect.CO_VARKEYWORDS]
    parameters = code.co_argcount + code.co_kwonlyargcount + sum(map(bool, starred))
    if set(code.co_names) - {"NotImplementedError"} or code.co_nlocals > parameters:
        return (
            f"The line `raise NotImplementedError()` is still in your {kind}. Delete it, run "
            "the cell, then this one."
        )
    if any(earlier in codes for earlier in run[:-1]):
        return (
            f"`{code.co_name}` of your class is not written yet. Write it in place of "
            "`raise NotImplementedError()`, run the cell, then this one."
        )
    return (
        f"Not started yet. Write your answer in the cell of `{exercise.id}`, in place of "
        "`raise NotImplementedError()`, run that cell, then run this one again."
    )


def _line_of(error: BaseException, answer: Answer) -> str:
    """Where in the learner's own function or class the error arose."""
    files = {code.co_filename for code in _codes(answer)}
    trace = error.__traceback__
    found = ""
    while trace is not None:
        if trace.tb_frame.f_code.co_filename in files:
            found = f" (line {trace.tb_lineno} of your cell)"
        trace = trace.tb_next
    return found
