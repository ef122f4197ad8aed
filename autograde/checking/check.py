"""`check("exercise", answer)`: run the cases, name the mistake, return the points."""

import inspect
import math
import operator
import os
import zlib
from collections.abc import Mapping
from dataclasses import replace
from types import CodeType
from typing import Any

import torch

from autograde.checking import attempts, catalogue
from autograde.checking.captured_output import captured_output
from autograde.checking.case_inputs import case_inputs, same_for_all
from autograde.checking.code_parts import code_parts
from autograde.checking.diagnosis import named_mistake, other_errors
from autograde.checking.exercise import Answer, CourseAtFault, Exercise, Plain
from autograde.checking.judge import first_difference
from autograde.checking.kept_between_calls import kept, sizes_kept
from autograde.checking.kept_part import keep_at_the_workspace
from autograde.checking.missing_names import explain_missing_names
from autograde.checking.observing.observed import observation
from autograde.checking.outcomes import (
    NOT_BEGUN,
    BrokenKernel,
    Outcome,
    answer_outcomes,
    computes_without_gradients,
    confirm_expected,
    expected_outcomes,
    said,
)
from autograde.checking.report import CaseResult, Report, Score, shown
from autograde.checking.safe_state import safe_state
from autograde.checking.slips import NotASlip
from autograde.checking.time_limit import interruptible
from autograde.checking.undisturbed import undisturbed
from autograde.workspace.place import being_graded
from autograde.workspace.renamed import every_id

SHORT = 1_200
ROWS = 8
"""Of a table by name, as many are unfolded."""
GRADIENTS_OFF = (
    "In this notebook gradients are switched off, and what is trained in it learns nothing. The "
    "check had them on. Run `torch.set_grad_enabled(True)` before you go on."
)
NO_GRAD = (
    "`torch.no_grad()` stands in your function: autograd follows nothing that is computed under it."
)
LEFT_OFF = (
    "Your function switches gradients off and leaves them off: nothing that runs after it learns. "
    "Delete `torch.set_grad_enabled(False)` in it."
)
_examined: dict[Exercise, tuple[Answer, list[Any], Report]] = {}

explain_missing_names()


@interruptible()
@safe_state()
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
        repair = being_graded() or _was_just_told(exercise, answer)
        report = replace(_examine_and_remember(exercise, answer), repair=repair)
        if _is_the_learners(exercise, answer) or report.points == exercise.points:
            kept = keep_at_the_workspace(answer, report, examine)
            report = replace(report, note=f"{report.note} {kept}".strip())
        report = replace(report, note=f"{report.note} {_opened(report)}".strip())
    score = Score(report)
    score.print_outside_notebooks()
    score.tell_validation()
    return score


@interruptible()
@safe_state()
def or_reference(exercise_id: str, answer: Answer) -> Answer:
    """The answer if it is right, else the course's own function.

    So a lesson can go on after an exercise that is unfinished, and it says so. What `check` has
    just found of the same answer holds here, too.
    """
    exercise = catalogue.find(exercise_id)
    why = "yours is not defined, this name stands for the course's"
    if answer is not exercise.reference:
        report = report_of(exercise, answer)
        if report.points == exercise.points:
            return answer
        why = "yours is not right yet" if report.judged else "yours could not be judged"
        if report.message.startswith(NOT_BEGUN):
            why = "you have not begun yours yet"
    print(f"Below, the course's own `{exercise_id}` is used: {why}.")
    return exercise.reference


def report_of(exercise: Exercise, answer: Answer) -> Report:
    """What an answer earns; not examined again where it, and what it calls, is what it was."""
    if exercise in _examined:
        examined, before, report = _examined[exercise]
        now = code_parts(answer)
        if examined is answer and len(before) == len(now) and all(map(operator.is_, before, now)):
            return report
    return _examine_and_remember(exercise, answer)


def _opened(report: Report) -> str:
    """How often that was opened which should be opened once; "" where there is no such thing."""
    exercise = report.exercise
    times = attempts.opened(exercise.id)
    if not exercise.opens or not report.counts or not times:
        return ""
    if times == 1:
        return f"{exercise.opens} were opened once: this result counts as measured."
    return (
        f"{exercise.opens} were opened {times} times. Whoever reports the best of {times} measures "
        "luck, too: report this number with the score."
    )


