"""The pictures of lesson 06 say what they show."""

import torch

from course.from_characters.char_cnn_figure import gate_slider, lanes, matches_along, stencil
from elmo_mini.models import elmo as plain


def test_a_stencil_says_where_it_matches_best() -> None:
    said = stencil("singing", "ing").description
    assert "best match 3 of 3" in said
    assert "3 at 2" in said
    assert "3 at 5" in said
    assert "0 at 0" in said


def test_a_stencil_that_fits_nowhere_has_no_match() -> None:
    assert "best match 0 of 2" in stencil("sin", "zz").description


def test_a_filter_says_what_it_waits_for() -> None:
    said = matches_along("sing", torch.tensor([0.0, 1.0, 3.0, 2.0, 0.5, 9.0]), 3, "f").description
    assert "f waits for 'ing'" in said
    assert "‹si 0, sin 1, ing 3, ng› 2, g›· 0.5." in said


def test_both_lanes_and_the_gate_lead_to_y() -> None:
    assert "gate to times g and times 1 - g" in lanes().description


def test_the_gate_is_drawn_at_three_biases_where_nothing_moves() -> None:
    def highway(x, W, b, W_gate, b_gate):  # type: ignore[no-untyped-def]
        weights = {"W_transform": W, "b_transform": b, "W_carry": W_gate, "b_carry": b_gate}
        return plain.Highway({f"h/{name}": w for name, w in weights.items()}, "h")(x).detach()

    said = repr(gate_slider(highway))
    assert all(f"bias {bias}" in said for bias in (-2, 0, 2))
