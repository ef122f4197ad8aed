"""`whose(...)`: which parts of a thing put together are the learner's own, in a sentence."""

from autograde.checking import catalogue
from autograde.checking.exercise import Answer


def whose(**parts: Answer) -> str:
    """Say how many of these parts are the learner's, and which are the course's.

    Parameters
    ----------
    parts : answers under the ids of their exercises, as `mine` and `or_reference` give them

    Raises
    ------
    KeyError
        If there is no such exercise.
    """
    course = [name for name, part in parts.items() if part is catalogue.find(name).reference]
    if len(course) == len(parts):
        return f"None of its {len(parts)} parts is yours yet: the course's stand in."
    if not course:
        return f"All its {len(parts)} parts are yours."
    own = len(parts) - len(course)
    verb = "is" if own == 1 else "are"
    return f"{own} of its {len(parts)} parts {verb} yours. The course's: {', '.join(course)}."
