"""Predict before you run: record a guess, show it beside the outcome, count how often it held.

Guesses are kept in ``predictions.json`` beside the notebook. Nothing else reads them, and no
mark depends on them.
"""

import datetime
import html
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

FILE = Path("predictions.json")


@dataclass
class Prediction:
    """One question with the learner's guess and, later, what was measured."""

    question: str
    unit: str = ""
    guess: float | str | None = None
    outcome: float | str | None = None
    when: str = ""

    @property
    def held(self) -> bool | None:
        """Whether the guess held: the same option, or a number within a factor of two."""
        if self.guess is None or self.outcome is None:
            return None
        if isinstance(self.guess, str) or isinstance(self.outcome, str):
            return str(self.guess) == str(self.outcome)
        if self.guess * self.outcome <= 0:
            return self.guess == self.outcome
        return 0.5 <= self.guess / self.outcome <= 2.0

    def sentence(self) -> str:
        """The guess beside the outcome, in words."""
        measured = f"measured: {_said(self.outcome, self.unit)}"
        if self.guess is None:
            return f"No prediction was recorded · {measured}"
        verdict = "your prediction held" if self.held else "this was a surprise"
        return f"You predicted: {_said(self.guess, self.unit)} · {measured} · {verdict}"


class Shown:
    """A sentence that displays as HTML in a notebook and as text elsewhere."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        style = "border-left:4px solid #0072B2;padding:0.2em 0.8em"
        return f"<p style='{style}'>{html.escape(self.text)}</p>"


class Form:
    """A widget that asks the question; where no widget can be shown, the question alone."""

    def __init__(self, widget: Any, question: str, options: Sequence[str]) -> None:
        self.widget = widget
        choices = f" ({' / '.join(options)})" if options else ""
        self.fallback = Shown(f"Your prediction? {question}{choices}")

    def __repr__(self) -> str:
        return repr(self.fallback)

    def _repr_mimebundle_(self, **options: Any) -> dict[str, Any]:
        bundle = dict(self.widget._repr_mimebundle_(**options) or {})
        return bundle | {"text/plain": repr(self), "text/html": self.fallback._repr_html_()}


def predict(
    key: str,
    question: str,
    *,
    options: Sequence[str] = (),
    unit: str = "",
    guess: float | str | None = None,
) -> Form | Shown:
    """Ask for a guess and record it.

    Shows a form in JupyterLab. Without widgets, give the guess as ``guess=...`` instead.

    Raises:
        ValueError: if ``guess`` is none of the ``options``.
    """
    if guess is not None and options and guess not in options:
        raise ValueError(f"guess must be one of {list(options)}, got {guess!r}")
    if guess is not None:
        _record(key, question, unit, guess)
        return Shown(
            f"Recorded: {_said(guess, unit)}. You can change it until you see the outcome."
        )
    return Form(_widget(key, question, list(options), unit), question, options)


def outcome(key: str, measured: float | str, *, unit: str = "") -> Shown:
    """Show what was measured beside the guess."""
    book = _read()
    prediction = book.get(key, Prediction(question="", unit=unit))
    prediction.outcome = measured
    if key in book:
        _write(book)
    return Shown(prediction.sentence())


def calibration() -> Shown:
    """How many of the recorded predictions of this lesson held."""
    judged = [p.held for p in _read().values() if p.held is not None]
    if not judged:
        return Shown("No prediction was recorded in this lesson. Next time, guess first.")
    return Shown(
        f"{sum(judged)} of your {len(judged)} predictions held (a number within a factor of two, "
        "or the right option). The others are where your picture of the matter has just changed."
    )


def _widget(key: str, question: str, options: list[str], unit: str) -> Any:
    import ipywidgets as widgets

    earlier = _read().get(key)
    value = earlier.guess if earlier else None
    answer: Any
    if options:
        answer = widgets.RadioButtons(options=options, value=value if value in options else None)
    else:
        answer = widgets.FloatText(
            value=value if isinstance(value, float) else 0.0, description=unit
        )
    answer.layout.width = "max-content"
    button = widgets.Button(description="Record", tooltip="Record this prediction")
    said = widgets.Label(value=f"Recorded: {_said(value, unit)}" if value is not None else "")

    def record(_: Any) -> None:
        if answer.value is None:
            said.value = "Choose an option first."
            return
        _record(key, question, unit, answer.value)
        said.value = f"Recorded: {_said(answer.value, unit)}"

    button.on_click(record)
    label = widgets.HTML(f"<strong>Your prediction?</strong> {html.escape(question)}")
    return widgets.VBox([label, answer, widgets.HBox([button, said])])


def _record(key: str, question: str, unit: str, guess: float | str) -> None:
    book = _read()
    when = datetime.datetime.now().isoformat(timespec="seconds")
    book[key] = Prediction(question, unit, guess, None, when)
    _write(book)


def _read() -> dict[str, Prediction]:
    """The recorded predictions; a damaged file is put aside, never lost."""
    if not FILE.exists():
        return {}
    try:
        return {
            key: Prediction(**value) for key, value in json.loads(FILE.read_text("utf-8")).items()
        }
    except (ValueError, TypeError, AttributeError):
        FILE.replace(FILE.with_suffix(".damaged.json"))
        return {}


def _write(book: dict[str, Prediction]) -> None:
    text = json.dumps({key: asdict(value) for key, value in book.items()}, indent=1)
    draft = FILE.with_suffix(".tmp")
    draft.write_text(text, "utf-8")
    draft.replace(FILE)


def _said(value: float | str | None, unit: str) -> str:
    text = f"{value:.4g}" if isinstance(value, int | float) else str(value)
    return f"{text} {unit}".strip()
