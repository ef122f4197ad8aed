"""Predict before you run: record a guess, show it beside the outcome, count how often it held.

Guesses are kept in ``predictions.json`` beside the notebook. Nothing else reads them, and no
mark depends on them.
"""

import datetime
import html
import json
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from itertools import count
from pathlib import Path
from typing import Any

from autograde.workspace.place import being_graded
from course.figures.widget_view import widget_view
from elmo_mini.files import write_text

FILE = Path("predictions.json")
# What the form for RISE is made of; `autograde/running/labextensions` shows it.
ASKED = "application/vnd.before-bert.prediction+json"
_DAMAGED = (ValueError, TypeError, AttributeError)
_SEEN: set[tuple[Path, str]] = set()  # outcomes shown without a guess: a guess is too late then


@dataclass
class Prediction:
    """One question with the learner's guess and, later, what was measured."""

    question: str
    unit: str = ""
    guess: float | str | None = None
    outcome: float | str | None = None
    when: str = ""
    factor: float = 2.0

    @property
    def held(self) -> bool | None:
        """Whether the guess held.

        The same option; a percentage within 10 points, or half of a small one, but at least 1
        point; another number within ``factor``.
        """
        if self.guess is None or self.outcome is None:
            return None
        if isinstance(self.guess, str) or isinstance(self.outcome, str):
            return str(self.guess) == str(self.outcome)
        if self.unit == "%":
            return abs(self.guess - self.outcome) <= _points(self.outcome)
        if self.guess * self.outcome <= 0:
            return self.guess == self.outcome
        return 1 / self.factor <= self.guess / self.outcome <= self.factor

    def sentence(self) -> str:
        """The guess beside the outcome, in words."""
        measured = f"measured: {_said(self.outcome, self.unit)}"
        if self.guess is None and being_graded():
            return f"M{measured[1:]}"
        if self.guess is None:
            return f"No prediction was recorded · {measured}"
        verdict = "your prediction held" if self.held else "this was a surprise"
        return (
            f"You predicted: {_said(self.guess, self.unit)} · {measured} · {verdict} ({self.rule})"
        )

    @property
    def rule(self) -> str:
        """When a guess like this one holds, in words."""
        if isinstance(self.guess, str) or isinstance(self.outcome, str):
            return "it holds if it is the same option"
        if self.unit == "%" and self.outcome is not None:
            points = f"{_points(self.outcome):.2g}"
            return f"it holds within {points} percentage point{'s' * (points != '1')}"
        return f"it holds within a factor of {self.factor:g}"


class Shown:
    """A sentence that displays as HTML in a notebook and as text elsewhere."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        style = "border-left:4px solid #0072B2;padding:0.2em 0.8em"
        return f"<div style='{style}'>{html.escape(self.text)}</div>"


class Form:
    """A widget that asks, or RISE's own form; where neither can be shown, the question alone."""

    def __init__(
        self, widget: Any, key: str, question: str, options: Sequence[str], unit: str
    ) -> None:
        self.widget = widget
        self.asked = {"key": key, "question": question, "options": list(options), "unit": unit}
        choices = f" ({' / '.join(options)})" if options else ""
        self.fallback = Shown(
            f"Your prediction? {question}{choices} "
            "Where you see no form, write it into the call: predict(..., guess=...)."
        )

    def __repr__(self) -> str:
        return repr(self.fallback)

    def _repr_mimebundle_(self, **options: Any) -> dict[str, Any]:
        bundle = widget_view(self.widget, **options)
        shown = {"text/plain": repr(self), "text/html": self.fallback._repr_html_()}
        return bundle | shown | {ASKED: self.asked}


def predict(
    key: str,
    question: str,
    *,
    options: Sequence[str] = (),
    unit: str = "",
    guess: float | str | None = None,
) -> Form | Shown:
    """Ask for a guess and record it.

    Shows a form in JupyterLab. Without widgets, give the guess as ``guess=...`` instead. A guess
    can be changed until its outcome is shown. A guess that is none of the ``options``, or no
    number where one is asked for, is not recorded, and the sentence says so.
    """
    if guess is not None:
        try:
            understood = _understood(guess, list(options))
        except ValueError as error:
            return Shown(f"Not recorded: {error}.")
        return Shown(_record(key, question, unit, understood))
    return Form(_widget(key, question, list(options), unit), key, question, options, unit)


def _understood(guess: float | str, options: list[str]) -> float | str:
    """The guess as one of the options, or as a number ("5 %" and "4,5" are numbers)."""
    if options:
        if guess not in options:
            raise ValueError(f"the guess must be one of {options}, not {guess!r}")
        return guess
    number = re.fullmatch(r"\s*(-?\d+(?:[.,]\d+)?)\D*", str(guess))
    if number is None:
        raise ValueError(f"the guess must be a number, such as 80 or 4.5, not {guess!r}")
    return float(number[1].replace(",", "."))


