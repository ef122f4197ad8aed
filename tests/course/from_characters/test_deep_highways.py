"""Gradients through deep stacks: what lesson 06 says of them."""

import math

import pytest
import torch
from torch import Tensor

from course.from_characters.deep_highways import (
    arriving,
    mean_slope,
    shares_by_depth,
    through_layers,
    with_bias,
)


def highway(x: Tensor, W: Tensor, b: Tensor, W_gate: Tensor, b_gate: Tensor) -> Tensor:
    g = torch.sigmoid(x @ W_gate + b_gate)
    return g * torch.relu(x @ W + b) + (1 - g) * x


def test_a_shut_gate_lets_the_whole_gradient_back() -> None:
    assert abs(arriving(with_bias(highway, -60.0), 10) - 1) < 1e-5


def test_nearly_shut_some_arrives_and_open_nothing() -> None:
    assert 0.05 < arriving(with_bias(highway, -2.0), 20) < 0.12
    assert arriving(with_bias(highway, 0.0), 20) < 0.001


def test_the_bias_of_the_short_formula_lets_a_little_less_than_half_through() -> None:
    gate = 1 - 0.5 ** (1 / 20)
    bias = math.log(gate / (1 - gate))
    assert 0.4 < arriving(with_bias(highway, bias), 20) < 0.5


def test_larger_weights_do_more_than_a_gate() -> None:
    shares = shares_by_depth(highway, [-2.0], [50])
    plain, larger, gated = (values[0] for values in shares.values())
    assert plain < gated < larger


def test_the_mean_slope_is_near_one_less_the_gate() -> None:
    def old_lane(x: Tensor, w: Tensor, b: Tensor, v: Tensor, c: Tensor) -> Tensor:
        return 1 - torch.sigmoid(v * x + c)

    assert abs(mean_slope(old_lane, -2.0) - 0.88) < 0.01


def test_what_arrives_is_printed_and_drawn(capsys: pytest.CaptureFixture[str]) -> None:
    said = through_layers(highway, [-2.0], [1, 2]).description
    assert "highways, bias -2 falls from" in said
    assert capsys.readouterr().out.count("arrives through 2 layers") == 3
