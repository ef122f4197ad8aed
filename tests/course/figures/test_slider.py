"""A slider redraws its picture in words and image, and stands still where nothing can move."""

import pytest

from course.figures import plots
from course.figures.picture import Picture
from course.figures.slider import Slider


def drawn(value: float) -> Picture:
    return plots.curves([0, 1], {"y": [0, value]}, title=f"bias {value:g}", xlabel="x", ylabel="y")


def test_moving_the_slider_draws_the_value_anew_with_its_description() -> None:
    slider, shown = Slider(drawn, "bias", [-2, 0, 2], -2, drawn(0)).widget().children
    assert "bias -2" in shown.value
    slider.value = 2
    assert "bias 2" in shown.value
    assert "alt=" in shown.value


def test_without_a_front_end_the_still_picture_stands_there() -> None:
    bundle, _ = Slider(drawn, "bias", [-2, 0, 2], -2, drawn(0))._repr_mimebundle_()
    assert "bias 0" in bundle["text/html"]
    assert "bias 0" in bundle["text/plain"]


def test_a_start_that_the_slider_cannot_stand_at_is_refused() -> None:
    with pytest.raises(ValueError, match="none of"):
        Slider(drawn, "bias", [-2, 2], 0, drawn(0))