def _was_just_told(exercise: Exercise, answer: Answer) -> bool:
    """Whether the last check of this exercise was of the same code, typed anew or not."""
    if exercise not in _examined:
        return False
    examined, before, _ = _examined[exercise]
    codes = [part for part in before if isinstance(part, CodeType)]
    now = [part for part in code_parts(answer) if isinstance(part, CodeType)]
    return codes == now and (bool(codes) or examined is answer)


def _examine_and_remember(exercise: Exercise, answer: Answer) -> Report:
    _examined.pop(exercise, None)
    report = examine(exercise, answer)
    counted = exercise.opens or _is_the_learners(exercise, answer)
    if report.counts and counted:  # not refused unseen
        attempts.note(exercise.id, passed=report.points == exercise.points)
    if report.judged:
        _examined[exercise] = (answer, code_parts(answer), report)
    return report


def _is_the_learners(exercise: Exercise, answer: Answer) -> bool:
    """Whether it bears the exercise's name: a lesson also checks wrong answers to show them."""
    name = getattr(answer, "__name__", None)
    reference = getattr(exercise.reference, "__name__", None)
    return name in (None, "<lambda>", reference, *every_id(exercise.id))


def seed_of(exercise_id: str) -> int:
    """The seed of self-study: the same on every machine, different for every exercise."""
    return zlib.crc32(exercise_id.encode())


@safe_state()
def examine(exercise: Exercise, answer: Any, seed: int | None = None) -> Report:
    """Judge one answer; whatever it raises is reported, except an interrupt from the keyboard."""
    seed = seed_of(exercise.id) if seed is None else seed
    refusal = _cannot_be_called(exercise, answer)
    if refusal:
        return Report(exercise, 0.0, (), refusal)
    came: tuple[Outcome, ...] = ()
    before = sizes_kept(answer)
    with captured_output() as printed:
        try:
            if exercise.needs is not None:
                exercise.needs()
            came = answer_outcomes(exercise, answer, seed)
            report = judged(exercise, answer, came, seed)
        except NotASlip:  # its author's fault, and every proof meets it
            raise
        except CourseAtFault as error:
            message = (
                f"Your answer was not judged, and it is not at fault: {error}. Who runs the course "
                "has to mend that; then check again."
            )
            report = Report(exercise, 0.0, (), message, judged=False)
        except Exception as error:
            report = _not_judged(exercise, error)
    note = "" if torch.is_grad_enabled() else GRADIENTS_OFF
    if any(outcome.gradients_off for outcome in came):
        note = LEFT_OFF
    elif report.points < exercise.points and report.cases:
        lacking = NO_GRAD if _lacks_gradients(exercise, answer) else ""
        note = kept(answer, before) or lacking or note
    return replace(report, printed=printed.getvalue(), note=note)


def _lacks_gradients(exercise: Exercise, answer: Answer) -> bool:
    """Whether an answer switches gradients off where no right answer does."""
    right = (exercise.reference, *exercise.right_answers.values())
    return computes_without_gradients(answer) and not any(map(computes_without_gradients, right))


def _not_judged(exercise: Exercise, error: Exception) -> Report:
    known = isinstance(error, BrokenKernel)
    what = str(error) if known else f"the check itself stopped with {said(error)}"
    message = (
        f"Your answer was not judged: {what}. A cell has changed how NumPy, PyTorch or Python "
        "work. Restart the kernel, run the cells from the top, and check again."
    )
    return Report(exercise, 0.0, (), message, judged=False)


def judged(exercise: Exercise, answer: Answer, came: tuple[Outcome, ...], seed: int) -> Report:
    """What an answer with these outcomes earns, and what it is told."""
    if all(outcome.not_started for outcome in came):
        return Report(exercise, 0.0, (), came[0].sentence)
    return undisturbed(lambda: _judged(exercise, answer, came, seed))


def _judged(exercise: Exercise, answer: Answer, came: tuple[Outcome, ...], seed: int) -> Report:
    expected = expected_outcomes(exercise, seed)
    results = tuple(
        CaseResult(case.name, _difference(exercise, right, mine))
        for case, right, mine in zip(exercise.cases, expected, came, strict=True)
    )
    points = points_for(exercise, [result.difference is None for result in results])
    wrong = [i for i, result in enumerate(results) if result.difference is not None]
    if not wrong:
        return Report(exercise, points, results, "All cases are right.")
    confirm_expected(exercise, wrong[0], seed)
    found = named_mistake(exercise, came, wrong[0], seed)
    observed = "" if found.certain else _observed(exercise, answer, expected, came, seed)
    if found.mistake and found.wherever_wrong:
        observed = (
            "In each wrong case your result is the one that this mistake gives. Others that it "
            "would spoil are right, so it may be another one that looks alike there."
        )
    index, detail = _short_detail(exercise, expected, came, wrong, seed)
    return Report(
        exercise,
        points,
        results,
        results[wrong[0]].difference or "",
        mistake=found.mistake,
        certain=found.certain,
        observed=observed,
        answered=not all(outcome.failure for outcome in came),
        detail=detail,
        detail_of=None if index == wrong[0] else exercise.cases[index].name,
    )


