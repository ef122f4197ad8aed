"""`check("exercise", answer)`: run the cases, name the mistake, return the points."""

import copy
import inspect
import math
import os
import zlib
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from autograde.checking import catalogue
from autograde.checking.captured_output import captured_output
from autograde.checking.exercise import Answer, AnswerRefused, Exercise, Inputs, Mistake, Plain
from autograde.checking.judge import first_difference
from autograde.checking.report import CaseResult, Report, Score, shown


@dataclass(frozen=True)
class Outcome:
    """What one answer did with one case: plain outputs, or how it failed."""

    view: Plain = None
    failure: str = ""
    sentence: str = ""
    not_started: bool = False


def check(exercise_id: str, answer: Answer) -> Score:
    """Hold an answer to an exercise and return the points it earns.

    In a notebook the score shows the report; elsewhere the report is printed. The score is a
    float, so nbgrader reads it as partial credit.

    Raises
    ------
    KeyError
        If there is no such exercise; the message lists those there are.
    """
    exercise = catalogue.find(exercise_id)
    if answer is exercise.reference:
        report = Report(
            exercise,
            0.0,
            (),
            f"This is the course's own `{exercise_id}`, not yours. Run the cell with your answer, "
            "then this one.",
        )
    else:
        report = examine(exercise, answer)
    score = Score(report)
    score.print_outside_notebooks()
    return score


def or_reference(exercise_id: str, answer: Answer) -> Answer:
    """The answer if it is right, else the course's own function.

    So a lesson can go on after an exercise that is unfinished, and it says so.
    """
    exercise = catalogue.find(exercise_id)
    if answer is exercise.reference or examine(exercise, answer).points < exercise.points:
        print(f"Below, the course's own `{exercise_id}` is used: yours is not right yet.")
        return exercise.reference
    return answer


def seed_of(exercise_id: str) -> int:
    """The seed of self-study: the same on every machine, different for every exercise."""
    return zlib.crc32(exercise_id.encode())


def examine(exercise: Exercise, answer: Any, seed: int | None = None) -> Report:
    """Judge one answer; whatever it raises is reported, except an interrupt from the keyboard."""
    seed = seed_of(exercise.id) if seed is None else seed
    refusal = _cannot_be_called(exercise, answer)
    if refusal:
        return Report(exercise, 0.0, (), refusal)
    with captured_output() as printed:
        came = _outcomes(exercise, answer, seed)
    text = printed.getvalue()
    if all(outcome.not_started for outcome in came):
        return Report(exercise, 0.0, (), came[0].sentence, printed=text)
    expected = _known_outcomes(exercise, exercise.reference, seed)
    results = tuple(
        CaseResult(case.name, _difference(exercise, right, mine))
        for case, right, mine in zip(exercise.cases, expected, came, strict=True)
    )
    points = _points(exercise, [result.difference is None for result in results])
    wrong = next((i for i, result in enumerate(results) if result.difference is not None), None)
    if wrong is None:
        return Report(exercise, points, results, "All cases are right.", printed=text)
    named, certain = _named_mistake(exercise, came, wrong, seed)
    inputs = exercise.inputs(wrong, seed)
    return Report(
        exercise,
        points,
        results,
        results[wrong].difference or "",
        mistake=named,
        certain=certain,
        detail=_detail(inputs, expected[wrong], came[wrong]),
        printed=text,
    )


def _cannot_be_called(exercise: Exercise, answer: Any) -> str:
    if not callable(answer):
        return (
            f"`{exercise.id}` should be a function, and it is {shown(answer)}. "
            "Run the cell that defines it, then this one again."
        )
    names = exercise.parameters()
    try:
        inspect.signature(answer).bind(*names)
    except TypeError:
        return (
            f"`{exercise.id}` is called with {len(names)} arguments "
            f"({', '.join(names)}), and yours cannot take them. Keep the first line as it was."
        )
    except ValueError:
        pass
    return ""


def _outcomes(exercise: Exercise, answer: Answer, seed: int) -> tuple[Outcome, ...]:
    return tuple(_outcome(exercise, answer, index, seed) for index in range(len(exercise.cases)))


