"""Pictures to step through: a slider where there is a front end, one still picture elsewhere."""

from collections.abc import Callable
from typing import Any

from elmo_mini.figures.picture import Picture


class Stepper:
    """A slider over pictures that are drawn when they are asked for.

    The slider takes the arrow keys. Beside the picture stands its description, for screen
    readers. Where no widget can be shown, `still` is: an image with alternative text.

    Parameters
    ----------
    draw : the picture of a step
    first, last : the steps
    still : the step that stands for all of them
    """

    def __init__(
        self, draw: Callable[[int], Picture], first: int, last: int, *, still: int
    ) -> None:
        self.draw, self.first, self.last = draw, first, last
        self.picture = draw(still)
        self.step = still

    def __repr__(self) -> str:
        return self.picture.description

    def widget(self) -> Any:
        """The slider and its picture."""
        import ipywidgets as widgets

        slider = widgets.IntSlider(
            value=self.step,
            min=self.first,
            max=self.last,
            description="step",
            tooltip="Move with the arrow keys",
        )
        shown = widgets.HTML(self._html(self.step))

        def show(change: Any) -> None:
            shown.value = self._html(change["new"])

        slider.observe(show, names="value")
        return widgets.VBox([slider, shown])

    def _html(self, step: int) -> str:
        return self.draw(step)._repr_mimebundle_()["text/html"]

    def _repr_mimebundle_(self, **options: Any) -> dict[str, Any]:
        still = self.picture._repr_mimebundle_()
        try:
            return dict(self.widget()._repr_mimebundle_(**options) or {}) | still
        except ImportError:
            return dict(still)
