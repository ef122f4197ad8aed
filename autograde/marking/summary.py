"""What an instructor wants to know of a class: marks, repairs, what waits, named mistakes."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from autograde.marking.course_folder import CourseFolder
from autograde.marking.gradebook import Gradebook, exercise_of
from autograde.marking.printed import printed
from autograde.marking.verdict import Verdict


def summary(course: CourseFolder, lesson: str, found: Sequence[Verdict]) -> str:
    """The last lines of `grade`."""
    marked = [verdict for verdict in found if verdict.status == "marked"]
    lines = [line for verdict in marked for line in _of_one(verdict)]
    for verdict in found:
        if verdict.status != "marked":
            first, *rest = verdict.reason.splitlines() or [""]
            lines.append(f"{verdict.student}: {verdict.status}: {first}")
            lines += [f"    {line}" for line in rest]
    lines += _mistakes(marked)
    lines += _waiting(course, lesson, {verdict.student for verdict in marked})
    lines.append(f"{len(marked)} of {len(found)} hand-ins are marked.")
    return printed(lines)


def _of_one(verdict: Verdict) -> Iterator[str]:
    most = sum(exercise.of for exercise in verdict.exercises)
    yield f"{verdict.student}: {verdict.points:g} of {most:g}"
    yield from (f"    {note}" for note in (*verdict.repaired, *verdict.notes))
    for exercise in verdict.exercises:
        if exercise.status == "cut short":
            yield f"    {exercise.title} was cut short: {exercise.message}"


def _mistakes(marked: Sequence[Verdict]) -> Iterator[str]:
    named: dict[str, Counter[str]] = defaultdict(Counter)
    for verdict in marked:
        for exercise in verdict.exercises:
            if exercise.mistake:
                named[exercise.title][exercise.mistake] += 1
    if named:
        yield "Named mistakes:"
    for title, counted in named.items():
        yield from (f"    {title}: {name} ({number})" for name, number in counted.most_common())


def _waiting(course: CourseFolder, lesson: str, students: set[str]) -> Iterator[str]:
    book = Gradebook.read(course.database)
    waits = {
        student: marks.waiting
        for (of, student), marks in book.marks.items()
        if of == lesson and student in students and marks.waiting
    }
    if waits:
        essays = Counter(exercise_of(name) for names in waits.values() for name in names)
        which = ", ".join(f"{name} ({number})" for name, number in essays.items())
        yield f"{len(waits)} hand-ins wait for a person to mark discussions: {which}."
