"""What an exercise declares: reference, cases, named mistakes, other right answers.

An exercise is data. It never sees a live object of the learner: a case makes plain inputs from
a seed, `run` turns the answer into plain outputs, `view` says what of them matters, and
`tolerance` says how close is right. So the same exercise can be judged in this process (a
learner at home) or in one that never runs the learner's code (a trusted grader).

What an exercise overlooks is found by mutants of its right answers: `python -m autograde prove`.
"""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Concatenate, ParamSpec

import numpy as np

from autograde.checking.answers import Answer, Inputs, Plain, Run, call
from autograde.checking.work_limit import WorkLimit

Random = np.random.Generator
Make = Callable[[Random], Inputs]
Sizes = ParamSpec("Sizes")


def nothing_named(inputs: Inputs) -> Mapping[str, Any]:
    """What an exercise names on the way to its answer: nothing."""
    return {}


def everything(inputs: Inputs, outputs: Plain) -> Plain:
    """The view of an exercise with one right answer: all of the outputs."""
    return outputs


@dataclass(frozen=True)
class Case:
    """One named question put to the answer.

    Attributes
    ----------
    name : what it shows, as the report prints it ("scores of a thousand").
    make : builds the inputs, by parameter name, from a generator seeded for this case.
    weight : its share of the points, relative to the other cases.
    edge : it tests a corner; corners earn nothing while every ordinary case is wrong.
    asks : what is special here, and what is right then; said when all that is wrong is such cases.
    """

    name: str
    make: Make
    weight: float = 1.0
    edge: bool = False
    asks: str = ""

    @staticmethod
    def drawn(
        make: Callable[Concatenate[Random, Sizes], Inputs],
    ) -> Callable[Sizes, Make]:
        """Decorate what makes inputs from a generator and sizes: a case names the sizes."""

        def with_sizes(*sizes: Sizes.args, **named: Sizes.kwargs) -> Make:
            return lambda rng: make(rng, *sizes, **named)

        return with_sizes


@dataclass(frozen=True, eq=False)
class Mistake:
    """A complete wrong answer that learners are likely to write, and the sentence that helps.

    Most are edits of a right answer: see `slips`.
    """

    name: str
    answer: Answer
    says: str
    hint: int | None = None


class CourseAtFault(ValueError):
    """A file or a setting of the course is at fault; the text says which, and what to do."""


@dataclass(frozen=True, eq=False)
class Exercise:
    """One exercise of one lesson.

    ``difficulty`` and ``importance`` run from 1 to 5. An answer may take ``seconds`` for each case,
    and in each call what ``work_limit`` allows.
    ``on_the_way`` names amounts that are computed on the way, so that a result which is one of
    them, or which has one too many or too few, can be told so. Where the numbers of the result are
    ``codes``, such as ids of words, nothing is said of the size of a single one. What is expected
    stands in the report of a wrong case, unless that is the answer itself (``shows_expected``).
    Where no input of a case would help to find the mistake, none is shown (``shows_case``).
    What each check ``opens``, such as hidden texts, is counted, and said with the result.
    ``needs`` is called before an answer is run, and raises `CourseAtFault` where something is amiss
    that is no learner's.
    """

    id: str
    title: str
    lesson: str
    points: float
    difficulty: int
    importance: int
    minutes: int
    reference: Answer
    cases: tuple[Case, ...]
    mistakes: tuple[Mistake, ...]
    right_answers: Mapping[str, Answer] = field(default_factory=dict)
    run: Run = call
    view: Callable[[Inputs, Plain], Plain] = everything
    on_the_way: Callable[[Inputs], Mapping[str, Any]] = nothing_named
    codes: bool = False
    shows_expected: bool = True
    shows_case: bool = True
    rtol: float = 1e-4
    atol: float = 1e-6
    seconds: float = 20.0
    work_limit: WorkLimit | None = None
    opens: str = ""
    needs: Callable[[], object] | None = None

    def inputs(self, case_index: int, seed: int) -> Inputs:
        """The inputs of one case; the same seed gives the same inputs."""
        return self.cases[case_index].make(np.random.default_rng([seed, case_index]))

    def parameters(self) -> tuple[str, ...]:
        """The parameter names that the reference takes."""
        return tuple(inspect.signature(self.reference).parameters)