def _observed(
    exercise: Exercise,
    answer: Answer,
    expected: tuple[Outcome, ...],
    came: tuple[Outcome, ...],
    seed: int,
) -> str:
    """What is seen, if it can be: a strange result must not cost the report."""
    try:
        return what_is_seen(exercise, answer, expected, came, seed)
    except Exception:
        return ""


def what_is_seen(
    exercise: Exercise,
    answer: Answer,
    expected: tuple[Outcome, ...],
    came: tuple[Outcome, ...],
    seed: int,
) -> str:
    """What all wrong cases have in common; "" if nothing was found."""
    found = observation(exercise, answer, expected, came, seed)
    return found or other_errors(exercise, came, seed)


def _cannot_be_called(exercise: Exercise, answer: Any) -> str:
    if not callable(answer):
        kind = "class" if isinstance(exercise.reference, type) else "function"
        return (
            f"`{exercise.id}` should be a {kind}, and it is {shown(answer)}. "
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
    except Exception:  # it hides its signature; calling it will tell
        pass
    return ""


def _difference(exercise: Exercise, expected: Outcome, came: Outcome) -> str | None:
    if came.failure:
        return came.sentence
    return first_difference(expected.view, came.view, rtol=exercise.rtol, atol=exercise.atol)


def points_for(exercise: Exercise, right: list[bool]) -> float:
    """What so many right cases earn.

    Neither corners alone earn anything, nor cases that are the same for everybody: a table of what
    somebody else's answer returned would have these.
    """
    pairs = list(zip(exercise.cases, right, strict=True))
    ordinary = {index for index, (case, _) in enumerate(pairs) if not case.edge}
    if not any(right[index] for index in ordinary):
        return 0.0
    if not all(right):
        own = ordinary - same_for_all(exercise)
        if own and not any(right[index] for index in own):
            return 0.0
    share = sum(case.weight for case, ok in pairs if ok) / sum(case.weight for case, _ in pairs)
    return exercise.points if all(right) else math.floor(exercise.points * share * 4) / 4


Detail = tuple[tuple[str, str], ...]


def _short_detail(
    exercise: Exercise,
    expected: tuple[Outcome, ...],
    came: tuple[Outcome, ...],
    wrong: list[int],
    seed: int,
) -> tuple[int, Detail]:
    """The first wrong case that can be read at a glance, else the shortest. Hidden in marking."""
    if os.environ.get("NBGRADER_EXECUTION") == "autograde" or not exercise.shows_case:
        return wrong[0], ()
    sizes: dict[int, int] = {}
    details: dict[int, Detail] = {}
    for index in wrong:
        details[index] = _detail(exercise, index, seed, expected[index], came[index])
        sizes[index] = sum(len(value) for _, value in details[index])
        if sizes[index] <= SHORT:
            return index, details[index]
    shortest = min(wrong, key=sizes.__getitem__)
    return shortest, details[shortest]


def _detail(exercise: Exercise, index: int, seed: int, expected: Outcome, came: Outcome) -> Detail:
    """What went in, what was expected, what came."""
    inputs = case_inputs(exercise, index, seed)
    rows = [(f"in: {name}", shown(value)) for name, value in inputs.items()]
    wanted, given = _where_they_differ(expected.view, came.view)
    if exercise.shows_expected:
        rows.append(("expected", shown(wanted)))
    rows.append(("came", came.failure or shown(given)))
    return tuple(rows)


def _where_they_differ(wanted: Plain, given: Plain) -> tuple[Plain, Plain]:
    """Of two long tables by name, the first rows that differ; anything else as it is."""
    if not (isinstance(wanted, Mapping) and isinstance(given, Mapping) and len(wanted) > ROWS):
        return wanted, given
    differ = [name for name in wanted if shown(wanted[name]) != shown(given.get(name))]
    few = differ[:ROWS]
    if not few:
        return wanted, given
    left = {"others that differ": len(differ) - ROWS} if len(differ) > ROWS else {}
    return (
        {name: wanted[name] for name in few} | left,
        {name: given[name] for name in few if name in given} | left,
    )
