"""What an exercise promises, held to it: each proof gives a sentence for what falls short.

The stub earns nothing and is told so kindly. Every right answer earns everything, and so does what
the slips are edits of. Every named mistake loses points, is recognised by its name, and is told its
sentence; nonsense earns nothing. None of this hangs on the last bits of a processor.
"""

import builtins
import dis
import html
import re
from collections.abc import Iterator
from itertools import chain
from types import CodeType, FunctionType

import numpy as np

from autograde.checking.check import examine, seed_of
from autograde.checking.exercise import Answer, Exercise, Mistake
from autograde.checking.markup import prose
from autograde.checking.outcomes import alike, known_outcomes
from autograde.checking.report import Report
from autograde.checking.slips import Slip
from autograde.proving.rounding import on_another_processor

FEWEST = 3
TAG = re.compile("<[^>]+>")
NONSENSE: tuple[Answer, ...] = (
    lambda *a: None,
    lambda *a: "text",
    lambda *a: object(),
    lambda *a: 1 / 0,
)


def shortfalls(exercise: Exercise) -> Iterator[str]:
    """Everything that falls short, on the seed of self-study."""
    seed = seed_of(exercise.id)
    yield from framing(exercise)
    yield from stub(exercise)
    yield from nonsense(exercise)
    yield from chain.from_iterable(
        right_answer(exercise, name, answer, seed) for name, answer in right_answers(exercise)
    )
    for mistake in exercise.mistakes:
        yield from named(exercise, mistake, seed)
    yield from rounding(exercise, seed)


def framing(exercise: Exercise) -> Iterator[str]:
    """Whether it is complete."""
    if len(exercise.mistakes) < FEWEST:
        yield f"it names {len(exercise.mistakes)} mistakes; {FEWEST} are the fewest"
    if not exercise.right_answers:
        yield "it has no other right answer"
    for mistake in exercise.mistakes:
        if mistake.hint not in (None, 1, 2, 3):
            yield f'its mistake "{mistake.name}" leads to hint {mistake.hint}; there are three'
        for name in sorted(_names_without_a_value(mistake.answer)):
            yield f'its mistake "{mistake.name}" reads `{name}`, which has no value there'
    for value, name in [(exercise.difficulty, "difficulty"), (exercise.importance, "importance")]:
        if not 1 <= value <= 5:
            yield f"its {name} is {value}, and should be 1 to 5"
    if exercise.points <= 0 or exercise.minutes <= 0:
        yield "its points and minutes should be above 0"


def _names_without_a_value(answer: Answer) -> set[str]:
    """Global names that an answer reads, and neither its module nor Python has."""
    functions = [answer, *vars(answer).values()] if isinstance(answer, type) else [answer]
    found = set[str]()
    for function in functions:
        if not isinstance(function, FunctionType):
            continue
        codes: list[CodeType] = [function.__code__]
        while codes:
            code = codes.pop()
            codes += [part for part in code.co_consts if isinstance(part, CodeType)]
            found |= {
                step.argval
                for step in dis.get_instructions(code)
                if step.opname == "LOAD_GLOBAL" and step.argval not in function.__globals__
            }
    return {name for name in found if not hasattr(builtins, name)}


def stub(exercise: Exercise) -> Iterator[str]:
    """Whether what a student begins with earns nothing and is told so."""

    def begun(*args: object) -> None:
        raise NotImplementedError

    report = examine(exercise, begun)
    if report.points or not {"Not started yet", exercise.id} <= _said_of(report, exercise.id):
        yield f"the stub is told: {report.text()}"


def _said_of(report: Report, *words: str) -> set[str]:
    return {word for word in ("Not started yet", *words) if word in report.message}


def nonsense(exercise: Exercise) -> Iterator[str]:
    """Whether None, text, an object, an error, and what is no function earn nothing."""
    for number, answer in enumerate(NONSENSE):
        if examine(exercise, answer).points:
            yield f"nonsense {number} of `NONSENSE` earns points"
    kind = "class" if isinstance(exercise.reference, type) else "function"
    for thing in (None, 3, "text", np.zeros(3)):
        report = examine(exercise, thing)
        if report.points or f"should be a {kind}, and it is" not in report.message:
            yield f"{thing!r} in place of a {kind} is told: {report.text()}"


def right_answers(exercise: Exercise) -> list[tuple[str, Answer]]:
    """Reference, other right answers, and what the slips are edits of, with their names."""
    bases = {slip.source.answer for slip in exercise.mistakes if isinstance(slip, Slip)}
    known = {"the reference": exercise.reference, **exercise.right_answers}
    others = [(f"the slips' {base.__name__}", base) for base in bases - set(known.values())]
    return [*known.items(), *sorted(others, key=lambda other: other[0])]


def right_answer(exercise: Exercise, name: str, answer: Answer, seed: int) -> Iterator[str]:
    """Whether a right answer earns everything."""
    report = examine(exercise, answer, seed)
    if report.points != exercise.points:
        yield f'the right answer "{name}" is refused:\n{report.text()}'


def named(exercise: Exercise, mistake: Mistake, seed: int) -> Iterator[str]:
    """Whether a mistake loses points, is recognised with certainty, and is told its sentence."""
    report = examine(exercise, mistake.answer, seed)
    what = f'the mistake "{mistake.name}"'
    if report.points >= exercise.points:
        yield f"{what} keeps all points"
    elif report.mistake is None or not report.certain or report.mistake.name != mistake.name:
        twins = [
            f'"{other.name}"'
            for other in exercise.mistakes
            if other is not mistake and _do_the_same(exercise, mistake, other, seed)
        ]
        like = f" (it does what {', '.join(twins)} does)" if twins else ""
        yield f"{what} is told{like}:\n{report.text()}"
    elif _words(prose(mistake.says)) not in _words(report.html()):
        yield f"{what} is not told its sentence in the notebook"


def _do_the_same(exercise: Exercise, one: Mistake, other: Mistake, seed: int) -> bool:
    both = (known_outcomes(exercise, mistake.answer, seed) for mistake in (one, other))
    return all(alike(exercise, left, right) for left, right in zip(*both, strict=True))


def _words(page: str) -> str:
    return TAG.sub("", html.unescape(page))


def rounding(exercise: Exercise, seed: int) -> Iterator[str]:
    """Whether the report of each answer is the same when last bits differ."""
    elsewhere = on_another_processor(exercise)
    answers = [*right_answers(exercise), *((m.name, m.answer) for m in exercise.mistakes)]
    for name, answer in answers:
        here, there = examine(exercise, answer, seed), examine(elsewhere, answer, seed)
        if verdict(here) != verdict(there):
            yield (
                f'rounding changes what is said of "{name}":\n{here.text()}\n'
                f"and on another processor:\n{there.text()}"
            )


def verdict(report: Report) -> tuple[object, ...]:
    """What a report says, without the numbers that it quotes."""
    right = tuple(case.difference is None for case in report.cases)
    mistake = report.mistake.name if report.mistake else None
    return report.points, right, mistake, report.certain, report.observed, report.detail_of
