"""The derived moments against drawn vectors."""

import numpy as np
import pytest

from course.attention.dot_products import dot_moments


def test_drawn_dot_products_have_these_moments() -> None:
    rng = np.random.default_rng(0)
    means, spreads = rng.normal(size=(2, 6)), rng.uniform(0.5, 2, (2, 6))
    q, k = means[:, None] + spreads[:, None] * rng.normal(size=(2, 200_000, 6))
    products = (q * k).sum(-1)
    mean, variance = dot_moments(means[0], spreads[0] ** 2, means[1], spreads[1] ** 2)
    assert products.mean() == pytest.approx(mean, abs=0.05)
    assert products.var() == pytest.approx(variance, rel=0.02)


def test_unit_vectors_stray_by_the_root_of_d() -> None:
    assert dot_moments(np.zeros(64), np.ones(64), np.zeros(64), np.ones(64)) == (0, 64)
