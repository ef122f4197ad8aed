"""`progress()`: how far the learner has come on the road, and what is next."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from autograde.checking import attempts, predictions
from autograde.checking.catalogue import catalogue
from autograde.checking.exercise import Exercise
from autograde.checking.markup import escape, paragraph
from autograde.workspace.place import find_workspace
from autograde.workspace.results import results
from course.figures.picture import Picture
from course.figures.road import name_of, road


@dataclass(frozen=True)
class Progress:
    """What is passed, what is next and how long it takes; a picture in a notebook.

    Attributes
    ----------
    exercises : all there are, in the order of the road.
    reached : by exercise, whether it has had full points; the latest one last.
    held : for each prediction with an outcome, whether it held.
    kept : whether this is a place where progress is kept; else `reached` is of this kernel alone.
    """

    exercises: tuple[Exercise, ...]
    reached: Mapping[str, bool]
    held: tuple[bool, ...]
    kept: bool

    def passed(self, exercise: Exercise) -> bool:
        """Whether the exercise has had full points."""
        return self.reached.get(exercise.id, False)

    @property
    def next(self) -> Exercise | None:
        """The first one that is not passed, from the latest one on, else from the start."""
        ids = [exercise.id for exercise in self.exercises]
        latest = [ids.index(exercise) for exercise in self.reached if exercise in ids]
        start = latest[-1] if latest else 0
        begun = {exercise.lesson for exercise in self.exercises if exercise.id in self.reached}
        earlier = [e for e in self.exercises[:start] if self.kept or e.lesson in begun]
        onward = (*self.exercises[start:], *earlier)
        return next((exercise for exercise in onward if not self.passed(exercise)), None)

    def lessons(self) -> dict[str, tuple[int, int]]:
        """For each lesson that is begun: exercises passed, and how many there are."""
        found: dict[str, tuple[int, int]] = {}
        for exercise in self.exercises:
            of = [other for other in self.exercises if other.lesson == exercise.lesson]
            if any(other.id in self.reached for other in of):
                found[exercise.lesson[:2]] = sum(map(self.passed, of)), len(of)
        return found

    def sentences(self) -> list[str]:
        """The progress in words."""
        said = self._of_all() if self.kept else self._of_this_kernel()
        if (coming := self.next) is None:
            said.append("There is no exercise left.")
        elif self.kept or self.reached:
            number = coming.lesson[:2]
            said.append(
                f'Next: "{coming.title}" (`{coming.id}`) in lesson {number}, '
                f"{name_of(number)}, about {_time(coming.minutes)}."
            )
            left = [e for e in self.exercises if not self.passed(e)]
            here = _time(sum(e.minutes for e in left if e.lesson == coming.lesson))
            in_all = f", {_time(sum(e.minutes for e in left))} in all" if self.kept else ""
            said.append(
                f"Exercises that are left: about {here} in that lesson{in_all}. "
                "Reading comes on top."
            )
        if self.held:
            said.append(f"{sum(self.held)} of your {len(self.held)} predictions held.")
        return said

    def _of_all(self) -> list[str]:
        passed = sum(map(self.passed, self.exercises))
        lessons = self.lessons().values()
        done = sum(count == of for count, of in lessons)
        return [
            f"You have passed {passed} of {len(self.exercises)} exercises. Lessons with all "
            f"exercises passed: {done}; begun: {len(lessons) - done}."
        ]

    def _of_this_kernel(self) -> list[str]:
        said = [
            f"Passed in lesson {number} since this kernel started: {count} of {of} exercises."
            for number, (count, of) in self.lessons().items()
        ] or ["No answer of yours has been checked since this kernel started."]
        return [
            *said,
            "Nothing is kept here. What lasts is kept where `make lab` puts the lessons.",
        ]

    def __repr__(self) -> str:
        return "\n".join(self.sentences())

    def picture(self) -> Picture:
        """The road, with the lessons that are done and begun."""
        last = self.exercises[-1].lesson
        at = (self.next.lesson if self.next is not None else last)[:2]
        return road(at if self.kept or self.reached else None, self.lessons())

    def _ipython_display_(self) -> None:
        """The picture and the sentences as two outputs: viewers that clean HTML keep both."""
        from IPython.display import display

        display(self.picture())
        words = "".join(paragraph(escape(sentence)) for sentence in self.sentences())
        display({"text/html": words, "text/plain": repr(self)}, raw=True)


def progress() -> Progress:
    """How far you have come: lessons done and begun, what is next, and how long is left.

    It counts what checks have found in the folder where `make lab` put your lessons. Nothing of it
    leaves your machine. Anywhere else it counts what they have found since the kernel started.
    """
    exercises, workspace = tuple(catalogue().values()), find_workspace()
    if workspace is None:
        return Progress(exercises, attempts.of_this_kernel(), (), kept=False)
    reached = {exercise: result.passed for exercise, result in results(workspace).items()}
    return Progress(exercises, reached, tuple(_held(workspace)), kept=True)


def _held(workspace: Path) -> list[bool]:
    files = sorted(workspace.glob(f"*/{predictions.FILE}"))
    return [held for file in files for held in predictions.judged(file)]


def _time(minutes: int) -> str:
    hours, rest = divmod(minutes, 60)
    return f"{hours} h {rest:02} min" if hours else f"{minutes} minutes"
