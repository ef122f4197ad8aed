"""A picture that a slider changes, by mouse or by arrow keys.

Where no widget can be shown (a web page, a printed notebook), one still picture stands in its
place, with its description.
"""

from collections.abc import Callable, Sequence
from typing import Any

from elmo_mini.extras import brought_by
from elmo_mini.figures.picture import Picture


class Slider:
    """`draw` makes the picture of a value; the slider stands at `start` first.

    Parameters
    ----------
    draw : a value to its picture
    label : what the slider changes, in a word or two
    values : where it can stand, in order
    start : one of them
    still : the picture for where nothing moves; it shows several values at once
    """

    def __init__(
        self,
        draw: Callable[[float], Picture],
        label: str,
        values: Sequence[float],
        start: float,
        still: Picture,
    ) -> None:
        if start not in values:
            raise ValueError(f"the slider starts at {start}, which is none of {list(values)}")
        self.draw, self.label, self.values, self.start = draw, label, values, start
        self.still = still

    def __repr__(self) -> str:
        return repr(self.still)

    def widget(self) -> Any:
        """The slider above its picture."""
        with brought_by("course"):
            import ipywidgets as widgets

        slider = widgets.SelectionSlider(
            options=[(f"{value:g}", value) for value in self.values],
            value=self.start,
            description=self.label,
            layout=widgets.Layout(width="90%"),
            style={"description_width": "initial"},
        )
        shown = widgets.HTML(value=_html(self.draw(self.start)))

        def redraw(change: Any) -> None:
            shown.value = _html(self.draw(change["new"]))

        slider.observe(redraw, "value")
        return widgets.VBox([slider, shown])

    def _repr_mimebundle_(self, **options: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        bundle = dict(self.widget()._repr_mimebundle_(**options) or {})
        still, about = self.still._repr_mimebundle_()
        return bundle | still, about


def _html(picture: Picture) -> str:
    return picture._repr_mimebundle_()[0]["text/html"]
