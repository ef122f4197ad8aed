"""The training pass of one layer: its outputs and gradients are those of the definition."""

from collections.abc import Iterator
from functools import partial

import pytest
import torch

from elmo_mini.fast.projected_lstm import ProjectedLSTM
from elmo_mini.fast.training_pass import train_layer

BATCH_SIZES = [4, 4, 3, 2, 2]


@pytest.fixture(autouse=True)
def double() -> Iterator[None]:
    torch.manual_seed(1)
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(torch.float32)


def test_gradients_by_finite_differences() -> None:
    layer = ProjectedLSTM(2, 3, 2, cell_clip=0.4, proj_clip=0.3)
    inputs = torch.randn(2, 5, 2, requires_grad=True)
    h = torch.randn(2, 2, 2, requires_grad=True)
    c = torch.randn(2, 2, 3, requires_grad=True)

    def run(*tensors: torch.Tensor) -> tuple[torch.Tensor, ...]:
        outputs, (h_end, c_end) = train_layer(
            layer, tensors[0], [2, 2, 1], (tensors[1], tensors[2])
        )
        return outputs, h_end, c_end

    assert torch.autograd.gradcheck(run, (inputs, h, c))


@pytest.mark.parametrize("clips", [(0.4, 0.1), (None, 0.1), (0.4, None), (0, 0)])
@pytest.mark.parametrize("hidden", [4, 7])
def test_equals_autograd_over_the_definition(
    clips: tuple[float | None, float | None], hidden: int
) -> None:
    layer = ProjectedLSTM(3, 7, hidden, *clips)
    shapes = (2, 15, 3), (2, 4, hidden), (2, 4, 7)
    inputs, h, c = (torch.randn(shape, requires_grad=True) for shape in shapes)
    wanted = [inputs, h, c, *layer.parameters()]
    results = []
    for read in (partial(train_layer, layer), layer):
        outputs, (h_end, c_end) = read(inputs, BATCH_SIZES, (h, c))
        loss = sum(
            (k + x.flatten() * x.flatten().cos().cumsum(0)).sum()
            for k, x in enumerate((outputs, h_end, c_end))
        )
        results.append((outputs, h_end, c_end, *torch.autograd.grad(loss, wanted)))
    for fast, plain in zip(*results, strict=True):
        torch.testing.assert_close(fast, plain, rtol=1e-12, atol=1e-12)
    if clips == (0.4, 0.1) and hidden == 4:
        assert (results[0][0].abs() == 0.1).any(), "no output was clipped"
        assert (results[0][2].abs() == 0.4).any(), "no cell was clipped"


@pytest.mark.parametrize("limit", [0.5, 0.25])
def test_clip_gradient_is_one_on_the_limit(limit: float) -> None:
    """A cell that lands on the limit exactly is not clipped."""
    layer = ProjectedLSTM(1, 1, 1, cell_clip=limit)
    with torch.no_grad():
        layer.weight.zero_()
        layer.bias[:, 2] = -1.0  # forget gate 1/2, candidate 0: the cell is halved
    c = torch.ones(2, 1, 1, requires_grad=True)
    inputs = torch.zeros(2, 1, 1, requires_grad=True)
    _, (_, c_end) = train_layer(layer, inputs, [1], (torch.zeros(2, 1, 1), c))
    c_end.sum().backward()
    assert c.grad is not None
    assert c.grad.flatten().tolist() == ([0.5, 0.5] if limit == 0.5 else [0.0, 0.0])


def test_under_autocast_only_the_products_are_rough() -> None:
    layer = ProjectedLSTM(3, 7, 4).float()
    inputs = torch.randn(2, 15, 3, dtype=torch.float32)
    state = layer.zero_state(4)

    def read() -> tuple[torch.Tensor, torch.Tensor]:
        layer.zero_grad()
        outputs, (_, c) = train_layer(layer, inputs, BATCH_SIZES, state)
        outputs.square().sum().backward()
        assert outputs.dtype == c.dtype == torch.float32
        assert layer.weight.grad is not None
        return outputs.detach(), layer.weight.grad.clone()

    exact, exact_gradient = read()
    with torch.autocast("cpu", torch.bfloat16):
        rough, rough_gradient = read()
    assert (rough != exact).any()
    torch.testing.assert_close(rough, exact, atol=0.02, rtol=0)
    torch.testing.assert_close(rough_gradient, exact_gradient, atol=0.05, rtol=0.05)
