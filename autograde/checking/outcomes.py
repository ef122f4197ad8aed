"""What an answer does with the cases of an exercise: plain outputs, or a sentence on its failure.

The course's own answers are run once in a kernel. They are also how a broken kernel is noticed:
where the reference fails, or gives today what it did not give before, no answer can be judged.
"""

import copy
import inspect
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from types import CodeType, FunctionType
from typing import TypeGuard

import numpy as np
import torch

from autograde.checking.answers import Answer, AnswerRefused, Inputs, Plain, in_range
from autograde.checking.case_inputs import case_inputs
from autograde.checking.exercise import Exercise, everything
from autograde.checking.judge import first_difference
from autograde.checking.own_words import own_words
from autograde.checking.refused_form import remembering, without_form
from autograde.checking.safe_state import as_in_a_new_thread, safe_state
from autograde.checking.time_limit import StillRunning, Stopped, each_limited
from autograde.checking.undisturbed import undisturbed


@dataclass(frozen=True)
class Outcome:
    """What one answer did with one case: plain outputs, or how it failed.

    Where it was refused, ``returned`` is what it returned, form aside. ``gradients_off`` is how
    it left them.
    """

    view: Plain = None
    failure: str = ""
    sentence: str = ""
    not_started: bool = False
    stopped: bool = False
    gradients_off: bool = False
    returned: Plain = None


class BrokenKernel(Exception):
    """The reference itself goes wrong here; the text says where."""

    def __init__(self, exercise: Exercise, index: int, what: str) -> None:
        super().__init__(
            f"in this notebook the course's own `{exercise.id}` goes wrong, too "
            f"({exercise.cases[index].name}: {what})"
        )


NOT_BEGUN = "Not started yet."
NOT_RUN = Outcome(failure="not run", sentence="Not run: your function was stopped before.")


@safe_state()
def answer_outcomes(exercise: Exercise, answer: Answer, seed: int) -> tuple[Outcome, ...]:
    """The outcomes of a learner's answer; none is run after one that had to be stopped."""
    cases = range(len(exercise.cases))
    inputs = undisturbed(lambda: [case_inputs(exercise, index, seed) for index in cases])

    def outcome(given: Inputs) -> Outcome:
        as_in_a_new_thread()
        came = outcome_of(exercise, answer, given, given)
        return came if torch.is_grad_enabled() else replace(came, gradients_off=True)

    try:
        return tuple(each_limited([partial(outcome, given) for given in inputs], exercise.seconds))
    except StillRunning as still:
        left_out = len(cases) - len(still.done) - 1
        return (*still.done, _stopped(exercise, still), *[NOT_RUN] * left_out)


def _stopped(exercise: Exercise, still: StillRunning) -> Outcome:
    sentence = (
        f"Your function was still running after {exercise.seconds:g} seconds in the case "
        f'"{exercise.cases[len(still.done)].name}", and was stopped. A loop may never end: look at '
        "what should end each `while` and each generator."
    )
    if not still.ended:
        sentence += " It could not be stopped altogether, so restart the kernel."
    return Outcome(failure="still running", sentence=sentence, stopped=True)


@lru_cache(maxsize=8192)
def known_outcome(exercise: Exercise, answer: Answer, index: int, seed: int) -> Outcome:
    """The outcome of one of the course's own answers, right or wrong, computed once a seed."""
    return _known(exercise, answer, index, seed)


def known_outcomes(exercise: Exercise, answer: Answer, seed: int) -> tuple[Outcome, ...]:
    """As `known_outcome`, for all cases."""
    cases = range(len(exercise.cases))
    return undisturbed(
        lambda: tuple(known_outcome(exercise, answer, index, seed) for index in cases)
    )


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
            _forget()
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
        _forget()
        raise BrokenKernel(exercise, index, now.failure or "its result has changed")


def alike(exercise: Exercise, left: Outcome, right: Outcome) -> bool:
    """Whether two answers did the same with a case."""
    if left.failure or right.failure:
        return left.failure == right.failure
    return first_difference(left.view, right.view, rtol=exercise.rtol, atol=exercise.atol) is None


def _known(exercise: Exercise, answer: Answer, index: int, seed: int) -> Outcome:
    def outcome() -> Outcome:
        inputs = case_inputs(exercise, index, seed)
        return outcome_of(exercise, answer, inputs, inputs)

    return undisturbed(outcome)


def _forget() -> None:
    known_outcome.cache_clear()
    case_inputs.cache_clear()


