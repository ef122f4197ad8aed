"""A verdict on one exercise: inputs made here, the answer asked, its values compared here."""

import hashlib
import hmac
from collections.abc import Callable
from typing import Any

from autograde.checking.case_inputs import case_inputs
from autograde.checking.check import judged
from autograde.checking.exercise import Exercise
from autograde.checking.outcomes import NOT_RUN, Outcome, known_outcome
from autograde.checking.report import Report
from autograde.checking.safe_state import safe_state
from autograde.marking.asking.outcomes import asked_outcome
from autograde.marking.asking.own_memory import bounded_memory
from autograde.marking.asking.peer import Peer
from autograde.marking.asking.wire import BadMessage, Gone, Waited
from autograde.marking.verdict import ExerciseVerdict

TOO_LONG = (
    "Your function was still running after {seconds:g} seconds of processor time in the case "
    '"{case}", and was stopped. A loop may never end: look at what should end each `while`.'
)
WAITING = (
    'Your function waited for something in the case "{case}" and was stopped. Leave out `sleep`, '
    "`input` and whatever waits for another process."
)
ENDED = (
    'Your function ended its own process in the case "{case}", or took more memory than there is. '
    "Leave out `exit()`, and look at the shapes."
)
_seeds: dict[str, int] = {}
NO_PROTOCOL = 'What came back in the case "{case}" could not be read.'


def seed_for(secret: bytes, student: str, exercise: str) -> int:
    """The seed of one student's cases: the same whenever it is marked, and nobody can guess it."""
    digest = hmac.new(secret, f"{student}\0{exercise}".encode(), hashlib.sha256).digest()
    return int.from_bytes(digest[:6], "big")


@safe_state()
@bounded_memory()
def report_on(exercise: Exercise, peer: Peer, seed: int, ended: Callable[[], int]) -> Report:
    """Judge an answer that lives at the other end.

    Parameters
    ----------
    ended : ends the answer's process, and returns the signal that had ended it before; 0 for none
    """
    _forget_other_cases(exercise.id, seed)
    try:
        about = peer.ask("about", [*exercise.parameters()])
        refusal = _refusal(exercise, about)
    except (BadMessage, Gone, Waited):
        refusal = f"`{exercise.id}` could not be asked: its process has ended."
    except Exception:  # the other side has raised it, where an answer never does
        refusal = f"`{exercise.id}` could not be asked."
    if refusal:
        ended()
        return Report(exercise, 0.0, (), refusal)
    came: list[Outcome] = []
    for index, case in enumerate(exercise.cases):
        try:
            came.append(asked_outcome(peer, exercise, index, seed))
        except Waited:
            ended()
            came.append(_cut(WAITING.format(case=case.name)))
            break
        except BadMessage:
            ended()
            came.append(_cut(NO_PROTOCOL.format(case=case.name)))
            break
        except Gone:
            too_long = ended() == 24
            words = TOO_LONG if too_long else ENDED
            came.append(_cut(words.format(case=case.name, seconds=exercise.seconds)))
            break
    else:
        ended()
    came += [NOT_RUN] * (len(exercise.cases) - len(came))
    return judged(exercise, _not_here, tuple(came), seed)


def _forget_other_cases(exercise: str, seed: int) -> None:
    """Keep what the course's own answers do with the cases of one student, and no more."""
    if _seeds.setdefault(exercise, seed) != seed:
        known_outcome.cache_clear()
        case_inputs.cache_clear()
        _seeds.clear()
        _seeds[exercise] = seed


def _not_here(*arguments: Any) -> Any:
    raise RuntimeError("the answer is in another process")


def _cut(sentence: str) -> Outcome:
    return Outcome(failure=sentence, sentence=sentence, stopped=True)


def _refusal(exercise: Exercise, about: Any) -> str:
    if not isinstance(about, dict):
        return f"`{exercise.id}` could not be asked."
    if not about.get("callable"):
        kind = "class" if isinstance(exercise.reference, type) else "function"
        return f"`{exercise.id}` should be a {kind}, and it is {str(about.get('shown'))[:300]}."
    if not about.get("binds"):
        names = exercise.parameters()
        return (
            f"`{exercise.id}` is called with {len(names)} arguments ({', '.join(names)}), and "
            "yours cannot take them. Keep the first line as it was."
        )
    return ""


def verdict_of(report: Report) -> ExerciseVerdict:
    """A report as what is stored."""
    exercise = report.exercise
    return ExerciseVerdict(
        id=exercise.id,
        title=exercise.title,
        points=float(report.points),
        of=float(exercise.points),
        status=_status(report),
        headline=report.headline,
        message=report.advice,
        mistake=report.mistake.name if report.mistake else "",
        certain=report.certain,
        cases=tuple({"name": case.name, "difference": case.difference} for case in report.cases),
        page=report.html(),
    )


def _status(report: Report) -> str:
    if not report.judged:
        return "not judged"
    said = [case.difference or "" for case in report.cases]
    if any("was stopped" in text or "ended its own process" in text for text in said):
        return "cut short"
    return "judged" if report.cases else "not begun"


def not_defined(exercise: Exercise, why: str) -> ExerciseVerdict:
    """The verdict where there is nothing to ask."""
    message = f"`{exercise.id}` is not defined: {why}"
    report = Report(exercise, 0.0, (), message)
    return ExerciseVerdict(
        exercise.id,
        exercise.title,
        0.0,
        float(exercise.points),
        "not defined",
        report.headline,
        message,
        page=report.html(),
    )
