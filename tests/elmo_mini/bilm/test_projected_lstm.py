"""The LSTM with projection and clips; upstream behaviours 26 to 31."""

from collections.abc import Iterator

import pytest
import torch

from elmo_mini.bilm.projected_lstm import ProjectedLSTM, clip

ALIVE = [4, 4, 3, 2, 2]


@pytest.fixture(autouse=True)
def double() -> Iterator[None]:
    torch.manual_seed(1)
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(torch.float32)


@pytest.mark.parametrize("projected", [True, False])
def test_forward_equals_row_by_row_steps(projected: bool) -> None:
    layer = ProjectedLSTM(3, 7, 4 if projected else 7, cell_clip=0.3, proj_clip=0.2)
    inputs = 3 * torch.randn(2, 5, 4, 3)
    h0, c0 = torch.randn(2, 4, layer.hidden_size), torch.randn(2, 4, 7)
    outputs, (h_end, c_end) = layer(inputs, ALIVE, (h0, c0))
    forget = torch.cat([torch.zeros(14), torch.ones(7), torch.zeros(7)])
    for d in range(2):
        for row in range(4):
            h, c = h0[d, row], c0[d, row]
            for t in range(sum(n > row for n in ALIVE)):
                gates = torch.cat([inputs[d, t, row], h]) @ layer.weight[d] + layer.bias[d] + forget
                i, g, f, o = gates.view(4, 7)
                c = (f.sigmoid() * c + i.sigmoid() * g.tanh()).clamp(-0.3, 0.3)
                h = o.sigmoid() * c.tanh()
                if projected:
                    assert layer.projection is not None
                    h = (h @ layer.projection[d]).clamp(-0.2, 0.2)
                torch.testing.assert_close(outputs[d, t, row], h)
            torch.testing.assert_close(h_end[d, row], h)
            torch.testing.assert_close(c_end[d, row], c)


def test_output_is_zero_past_a_rows_end() -> None:  # 26, 28
    layer = ProjectedLSTM(3, 7, 4)
    state = torch.randn(2, 4, 4), torch.randn(2, 4, 7)
    outputs, (h, c) = layer(torch.randn(2, 5, 4, 3), ALIVE, state)
    for t, n in enumerate(ALIVE):
        assert (outputs[:, t, n:] == 0).all()
        assert (outputs[:, t, :n] != 0).all()
    assert h.shape == (2, 4, 4)  # 27, 30
    assert c.shape == (2, 4, 7)


def test_clips_bound_output_and_state() -> None:  # 29, 31
    layer = ProjectedLSTM(3, 7, 4, cell_clip=2.0, proj_clip=1.0)
    with torch.no_grad():
        layer.weight.mul_(20)
        assert layer.projection is not None
        layer.projection.mul_(20)
    outputs, (_, c) = layer(5 * torch.randn(2, 5, 4, 3), ALIVE)
    assert outputs.abs().max() == 1.0
    assert c.abs().max() == 2.0


@pytest.mark.parametrize("none", [None, 0, 0.0])
def test_no_clip(none: float | None) -> None:
    assert clip(torch.tensor(50.0), none) == 50
    assert clip(torch.tensor(-50.0), 3) == -3


def test_gradients_by_finite_differences() -> None:
    layer = ProjectedLSTM(2, 3, 2, cell_clip=0.4, proj_clip=0.3)
    inputs = torch.randn(2, 3, 2, 2, requires_grad=True)
    h = torch.randn(2, 2, 2, requires_grad=True)
    c = torch.randn(2, 2, 3, requires_grad=True)

    def run(*tensors: torch.Tensor) -> tuple[torch.Tensor, ...]:
        outputs, (h_end, c_end) = layer(tensors[0], [2, 2, 1], (tensors[1], tensors[2]))
        return outputs, h_end, c_end

    assert torch.autograd.gradcheck(run, (inputs, h, c))


@pytest.mark.parametrize("clips", [(0.4, 0.1), (None, 0.1), (0.4, None), (0, 0)])
@pytest.mark.parametrize("hidden", [4, 7])
def test_fast_path_equals_autograd_over_steps(
    clips: tuple[float | None, float | None], hidden: int
) -> None:
    layer = ProjectedLSTM(3, 7, hidden, *clips)
    shapes = (2, 5, 4, 3), (2, 4, hidden), (2, 4, 7)
    inputs, h, c = (torch.randn(shape, requires_grad=True) for shape in shapes)
    wanted = [inputs, h, c, *layer.parameters()]
    results = []
    for read in (layer, layer.read_step_by_step):
        outputs, (h_end, c_end) = read(inputs, ALIVE, (h, c))
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
    _, (_, c_end) = layer(torch.zeros(2, 1, 1, 1), [1], (torch.zeros(2, 1, 1), c))
    c_end.sum().backward()
    assert c.grad is not None
    assert c.grad.flatten().tolist() == ([0.5, 0.5] if limit == 0.5 else [0.0, 0.0])


def test_forget_gate_starts_open() -> None:
    bias = ProjectedLSTM(3, 7, 4).gate_bias()
    assert bias.shape == (2, 1, 28)
    assert (bias[..., 14:21] == 1).all()
    assert bias.sum() == 14


def test_under_autocast_only_the_products_are_rough() -> None:
    layer = ProjectedLSTM(3, 7, 4).float()
    inputs = torch.randn(2, 5, 4, 3, dtype=torch.float32)

    def read() -> tuple[torch.Tensor, torch.Tensor]:
        layer.zero_grad()
        outputs, (_, c) = layer(inputs, ALIVE)
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
