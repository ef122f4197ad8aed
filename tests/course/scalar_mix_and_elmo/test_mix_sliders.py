"""Sliders mix the layers of a word's occurrences; the words below say what the points show."""

import re

import numpy as np
import pytest

from course.figures.legibility import unreadable
from course.figures.slider import Sliders
from course.scalar_mix_and_elmo.mix_sliders import mix_sliders

GROUPS = ["river"] * 3 + ["money"] * 5
CHANCE = (3 * 2 / 7 + 5 * 4 / 7) / 8


@pytest.fixture(scope="module")
def sliders() -> Sliders:
    """Layer 0 is the same for all, layer 1 tells the groups apart, layer 2 is noise."""
    rng = np.random.default_rng(0)
    layers = 0.01 * rng.standard_normal((8, 3, 6))
    layers[:, 0] = np.ones(6)
    layers[:, 1] += np.where(np.array(GROUPS) == "river", 1.0, -1.0)[:, None] * np.eye(6)[0]
    layers[:, 2] = rng.standard_normal((8, 6))
    return mix_sliders(layers, GROUPS, word="bank")


def test_every_layer_has_a_slider_and_so_has_gamma(sliders: Sliders) -> None:
    assert [knob.label for knob in sliders.knobs] == [
        "w of layer 0",
        "w of layer 1",
        "w of layer 2",
        "gamma",
    ]
    *moved, shown = sliders.widget().children
    assert "s = 0.33, 0.33, 0.33 and gamma = 1," in shown.value
    moved[1].value = 6
    assert "s = 0.00, 1.00, 0.00 and gamma = 1, the nearest is of its own group for 8 of 8." in (
        shown.value
    )
    moved[3].value = 0.5
    assert "s = 0.00, 1.00, 0.00 and gamma = 0.5" in shown.value


def test_weights_that_all_move_alike_change_nothing(sliders: Sliders) -> None:
    assert sliders.draw(4, 4, 4, 1.0).description == sliders.draw(0, 0, 0, 1.0).description


def test_occurrences_that_are_all_alike_count_as_chance(sliders: Sliders) -> None:
    """Rounding must not decide which of equals is nearest."""
    said = sliders.still.description
    counted = re.search(
        r"s = 1\.00, 0\.00, 0\.00 .* group for ([\d.]+) of 8\. With s = 0\.33", said
    )
    assert counted is not None
    assert float(counted[1]) == pytest.approx(8 * CHANCE, abs=0.01)
    assert f"By chance it would be for {8 * CHANCE:.3g}." in said


def test_gamma_moves_the_points_and_the_plane_stays(sliders: Sliders) -> None:
    def points(gamma: float) -> tuple[np.ndarray, tuple[float, float]]:
        (panel,) = sliders.draw(0, 0, 6, gamma).figure.axes
        return np.array(panel.lines[0].get_data()), panel.get_xlim()

    (whole, limits), (half, same) = points(1.0), points(0.5)
    np.testing.assert_allclose(half, whole / 2)
    assert same == limits


@pytest.mark.parametrize("values", [(0, 0, 0, 1.0), (6, 0, -6, 0.25), (0, 0, 6, 1.25)])
def test_it_can_be_read_in_both_themes(sliders: Sliders, values: tuple[float, ...]) -> None:
    assert unreadable(sliders.draw(*values).figure) == []
    assert unreadable(sliders.still.figure) == []


def test_without_a_front_end_three_mixes_stand_side_by_side(sliders: Sliders) -> None:
    bundle, _ = sliders._repr_mimebundle_()
    for shares in ("1.00, 0.00, 0.00", "0.33, 0.33, 0.33", "0.00, 0.00, 1.00"):
        assert f"With s = {shares} and gamma = 1," in bundle["text/plain"]


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(ValueError, match=r"shape \(2, 3, 4\)"):
        mix_sliders(np.ones((2, 3, 4)), ["a", "b"], word="bank")
    with pytest.raises(ValueError, match="2 groups were given for 3 occurrences"):
        mix_sliders(np.ones((3, 3, 4)), ["a", "b"], word="bank")
