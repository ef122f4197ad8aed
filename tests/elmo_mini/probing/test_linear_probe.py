"""A linear probe that follows a gradient: autograd's, and whichever it is given."""

from typing import Any

import numpy as np
import pytest
import torch
from torch.nn import functional

from elmo_mini.probing.linear_probe import linear_probe, probe_gradient

RANDOM = np.random.default_rng(0)


def test_the_gradient_is_autograds() -> None:
    x, W, b = (RANDOM.standard_normal(shape) for shape in ((7, 4), (4, 3), (3,)))
    y = RANDOM.integers(0, 3, 7)
    leaves = [torch.tensor(value, requires_grad=True) for value in (W, b)]
    scores = torch.tensor(x) @ leaves[0] + leaves[1]
    loss = functional.cross_entropy(scores, torch.tensor(y)) + 0.3 / 2 * leaves[0].pow(2).sum()
    for mine, right in zip(
        probe_gradient(x, y, W, b, 0.3), torch.autograd.grad(loss, leaves), strict=True
    ):
        assert mine == pytest.approx(right.numpy())


def test_it_learns_a_line_whatever_the_scale() -> None:
    x = RANDOM.standard_normal((400, 5)).astype(np.float32)
    labels = np.where(x[:, 1] > 0.2, "noun", "verb")
    found = linear_probe(1000 * x[:300] + 7, labels[:300].tolist(), 1000 * x[300:] + 7)
    assert (found == labels[300:]).mean() > 0.9


def test_nothing_is_predicted_by_scores_that_are_not_finite() -> None:
    x = RANDOM.standard_normal((40, 3)).astype(np.float32)
    labels = np.where(x[:, 0] > 0, "noun", "verb").tolist()
    holed = x.copy()
    holed[3, 2] = np.nan
    with pytest.raises(FloatingPointError, match="not finite"):
        linear_probe(holed, labels, x)


def test_it_follows_the_gradient_that_it_is_given() -> None:
    x = RANDOM.standard_normal((40, 3)).astype(np.float32)
    labels = np.where(x[:, 0] > 0, "noun", "verb")

    def uphill(*given: Any) -> Any:
        return [-slope for slope in probe_gradient(*given)]

    away = linear_probe(x, labels.tolist(), x, gradient=uphill, steps=5)
    assert (away == labels).mean() < 0.3
