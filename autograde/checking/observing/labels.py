"""Results that are one of a few labels: they are right or wrong, and no texts to be cut."""

from collections.abc import Sequence

from autograde.checking.exercise import Plain


def labels(expected: Sequence[Plain]) -> list[str]:
    """The labels that an exercise asks for, or none where it asks for something else."""
    said = [view for view in expected if isinstance(view, str)]
    found = sorted(set(said))
    return found if len(said) == len(expected) and 1 < len(found) < len(said) else []


def no_such_label(known: list[str], came: Sequence[Plain]) -> str:
    """A sentence on an answer that is none of the labels."""
    for view in came if known else ():
        if view not in known:
            *most, last = map(repr, known)
            return (
                f"Your answer says {view!r}, and there is no such answer. It is one of "
                f"{', '.join(most)} and {last}."
            )
    return ""
