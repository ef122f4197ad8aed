"""Three things with a planted fault each, and the question which fault that is."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from autograde.checking.answers import Answer, AnswerRefused, Inputs, Plain
from autograde.checking.exercise import Case, Exercise, Mistake

PRINTED = "Your function returns nothing: what is printed does not come back. End it with `return`."
SMALL = "The keys of your dict are small letters. Write them as the lesson does, in capitals."


@dataclass(frozen=True)
class WhichFault:
    """The question, and what is said of a wrong number.

    Attributes
    ----------
    thing : what the three are ("run").
    faults : in words, in the order in which the lesson numbers them from 1.
    truth : the number of each thing's fault.
    would_show : what each fault would have shown, by its number.
    look : where the evidence against a wrong number is, for each thing.
    hints : which hint is about each thing; the second one, if none is named.
    """

    thing: str
    faults: Sequence[str]
    truth: Mapping[str, int]
    would_show: Mapping[int, str]
    look: Mapping[str, str]
    hints: Mapping[str, int] = field(default_factory=dict)

    def exercise(
        self,
        id: str,
        title: str,
        lesson: str,
        in_numbers: Answer,
        *,
        difficulty: int,
        importance: int,
        minutes: int,
    ) -> Exercise:
        """A point for each thing whose fault is named; no report shows a number that is right.

        Parameters
        ----------
        in_numbers : a function that returns the truth, written out; it holds the numbers of the
            lesson's list to the faults that are planted
        """
        return Exercise(
            id=id,
            title=title,
            lesson=lesson,
            points=len(self.truth),
            difficulty=difficulty,
            importance=importance,
            minutes=minutes,
            reference=self.right,
            run=self.run,
            shows_expected=False,
            cases=self.cases(),
            mistakes=self.mistakes(),
            right_answers={
                "NumPy numbers": lambda: {n: np.int64(fault) for n, fault in self.truth.items()},
                "with a point": lambda: {n: float(fault) for n, fault in self.truth.items()},
                "the three numbers": in_numbers,
            },
        )

    def right(self) -> dict[str, int]:
        """The number of each thing's fault."""
        return dict(self.truth)

    def run(self, answer: Answer, inputs: Inputs) -> Plain:
        """The learner's fault of one thing, if it has that; a wrong one is told what it would show.

        So each thing has its own sentence, however many of them are wrong.
        """
        said, name, last = answer(), inputs[self.thing], len(self.faults)
        if not isinstance(said, Mapping) or name not in said:
            raise AnswerRefused(self._form(said, name))
        number = said[name]
        if isinstance(number, float) and number.is_integer():
            number = int(number)
        if isinstance(number, bool) or not isinstance(number, int | np.integer):
            raise AnswerRefused(
                f"For {name} you say {number!r}. Give the number of the fault, 1 to {last}."
            )
        if not 1 <= number <= last:
            start = " Count from 1." if number == 0 else ""
            raise AnswerRefused(
                f"There is no fault {number}. They are numbered from 1 to {last}.{start}"
            )
        if number != self.truth[name]:
            raise AnswerRefused(self._said_of(name, int(number)))
        return {name: number}

    def _form(self, said: Any, name: str) -> str:
        """What is amiss with an answer that is no dict, or has no such name."""
        wanted = (
            f'Return a dict with a number for each {self.thing}: {{"A": ..., "B": ..., "C": ...}}.'
        )
        if said is None:
            return PRINTED + " " + wanted
        if isinstance(said, Mapping) and name.lower() in said:
            return SMALL + " " + wanted
        return wanted

    def _said_of(self, name: str, number: int) -> str:
        return (
            f"{name} is not fault {number} ({self.faults[number - 1]}). "
            f"With that, {self.would_show[number]}. {self.look[name]}"
            f"{'' if self.look[name].endswith('?') else '.'}"
        )

    def cases(self) -> tuple[Case, ...]:
        """One for each thing."""
        return tuple(Case(f"{self.thing} {name}", self._asked(name)) for name in self.truth)

    def _asked(self, name: str) -> Any:
        return lambda rng: {self.thing: name}

    def mistakes(self) -> tuple[Mistake, ...]:
        """Every wrong number of every thing, and words in place of numbers."""
        in_words = {name: self.faults[number - 1] for name, number in self.truth.items()}
        return (
            *(
                self._wrong(name, number)
                for name, right in self.truth.items()
                for number in range(1, len(self.faults) + 1)
                if number != right
            ),
            Mistake(
                "the faults in words",
                lambda: in_words,
                "You give the faults in words. Give the number of each, as in the list.",
            ),
            Mistake("printed", lambda: print(in_words), PRINTED),
            Mistake(
                "small letters",
                lambda: {name.lower(): number for name, number in self.truth.items()},
                SMALL,
            ),
        )

    def _wrong(self, name: str, number: int) -> Mistake:
        return Mistake(
            f"{name} has another fault than {number}",
            lambda: {**self.truth, name: number},
            self._said_of(name, number),
            self.hints.get(name, 2),
        )
