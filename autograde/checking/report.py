"""The report of a check: a small table, a sentence that helps, and the points as a float."""

import os
import sys
import textwrap
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from autograde.checking.exercise import Exercise, Mistake
from autograde.checking.judge import FEW_DIGITS, about
from autograde.checking.markup import escape, paragraph, prose, table

FOLDED = "Find it in the case below; check the same answer once more, and what helps is said."
NO_CASE = "Check the same answer once more, and what helps is said."
OPENS = "What helps: open it when you have looked for it yourself"
ROUNDING = 1e-14  # what is left of a difference that should be 0
SHORT = 40  # letters of a difference that each case repeats
COLUMNS = ("Result", "Case", "Difference")


@dataclass(frozen=True)
class CaseResult:
    """One line of the table; ``difference`` is None when the case is right."""

    name: str
    difference: str | None

    @property
    def cells(self) -> tuple[str, str, str]:
        """Its line of the table: result, case and difference."""
        return ("✗ not yet" if self.difference else "✓ right", self.name, self.difference or "")


@dataclass(frozen=True)
class Report:
    """What the learner reads after a check.

    ``observed`` is what all wrong cases have in common, for an answer that makes no named mistake.
    ``detail`` unfolds the first wrong case, or the one that ``detail_of`` names. Where the kernel
    is broken, the answer was not ``judged``. It has ``answered`` if it has failed in no more than
    some cases. The ``note`` tells what was kept of the answer. How to
    mend a named mistake is folded away unless ``repair`` is set: who has found it alone keeps it.
    """

    exercise: Exercise
    points: float
    cases: tuple[CaseResult, ...]
    message: str
    mistake: Mistake | None = None
    certain: bool = True
    observed: str = ""
    detail: tuple[tuple[str, str], ...] = ()
    detail_of: str | None = None
    printed: str = ""
    judged: bool = True
    answered: bool = True
    note: str = ""
    repair: bool = True

    @property
    def counts(self) -> bool:
        """Whether it was a try: no stub, and where that opens something, no crash in each case."""
        return bool(self.cases) and (self.answered or not self.exercise.opens)

    @property
    def headline(self) -> str:
        """The first line: how many points, and what was recognised."""
        earned = f"{self.points:g} of {self.exercise.points:g} points"
        if self.mistake is None:
            return earned
        return f"{earned} · {'this is' if self.certain else 'perhaps'}: {self.mistake.name}"

    @property
    def advice(self) -> str:
        """All that is said: what is seen, what helps, and the hint to open."""
        return " ".join(filter(None, (self._seen(str, str), self._help(str), self._hint)))

    def _seen(self, message: Callable[[str], str], says: Callable[[str], str]) -> str:
        """What is wrong, as it is seen; nothing where the mistake is certain and is explained."""
        if self.mistake and self.certain and self.repair:
            return ""
        return message(self.message) + (f" {says(self.observed)}" if self.observed else "")

    def _help(self, says: Callable[[str], str]) -> str:
        """What helps against the mistake that was recognised."""
        if self.mistake is None:
            return ""
        return ("" if self.certain else "If it is that: ") + says(self.mistake.says)

    @property
    def _hint(self) -> str:
        hint = self.mistake.hint if self.mistake else None
        return f"Hint {hint} is about this." if hint else ""

    @property
    def _detail_title(self) -> str:
        return "The first wrong case" if self.detail_of is None else f"Shorter: {self.detail_of}"

    def text(self) -> str:
        """The report for a terminal."""
        folded = self.mistake is not None and not self.repair
        help_ = (FOLDED if self.detail else NO_CASE) if folded else self._help(str)
        said = [self._seen(str, str), help_, self._hint]
        lines = [f"{self.exercise.title}: {self.headline}", f"  {' '.join(filter(None, said))}"]
        lines += [
            f"  [{'no' if difference else 'ok'}] {name}" + (f": {difference}" if difference else "")
            for _, name, difference in self._table()
        ]
        if self.detail:
            lines += [f"  {self._detail_title}:"]
            lines += [f"      {name} = {value}" for name, value in self.detail]
        if self.printed.strip():
            lines += ["  Your code printed:", *(f"      {s}" for s in self.printed.splitlines())]
        if self.note:
            lines.append(f"  {self.note}")
        return "\n".join(lines)

    def html(self) -> str:
        """The report for a notebook: no colour carries meaning alone, no script."""
        full = self.points == self.exercise.points
        rows = [[escape(cell) for cell in row] for row in self._table()]
        cases = table(COLUMNS, rows, label="Cases") if rows else ""
        edge = "#0072B2" if full else "#D55E00"
        parts = [
            f"<div style='border-left:4px solid {edge};padding:0.2em 0.8em'>",
            paragraph(f"<strong>{escape(self.exercise.title)}</strong>: {escape(self.headline)}"),
            *self._paragraphs(),
            cases,
        ]
        if self.detail:
            shown_first = "" if full or (self.mistake and self.repair) else " open"
            values = [(escape(name), f"<pre>{escape(value)}</pre>") for name, value in self.detail]
            parts.append(
                f"<details{shown_first}><summary>{escape(self._detail_title)}</summary>"
                f"{table([], values, label=self._detail_title, named=True)}</details>"
            )
        if self.printed.strip():
            parts.append(
                "<details><summary>What your code printed</summary>"
                f"<pre>{escape(self.printed)}</pre></details>"
            )
        if self.note:
            parts.append(paragraph(escape(self.note)))
        return "".join(parts) + "</div>"

    def _table(self) -> Iterator[tuple[str, str, str]]:
        """The cells of each case; a long difference is said once to the cases that follow it."""
        last = ""
        for case in self.cases:
            result, name, difference = case.cells
            again = difference == last and len(difference) > SHORT
            yield result, name, "as above" if again else difference
            last = difference or last

    def _paragraphs(self) -> Iterator[str]:
        """What is seen and what helps, the second folded away at the first try."""
        said = [self._seen(escape, prose), self._hint]
        if self.repair or self.mistake is None:
            said.insert(1, self._help(prose))
            yield paragraph(" ".join(filter(None, said)))
            return
        yield paragraph(" ".join(filter(None, said)))
        yield f"<details><summary>{OPENS}</summary>{paragraph(self._help(prose))}</details>"


