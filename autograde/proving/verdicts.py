"""What the check says of each mutant of an exercise.

Mutants whose outcomes are the same are one mistake, spelt in several ways, and count once. It is

- ``kept``: it earns all points, so it is right, or a case is missing;
- ``named``: the report names a mistake with certainty;
- ``told``: the sentence states the cause. That is a refusal of the exercise ("changed its
  argument"), a result that is missing or of another kind, a loop that was stopped, or what the
  judge observed of all wrong cases;
- ``crashed``: an error in the learner's own code, told with its line;
- ``guessed``: the report says *perhaps*;
- ``unnamed``: the report shows a difference, of numbers or of a shape, and no more.

The first three after ``kept`` count as told.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain, zip_longest
from zlib import crc32

from autograde.checking.captured_output import captured_output
from autograde.checking.check import judged, seed_of
from autograde.checking.exercise import Answer, Exercise
from autograde.checking.outcomes import Outcome, alike, answer_outcomes
from autograde.checking.report import Report
from autograde.proving.operators import slips
from autograde.proving.sources import answers, place_of, with_part

MOST = 80
SECONDS = 8.0
KINDS = ("kept", "named", "told", "crashed", "guessed", "unnamed")
TOLD = ("named", "told", "crashed")
CRASHED = "Your function stopped with "
ANOTHER_KIND = re.compile(
    r" is None\.|, not (an? (list|tuple|array|number|dict)|text|True or False|of \d+)\.|"
    r" should hold (whole|real) numbers"
)


@dataclass(frozen=True)
class Mutant:
    """One changed answer."""

    operator: str
    change: str
    answer: Answer


@dataclass(frozen=True)
class Verdict:
    """What mutants with the same outcomes were told.

    Attributes
    ----------
    changes : how each differs from a right answer, the shortest first
    kind : one of `KINDS`
    points : what they kept
    case : the first case that caught them
    sentence : what the learner reads first, or the name of the mistake
    """

    changes: tuple[str, ...]
    kind: str
    points: float
    case: str
    sentence: str


def verdicts(exercise: Exercise, most: int = MOST) -> list[Verdict]:
    """Make the mutants of an exercise, judge each as `check` would, and group them."""
    quick = replace(exercise, seconds=SECONDS)
    seed = seed_of(exercise.id)
    groups: list[tuple[Answer, tuple[Outcome, ...], list[str]]] = []
    for mutant in chosen(exercise, most):
        with captured_output():
            came = answer_outcomes(quick, mutant.answer, seed)
        for _, outcomes, changes in groups:
            if all(alike(quick, a, b) for a, b in zip(outcomes, came, strict=True)):
                changes.append(mutant.change)
                break
        else:
            groups.append((mutant.answer, came, [mutant.change]))
    return [_verdict(quick, *group, seed) for group in groups]


def _verdict(
    exercise: Exercise, answer: Answer, came: tuple[Outcome, ...], changes: list[str], seed: int
) -> Verdict:
    with captured_output():
        report = judged(exercise, answer, came, seed)
    wrong = [i for i, case in enumerate(report.cases) if case.difference is not None]
    first = came[wrong[0]] if wrong else came[0]
    kind = _kind(report, first)
    sentence = f"{report.message} {report.observed}".strip()
    if kind in ("named", "guessed") and report.mistake is not None:
        sentence = report.mistake.name
    return Verdict(
        changes=tuple(sorted(set(changes), key=lambda change: (len(change), change))),
        kind=kind,
        points=report.points,
        case=exercise.cases[wrong[0]].name if wrong else "",
        sentence=sentence,
    )


def _kind(report: Report, first: Outcome) -> str:
    if report.points == report.exercise.points:
        return "kept"
    if report.mistake is not None and report.certain:
        return "named"
    if first.sentence.startswith(CRASHED):
        return "crashed"
    if report.observed or first.failure or ANOTHER_KIND.search(report.message):
        return "told"
    return "guessed" if report.mistake is not None else "unnamed"


def chosen(exercise: Exercise, most: int) -> list[Mutant]:
    """At most so many mutants, each operator in turn, and those of each in a fixed order."""
    by_operator: defaultdict[str, list[Mutant]] = defaultdict(list)
    for mutant in _all(exercise):
        by_operator[mutant.operator].append(mutant)
    rows = [
        sorted(mutants, key=lambda mutant: crc32(mutant.change.encode()))
        for _, mutants in sorted(by_operator.items())
    ]
    in_turn = chain.from_iterable(zip_longest(*rows))
    return [mutant for mutant in in_turn if mutant is not None][:most]


def _all(exercise: Exercise) -> Iterator[Mutant]:
    seen: set[str] = set()
    for made_of in answers(exercise).values():
        for part in made_of:
            if isinstance(part, type):
                continue  # its methods are parts of their own
            for slip in slips(place_of(exercise, made_of[0], part)):
                if slip.change not in seen:
                    seen.add(slip.change)
                    yield Mutant(slip.operator, slip.change, with_part(made_of[0], part, slip.tree))


def counted(found: list[Verdict]) -> dict[str, int]:
    """How many verdicts of each kind there are."""
    counts = Counter(verdict.kind for verdict in found)
    return {kind: counts[kind] for kind in KINDS}