@lru_cache(maxsize=1024)
def _known_outcomes(exercise: Exercise, answer: Answer, seed: int) -> tuple[Outcome, ...]:
    """The outcomes of the course's own answers, right or wrong, computed once a seed."""
    with captured_output():
        return _outcomes(exercise, answer, seed)


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
    except (Exception, SystemExit) as error:
        line = _line_of(error, answer)
        return Outcome(
            failure=f"{type(error).__name__}: {error}",
            sentence=f"Your function stopped with {type(error).__name__}: {error}{line}",
        )


def _not_written(exercise: Exercise, error: NotImplementedError, answer: Answer) -> str:
    """Whose stub it is: another function's, the answer's own, or one left beside the answer."""
    code, trace = getattr(answer, "__code__", None), error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if code is None or trace is None:
        return f"`{exercise.id}` is not written yet."
    if trace.tb_frame.f_code is not code:
        other = trace.tb_frame.f_code.co_name
        return (
            f"Your function calls `{other}`, which is not written yet. Finish `{other}`, "
            "run its cell, then this one."
        )
    starred = [code.co_flags & inspect.CO_VARARGS, code.co_flags & inspect.CO_VARKEYWORDS]
    parameters = code.co_argcount + code.co_kwonlyargcount + sum(map(bool, starred))
    if set(code.co_names) - {"NotImplementedError"} or code.co_nlocals > parameters:
        return (
            "The line `raise NotImplementedError()` is still in your function. Delete it, run "
            "the cell, then this one."
        )
    return (
        f"Not started yet. Write your answer in the cell of `{exercise.id}`, in place of "
        "`raise NotImplementedError()`, run that cell, then run this one again."
    )


def _line_of(error: BaseException, answer: Answer) -> str:
    """Where in the learner's own function the error arose."""
    code = getattr(answer, "__code__", None)
    trace = error.__traceback__
    found = ""
    while trace is not None and code is not None:
        if trace.tb_frame.f_code.co_filename == code.co_filename:
            found = f" (line {trace.tb_lineno} of your cell)"
        trace = trace.tb_next
    return found


def _difference(exercise: Exercise, expected: Outcome, came: Outcome) -> str | None:
    if came.failure:
        return came.sentence
    return first_difference(expected.view, came.view, rtol=exercise.rtol, atol=exercise.atol)


def _points(exercise: Exercise, right: list[bool]) -> float:
    pairs = list(zip(exercise.cases, right, strict=True))
    if not any(ok for case, ok in pairs if not case.edge):
        return 0.0
    share = sum(case.weight for case, ok in pairs if ok) / sum(case.weight for case, _ in pairs)
    return exercise.points if all(right) else math.floor(exercise.points * share * 4) / 4


def _named_mistake(
    exercise: Exercise, came: tuple[Outcome, ...], wrong: int, seed: int
) -> tuple[Mistake | None, bool]:
    """The mistake whose outputs are the learner's, and whether all cases agree or only some.

    A guess must explain the first wrong case and half of all wrong ones, better than any other
    mistake does: a false diagnosis is worse than none.
    """
    expected = _known_outcomes(exercise, exercise.reference, seed)
    missed = [not _alike(exercise, a, b) for a, b in zip(expected, came, strict=True)]
    explained: list[tuple[int, Mistake]] = []
    for mistake in exercise.mistakes:
        outcomes = _known_outcomes(exercise, mistake.answer, seed)
        same = [_alike(exercise, a, b) for a, b in zip(outcomes, came, strict=True)]
        if all(same):
            return mistake, True
        if same[wrong] and not came[wrong].failure:
            explained.append((sum(a and b for a, b in zip(same, missed, strict=True)), mistake))
    most = max((number for number, _ in explained), default=0)
    best = [mistake for number, mistake in explained if number == most]
    return (best[0] if len(best) == 1 and 2 * most >= sum(missed) else None), False


def _alike(exercise: Exercise, left: Outcome, right: Outcome) -> bool:
    if left.failure or right.failure:
        return left.failure == right.failure
    return first_difference(left.view, right.view, rtol=exercise.rtol, atol=exercise.atol) is None


def _detail(inputs: Inputs, expected: Outcome, came: Outcome) -> tuple[tuple[str, str], ...]:
    """What went in, what was expected, what came. Hidden while nbgrader marks."""
    if os.environ.get("NBGRADER_EXECUTION") == "autograde":
        return ()
    rows = [(f"in: {name}", shown(value)) for name, value in inputs.items()]
    rows.append(("expected", shown(expected.view)))
    rows.append(("came", came.failure or shown(came.view)))
    return tuple(rows)