class Score(float):
    """Points earned: a float whose display in a notebook is the report.

    The plain-text form is the number alone, because that is what nbgrader reads.
    """

    report: Report

    def __new__(cls, report: Report) -> "Score":
        score = super().__new__(cls, report.points)
        score.report = report
        return score

    def __repr__(self) -> str:
        return float.__repr__(float(self))

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return {"text/plain": repr(self), "text/html": self.report.html()}

    def tell_validation(self) -> None:
        """Say on stderr what is missing: nbgrader's *Validate* shows that and nothing else."""
        exercise = self.report.exercise
        if os.environ.get("NBGRADER_EXECUTION") == "validate" and self < exercise.points:
            said = f"{exercise.title} ({exercise.id}): {self.report.advice}"
            print(textwrap.fill(said, width=80), file=sys.stderr)  # it cuts longer lines

    def print_outside_notebooks(self) -> None:
        """Print the report where no notebook would show it."""
        try:
            from IPython import get_ipython

            shell = get_ipython()
        except ImportError:
            shell = None
        if shell is None or not hasattr(shell, "kernel"):
            print(self.report.text())


def shown(value: Any, width: int = 320) -> str:
    """A value as short readable text."""
    if isinstance(value, np.ndarray):
        if value.dtype.kind == "f":
            value = np.where(np.abs(value) < ROUNDING, 0.0, value)
        tiny = value.size > 0 and value.dtype.kind == "f" and abs(value).max() < 1e-2
        with np.printoptions(
            precision=4, suppress=not tiny, threshold=40, edgeitems=3, linewidth=88
        ):
            text = str(value) if value.ndim else shown(value.item())
        return text if value.size <= 40 else f"{text}\nshape {value.shape}"
    if isinstance(value, float):
        return about(value, ROUNDING)
    if isinstance(value, Mapping):
        return "\n".join(f"{key}: {shown(item, width)}" for key, item in value.items())
    if isinstance(value, np.random.Generator):
        return "a seeded random generator"
    if isinstance(value, list | tuple) and any(isinstance(item, np.ndarray) for item in value):
        return "\n".join(shown(item, width) for item in value)
    try:
        text = repr(_few_digits(value))
    except Exception:
        text = f"an object of type {type(value).__name__}"
    return text if len(text) <= width else f"{text[: width - 1]}…"


class _Number(float):
    """A number that stands in a list as a reader would write it."""

    def __repr__(self) -> str:
        return about(float(self), ROUNDING, FEW_DIGITS)


def _few_digits(value: Any) -> Any:
    if type(value) in (list, tuple):
        return type(value)(map(_few_digits, value))
    return _Number(value) if isinstance(value, float) else value
