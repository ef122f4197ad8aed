"""What was tried in this kernel, and what has passed, exercise by exercise."""

from collections import Counter

from autograde.workspace.place import find_workspace
from autograde.workspace.results import results

_tries: Counter[str] = Counter()
_passed: set[str] = set()


def note(exercise_id: str, passed: bool) -> None:
    """Remember one answer that was judged; a stub is none."""
    _tries[exercise_id] = _tries.pop(exercise_id, 0) + 1
    if passed:
        _passed.add(exercise_id)


def tries(exercise_id: str) -> int:
    """How many answers to the exercise were judged."""
    return _tries[exercise_id]


def opened(exercise_id: str) -> int:
    """How many answers were judged, in this kernel and in earlier ones of this learner's."""
    workspace = find_workspace()
    recorded = results(workspace).get(exercise_id) if workspace is not None else None
    return max(tries(exercise_id), recorded.tries if recorded is not None else 0)


def of_this_kernel() -> dict[str, bool]:
    """By exercise, whether an answer judged in this kernel has passed, the latest one last."""
    return {exercise_id: exercise_id in _passed for exercise_id in _tries}


def has_passed(exercise_id: str) -> bool:
    """Whether one of them earned every point, now or in an earlier kernel of this learner's."""
    if exercise_id in _passed:
        return True
    workspace = find_workspace()
    recorded = results(workspace).get(exercise_id) if workspace is not None else None
    return recorded is not None and recorded.passed