def outcome_of(exercise: Exercise, answer: Answer, given: Inputs, inputs: Inputs) -> Outcome:
    """What an answer does when it is ``given`` these, viewed as an answer to ``inputs``."""
    remembered, calls = remembering(answer, exercise.work_limit)
    try:
        with np.errstate(all="ignore"):  # log 0 in an answer is its affair, not a warning's
            outputs = exercise.run(remembered, copy.deepcopy(given))
        if exercise.view is not everything:
            inputs = copy.deepcopy(inputs)
        return Outcome(view=in_range(exercise.view(inputs, outputs)))
    except Stopped:
        raise
    except NotImplementedError as error:
        return Outcome(
            failure="NotImplementedError",
            sentence=_not_written(exercise, error, answer),
            not_started=True,
        )
    except AnswerRefused as refused:
        return Outcome(failure=str(refused), sentence=str(refused), returned=without_form(calls))
    except BaseException as error:
        failure, line = said(error), _line_of(error, answer)
        sentence = own_words(error, line) or f"Your function stopped with {failure}{line}"
        return Outcome(failure=failure, sentence=sentence)


def said(error: BaseException) -> str:
    """The error's type and its text, where it has one that can be shown."""
    try:
        text = "" if isinstance(error, SystemExit) and error.code is None else f": {error}"
        return f"{type(error).__name__}{text}"
    except Exception:
        return f"{type(error).__name__}, which has no text that can be shown"


def functions_of(answer: Answer) -> list[FunctionType]:
    """What an answer consists of: itself, or the methods of a class, without decorators."""
    methods = [*getattr(answer, "__dict__", {}).values()]
    parts = [answer] if isinstance(answer, FunctionType) else filter(_is_function, methods)
    return [part for part in map(inspect.unwrap, parts) if _is_function(part)]


def computes_without_gradients(answer: Answer) -> bool:
    """Whether `torch.no_grad()` stands in an answer, or over it."""
    if "ctx_factory" in getattr(getattr(answer, "__code__", None), "co_freevars", ()):
        return True
    return any("no_grad" in part.__code__.co_names for part in functions_of(answer))


def _is_function(value: object) -> TypeGuard[FunctionType]:
    return isinstance(value, FunctionType)


def _not_written(exercise: Exercise, error: NotImplementedError, answer: Answer) -> str:
    """Whose stub it is: another function's, the answer's own, or one left beside the answer."""
    own, trace = [part.__code__ for part in functions_of(answer)], error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if not own or trace is None:
        return f"`{exercise.id}` is not written yet."
    if trace.tb_frame.f_code not in own:
        if str(error):  # a library's, such as that of a module without `forward`
            return f"Your `{exercise.id}` stopped with {said(error)}"
        other = trace.tb_frame.f_code.co_name
        return (
            f"Your function calls `{other}`, which is not written yet. Finish `{other}`, "
            "run its cell, then this one."
        )
    raising = trace.tb_frame.f_code
    if not _is_stub(raising):
        where = "function" if isinstance(answer, FunctionType) else f"`{raising.co_name}`"
        return (
            f"The line `raise NotImplementedError()` is still in your {where}. Delete it, run "
            "the cell, then this one."
        )
    if not all(map(_is_stub, own)):
        return (
            f"Not started yet: `{raising.co_name}` of your `{exercise.id}`. Write it in place of "
            "`raise NotImplementedError()`, run that cell, then this one again."
        )
    return (
        f"{NOT_BEGUN} Write your answer in the cell of `{exercise.id}`, in place of "
        "`raise NotImplementedError()`, run that cell, then run this one again."
    )


def _is_stub(code: CodeType) -> bool:
    """Whether a function does nothing of its own but raise."""
    starred = [code.co_flags & inspect.CO_VARARGS, code.co_flags & inspect.CO_VARKEYWORDS]
    parameters = code.co_argcount + code.co_kwonlyargcount + sum(map(bool, starred))
    released = {"NotImplementedError", "super", "__init__"}
    return not set(code.co_names) - released and code.co_nlocals <= parameters


def _line_of(error: BaseException, answer: Answer) -> str:
    """Where in the learner's own function the error arose."""
    files = {part.__code__.co_filename for part in functions_of(answer)}
    trace = error.__traceback__
    found = ""
    while trace is not None:
        if trace.tb_frame.f_code.co_filename in files:
            found = f" (line {trace.tb_lineno} of your cell)"
        trace = trace.tb_next
    return found
