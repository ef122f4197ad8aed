import numpy as np
import pytest
import torch

from course.static_limits.vector_norms import loss_after, spread


def test_spread_is_the_variance_of_all_numbers() -> None:
    assert spread(np.array([[1, 2], [3, 6]], dtype=np.float32)) == pytest.approx(3.5)


def test_the_descent_is_that_of_autograd() -> None:
    rng = np.random.default_rng(0)
    x, y = rng.standard_normal((20, 3)), rng.integers(0, 2, 20).astype(float)
    weight = torch.zeros(4, dtype=torch.float64, requires_grad=True)
    inputs = torch.tensor(np.column_stack([2.0 * x, np.ones(20)]))
    cost = torch.nn.functional.binary_cross_entropy_with_logits
    for _ in range(7):
        (gradient,) = torch.autograd.grad(cost(inputs @ weight, torch.tensor(y)), weight)
        weight = (weight - 0.3 * gradient).detach().requires_grad_()
    expected = float(cost(inputs @ weight, torch.tensor(y)).detach())
    features = x.astype(np.float32)
    assert loss_after(features, y, 2.0, steps=7, rate=0.3) == pytest.approx(expected, rel=1e-5)
