"""Three things with a planted fault each, and the question which fault that is."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from autograde.checking.answers import Answer, AnswerRefused, Inputs, Plain
from autograde.checking.exercise import Case, Mistake


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
    hints : which hint is about each thing.
    """

    thing: str
    faults: Sequence[str]
    truth: Mapping[str, int]
    would_show: Mapping[int, str]
    look: Mapping[str, str]
    hints: Mapping[str, int]

    def run(self, answer: Answer, inputs: Inputs) -> Plain:
        """The learner's fault of one thing, if it has that; a wrong one is told what it would show.

        So each thing has its own sentence, however many of them are wrong.
        """
        said, name, last = answer(), inputs[self.thing], len(self.faults)
        if not isinstance(said, Mapping) or name not in said:
            raise AnswerRefused(
                f"Return a dict with a number for each {self.thing}: "
                '{"A": ..., "B": ..., "C": ...}.'
            )
        number = said[name]
        if isinstance(number, float) and number.is_integer():
            number = int(number)
        if isinstance(number, bool) or not isinstance(number, int | np.integer):
            raise AnswerRefused(
                f"For {name} you say {number!r}. Give the number of the fault, 1 to {last}."
            )
        if not 1 <= number <= last:
            raise AnswerRefused(f"There is no fault {number}. They are numbered from 1 to {last}.")
        if number != self.truth[name]:
            raise AnswerRefused(self._said_of(name, int(number)))
        return {name: number}

    def _said_of(self, name: str, number: int) -> str:
        return (
            f"{name} is not fault {number} ({self.faults[number - 1]}). "
            f"With that, {self.would_show[number]}. {self.look[name]}."
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
        )

    def _wrong(self, name: str, number: int) -> Mistake:
        return Mistake(
            f"{name} has another fault than {number}",
            lambda: {**self.truth, name: number},
            self._said_of(name, number),
            self.hints[name],
        )