def outcome(key: str, measured: float | str, *, unit: str = "", factor: float = 2.0) -> Shown:
    """Show what was measured beside the guess.

    Parameters
    ----------
    factor : how far off a number may be and still count as held (percentages: 10 points,
        or half of a small one).
    """
    book = _read()
    prediction = book.get(key, Prediction(question="", unit=unit))
    prediction.outcome = measured if isinstance(measured, str) else float(measured)
    prediction.factor = factor
    if key in book:
        with suppress(OSError):  # the outcome is shown all the same
            _write(book)
    else:
        _SEEN.add((FILE.absolute(), key))
    return Shown(prediction.sentence())


def calibration() -> Shown | None:
    """How many of the recorded predictions of this lesson held; nothing while nbgrader marks."""
    if being_graded():
        return None
    held = [p.held for p in _read().values() if p.held is not None]
    if not held:
        return Shown("No prediction was recorded in this lesson. Next time, guess first.")
    missed = len(held) - sum(held)
    others = "the other one" if missed == 1 else "the others"
    again = f" Look again at {others}: what did you expect, and why?" if missed else ""
    return Shown(f"{sum(held)} of your {len(held)} predictions held.{again}")


def judged(file: Path) -> list[bool]:
    """Whether each prediction of a lesson held, of those with an outcome; the file is only read."""
    try:
        book = _book(file)
    except (OSError, *_DAMAGED):
        return []
    return [p.held for p in book.values() if p.held is not None]


def _widget(key: str, question: str, options: list[str], unit: str) -> Any:
    import ipywidgets as widgets

    earlier = _read().get(key)
    value = earlier.guess if earlier else None
    answer: Any
    if options:
        answer = widgets.RadioButtons(options=options, value=value if value in options else None)
    else:
        asked = {"": "Your guess", "x": "Your guess (times)"}.get(unit, f"Your guess ({unit})")
        answer = widgets.FloatText(
            value=value if isinstance(value, float) else 0.0,
            description=asked,
            style={"description_width": "initial"},
        )
    answer.layout.width = "max-content"
    button = widgets.Button(description="Record", tooltip="Record this prediction")
    said = widgets.Label(value=f"Recorded: {_said(value, unit)}" if value is not None else "")

    def record(_: Any) -> None:
        if answer.value is None:
            said.value = "Choose an option first."
            return
        said.value = _record(key, question, unit, answer.value)

    button.on_click(record)
    label = widgets.HTML(f"<strong>Your prediction?</strong> {html.escape(question)}")
    return widgets.VBox([label, answer, widgets.HBox([button, said])])


def _record(key: str, question: str, unit: str, guess: float | str) -> str:
    """Record the guess unless its outcome is known; say what was done."""
    book = _read()
    earlier = book.get(key)
    if earlier is not None and earlier.outcome is not None:
        return f"The outcome is known, so your first guess stays: {_said(earlier.guess, unit)}."
    if earlier is None and (FILE.absolute(), key) in _SEEN:
        return (
            "The outcome has been shown already. This guess came too late and is not recorded. "
            "To guess all the same, restart the kernel, run the cells above, and guess first."
        )
    when = datetime.datetime.now().isoformat(timespec="seconds")
    book[key] = Prediction(question, unit, guess, None, when)
    try:
        _write(book)
    except OSError as error:
        return f"Not recorded: {FILE} cannot be written ({error.strerror or error})."
    percent = unit == "%" and isinstance(guess, int | float) and 0 < guess < 1
    doubt = f" If you meant {100 * guess:g} %, write {100 * guess:g}." if percent else ""
    return f"Recorded: {_said(guess, unit)}. You can change it until you see the outcome.{doubt}"


def _read() -> dict[str, Prediction]:
    """The recorded predictions; a damaged file is put aside, never lost."""
    if not FILE.exists():
        return {}
    try:
        return _book(FILE)
    except _DAMAGED:
        FILE.replace(_free_name())
        return {}


def _free_name() -> Path:
    names = (FILE.with_suffix(f".damaged{number or ''}.json") for number in count())
    return next(name for name in names if not name.exists())


def _book(file: Path) -> dict[str, Prediction]:
    found = json.loads(file.read_text("utf-8"))
    return {key: Prediction(**value) for key, value in found.items()}


def _write(book: dict[str, Prediction]) -> None:
    write_text(FILE, json.dumps({key: asdict(value) for key, value in book.items()}, indent=1))


def _points(measured: float) -> float:
    """How many points off a percentage may be: 10, of less than 20 % its half, at least 1."""
    return min(10.0, max(1.0, abs(measured) / 2))


def _said(value: float | str | None, unit: str) -> str:
    text = f"{value:.4g}" if isinstance(value, int | float) else str(value)
    return f"{text} {unit}".strip()
