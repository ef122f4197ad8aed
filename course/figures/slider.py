"""A picture that sliders change, by mouse or by arrow keys.

Where no widget can be shown (a web page, a printed notebook), one still picture stands in its
place, with its description.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from course.figures.picture import Picture, image_tag
from course.figures.widget_view import widget_view
from elmo_mini.extras import brought_by


@dataclass(frozen=True)
class Knob:
    """One slider: what it changes, in a word or two; where it can stand, in order; and its start.

    Raises
    ------
    ValueError
        The start is none of the values.
    """

    label: str
    values: Sequence[float]
    start: float

    def __post_init__(self) -> None:
        if self.start not in self.values:
            values = list(self.values)
            raise ValueError(f"the slider starts at {self.start}, which is none of {values}")


class Sliders:
    """`draw` makes the picture of the sliders' values; each slider stands at its start first.

    Parameters
    ----------
    draw : the values, in the order of the knobs, to their picture
    knobs : one for each slider
    still : the picture for where nothing moves; it shows several values at once
    """

    def __init__(self, draw: Callable[..., Picture], knobs: Sequence[Knob], still: Picture) -> None:
        self.draw, self.knobs, self.still = draw, knobs, still

    def __repr__(self) -> str:
        return repr(self.still)

    def widget(self) -> Any:
        """The sliders above their picture."""
        with brought_by("course"):
            import ipywidgets as widgets

        longest = max(len(knob.label) for knob in self.knobs)
        sliders = [
            widgets.SelectionSlider(
                options=[(f"{value:g}", value) for value in knob.values],
                value=knob.start,
                description=knob.label,
                layout=widgets.Layout(width="90%"),
                style={"description_width": f"{longest + 1}ch"},
            )
            for knob in self.knobs
        ]
        shown = widgets.HTML(value=_html(self.draw(*(knob.start for knob in self.knobs))))

        def redraw(_: Any) -> None:
            shown.value = _html(self.draw(*(slider.value for slider in sliders)))

        for slider in sliders:
            slider.observe(redraw, "value")
        return widgets.VBox([*sliders, shown])

    def _repr_mimebundle_(self, **options: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        bundle = widget_view(self.widget(), **options)
        still, about = self.still._repr_mimebundle_()
        return bundle | still, about


class Slider(Sliders):
    """One slider above its picture; see `Knob` and `Sliders`."""

    def __init__(
        self,
        draw: Callable[[float], Picture],
        label: str,
        values: Sequence[float],
        start: float,
        still: Picture,
    ) -> None:
        super().__init__(draw, [Knob(label, values, start)], still)


def _html(picture: Picture) -> str:
    return image_tag(picture.svg(), picture.description)
